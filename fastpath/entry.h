/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a handler leaves to do right before the guest is entered again.
 */
#ifndef VMX_FASTPATH_ENTRY_H
#define VMX_FASTPATH_ENTRY_H

#include <linux/types.h>

/**
 * struct fastpath_entry - what comes last before VM-Entry
 * @wait_until:		host TSC before which the guest must not be entered, 0
 *			for none
 * @load_hv_timer:	load the preemption timer with the deadline
 */
struct fastpath_entry {
	u64 wait_until;
	bool load_hv_timer;
};

#endif /* VMX_FASTPATH_ENTRY_H */
