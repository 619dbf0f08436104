# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# Job: the benchmark's modes one after the other, in one boot, for the recorder; and
# what it takes to put names to addresses.
set -eu
# shellcheck source=scripts/machine/job.sh
. /lib/job.sh
# shellcheck source=/dev/null
. /bench/options
# shellcheck source=bench/measure.sh
. /bench/measure.sh

# Where the loader has put the sections of each module that is loaded. A module's
# symbols are in its file, relative to these.
send_modules() {
	for sections in /sys/module/*/sections; do
		module=${sections%/sections}
		module=${module##*/}
		for section in "$sections"/.*text*; do
			result "section $module ${section##*/} $(cat "$section")"
		done
	done
}

facts
for mode in $BENCH_MODES; do
	measure_mode /bench/vmexit "$mode"
	result "file $kvm_file"
	send_modules
done
/bench/tell </proc/kallsyms
