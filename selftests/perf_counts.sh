#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# perf stat agrees with KVM's counts and with ours, to the last exit:
#
# - kvm:kvm_exit counts what KVM's statistic "exits" counts, and kvm:kvm_entry
#   pairs with it, whichever path the exits take;
# - kvm_fastpath:kvm_fastpath_exit counts what the handled_* counters count,
#   kvm_fastpath:kvm_fastpath_bail what the bail_* counters count, and
#   kvm_fastpath:kvm_fastpath_expiry what the delivered* counters count.
#
# usage: perf_counts.sh [TICKS]

set -u

here=$(cd "$(dirname "$0")" && pwd)
ticks=${1:-1000}
events=/sys/kernel/tracing/events
param=/sys/module/kvm_intel/parameters/fastpath
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

skip()
{
	echo "1..0 # SKIP $*"
	exit 4
}

command -v perf >/dev/null || skip "perf is not installed"
[ -d $events/kvm ] || skip "no kvm events in $events: is tracefs mounted, kvm loaded?"

set -- -e kvm:kvm_exit -e kvm:kvm_entry
planned=2
if [ -e $param ]; then
	set -- "$@" -e 'kvm_fastpath:*'
	planned=5
fi

echo "TAP version 13"
echo "1..$planned"

number=0
failed=0

# perf_count EVENT and guest_count NAME print a number, or nothing.
perf_count()
{
	awk -F, -v event="$1" '$3 == event && $1 ~ /^[0-9]+$/ { print $1 }' "$out/perf"
}

guest_count()
{
	awk -v name="$1" '$1 == name { print $2 }' "$out/guest"
}

# agree EVENT WHAT COUNT
agree()
{
	seen=$(perf_count "$1")
	number=$((number + 1))
	echo "# $1 ${seen:-none}, $2 ${3:-none}, tolerance 0"
	if [ -n "$seen" ] && [ "$seen" = "$3" ]; then
		echo "ok $number $1"
	else
		echo "not ok $number $1 # perf ${seen:-none}, $2 ${3:-none}"
		failed=1
	fi
}

if ! perf stat -x , -o "$out/perf" "$@" -- \
		"$here/perf_counts_guest" "$ticks" >"$out/guest" 2>"$out/errors"; then
	sed 's/^/# /' "$out/errors" "$out/guest"
	echo "Bail out! perf stat or the guest failed"
	exit 1
fi

exits=$(guest_count exits)
agree kvm:kvm_exit "exits in KVM's statistics" "$exits"
agree kvm:kvm_entry "exits in KVM's statistics" "$exits"
if [ -e $param ]; then
	agree kvm_fastpath:kvm_fastpath_exit "handled_* counters" "$(guest_count handled)"
	agree kvm_fastpath:kvm_fastpath_bail "bail_* counters" "$(guest_count bail)"
	agree kvm_fastpath:kvm_fastpath_expiry "delivered* counters" "$(guest_count delivered)"
fi
exit $failed
