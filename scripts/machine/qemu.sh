# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# QEMU inside the emulated machine, for guests as kvm-unit-tests builds them and for
# Linux: what the host has to check and to add to the machine. Needs die(); a user of
# it gives the machine "-b $qemu" and its job sources /lib/qemu.sh.

find_qemu() {
	qemu=$(command -v qemu-system-x86_64) ||
		die "qemu-system-x86_64 is missing: run 'scripts/deps qemu' as root"
}

# check_flat WHAT FILE: QEMU would say no more than that it cannot load the kernel.
check_flat() {
	if [ ! -f "$2" ] || [ ! -r "$2" ]; then
		die "$1: no such file"
	fi
	case $(od -An -N5 -tx1 "$2" | tr -d ' ') in
	7f454c4601) ;;
	7f454c4602) die "$1: a 64-bit ELF file; take kvm-unit-tests' x86/*.flat" ;;
	*) die "$1: not an ELF file; take kvm-unit-tests' x86/*.flat" ;;
	esac
	head -c 8192 "$2" | LC_ALL=C grep -qaP '\x02\xb0\xad\x1b' ||
		die "$1: no multiboot header in its first 8 KiB"
}

# qemu_overlay DIR: what QEMU reads in the machine, and what starts it there.
qemu_overlay() {
	local file found

	mkdir -p "$1"/{lib,qemu}
	cp "$(dirname "${BASH_SOURCE[0]}")/qemu-job.sh" "$1/lib/qemu.sh"
	# The BIOS, and the option ROMs of the local APIC, of multiboot and of Linux.
	for file in seabios/bios-256k.bin qemu/{kvmvapic,multiboot_dma,linuxboot_dma}.bin; do
		found=$(find -L /usr/share/qemu /usr/share/seabios -path "/usr/share/$file")
		[ -n "$found" ] || die "QEMU's $file is missing: run 'scripts/deps qemu' as root"
		cp -L "$found" "$1/qemu/"
	done
}

# linux_overlay DIR JOB [OPTION...]: the same for a Linux guest that is made as the
# machine itself, with mkimage's OPTIONs, and that runs JOB.
linux_overlay() {
	local dir=$1 job=$2

	shift 2
	qemu_overlay "$dir"
	# What to look for in the guest's console, as "run" does in the machine's.
	bash -c '. "$1" && echo "$splat"' - "$(dirname "${BASH_SOURCE[0]}")/lib.sh" >"$dir/lib/splat"
	mkdir -p "$dir/guest"
	"$(dirname "${BASH_SOURCE[0]}")/mkimage" -g -o "$dir/guest" -j "$job" "$@" ||
		die "cannot make the Linux guest's image"
}
