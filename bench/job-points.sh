# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# Job: in each mode the rows with each of bench_points, which are options of the
# benchmark, NAME=VALUE without its BENCH_ and with commas between.
set -eu
# shellcheck source=scripts/machine/job.sh
. /lib/job.sh
# shellcheck source=/dev/null
. /bench/options
# shellcheck source=bench/measure.sh
. /bench/measure.sh

# set_options POINT
set_options() {
	for option in $(echo "$1" | tr , ' '); do
		eval "BENCH_${option%%=*}=\${option#*=}"
	done
}

facts
result "fact tsc_khz $(sed -n 's/.*tsc_early_khz=\([0-9]*\).*/\1/p' /proc/cmdline)"
for mode in $BENCH_MODES; do
	# The bare world switch knows none of them.
	if [ "$mode" = floor ]; then
		measure_mode /bench/vmexit floor
		continue
	fi
	load_mode "$mode"
	sleep 1
	# shellcheck disable=SC2154 # the host's
	for point in $bench_points; do
		set_options "$point"
		echo "# mode: $mode, $point"
		measure_rows /bench/vmexit "$mode"
	done
done
