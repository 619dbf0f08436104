# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# In the machine: our programs with all of KVM's and of the fast path's events on,
# and the function tracer on all of kvm and kvm_intel that can be traced: on a
# kernel with lockdep or RCU's checks, a tracepoint or an instrumented function in
# the quiescent state is reported.

# shellcheck source=../scripts/machine/job.sh
. /lib/job.sh

# Each exit takes so much longer with the function tracer.
export TIMER_SCALE=20

tracing=/sys/kernel/tracing
status=0

# The events in a buffer of their own, which the traced functions do not flood.
trace_on()
{
	mkdir $tracing/instances/kvm || job_fail "no instance of the tracing buffer"
	for system in kvm kvm_fastpath; do
		enable=$tracing/instances/kvm/events/$system/enable
		[ ! -e "$enable" ] || echo 1 >"$enable"
	done
	[ -e $tracing/set_ftrace_filter ] || return 0
	echo ':mod:kvm' >$tracing/set_ftrace_filter
	echo ':mod:kvm_intel' >>$tracing/set_ftrace_filter
	echo function >$tracing/current_tracer || job_fail "no function tracer"
}

# trace_off: and list what the buffers hold of the last of it.
trace_off()
{
	{
		grep -oE '\<kvm_(entry|exit|fastpath_[a-z]+): ' $tracing/instances/kvm/trace
		sed -n 's/.* <-.*/function: /p' $tracing/trace
	} | sort -u >/tmp/recorded
	rmdir $tracing/instances/kvm
	[ -e $tracing/set_ftrace_filter ] || return 0
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_filter
}

# recorded EVENT...: a test of its own, or tracing that does nothing would pass.
recorded()
{
	echo "# mode $mode: recorded"
	echo "1..$#"
	number=0
	failed=0
	for event; do
		number=$((number + 1))
		if grep -q "^$event: " /tmp/recorded; then
			echo "ok $number $event"
		else
			echo "not ok $number $event"
			failed=1
			status=1
		fi
	done
	echo "# mode $mode: recorded exits with $failed"
}

# modes MODE EVENT...: the programs in one mode, which must leave these events.
modes()
{
	mode=$1
	shift
	trace_on
	/selftests/run_modes.sh -l events -v "${mode#fastpath=}" >/dev/ttyS1 2>&1 || status=1
	trace_off
	[ ! -e $tracing/set_ftrace_filter ] || set -- "$@" function
	recorded "$@" >/dev/ttyS1
}

kvm_load stock
modes stock kvm_entry kvm_exit
if [ -e /modules/fastpath/kvm-intel.ko ]; then
	kvm_load fastpath
	modes fastpath=0 kvm_entry kvm_exit
	modes fastpath=1 kvm_entry kvm_exit kvm_fastpath_exit kvm_fastpath_bail kvm_fastpath_expiry
fi
exit $status
