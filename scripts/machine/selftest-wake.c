// SPDX-License-Identifier: GPL-2.0-only
/*
 * For "selftest": wake a thread that sleeps on the other CPU, again and again, in
 * both directions, and tell of the first wake-up that takes long.  The waker spins
 * for the answer: it would wake the other CPU as well by going to sleep itself.
 */
#define _GNU_SOURCE
#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define NR_WAKES	1000
#define LIMIT_US	100000

static int bell[2];
static int answers, sleeper_cpu;

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %d", cpu);
}

static long now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000l + ts.tv_nsec / 1000;
}

static void *sleeper(void *arg)
{
	char c;

	pin(sleeper_cpu);
	while (read(bell[0], &c, 1) == 1)
		__atomic_add_fetch(&answers, 1, __ATOMIC_RELEASE);
	return arg;
}

static void test_cpu(int cpu)
{
	pthread_t thread;
	long start, us;
	int i;

	answers = 0;
	sleeper_cpu = cpu;
	pin(!cpu);
	if (pipe(bell) || pthread_create(&thread, NULL, sleeper, NULL))
		err(1, "no thread to wake");

	for (i = 1; i <= NR_WAKES; i++) {
		/* Find it falling asleep, asleep, and on its way there. */
		start = now_us();
		while (now_us() - start < i % 50)
			;

		start = now_us();
		if (write(bell[1], "", 1) != 1)
			err(1, "pipe");
		while (__atomic_load_n(&answers, __ATOMIC_ACQUIRE) < i)
			;
		us = now_us() - start;
		if (us > LIMIT_US) {
			printf("wake-up %d of CPU %d took %ld us\n", i, cpu, us);
			exit(1);
		}
	}

	close(bell[1]);
	pthread_join(thread, NULL);
	close(bell[0]);
}

int main(void)
{
	test_cpu(1);
	test_cpu(0);
	printf("%d wake-ups of each CPU\n", NR_WAKES);
	return 0;
}
