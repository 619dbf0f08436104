/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is left to do right before the guest is entered again.
 */
#ifndef VMX_FASTPATH_ENTRY_H
#define VMX_FASTPATH_ENTRY_H

#include <linux/types.h>

/**
 * struct fastpath_expiry - a deadline before which the guest must not be entered
 * @deadline:	that deadline, host TSC; 0 for none
 * @due:	when the timer was to expire, host TSC: the deadline less the advance;
 *		0 for a deadline that no timer was armed for
 */
struct fastpath_expiry {
	u64 deadline;
	u64 due;
};

/**
 * struct fastpath_entry - what comes last before VM-Entry
 * @expiry:		the deadline to wait for
 * @load_hv_timer:	load the preemption timer with the deadline
 */
struct fastpath_entry {
	struct fastpath_expiry expiry;
	bool load_hv_timer;
};

#endif /* VMX_FASTPATH_ENTRY_H */
