/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parameters of the module.
 */
#ifndef VMX_FASTPATH_PARAM_H
#define VMX_FASTPATH_PARAM_H

#include <linux/string.h>

/* Length of a value for a message: what comes by sysfs ends with a newline. */
static inline int fastpath_param_len(const char *val)
{
	return strcspn(val, "\n");
}

#endif /* VMX_FASTPATH_PARAM_H */
