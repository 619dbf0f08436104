// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <signal.h>
#include <time.h>

#include "test_util.h"

#include "generator.h"
#include "host.h"
#include "vm.h"

/* A run takes milliseconds: one that does not end by then never will. */
#define HUNG_MS		1000

/* Signals of one run; more would not leave WHEN_SOON's time to the program. */
#define MAX_SIGNALS	8

#define MAX_HOST_EVENTS	4096

/**
 * struct run - one run of a program
 * @events:	what was seen so far
 * @nr_read:	entries of the guest's log that are among them
 * @filter:	how writes that the MSR filter denies are answered
 * @steps:	instructions still to be single-stepped
 * @signals:	signals still to come
 */
struct run {
	const struct fuzz_program *program;
	struct fuzz_vm *vm;
	struct fuzz_event *events;
	unsigned int nr_events;
	unsigned int nr_read;
	unsigned int op;
	enum fuzz_filter filter;
	unsigned int steps;
	struct fuzz_random noise;
	unsigned int signals;
	timer_t noise_timer;
	timer_t hung_timer;
};

static bool hung;

static void on_noise(int signal)
{
}

static void on_hung(int signal)
{
	WRITE_ONCE(hung, true);
}

static timer_t create_timer(int signal, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = signal,
	};
	timer_t timer;

	sigaction(signal, &action, NULL);
	TEST_ASSERT(!timer_create(CLOCK_MONOTONIC, &event, &timer),
		    "No timer, errno %d", errno);
	return timer;
}

static void set_timer(timer_t timer, u64 ns, u64 again_ns)
{
	struct itimerspec spec = {
		.it_value = { ns / 1000000000, ns % 1000000000 },
		.it_interval = { again_ns / 1000000000, again_ns % 1000000000 },
	};

	timer_settime(timer, 0, &spec, NULL);
}

static struct fuzz_event *host_event(struct run *run, enum fuzz_event_kind kind)
{
	struct fuzz_event *event;

	TEST_ASSERT(run->nr_events < MAX_HOST_EVENTS, "More events than a run can have");
	event = &run->events[run->nr_events++];
	*event = (struct fuzz_event) { .kind = kind, .op = run->op };
	return event;
}

/* Take over what the guest logged since: it came before what userspace does now. */
static void read_log(struct run *run)
{
	struct fuzz_guest *guest = run->vm->guest;

	for (; run->nr_read < guest->nr_events; run->nr_read++)
		*host_event(run, 0) = guest->log[run->nr_read];
}

static void dump(struct run *run)
{
	struct fuzz_event *event = host_event(run, EV_DUMP);

	event->state = malloc(sizeof(*event->state));
	TEST_ASSERT(event->state, "No memory");
	fuzz_state_get(run->vm->vcpu, event->state);
}

static void single_step(struct run *run, unsigned int steps)
{
	struct kvm_guest_debug debug = {
		.control = steps ? KVM_GUESTDBG_ENABLE | KVM_GUESTDBG_SINGLESTEP : 0,
	};

	run->steps = steps;
	run->vm->guest->stepped = 1;
	vcpu_guest_debug_set(run->vm->vcpu, &debug);
}

static void send_msi(struct run *run, unsigned int vector)
{
	struct kvm_msi msi = {
		.address_lo = 0xfee00000,
		.data = vector,
	};

	host_event(run, EV_HOST)->value = __vm_ioctl(run->vm->vcpu->vm, KVM_SIGNAL_MSI, &msi);
}

static void set_deadline(struct run *run, const struct fuzz_op *op)
{
	struct kvm_vcpu *vcpu = run->vm->vcpu;
	u64 tsc = vcpu_get_msr(vcpu, MSR_IA32_TSC);
	u64 deadline = fuzz_deadline(op->arg[0], op->arg[1], tsc, &run->vm->layout);
	struct fuzz_event *event = host_event(run, EV_ARM);

	event->value = deadline;
	event->tsc = tsc;
	if (deadline)
		run->vm->guest->deadline = deadline;
	fuzz_msr_set(vcpu, MSR_IA32_TSC_DEADLINE, deadline);
}

