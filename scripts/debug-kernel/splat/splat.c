// SPDX-License-Identifier: GPL-2.0-only
/*
 * Do what one of the debug kernel's checkers must report: without a report, the
 * checker is missing or nobody sees what it says.
 */
#include <linux/context_tracking.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timer.h>

static char *kind = "";
module_param(kind, charp, 0444);
MODULE_PARM_DESC(kind, "the checker to provoke");

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);

/* KASAN */
static void use_after_free(void)
{
	char *p = kmalloc(64, GFP_KERNEL);

	if (!p)
		return;
	kfree(p);
	OPTIMIZER_HIDE_VAR(p);
	WRITE_ONCE(p[8], 1);
}

/* PROVE_LOCKING */
static void lock_order(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);

	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

/* PROVE_RCU */
static void rcu_unprotected(void)
{
	static int __rcu *pointer;

	(void)rcu_dereference(pointer);
}

/* PROVE_RCU, of what runs in an extended quiescent state, as in the world switch */
static void rcu_not_watching(void)
{
	unsigned long flags;

	local_irq_save(flags);
	ct_idle_enter();
	rcu_read_lock();
	rcu_read_unlock();
	ct_idle_exit();
	local_irq_restore(flags);
}

/* DEBUG_ATOMIC_SLEEP */
static void atomic_sleep(void)
{
	preempt_disable();
	might_sleep();
	preempt_enable();
}

/* DEBUG_PREEMPT */
static void preemptible_cpu(void)
{
	(void)smp_processor_id();
}

/* UBSAN */
static void shift_too_far(void)
{
	static int result;
	int by = 40;

	OPTIMIZER_HIDE_VAR(by);
	WRITE_ONCE(result, 1 << by);
}

/* DEBUG_OBJECTS_TIMERS */
static void freed_timer(void)
{
	struct timer_list *timer = kmalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return;
	timer_setup(timer, NULL, 0);
	mod_timer(timer, jiffies + HZ * 1000);
	kfree(timer);
}

/* DEBUG_LIST */
static void double_add(void)
{
	static LIST_HEAD(head);
	static LIST_HEAD(entry);

	list_add(&entry, &head);
	list_add(&entry, &head);
}

static const struct {
	const char *name;
	void (*provoke)(void);
} kinds[] = {
	{ "use_after_free", use_after_free },
	{ "lock_order", lock_order },
	{ "rcu_unprotected", rcu_unprotected },
	{ "rcu_not_watching", rcu_not_watching },
	{ "atomic_sleep", atomic_sleep },
	{ "preemptible_cpu", preemptible_cpu },
	{ "shift_too_far", shift_too_far },
	{ "freed_timer", freed_timer },
	{ "double_add", double_add },
};

static int __init splat_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(kind, kinds[i].name)) {
			kinds[i].provoke();
			return 0;
		}
	}
	return -EINVAL;
}
module_init(splat_init);

static void __exit splat_exit(void)
{
}
module_exit(splat_exit);
MODULE_DESCRIPTION("Provoke the debug kernel's checkers");
MODULE_LICENSE("GPL");
