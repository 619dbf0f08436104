# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# Job: run-on-host, with the emulated machine as the host. It must measure each
# mode, and leave kvm_intel as it found it, whatever happens.
set -u
# shellcheck source=scripts/machine/job.sh
. /lib/job.sh

export BENCH_REPEATS=5 BENCH_ROWS='cpuid tscdeadline_immed'
parameters=/sys/module/kvm_intel/parameters
log=/build/bench-host/result.log
tests=0
failures=0

# check TEXT COMMAND...
check() {
	text=$1
	shift
	tests=$((tests + 1))
	if "$@"; then
		result "ok $tests $text"
	else
		result "not ok $tests $text"
		failures=$((failures + 1))
	fi
}

state() {
	md5sum /sys/module/kvm_intel/notes/.note.gnu.build-id
	grep . $parameters/*
}

measure() {
	status=0
	/bench/run-on-host -n -b /build 2>/tmp/stderr || status=$?
	cat /tmp/stderr
}

rows_of() {
	[ "$(grep -c "^row $1 " $log)" = "$2" ]
}

unchanged() {
	[ "$(state)" = "$before" ]
}

kvm_load stock nested=0 ple_gap=64
before=$(state)
measure
check "status 0" [ $status = 0 ]
for mode in stock off on again; do
	check "rows of mode $mode" rows_of $mode 2
done
check "the floor" rows_of floor 1
check "module and parameters restored" unchanged

kvm_load fastpath fastpath=1
before=$(state)
measure
check "fastpath=1 restored" unchanged

/build/bench/vmexit -i 100000 -r 500 cpuid >/dev/null &
sleep 1
measure
check "refused while a VM runs" [ $status = 2 ]
check "and says why" grep -q 'stop all virtual machines' /tmp/stderr
check "module not touched" unchanged
kill $!
wait $!

mv "/build/modules/$(uname -r)/floor/kvm-intel.ko" /tmp/
echo bad >"/build/modules/$(uname -r)/floor/kvm-intel.ko"
measure
check "a bad module is refused" [ $status != 0 ]
check "module not touched by that" unchanged
mv /tmp/kvm-intel.ko "/build/modules/$(uname -r)/floor/"

# No deadline this long comes out the same to the last tick in every repeat.
BENCH_SPREAD=0 BENCH_ROWS=tscdeadline BENCH_DEADLINE=200000 BENCH_REPEATS=11 measure
check "an untrusted figure is told" [ $status = 3 ]
check "module restored after a failure" unchanged

kvm_unload
measure
check "not loaded before: status 0" [ $status = 0 ]
check "not loaded before: not loaded after" [ ! -e /sys/module/kvm ]

result "1..$tests"
[ $failures = 0 ]
