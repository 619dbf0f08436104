# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# In the machine: perf stat's counts of KVM's and of our tracepoints, a trace with all
# of them, and the tools that operators look with.

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
	# perf and trace-cmd read the names of all functions, which no event here has
	# but which take the kernel seconds to print.
	head -n 100 /proc/kallsyms >/tmp/kallsyms
	mount --bind /tmp/kallsyms /proc/kallsyms
	/selftests/run_modes.sh -v 1 /selftests/operator_tools.py >/dev/ttyS1 2>&1 || status=1
fi
exit $status
