/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VMCS access for a vCPU whose VMCS is the CPU's own.
 *
 * KVM's accessors look for Hyper-V's enlightened VMCS each time, although it is
 * all vCPUs or none; __vmx_fastpath_run() looks once.
 *
 * Values have the register's width: VMREAD clears what is beyond the field's, and VMWRITE
 * ignores it.
 */
#ifndef VMX_FASTPATH_VMCS_ACCESS_H
#define VMX_FASTPATH_VMCS_ACCESS_H

#include "../vmx/vmx.h"
#include "../vmx/vmx_ops.h"

static __always_inline unsigned long fastpath_vmcs_read16(unsigned long field)
{
	vmcs_check16(field);
	return __vmcs_readl(field);
}

static __always_inline unsigned long fastpath_vmcs_read32(unsigned long field)
{
	vmcs_check32(field);
	return __vmcs_readl(field);
}

static __always_inline unsigned long fastpath_vmcs_readl(unsigned long field)
{
	vmcs_checkl(field);
	return __vmcs_readl(field);
}

static __always_inline void fastpath_vmcs_write16(unsigned long field,
						  unsigned long value)
{
	vmcs_check16(field);
	__vmcs_writel(field, value);
}

static __always_inline void fastpath_vmcs_write32(unsigned long field,
						  unsigned long value)
{
	vmcs_check32(field);
	__vmcs_writel(field, value);
}

static __always_inline void fastpath_vmcs_writel(unsigned long field,
						 unsigned long value)
{
	vmcs_checkl(field);
	__vmcs_writel(field, value);
}

#endif /* VMX_FASTPATH_VMCS_ACCESS_H */
