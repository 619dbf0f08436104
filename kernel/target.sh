# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# Which kernel the module is for, and which source it is made of. Sourced by the
# other commands in kernel/; sets
#
#   kdir     the target's headers ("kernel B", the one that loads the module)
#   krel     its release, e.g. 6.12.117+deb12-amd64
#   kpkg     its package version, e.g. 6.12.117-1~deb12u1; empty if unknown
#   series   its series, e.g. 6.12
#   ksrc     the source ("kernel A"): a tree, or an archive of one
#
# Environment: KDIR and KSRC name them; the defaults are the running kernel's
# headers, or else the newest installed ones of a supported series, and the
# distribution's linux-source package of the same series. BUILD is the directory
# that all is built in.

me=kernel/${0##*/}
kernel=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(dirname "$kernel")
build=${BUILD:-$top/build}

die() {
	printf '%s: %s\n' "$me" "$*" >&2
	exit 1
}

supported_series() {
	find "$kernel" -mindepth 2 -maxdepth 2 -name hooks.patch -printf '%h\n' |
		sed 's,.*/,,' | sort -V
}

series_of() {
	cut -d. -f1,2 <<<"$1" | sed 's/[^0-9.].*//'
}

is_supported() {
	[ -f "$kernel/$(series_of "$1")/hooks.patch" ]
}

# The newest release of a supported series whose headers are installed. A flavour
# that nobody asked for is not taken.
newest_installed() {
	local s

	for s in $(supported_series); do
		find /lib/modules -mindepth 2 -maxdepth 2 -path "/lib/modules/$s.*/build" \
			! -path '*-rt-*' ! -path '*-cloud-*' -printf '%h\n'
	done | sed 's,.*/,,' | sort -V | tail -n 1
}

find_target() {
	local release config symbol

	kdir=${KDIR:-}
	if [ -z "$kdir" ]; then
		release=$(uname -r)
		if [ ! -e "/lib/modules/$release/build/Makefile" ] || ! is_supported "$release"; then
			release=$(newest_installed)
			[ -n "$release" ] ||
				die "no headers of a supported kernel ($(supported_series | xargs)) are installed: run 'scripts/deps module' as root, or set KDIR="
		fi
		kdir=/lib/modules/$release/build
	fi
	[ -e "$kdir/Makefile" ] ||
		die "KDIR=$kdir holds no kernel headers: install linux-headers of that kernel, or set KDIR= to its build directory"
	kdir=$(cd "$kdir" && pwd -P)

	krel=$(cat "$kdir/include/config/kernel.release" 2>/dev/null) ||
		die "KDIR=$kdir is not configured: it has no include/config/kernel.release; take the headers package of the kernel"
	series=$(series_of "$krel")
	is_supported "$krel" ||
		die "kernel $krel is of the unsupported series $series: boot one of $(supported_series | xargs), or name its headers with KDIR="
	kpkg=$(sed -n 's/^#define LINUX_PACKAGE_ID " Debian \(.*\)"$/\1/p' \
		"$kdir/include/generated/package.h" 2>/dev/null) || kpkg=

	config=$kdir/include/config/auto.conf
	for symbol in CONFIG_X86_64=y CONFIG_KVM=m CONFIG_KVM_INTEL=m CONFIG_HIGH_RES_TIMERS=y \
		CONFIG_MODULES=y; do
		grep -qx "$symbol" "$config" ||
			die "kernel $krel is built without $symbol: its kvm-intel cannot be replaced by a module, take another kernel"
	done
	[ -s "$kdir/Module.symvers" ] ||
		die "KDIR=$kdir has no Module.symvers: without the exports of kvm.ko nothing can be linked, take the headers package of the kernel"
}

find_source() {
	ksrc=${KSRC:-}
	if [ -z "$ksrc" ]; then
		ksrc=/usr/src/linux-source-$series.tar.xz
		[ -e "$ksrc" ] ||
			die "no source of kernel $series: install linux-source-$series, or set KSRC= to a source tree or archive"
		same_package "linux-source-$series"
	fi
	[ -r "$ksrc" ] || die "KSRC=$ksrc does not exist"
	ksrc=$(readlink -f "$ksrc")
}

# same_package NAME: the installed version of a package must be the headers'.
same_package() {
	local version

	[ -n "$kpkg" ] || return 0
	version=$(dpkg-query -W -f '${Version}' "$1" 2>/dev/null) || return 0
	[ "$version" = "$kpkg" ] ||
		die "$1 is $version, the headers are $kpkg: install $1=$kpkg, or the headers of $version"
}

# variant_dir NAME: where the sources of a variant of the module are.
variant_dir() {
	case $1 in
	fastpath) echo "$top/fastpath" ;;
	floor) echo "$top/bench/floor" ;;
	*) die "no variant '$1' of the module: fastpath or floor" ;;
	esac
}

find_target
find_source
