# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the Linux guest with cyclictest adds to the machine, for "run" and for
# selftests/run to source. Needs die() and scripts/machine/qemu.sh.

# Buckets of one nanosecond: what is later is counted and told apart, but not how
# late it is. Each costs the guest some time to print.
e2e_buckets=150000

# e2e_overlay DIR MODES IDLE TICKS INTERVAL: MODES out of stock, fastpath=0 and
# fastpath=1, IDLE out of poll and halt; cyclictest's TICKS come each INTERVAL us.
e2e_overlay() {
	local here cyclictest

	here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
	cyclictest=$(command -v cyclictest) ||
		die "cyclictest is missing: run 'scripts/deps e2e' as root"
	mkdir -p "$1/e2e"
	linux_overlay "$1" "$here/job-guest.sh" -b "$cyclictest"
	{
		echo "e2e_modes='$2'"
		echo "e2e_idle='$3'"
		echo "e2e_ticks=$4 e2e_buckets=$e2e_buckets"
		# Seconds of the machine's time: what a boot takes some times, and twice
		# the ticks.
		echo "qemu_timeout=$((200 + $4 * $5 / 500000))"
		echo "e2e_arguments='e2e_ticks=$4 e2e_interval=$5 e2e_buckets=$e2e_buckets'"
	} >"$1/e2e/options"
}
