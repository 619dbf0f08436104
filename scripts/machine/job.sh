# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# For a job to source: its results, and the choice of kvm-intel. What a job prints
# goes to the console, whose interrupts may fall into what it does next. A Linux guest
# in the machine runs a job, too, whose results the machine's job receives.

# result WORD...: a line in result.log. Returns when the serial port has sent it.
result() {
	printf '%s\n' "$*" >/dev/ttyS1
}

# step NAME: of a guest's job: have the machine's job note its counters as NAME. The
# port is open before the answer may come: it loses what comes when nobody has it open.
step() {
	exec 9<>/dev/ttyS1
	result "step $1"
	read -r _ <&9
	exec 9<&-
}

# verdict STATUS CLAIM: a line of TAP for the command before. $verdicts is their number
# so far and $failures that of the failed ones, both of which the job sets to 0.
verdict() {
	verdicts=$((verdicts + 1))
	if [ "$1" = 0 ]; then
		result "ok $verdicts $2"
	else
		result "not ok $verdicts $2"
		failures=$((failures + 1))
	fi
}

# job_fail WORD...: end the job, as failed.
job_fail() {
	printf 'job: %s\n' "$*" >&2
	exit 1
}

# kvm_unload: no KVM.
kvm_unload() {
	for loaded in kvm_intel kvm; do
		[ ! -e /sys/module/$loaded ] || rmmod $loaded ||
			job_fail "kvm_unload: $loaded stays: is a virtual machine still running?"
	done
}

# kvm_load stock|fastpath|floor [PARAMETER=VALUE]...: KVM afresh, that is the
# distribution's kvm and the given variant of kvm-intel with these parameters.
kvm_load() {
	kvm_variant=${1:-}
	[ $# = 0 ] || shift
	case $kvm_variant in
	stock) kvm_file=$(find "/lib/modules/$(uname -r)/kernel" -name kvm-intel.ko) ;;
	fastpath | floor) kvm_file=/modules/$kvm_variant/kvm-intel.ko ;;
	*) job_fail "kvm_load: no variant '$kvm_variant': stock, fastpath or floor" ;;
	esac
	[ -e "$kvm_file" ] || job_fail "kvm_load: $kvm_file is not in the image"
	kvm_unload
	modprobe kvm || job_fail "kvm_load: kvm does not load"
	insmod "$kvm_file" "$@" || job_fail "kvm_load: $kvm_file $* does not load"
}
