# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# Job: the benchmark's modes one after the other, in one boot.
set -eu
# shellcheck source=scripts/machine/job.sh
. /lib/job.sh
# shellcheck source=/dev/null
. /bench/options
# shellcheck source=bench/measure.sh
. /bench/measure.sh

facts
for mode in $BENCH_MODES; do
	measure_mode /bench/vmexit "$mode"
done
