# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the benchmark's commands add to the machine's root directory, for "run" and
# sweep/run to source. Needs die() and bench/options.sh, and in $top and $me the
# project's directory and the command's name.

# variant_of MODE: the module that the mode loads.
variant_of() {
	case $1 in
	stock | again) echo stock ;;
	off | on | cost | ahead) echo fastpath ;;
	floor) echo floor ;;
	*) die "BENCH_MODES: no mode '$1': stock, off, on, cost, ahead, floor or again" ;;
	esac
}

# check_modes: that each of $BENCH_MODES is one.
check_modes() {
	local value

	for value in $BENCH_MODES; do
		variant_of "$value" >/dev/null
	done
}

# check_mitigations: that each of $BENCH_MITIGATIONS, for which there is a boot, is one.
check_mitigations() {
	local value

	for value in $BENCH_MITIGATIONS; do
		case $value in
		off | on) ;;
		*) die "BENCH_MITIGATIONS: '$value' is neither off nor on" ;;
		esac
	done
}

# make_overlay DIR MODULES: the measurement, its options, and of the directory MODULES
# the variants that the modes load.
make_overlay() {
	local overlay=$1 modules=$2 mode variant file

	mkdir -p "$overlay/bench"
	cp "${top:?}/bench/measure.sh" "$overlay/bench/"
	{
		print_options
		echo "BENCH_MODES='$BENCH_MODES'"
	} >"$overlay/bench/options"

	for mode in $BENCH_MODES; do
		variant=$(variant_of "$mode")
		[ "$variant" != stock ] || continue
		file=$modules/$variant/kvm-intel.ko
		[ -f "$file" ] || die "$file is missing: run 'make' at the top"
		mkdir -p "$overlay/modules/$variant"
		cp "$file" "$overlay/modules/$variant/"
	done
}

# run_boots WORK JOB ARGUMENT...: a boot for each of $BENCH_MITIGATIONS, side by side,
# each with its logs in a directory of its own below WORK; these are then in $runs.
run_boots() {
	local work=$1 job=$2 value pid status=0
	shift 2

	runs=()
	boots=()
	trap '[ -z "${boots[*]}" ] || kill "${boots[@]}" 2>/dev/null' EXIT
	for value in $BENCH_MITIGATIONS; do
		echo "${me:?}: booting with mitigations $value: $BENCH_MODES" >&2
		"${top:?}/scripts/machine/run" "$@" -m "$value" -o "$work/mitigations-$value" "$job" &
		boots+=($!)
		runs+=("$work/mitigations-$value")
	done
	for pid in "${boots[@]}"; do
		wait "$pid" || status=$?
	done
	boots=()
	return $status
}
