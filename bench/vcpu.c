// SPDX-License-Identifier: GPL-2.0-only
#include "vcpu.h"

#include "guest_image.h"
#include "vmexit.h"

void bench_vcpu_create(struct vmm *vm, struct bench_vcpu *vcpu, __u32 id,
		       const char *name, const struct vmexit_page *setup)
{
	vmm_vcpu_create(vm, &vcpu->vmm, id, VMM_GUEST_BASE);
	vmm_load(&vcpu->vmm, vmexit_image, vmexit_image_end - vmexit_image);

	vcpu->page = vmm_mem(&vcpu->vmm, VMM_GUEST_BASE, sizeof(*vcpu->page));
	*vcpu->page = *setup;
	vcpu->name = name;
	vcpu->id = id;
	vcpu->progress = ~0ull;
}

void bench_vcpu_destroy(struct bench_vcpu *vcpu)
{
	vmm_vcpu_destroy(&vcpu->vmm);
}

void bench_vcpu_check_progress(struct bench_vcpu *vcpu)
{
	__u64 ticks = READ_ONCE(vcpu->page->ticks);
	__u64 repeats = READ_ONCE(vcpu->page->repeats_done);

	if (vcpu->progress == ticks + repeats)
		vmm_fail(STATUS_UNTRUSTED,
			 "%s: vCPU %u: no headway in %d s after %llu ticks, %llu repeats: interrupt lost?",
			 vcpu->name, vcpu->id, WATCHDOG_SECONDS, ticks, repeats);
	vcpu->progress = ticks + repeats;
}

void bench_vcpu_run(struct bench_vcpu *vcpu, enum vmm_event wanted)
{
	enum vmm_event event;
	__u32 value;

	/* The watchdog is the only one that sends signals. */
	while ((event = vmm_vcpu_run(&vcpu->vmm, &value)) == VMM_EVENT_SIGNAL) {
		vcpu->vmm.run->immediate_exit = 0;
		bench_vcpu_check_progress(vcpu);
	}

	if (event == VMM_EVENT_ABORT)
		vmm_fail_abort(&vcpu->vmm, value);
	if (event != wanted)
		vmm_fail(VMM_FAILED, "%s: guest rang doorbell %d, not %d", vcpu->name, event,
			 wanted);
}
