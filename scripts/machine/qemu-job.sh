# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# For a job to source: start a guest as kvm-unit-tests' own runner does. Its status
# N comes out of QEMU's isa-debug-exit as 2 * N + 1.

# qemu_flat LOG FILE [OPTION...]: with QEMU's exit status; what the guest writes to
# its serial port is LOG, with what QEMU has to say at the end. After $qemu_timeout
# seconds, if that is set, it is killed: the status is 137.
qemu_flat() {
	qemu_log=$1
	qemu_file=$2
	shift 2
	qemu_status=0
	: >"$qemu_log"
	${qemu_timeout:+timeout -s KILL "$qemu_timeout"} \
		qemu-system-x86_64 -L /qemu --no-reboot -nodefaults -display none -machine accel=kvm \
		-device pc-testdev -device isa-debug-exit,iobase=0xf4,iosize=0x4 \
		-serial "file:$qemu_log" -kernel "$qemu_file" "$@" \
		</dev/null >"$qemu_log.qemu" 2>&1 ||
		qemu_status=$?
	sed 's/^/qemu: /' "$qemu_log.qemu" >>"$qemu_log"
	return $qemu_status
}