static void try_again(struct run *run)
{
	struct kvm_vcpu *vcpu = run->vm->vcpu;
	int r;

	vcpu->run->immediate_exit = 1;
	r = __vcpu_run(vcpu);
	vcpu->run->immediate_exit = 0;
	host_event(run, EV_HOST)->value = r ? errno : 0;
}

/* The guest stopped for what operation @run->op says. */
static void host_op(struct run *run)
{
	const struct fuzz_op *op = &run->program->ops[run->op];
	struct kvm_vcpu *vcpu = run->vm->vcpu;
	struct kvm_mp_state mp_state;

	switch (op->code) {
	case OP_DUMP:
		dump(run);
		return;
	case OP_AGAIN:
		try_again(run);
		return;
	case OP_RESTORE:
		fuzz_state_restore(vcpu, op->arg[0]);
		break;
	case OP_FILTER:
		run->filter = op->arg[0];
		fuzz_vm_filter(run->vm, run->filter);
		break;
	case OP_STEP:
		single_step(run, op->arg[0]);
		break;
	case OP_NMI:
		vcpu_ioctl(vcpu, KVM_NMI, NULL);
		break;
	case OP_SMI:
		vcpu_ioctl(vcpu, KVM_SMI, NULL);
		break;
	case OP_MSI:
		send_msi(run, op->arg[0]);
		return;
	case OP_OFFSET:
		fuzz_vm_move_tsc(run->vm, op->arg[0]);
		break;
	case OP_SETMSR:
		set_deadline(run, op);
		return;
	case OP_MEMSLOT:
		fuzz_vm_flip_slot(run->vm);
		break;
	case OP_MPSTATE:
		vcpu_mp_state_get(vcpu, &mp_state);
		vcpu_mp_state_set(vcpu, &mp_state);
		break;
	default:
		TEST_FAIL("Operation %u is not the host's", run->op);
	}
	host_event(run, EV_HOST);
}

/* Of any magnitude from a microsecond to a millisecond. */
static u64 next_signal_ns(struct run *run)
{
	unsigned int bits = 10 + fuzz_random_below(&run->noise, 11);

	return 1 + (fuzz_random(&run->noise) & (BIT_ULL(bits) - 1));
}

/* A signal came: at any moment, so nothing that userspace does now may matter. */
static void signalled(struct run *run)
{
	if (!run->signals)
		return;

	/* Amid single-stepping KVM_SET_REGS would lose RFLAGS.TF. */
	if (run->steps)
		goto next;

	switch (fuzz_random_below(&run->noise, 4)) {
	case 0:
		break;
	case 1:
		fuzz_vm_flip_slot(run->vm);
		break;
	default:
		fuzz_state_restore(run->vm->vcpu, fuzz_random_below(&run->noise, NR_STATES));
		break;
	}
next:
	if (--run->signals)
		set_timer(run->noise_timer, next_signal_ns(run), 0);
}

static void debug_exit(struct run *run)
{
	struct kvm_run *kvm_run = run->vm->vcpu->run;
	struct fuzz_event *event = host_event(run, EV_STEP);

	event->rip = kvm_run->debug.arch.pc;
	event->value = kvm_run->debug.arch.dr6;
	if (run->steps && !--run->steps)
		single_step(run, 0);
}

/*
 * KVM advances RIP, and takes what userspace read, when it is entered again.  With
 * single-stepping on, that is the end of a step.
 */
static void complete_io(struct run *run)
{
	struct kvm_vcpu *vcpu = run->vm->vcpu;
	int r;

	vcpu->run->immediate_exit = 1;
	r = __vcpu_run(vcpu);
	vcpu->run->immediate_exit = 0;
	if (!r) {
		TEST_ASSERT_KVM_EXIT_REASON(vcpu, KVM_EXIT_DEBUG);
		debug_exit(run);
	}
}

static void denied_msr(struct run *run)
{
	struct kvm_run *kvm_run = run->vm->vcpu->run;
	struct fuzz_event *event = host_event(run, EV_MSR);

	event->error = kvm_run->msr.index;
	event->value = kvm_run->msr.data;
	kvm_run->msr.error = run->filter == FILTER_FAIL;
	complete_io(run);
}

static void mmio(struct run *run)
{
	struct kvm_run *kvm_run = run->vm->vcpu->run;
	struct fuzz_event *event = host_event(run, EV_MMIO);

	event->value = kvm_run->mmio.phys_addr;
	event->error = kvm_run->mmio.is_write;
	if (!kvm_run->mmio.is_write)
		memset(kvm_run->mmio.data, 0xff, sizeof(kvm_run->mmio.data));
	complete_io(run);
}

