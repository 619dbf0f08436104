# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# The measurement, for a job in the emulated machine and for a real host alike:
# the modes one after the other, each after the same steps, on the running
# kernel. Whoever sources this brings kvm_load(), result() and the options.

bench_fail() {
	printf 'bench: %s\n' "$*" >&2
	exit 1
}

# load_mode MODE: kvm_intel as the mode wants it. "again" is stock once more: it
# tells how much of a difference is no more than time passing. "cost" is fastpath=1
# without an advance: an interrupt is late by what its expiry takes; "ahead" with one of
# 5000 ns, so that each interrupt has to be waited for.
load_mode() {
	mode=$1
	set -- "enable_apicv=$BENCH_APICV" "preemption_timer=$BENCH_PREEMPTION_TIMER"
	case $mode in
	stock | again) kvm_load stock "$@" ;;
	off) kvm_load fastpath "$@" fastpath=0 ;;
	on) kvm_load fastpath "$@" fastpath=1 ;;
	cost) kvm_load fastpath "$@" fastpath=1 fastpath_advance_ns=0 ;;
	ahead) kvm_load fastpath "$@" fastpath=1 fastpath_advance_ns=5000 ;;
	floor) kvm_load floor "$@" ;;
	*) bench_fail "no mode '$mode': stock, off, on, cost, ahead, floor or again" ;;
	esac
	case $mode in
	off) check_parameter fastpath 0 ;;
	on | cost | ahead)
		check_parameter fastpath 1
		result "fact module $(cat /sys/module/kvm_intel/version)"
		;;
	esac
	check_parameter enable_apicv "$BENCH_APICV"
	check_parameter preemption_timer "$BENCH_PREEMPTION_TIMER"
}

# KVM turns off what the CPU lacks, and the kernel ignores what a module does not
# know; neither fails.
check_parameter() {
	case $2 in
	0) expected=N ;;
	1) expected=Y ;;
	esac
	actual=$(cat "/sys/module/kvm_intel/parameters/$1") ||
		bench_fail "this kvm_intel has no parameter $1"
	[ "$actual" = "$expected" ] ||
		bench_fail "kvm_intel has $1=$actual, not $expected: does the CPU have it?"
}

facts() {
	result "fact kernel $(uname -r)"
	result "fact version $(cat /proc/version)"
	result "fact cpu $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
	case " $(cat /proc/cmdline) " in
	*' mitigations=off '*) result "fact mitigations off" ;;
	*) result "fact mitigations on" ;;
	esac
	result "fact vulnerabilities $(cd /sys/devices/system/cpu/vulnerabilities &&
		grep . ./* | sed 's,^\./,,' | tr '\n' ';')"
}

# measure_mode VMEXIT MODE [OPTION...]: OPTIONs go to the program.
measure_mode() {
	load_mode "$2"
	echo "# mode: $2"
	# Let what loading a module set in motion come to its end.
	sleep 1
	measure_rows "$@"
}

# measure_rows VMEXIT MODE [OPTION...]: with what is loaded, which is MODE's.
measure_rows() {
	vmexit=$1
	mode=$2
	shift 2
	rows=$BENCH_ROWS
	[ "$mode" != floor ] || rows=floor
	[ "$BENCH_XAPIC" = 0 ] || set -- "$@" --xapic

	json=$(mktemp)
	# shellcheck disable=SC2086 # one word for each row
	"$vmexit" -i "$BENCH_ITERATIONS" -w "$BENCH_WARMUP" -r "$BENCH_REPEATS" \
		-d "$BENCH_DEADLINE" -b "$BENCH_BUCKET" -s "$BENCH_SPREAD" \
		-v "$BENCH_VCPUS" -m "$BENCH_MEMSLOTS" \
		--json "$json" "$@" $rows || exit $?
	while read -r line; do
		result "row $mode $BENCH_APICV $BENCH_PREEMPTION_TIMER $line"
	done <"$json"
	rm -f "$json"
}
