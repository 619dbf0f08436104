# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# In the machine: perf stat's counts of KVM's and of our tracepoints, and a trace
# with all of them.

# shellcheck source=../scripts/machine/job.sh
. /lib/job.sh

status=0

modes()
{
	/selftests/run_modes.sh /selftests/perf_counts.sh /selftests/trace_events.sh \
		>/dev/ttyS1 2>&1 || status=1
}

kvm_load stock
modes
if [ -e /modules/fastpath/kvm-intel.ko ]; then
	kvm_load fastpath
	modes
fi
exit $status
