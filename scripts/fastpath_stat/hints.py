# SPDX-License-Identifier: GPL-2.0-only
"""
What to change, for each reason in fastpath/reasons.h, where it is among the most
frequent. scripts/checks/hints holds the two lists against each other.
"""

NORMAL_ONCE = "normal once, when a vCPU starts or a VM is restored; nothing to change"

HINTS = {
    "vmlaunch": NORMAL_ONCE,
    "l2_active": "the guest runs guests of its own, whose exits are KVM's; keep timer-bound "
                 "work out of nested VMs",
    "guest_debug": "a debugger is attached (QEMU's -s or gdbserver); detach it",
    "smm": "the guest's firmware runs in SMM; if it keeps on, use a firmware without SMM "
           "(QEMU: -machine smm=off)",
    "l1d_flush": "kvm_intel.vmentry_l1d_flush=always; use 'cond' if your policy on L1TF allows it",
    "no_lapic": "the APIC is emulated by userspace, or the guest disables it; run QEMU with "
                "kernel_irqchip=on (or split)",
    "lvtt_mode": "the guest does not use the TSC-deadline timer; give it tsc-deadline (QEMU: "
                 "-cpu host) and leave lapic=notscdeadline off its command line",
    "tsc_catchup": "the guest's TSC is faster than this CPU's, which cannot scale it; do not ask "
                   "for a tsc-frequency above the host's",
    "msr_filter": "userspace filters IA32_TSC_DEADLINE; take the MSR out of its filter",
    "pmu_counting": "the guest counts instructions; stop its perf (or NMI watchdog), or run it "
                    "without a PMU (QEMU: -cpu host,pmu=off)",
    "apic_attention": "the guest keeps EOI in its own memory; take the feature away from it "
                      "(QEMU: -cpu host,kvm-pv-eoi=off)",
    "eoi_emulated": "the CPU exits for EOI although APICv is on, which is rare; nothing to change",
    "request": "KVM has something to do for the vCPU, which a few times a second is normal; if "
               "there are many, look for memory slots that change, dirty logging (migration) "
               "and interrupts from userspace",
    "vcpu_mode": "other threads kick the vCPU; look for interrupts from userspace, and pin its "
                 "I/O threads elsewhere",
    "thread_work": "signals or the scheduler want the vCPU's thread, which a few times a second "
                   "is normal; if there are many, give it a CPU of its own (isolcpus, nohz_full)",
    "single_step": "the guest single-steps itself, as its debuggers do; nothing to change here",
    "intr_shadow": "the guest writes the timer right behind STI or MOV SS; nothing to change here",
    "rip_update": "the guest's code wraps around its address space; nothing to change here",
    "idt_vectoring": "the timer ran out while another event was delivered; normal now and then",
    "apic_mode": "the guest writes x2APIC registers in xAPIC mode; it is mistaken, update it",
    "msr_value": "the guest writes a reserved value to EOI; it is mistaken, update it",
    "hv_timer_idle": "the preemption timer ran out with nothing to deliver; normal now and then, "
                     "after the guest has disarmed it",
    "deadline_far": "the guest arms the timer for hours ahead; harmless",
    "hrtimer_running": "the hrtimer expired on another CPU at that moment; pin the vCPU's thread, "
                       "and load kvm_intel with preemption_timer=1",
    "timer_pending": "an expiry still waits for the guest, which has its interrupts off or is "
                     "overrun; a longer period in the guest helps",
    "apic_sw_disabled": "the guest keeps its APIC disabled; normal while it boots",
    "lvtt_masked": "the guest masks its timer; normal while it boots or changes its clock source",
    "lvtt_delivery": "the guest has given its timer a delivery mode or vector that is none; it is "
                     "mistaken, update it",
    "level_triggered": "the timer's vector was last used by a level-triggered interrupt; normal "
                       "once",
    "real_mode": "the guest is in real mode, which this CPU or unrestricted_guest=0 has KVM "
                 "emulate; normal while it boots",
    "event_pending": "another event waits for the guest; load kvm_intel with enable_apicv=1 if "
                     "the CPU has it",
    "auto_eoi": "Hyper-V's AutoEOI is in use; have the guest not use it (QEMU: drop hv-synic, or "
                "add hv-avic)",
    "irqs_off": "the guest has its interrupts off when the timer expires; load kvm_intel with "
                "enable_apicv=1 if the CPU has it",
    "irr_pending": "other interrupts wait as well; load kvm_intel with enable_apicv=1 if the CPU "
                   "has it, and move the devices' interrupts to other vCPUs",
    "priority": "the guest is busy with a more important interrupt; load kvm_intel with "
                "enable_apicv=1 if the CPU has it",
    "eoi_spurious": "the guest ends interrupts that it does not have; it is mistaken, update it",
    "eoi_ioapic": "an interrupt of the I/O APIC ends; prefer MSI for the guest's devices",
    "eoi_synic": "an interrupt of Hyper-V's controller ends; use enlightenments without a "
                 "synthetic timer (QEMU: drop hv-stimer)",
}


def hint(reason):
    """What to change. A newer module may have reasons that are not known here."""
    return HINTS.get(reason, "see Documentation/parameters.rst of this module's version")
