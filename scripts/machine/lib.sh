# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# What all commands in scripts/machine/ share: places, messages, the kernel.

me=${0##*/}
machine_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$machine_dir/../.." && pwd)
build=$top/build/machine
bochs_dir=$build/bochs

# bochs_with INSTRUMENTATION: the directory of the emulator that has this compiled in;
# of the plain one for none.
bochs_with() {
	local name=${1%/}

	echo "$bochs_dir${1:+-${name##*/}}"
}

# Exit statuses beside the job's own, which are 0..99.
E_PANIC=120
E_HANG=121
E_NO_VERDICT=122
E_SPLAT=123
E_SETUP=125

# die WORD...: misuse, or something that is missing.
die() {
	printf '%s: %s\n' "$me" "$*" >&2
	exit $E_SETUP
}

# need PROGRAM...: name the remedy, rather than "command not found" half-way.
need() {
	local program

	for program; do
		command -v "$program" >/dev/null ||
			die "$program is missing: run 'scripts/deps machine' as root"
	done
}

# need_file FILE...: the same for files that come with a package.
need_file() {
	local file

	for file; do
		[ -r "$file" ] || die "$file is missing: run 'scripts/deps machine' as root"
	done
}

# The stamp is part of the patterns for the console: a job may print the words, the
# kernel's message may stand behind half a line of the job's.
stamp='\[ *[0-9]+\.[0-9]+\] '

# How the kernel's checkers begin their reports. Those of lockdep, RCU, might_sleep()
# and the like are no warnings to panic_on_warn.
splat="$stamp(-+\[ cut here|((rcu|watchdog|workqueue): )?(WARNING|BUG|INFO): |ODEBUG: )"

# The directory that the kernel to boot is installed below: $KROOT, else the root.
kernel_root=${KROOT:-}
kernel_root=${kernel_root%/}

# The kernel to boot: $KREL, else the newest 6.12 kernel of the plain flavour.
kernel_release() {
	local newest modules=$kernel_root/lib/modules

	if [ -n "${KREL:-}" ]; then
		[ -d "$modules/$KREL/kernel" ] || die "KREL=$KREL: no such kernel in $modules"
		echo "$KREL"
		return
	fi
	newest=$(find "$modules" -mindepth 1 -maxdepth 1 -name '6.12.*-amd64' \
		! -name '*-rt-amd64' ! -name '*-cloud-amd64' -printf '%f\n' | sort -V | tail -n 1)
	[ -n "$newest" ] || die "no kernel 6.12 is installed: run 'scripts/deps machine' as root"
	echo "$newest"
}
