# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# In the machine: the cases in /kut/todo, in the mode in /kut/mode. Each is framed
# by "begin CASE" and "end CASE ...", with the guest's output between.
set -u
# shellcheck source=scripts/machine/job.sh
. /lib/job.sh
# shellcheck source=scripts/machine/qemu-job.sh
. /lib/qemu.sh
# shellcheck source=/dev/null
. /kut/mode

# shellcheck disable=SC2154,SC2086 # kut_mode is the host's; one word for each parameter
case $kut_mode in
stock) kvm_load stock $kut_parameters ;;
fastpath=*)
	kvm_load fastpath $kut_parameters "$kut_mode"
	case $kut_mode:$(cat /sys/module/kvm_intel/parameters/fastpath) in
	fastpath=0:N | fastpath=1:Y) ;;
	*) job_fail "kvm_intel did not take $kut_mode" ;;
	esac
	;;
esac

# What kvm-unit-tests' runner has for the expressions in "smp".
export MAX_SMP=4

# unmet: what "check" asks and the machine does not have. A file that is not there
# asks nothing.
unmet() {
	# shellcheck disable=SC2154 # the case's
	for want in $kut_check; do
		path=${want%%=*}
		[ -f "$path" ] || continue
		[ "$(cat "$path")" = "${want#*=}" ] || echo "$path is not ${want#*=}"
	done
}

# shellcheck disable=SC2154 # kut_* are the case's
run_case() {
	# shellcheck source=/dev/null
	. "/kut/cases/$1"
	why=$(unmet)
	if [ -n "$why" ]; then
		result "end $1 skipped $why"
		return
	fi
	# Both are words for a shell, and that is what kvm-unit-tests' own runner does.
	eval "set -- $1 $kut_params"
	eval "smp=\"$kut_smp\""
	number=$1
	shift
	status=0
	qemu_timeout=$kut_timeout
	qemu_flat /tmp/log "/kut/x86/$kut_file" -smp "$smp" "$@" || status=$?
	tr -d '\r' </tmp/log | sed 's/^/| /' >/dev/ttyS1
	result "end $number status $status"
}

while read -r case; do
	result "begin $case"
	run_case "$case"
done </kut/todo
