#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The module parameter fastpath takes booleans, at run time as well, and refuses
# all else with -EINVAL, a line in the kernel log, and nothing changed.
#
# shellcheck disable=SC2317  # the functions are called by check()

param=/sys/module/kvm_intel/parameters/fastpath

if [ ! -e "$param" ]; then
	echo "1..0 # SKIP kvm_intel has no fast path"
	exit 4
fi
saved=$(cat "$param")
trap 'echo "$saved" >"$param"' EXIT

number=0
failed=0

# check TEXT COMMAND...
check()
{
	text=$1
	shift
	number=$((number + 1))
	if "$@"; then
		echo "ok $number $text"
	else
		echo "not ok $number $text, it reads $(cat "$param")"
		failed=1
	fi
}

# reads VALUE WRITTEN: after WRITTEN is accepted the parameter reads VALUE.
reads()
{
	echo "$2" 2>/dev/null >"$param" && [ "$(cat "$param")" = "$1" ]
}

# refuses WRITTEN: it is not accepted, says so, and leaves the parameter at N.
refuses()
{
	echo 0 >"$param"
	! echo "$1" 2>/dev/null >"$param" && [ "$(cat "$param")" = N ] &&
		dmesg | tail -n 2 | grep -q "fastpath=$1 is not a boolean: use 0 or 1"
}

echo "TAP version 13"
echo "1..8"
for value in 1 Y on; do
	check "$value turns it on" reads Y $value
done
for value in 0 N off; do
	check "$value turns it off" reads N $value
done
for value in 2 banana; do
	check "$value is refused" refuses $value
done
exit $failed
