# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# In the machine: tests of the kernel's own. /selftests/upstream-arguments is what
# kvm_load is called with, /selftests/upstream-list has the tests, one a line, and
# /selftests/upstream-limit is how many seconds of emulated time one may take.

# shellcheck source=../scripts/machine/job.sh
. /lib/job.sh

cd /selftests || job_fail "no /selftests"
arguments=$(cat upstream-arguments)
limit=$(cat upstream-limit)
# shellcheck disable=SC2046  # one word for each test
set -- $(cat upstream-list)

# shellcheck disable=SC2086  # one word for each argument
kvm_load $arguments

number=0
failed=0
result "# mode ${arguments#fastpath }: upstream"
result "TAP version 13"
result "1..$#"
for test; do
	number=$((number + 1))
	name=${test##*/}
	result "# $name starts"
	read -r before _ </proc/uptime
	timeout "$limit" "upstream/$test" >/tmp/log 2>&1
	status=$?
	read -r after _ </proc/uptime
	result "# $name: $((${after%.*} - ${before%.*})) s of emulated time"
	case $status in
	0) result "ok $number kvm.$name" ;;
	4) result "ok $number kvm.$name # SKIP $(grep -m 1 SKIP /tmp/log)" ;;
	*)
		[ $status != 143 ] || status="143, over $limit s"
		tail -n 40 /tmp/log | sed 's/^/# /' >/dev/ttyS1
		result "not ok $number kvm.$name # exit status $status"
		failed=1
		;;
	esac
done
result "# mode ${arguments#fastpath }: upstream exits with $failed"
exit $failed
