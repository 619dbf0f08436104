# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# Job: the latency row in each mode, with each of sweep_points, which are a deadline
# in TSC ticks, a colon, and how many of them are to be measured. Each is a repeat of
# its own, so that the row's "runs" are all of the samples.
set -eu
# shellcheck source=scripts/machine/job.sh
. /lib/job.sh
# shellcheck source=/dev/null
. /bench/options
# shellcheck source=bench/measure.sh
. /bench/measure.sh

facts
result "fact tsc_khz $(sed -n 's/.*tsc_early_khz=\([0-9]*\).*/\1/p' /proc/cmdline)"
for mode in $BENCH_MODES; do
	if [ "$mode" = floor ]; then
		measure_mode /bench/vmexit floor
		continue
	fi
	load_mode "$mode"
	sleep 1
	# shellcheck disable=SC2154 # the host's
	for point in $sweep_points; do
		BENCH_DEADLINE=${point%:*} BENCH_ITERATIONS=1 BENCH_REPEATS=${point#*:}
		echo "# mode: $mode, deadline $BENCH_DEADLINE"
		measure_rows /bench/vmexit "$mode"
	done
done
