# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# In the machine: the kernel's own KVM selftests named in /selftests/upstream-tests,
# with fastpath=1 where the module has it.

# shellcheck source=../scripts/machine/job.sh
. /lib/job.sh

mode=stock
if [ -e /modules/fastpath/kvm-intel.ko ]; then
	kvm_load fastpath fastpath=1
	mode=fastpath=1
else
	kvm_load stock
fi

tests=$(sed -n 's/^run[[:space:]]*//p' /selftests/upstream-tests)
# shellcheck disable=SC2086  # one word for each test
set -- $tests

number=0
failed=0
result "# mode $mode: upstream"
result "TAP version 13"
result "1..$#"
for test; do
	number=$((number + 1))
	name=${test##*/}
	read -r before _ </proc/uptime
	timeout 30 "/selftests/upstream/$test" >/tmp/log 2>&1
	status=$?
	read -r after _ </proc/uptime
	result "# $name: $((${after%.*} - ${before%.*})) s of emulated time"
	case $status in
	0) result "ok $number kvm.$name" ;;
	4) result "ok $number kvm.$name # SKIP $(grep -m 1 SKIP /tmp/log)" ;;
	*)
		sed 's/^/# /' /tmp/log >/dev/ttyS1
		result "not ok $number kvm.$name # exit status $status"
		failed=1
		;;
	esac
done
result "# mode $mode: upstream exits with $failed"
exit $failed
