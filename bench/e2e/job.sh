# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# In the machine: a Linux guest under QEMU that runs cyclictest, in each mode with
# each way to idle. KTAP goes to the results, and after the verdicts of a guest what
# was measured, as "data" lines.
set -u
# shellcheck source=scripts/machine/job.sh
. /lib/job.sh
# shellcheck source=scripts/machine/qemu-job.sh
. /lib/qemu.sh
# shellcheck source=/dev/null
. /e2e/options

failed=0
work=/tmp/e2e

load_mode() {
	case $1 in
	stock) kvm_load stock ;;
	fastpath=[01]) kvm_load fastpath "$1" ;;
	*) job_fail "no mode '$1': stock, fastpath=0 or fastpath=1" ;;
	esac
}

ended() {
	# shellcheck disable=SC2154 # the host's
	[ "$status" = 0 ] && [ "$(linux_said cycles)" = "$e2e_ticks" ] && return
	linux_explain
	return 1
}

uses_deadline_timer() {
	result "# clockevent $(linux_said clockevent), clocksource $(linux_said clocksource)"
	[ "$(linux_said clockevent)" = lapic-deadline ]
}

# Each tick arms the timer. Its expiry is an exit if the guest polls; if it halts
# KVM waits in its stead. Some of either come when KVM has other work to do.
exits_take_their_path() {
	armed=$(linux_count fastpath_handled_wrmsr_tscdeadline)
	expired=$(linux_count fastpath_handled_preemption_timer)
	result "# counted: $(linux_count exits) exits, handled $armed writes, $expired expiries"
	case $mode in
	stock) [ "$armed$expired" = nonenone ] ;;
	fastpath=0) [ "$armed$expired" = 00 ] ;;
	fastpath=1)
		few=$((e2e_ticks * 9 / 10))
		[ "$armed" -ge "$few" ] && { [ "$idle" = halt ] || [ "$expired" -ge "$few" ]; }
		;;
	esac
}

run_guest() {
	verdicts=0 failures=0 status=0
	result "# mode $mode: linux_$idle"
	result 1..4
	# shellcheck disable=SC2154 # the host's
	linux_arguments="idle=$idle $e2e_arguments"
	linux_run $work || status=$?

	ended
	verdict $? 'the guest boots, cyclictest ends'
	linux_is_quiet
	verdict $? 'its kernel reports nothing'
	uses_deadline_timer
	verdict $? 'its ticks are TSC deadlines'
	exits_take_their_path
	verdict $? 'the exits take the path of the mode'
	{
		sed "s/^/data $mode $idle /" $work/said
		linux_counts | sed "s/^/data $mode $idle count /"
	} >/dev/ttyS1
	[ "$failures" = 0 ] || failed=1
	result "# mode $mode: linux_$idle exits with $((failures > 0))"
}

result "fact kernel $(uname -r)"
# shellcheck disable=SC2154 # the host's
result "fact buckets $e2e_buckets"
result "fact tsc_khz $(sed -n 's/.*tsc_early_khz=\([0-9]*\).*/\1/p' /proc/cmdline)"
# shellcheck disable=SC2154 # the host's
for mode in $e2e_modes; do
	load_mode "$mode"
	for idle in $e2e_idle; do
		run_guest
	done
done
exit $failed
