# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# In the machine: a Linux guest with the distribution's KVM that runs some of our
# programs (job-nested-guest.sh), below the stock module, with fastpath=0 and with
# fastpath=1: what passes there below stock passes in the other modes, and the fast
# path handles the timer of the guest, but not that of its guests.

# shellcheck source=../scripts/machine/job.sh
. /lib/job.sh
# shellcheck source=../scripts/machine/qemu-job.sh
. /lib/qemu.sh

parameters=$(cat /selftests/parameters)
work=/tmp/nested
# Seconds of the machine's time for all of a guest.
qemu_timeout=1000
failed=0

# tests: "PROGRAM:TEST pass|fail|skip" for each test that came to its end, and
# "PROGRAM status" for each program.
tests()
{
	tr -d '\r' <"$work/said" | awk '
		/^# mode .* exits with [0-9]+$/ { print program, $NF; next }
		/^# mode / { program = $NF; next }
		/^ok .*# SKIP/ { print program ":" $3, "skip"; next }
		/^ok / { print program ":" $3, "pass"; next }
		/^not ok / { print program ":" $4, "fail" }'
}

ended()
{
	[ "$status" = 0 ] &&
		[ "$(grep -c '^[^:]* ' "/tmp/$mode")" = "$(wc -l </selftests/nested-programs)" ] &&
		return
	linux_explain
	return 1
}

exits_take_their_path()
{
	armed=$(linux_count fastpath_handled_wrmsr_tscdeadline)
	left=$(linux_count fastpath_bail_l2_active)
	result "# counted: $(linux_count exits) exits, handled $armed writes of the guest," \
		"$left exits of its guests left to KVM"
	case $mode in
	stock) [ "$armed$left" = nonenone ] ;;
	fastpath=0) [ "$armed$left" = 00 ] ;;
	fastpath=1) [ "$armed" -gt 0 ] && [ "$left" -gt 0 ] ;;
	esac
}

# compare TEST VERDICT: what stock says against this mode's verdict.
compare()
{
	now=$(awk -v test="$1" '$1 == test { print $2 }' "/tmp/$mode")
	case $2:$now in
	pass:pass) verdict 0 "$1" ;;
	skip:skip) verdict 0 "$1 # SKIP with stock, too" ;;
	pass:* | skip:*)
		result "# with stock: $2, here: ${now:-no end}"
		grep -B 8 "^not ok .* ${1#*:}" "$work/said" | sed 's/^/# /' >/dev/ttyS1
		verdict 1 "$1"
		;;
	*) verdict 0 "$1 # SKIP fails with stock" ;;
	esac
}

# run_guest MODE: stock comes first, it is what the others are held against.
run_guest()
{
	mode=$1
	verdicts=0
	failures=0
	status=0
	name="$mode${parameters:+ $parameters}: nested_linux"
	result "# mode $name"
	linux_run $work || status=$?
	tests >"/tmp/$mode"

	ended
	verdict $? "the guest's programs come to their ends"
	linux_is_quiet
	verdict $? "its kernel reports nothing"
	exits_take_their_path
	verdict $? "the exits take the path of the mode"
	while read -r test was; do
		case $test in
		*:*) compare "$test" "$was" ;;
		esac
	done </tmp/stock
	result "1..$verdicts"
	[ "$failures" = 0 ] || failed=1
	result "# mode $name exits with $((failures > 0))"
}

# load VARIANT [PARAMETER=VALUE]: with the parameters, one word each.
load()
{
	# shellcheck disable=SC2086
	kvm_load "$@" $parameters
}

load stock
run_guest stock
for value in 0 1; do
	load fastpath fastpath=$value
	run_guest fastpath=$value
done
exit $failed
