#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Run the fast path's selftests in each mode of the kvm_intel that is loaded:
# once if it has no fast path, else with fastpath=0 and with fastpath=1.  The
# parameter is left as it was found.
#
# usage: run_modes.sh [-l LABEL] [-v "VALUE..."] [-k KIND] [PROGRAM...]
#
#   -l LABEL  put before the mode's name in the output
#   -v VALUE  values of the parameter to go through, instead of 0 and 1
#   -k KIND   the programs of that kind in the list "tests" beside this script,
#             which is also where the PROGRAMs default to: all of them
#
# Prints each program's
# KTAP between two comment lines "# mode M: P" and "# mode M: P exits with S".
# Exit status: 0 all passed, 1 a program failed, 4 all were skipped.

set -u

here=$(cd "$(dirname "$0")" && pwd)
param=/sys/module/kvm_intel/parameters/fastpath
label=
values='0 1'
kind=

while getopts l:v:k: opt; do
	case $opt in
	l) label=$OPTARG ;;
	v) values=$OPTARG ;;
	k) kind=$OPTARG ;;
	*) sed -n 's/^# \(usage: .*\)/\1/p' "$0" >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))

# listed KIND: the names of the programs of that kind, of all if it is empty.
listed()
{
	awk -v kind="$1" '/^[^#]/ {
		for (i = 2; i <= NF; i++)
			if (kind == "" || $i == kind) {
				print $1
				next
			}
	}' "$here/tests"
}

if [ $# = 0 ]; then
	for name in $(listed "$kind"); do
		set -- "$@" "$here/$name"
	done
	[ $# != 0 ] || { echo "run_modes.sh: no program of kind '$kind' in $here/tests" >&2; exit 2; }
fi
# Once is enough for these.
both=" $(listed both | tr '\n' ' ')"

if [ ! -d /sys/module/kvm_intel ]; then
	echo "1..0 # SKIP kvm_intel is not loaded"
	exit 4
fi

passed=0
failed=0
not_first=

run_all()
{
	# One blank between words, whatever the label is made of.
	# shellcheck disable=SC2086,SC2116
	name_of_mode=$(echo $label $1)
	shift
	for program; do
		name=${program##*/}
		case $both in
		*" $name "*) [ -z "$not_first" ] || continue ;;
		esac
		echo "# mode $name_of_mode: $name"
		"$program" 2>&1
		status=$?
		case $status in
		0) passed=1 ;;
		4) ;;
		*) failed=1 ;;
		esac
		echo "# mode $name_of_mode: $name exits with $status"
	done
}

if [ -e $param ]; then
	saved=$(cat $param)
	trap 'echo "$saved" >$param' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	for value in $values; do
		echo "$value" >$param || exit 1
		run_all "fastpath=$value" "$@"
		not_first=y
	done
else
	run_all stock "$@"
fi

[ $failed = 0 ] || exit 1
[ $passed = 1 ] || exit 4
