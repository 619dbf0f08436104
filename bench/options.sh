# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# The benchmark's options, all of them environment variables: defaults and
# checks, for "run" and "run-on-host" to source. Needs die().

: "${BENCH_ITERATIONS:=50}"	# in one repeat; keep it below a host timer tick
: "${BENCH_WARMUP:=500}"	# iterations before the first repeat
: "${BENCH_REPEATS:=101}"	# the figure is their median
: "${BENCH_DEADLINE:=3000}"	# TSC ticks from RDTSC to the deadline
: "${BENCH_BUCKET:=50}"		# TSC ticks to a bucket of the latency histogram
: "${BENCH_APICV:=1}"		# 0: kvm_intel's enable_apicv=0
: "${BENCH_PREEMPTION_TIMER:=1}"	# 0: kvm_intel's preemption_timer=0
: "${BENCH_SPREAD:=$([ "$BENCH_APICV$BENCH_PREEMPTION_TIMER" = 11 ] && echo 2 || echo 10)}"
# percent that the middle half of repeats may spread; stock's own way is less even
# where it has to inject the interrupt or to wait for an IRQ
: "${BENCH_VCPUS:=1}"		# that run the row at once; the first one is measured
: "${BENCH_MEMSLOTS:=1}"	# of the VM: one is its RAM, each other an unused page
: "${BENCH_XAPIC:=0}"		# 1: the guest drives its APIC by MMIO
: "${BENCH_ROWS:=}"		# names; empty: all

check_number() {
	value=
	eval "value=\$$1"
	case $value in
	'' | *[!0-9]*) die "$1=$value: a whole number, please" ;;
	esac
}

check_switch() {
	value=
	eval "value=\$$1"
	case $value in
	0 | 1) ;;
	*) die "$1=$value: 0 or 1, please" ;;
	esac
}

# check_limit VMEXIT NAME OPTION VALUE: a variable that VMEXIT knows the range of.
check_limit() {
	error=$("$1" "--$3" "$4" --list 2>&1) || die "$2=$4: ${error##*: }"
}

# check_options VMEXIT: VMEXIT is the program, which knows its rows.
check_options() {
	for name in ITERATIONS WARMUP REPEATS DEADLINE BUCKET SPREAD; do
		check_number "BENCH_$name"
	done
	check_limit "$1" BENCH_VCPUS vcpus "$BENCH_VCPUS"
	check_limit "$1" BENCH_MEMSLOTS memslots "$BENCH_MEMSLOTS"
	check_switch BENCH_APICV
	check_switch BENCH_PREEMPTION_TIMER
	check_switch BENCH_XAPIC
	for row in $BENCH_ROWS; do
		[ "$row" != floor ] || die "BENCH_ROWS: floor is always measured; leave it out"
		"$1" --list | grep -q "^$row " ||
			die "BENCH_ROWS: no row '$row': $1 --list shows them"
	done
}

# Shell text that sets the options to what they are.
print_options() {
	for name in ITERATIONS WARMUP REPEATS DEADLINE BUCKET SPREAD VCPUS MEMSLOTS APICV \
		PREEMPTION_TIMER XAPIC ROWS; do
		eval "echo \"BENCH_$name='\$BENCH_$name'\""
	done
}
