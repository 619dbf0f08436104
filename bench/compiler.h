/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's names for what the compiler offers, on host and guest side. Here
 * they are defined, so here alone checkpatch's advice to use them does not hold.
 */
#ifndef BENCH_COMPILER_H
#define BENCH_COMPILER_H

#define BIT(n)			(1u << (n))
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, value)	__atomic_store_n(&(x), value, __ATOMIC_RELAXED)

#ifndef __packed
#define __packed		__attribute__((__packed__))
#endif
#define __noreturn		__attribute__((__noreturn__))
#define __printf(format, args)	__attribute__((__format__(printf, format, args)))

#endif
