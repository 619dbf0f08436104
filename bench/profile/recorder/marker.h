/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a guest, or a program, says to the recorder: a long NOP of this displacement, which neither
 * exits nor does anything. Both sides include this.
 */
#ifndef BENCH_PROFILE_MARKER_H
#define BENCH_PROFILE_MARKER_H

/* The next exit goes to userspace: follow the calls from there, to know them all. */
#define MARKER_PREPARE		0x50524f01
#define MARKER_BEGIN		0x50524f02
#define MARKER_END		0x50524f03
/* In userspace of the host: RCX bytes at RSI are what the recorder is to write down. */
#define MARKER_TELL		0x50524f04

#endif
