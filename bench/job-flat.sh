# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# Job: kvm-unit-tests' vmexit.flat under QEMU in each mode, in one boot.
set -eu
# shellcheck source=scripts/machine/job.sh
. /lib/job.sh
# shellcheck source=scripts/machine/qemu-job.sh
. /lib/qemu.sh
# shellcheck source=/dev/null
. /bench/options
# shellcheck source=bench/measure.sh
. /bench/measure.sh

rows='cpuid vmcall tscdeadline_immed tscdeadline'
# What kvm-unit-tests has in its source; its tests take no parameter for it.
deadline=3000

# QEMU's isa-debug-exit makes the guest's status 0 a 1.
flat_passed=1

facts
for mode in $BENCH_MODES; do
	load_mode "$mode"
	echo "# mode: $mode"
	sleep 1
	status=0
	qemu_flat /tmp/flat.log /bench/vmexit.flat -cpu host -append "$rows" || status=$?
	tr -d '\r' </tmp/flat.log | tee /tmp/flat.txt
	[ $status = $flat_passed ] ||
		bench_fail "vmexit.flat ended with QEMU's status $status, not $flat_passed"
	for row in $rows; do
		figure=$(awk -v row="$row" '$1 == row && $2 ~ /^[0-9]+$/ { print $2 }' /tmp/flat.txt)
		[ -n "$figure" ] || bench_fail "vmexit.flat printed no figure for $row"
		result "row $mode $BENCH_APICV {\"name\": \"$row\", \"figure\": $figure," \
			"\"deadline\": $deadline, \"runs\": [$figure]}"
	done
done
