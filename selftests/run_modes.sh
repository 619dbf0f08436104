#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Run the fast path's selftests in each mode of the kvm_intel that is loaded:
# once if it has no fast path, else with fastpath=0 and with fastpath=1.  The
# parameter is left as it was found.
#
# usage: run_modes.sh [-l LABEL] [-v "VALUE..."] [PROGRAM...]
#
#   -l LABEL  put before the mode's name in the output
#   -v VALUE  values of the parameter to go through, instead of 0 and 1
#
# PROGRAMs default to all that lie beside this script.  Prints each program's
# KTAP between two comment lines "# mode M: P" and "# mode M: P exits with S".
# Exit status: 0 all passed, 1 a program failed, 4 all were skipped.

set -u

here=$(cd "$(dirname "$0")" && pwd)
param=/sys/module/kvm_intel/parameters/fastpath
label=
values='0 1'

while getopts l:v: opt; do
	case $opt in
	l) label="$OPTARG " ;;
	v) values=$OPTARG ;;
	*) sed -n 's/^# \(usage: .*\)/\1/p' "$0" >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))

if [ $# = 0 ]; then
	set -- "$here/tsc_deadline_fastpath" "$here/tsc_deadline_userspace_test" \
		"$here/tsc_deadline_early_exit_test" "$here/fastpath_switch_test"
fi

if [ ! -d /sys/module/kvm_intel ]; then
	echo "1..0 # SKIP kvm_intel is not loaded"
	exit 4
fi

passed=0
failed=0

run_all()
{
	mode=$1
	shift
	for program; do
		name=${program##*/}
		echo "# mode $label$mode: $name"
		"$program" 2>&1
		status=$?
		case $status in
		0) passed=1 ;;
		4) ;;
		*) failed=1 ;;
		esac
		echo "# mode $label$mode: $name exits with $status"
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
	done
else
	run_all stock "$@"
fi

[ $failed = 0 ] || exit 1
[ $passed = 1 ] || exit 4