static void end(struct run *run, enum fuzz_end how)
{
	host_event(run, EV_END)->value = how;
	dump(run);
}

/* Where KVM itself is at fault, see allows_tpr() in model.c, it has to be with both. */
static void failed_entry(struct run *run)
{
	struct fuzz_event *event = host_event(run, EV_FAIL);

	event->value = run->vm->vcpu->run->fail_entry.hardware_entry_failure_reason;
	run->vm->spoilt = true;
	end(run, END_FAIL);
}

/* Return: the program goes on. */
static bool io(struct run *run)
{
	struct kvm_run *kvm_run = run->vm->vcpu->run;
	unsigned int port = kvm_run->io.port;
	u32 number;

	memcpy(&number, (u8 *)kvm_run + kvm_run->io.data_offset, sizeof(number));
	complete_io(run);
	switch (port) {
	case FUZZ_PORT_HOST:
		run->op = number;
		host_op(run);
		return true;
	case FUZZ_PORT_END:
		run->op = number;
		end(run, END_OK);
		return false;
	default:
		end(run, END_OVERFLOW);
		return false;
	}
}

/* Return: the program goes on. */
static bool handle_exit(struct run *run)
{
	struct kvm_run *kvm_run = run->vm->vcpu->run;

	switch (kvm_run->exit_reason) {
	case KVM_EXIT_IO:
		return io(run);
	case KVM_EXIT_DEBUG:
		debug_exit(run);
		return true;
	case KVM_EXIT_X86_WRMSR:
		denied_msr(run);
		return true;
	case KVM_EXIT_MMIO:
		mmio(run);
		return true;
	case KVM_EXIT_FAIL_ENTRY:
		failed_entry(run);
		return false;
	default:
		host_event(run, EV_EXIT)->value = kvm_run->exit_reason;
		end(run, END_EXIT);
		return false;
	}
}

static void run_vcpu(struct run *run)
{
	bool goes_on = true;
	int r;

	WRITE_ONCE(hung, false);
	set_timer(run->hung_timer, HUNG_MS * 1000000ull, 1000000);
	if (run->signals)
		set_timer(run->noise_timer, next_signal_ns(run), 0);

	while (goes_on) {
		r = __vcpu_run(run->vm->vcpu);
		TEST_ASSERT(!r || errno == EINTR, KVM_IOCTL_ERROR(KVM_RUN, r));
		read_log(run);
		if (!r) {
			goes_on = handle_exit(run);
		} else if (READ_ONCE(hung)) {
			end(run, END_HUNG);
			goes_on = false;
		} else {
			signalled(run);
		}
	}
	set_timer(run->noise_timer, 0, 0);
	set_timer(run->hung_timer, 0, 0);
}

void fuzz_run(const struct fuzz_program *program, struct fuzz_trace *trace)
{
	/* On the heap: all of the program's own data is the guest's memory as well. */
	static struct fuzz_event *events;
	static struct fuzz_code *code;
	static timer_t noise_timer, hung_timer;
	struct run run = {
		.program = program,
		.vm = fuzz_vm_get(program),
		.noise = { .state = program->noise },
		.signals = program->noise ? MAX_SIGNALS : 0,
	};
	unsigned int i;

	if (!events) {
		events = calloc(MAX_HOST_EVENTS, sizeof(*events));
		code = malloc(sizeof(*code));
		TEST_ASSERT(events && code, "No memory");
		noise_timer = create_timer(SIGUSR1, on_noise);
		hung_timer = create_timer(SIGALRM, on_hung);
	}
	run.events = events;
	run.noise_timer = noise_timer;
	run.hung_timer = hung_timer;

	fuzz_codegen(program, &run.vm->layout, code);
	memcpy(run.vm->code, code->bytes, code->len);
	run_vcpu(&run);

	if (run.filter != FILTER_OFF)
		fuzz_vm_filter(run.vm, FILTER_OFF);
	fuzz_canonical(program, code, &run.vm->rules, events, run.nr_events, trace);
	for (i = 0; i < run.nr_events; i++)
		free(events[i].state);
}
