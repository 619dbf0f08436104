# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# In the machine: for each module /faults/<fault>.ko, how many programs the fuzzer
# takes to find it. A result is one line, "fault <fault> found|missed PROGRAMS
# PARAMETERS"; a line "fault <fault> starts" comes before it, in case it ends the
# machine. /selftests/fuzz.conf sets seed and count, as in job-fuzz.sh, and faults,
# their names.

# shellcheck source=../scripts/machine/job.sh
. /lib/job.sh

seed=1
count=600
faults=
# shellcheck source=/dev/null
. /selftests/fuzz.conf

# try FAULT PARAMETER...: 0 if the fuzzer finds it with these.
try() {
	fault=$1
	shift
	kvm_unload
	modprobe kvm || job_fail "kvm does not load"
	insmod "/faults/$fault.ko" "$@" || job_fail "$fault does not load"
	/selftests/fastpath_fuzz -f -s "$seed" -n "$count" >/tmp/log 2>&1 && return 1
	first=$(sed -n 's/^# the first failure is program //p' /tmp/log)
	sed 's/^/# /' /tmp/log >/dev/ttyS1
	[ -n "$first" ]
}

for name in $faults; do
	result "fault $name starts"
	tried=0
	verdict=missed
	for parameters in 'enable_apicv=1 preemption_timer=1' \
		'enable_apicv=0 preemption_timer=1' \
		'enable_apicv=1 preemption_timer=0' \
		'enable_apicv=0 preemption_timer=0'; do
		# shellcheck disable=SC2086  # one word for each parameter
		if try "$name" $parameters; then
			verdict=found
			tried=$((tried + first))
			break
		fi
		tried=$((tried + count))
	done
	result "fault $name $verdict $tried $parameters"
done
