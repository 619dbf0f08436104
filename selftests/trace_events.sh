#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# With all of KVM's and all of our tracepoints on:
#
# - the kernel has nothing to complain of, which matters where the fast path must
#   not trace: a kernel with PROVE_RCU says so;
# - kvm_exit and kvm_entry are in the trace as often as KVM's statistic "exits"
#   says, and in turn.
#
# usage: trace_events.sh [TICKS]
#
# shellcheck disable=SC2317  # the functions are called by verdict() and the trap

set -u

here=$(cd "$(dirname "$0")" && pwd)
ticks=${1:-500}
tracing=/sys/kernel/tracing
instance=$tracing/instances/trace_events.$$
out=$(mktemp -d) || exit 1

cleanup()
{
	[ ! -d "$instance" ] || rmdir "$instance"
	rm -rf "$out"
}
trap cleanup EXIT

if [ ! -d $tracing/events/kvm ]; then
	echo "1..0 # SKIP no kvm events in $tracing: is tracefs mounted, kvm loaded?"
	exit 4
fi

echo "TAP version 13"
echo "1..3"

mkdir "$instance" || exit 1
# All events have to stay in the buffer.
echo 16384 >"$instance/buffer_size_kb"
for system in kvm kvm_fastpath; do
	[ ! -d "$instance/events/$system" ] || echo 1 >"$instance/events/$system/enable"
done

marker="trace_events.sh $$ starts"
echo "$marker" >/dev/kmsg
if ! "$here/perf_counts_guest" "$ticks" >"$out/guest" 2>"$out/errors"; then
	sed 's/^/# /' "$out/errors" "$out/guest"
	echo "Bail out! the guest failed"
	exit 1
fi
for system in kvm kvm_fastpath; do
	[ ! -d "$instance/events/$system" ] || echo 0 >"$instance/events/$system/enable"
done
grep -oE ' kvm_(entry|exit): ' "$instance/trace" >"$out/events"

failed=0

# verdict NUMBER TEXT COMMAND...
verdict()
{
	number=$1
	text=$2
	shift 2
	if "$@"; then
		echo "ok $number $text"
	else
		echo "not ok $number $text"
		failed=1
	fi
}

exits=$(awk '$1 == "exits" { print $2 }' "$out/guest")
traced_exits=$(grep -c exit "$out/events")
traced_entries=$(grep -c entry "$out/events")
echo "# kvm_exit $traced_exits, kvm_entry $traced_entries, exits in KVM's statistics $exits"

counts_agree()
{
	[ "$exits" -gt "$ticks" ] && [ "$traced_exits" = "$exits" ] &&
		[ "$traced_entries" = "$exits" ]
}

in_turn()
{
	uniq -d "$out/events" | sed 's/^/# twice in a row: /' | head -n 5 >"$out/twice"
	cat "$out/twice"
	[ ! -s "$out/twice" ]
}

no_complaint()
{
	dmesg | awk -v marker="$marker" 'found; index($0, marker) { found = 1 }' |
		grep -E 'WARNING|BUG|suspicious' | sed 's/^/# /' >"$out/complaints"
	cat "$out/complaints"
	[ ! -s "$out/complaints" ]
}

verdict 1 "kvm_exit and kvm_entry agree with exits" counts_agree
verdict 2 "kvm_exit and kvm_entry come in turn" in_turn
verdict 3 "no complaint of the kernel" no_complaint
exit $failed
