# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# For a job to source: start a guest in QEMU.

# As kvm-unit-tests' own runner does. The guest's status N comes out of QEMU's
# isa-debug-exit as 2 * N + 1.
#

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

# linux_run DIR [OPTION...]: boot /guest with the machine's own command line, save that
# a panic ends QEMU, and $linux_arguments. QEMU is killed after $qemu_timeout seconds.
# DIR gets the guest's console; "said", its results; and the machine's counters at each
# of its steps. The status is 0 if the guest's job ends with 0, and QEMU, too.
linux_run() {
	linux_dir=$1
	shift
	rm -rf "$linux_dir"
	mkdir -p "$linux_dir"
	mkfifo "$linux_dir/in" "$linux_dir/out"
	timeout -s KILL "${qemu_timeout:-600}" \
		qemu-system-x86_64 -L /qemu --no-reboot -no-user-config -nodefaults -display none \
		-machine q35,accel=kvm -m 256 -cpu host,migratable=off \
		-kernel /guest/vmlinuz -initrd /guest/initrd \
		-append "$(cat /proc/cmdline) panic=-1 ${linux_arguments:-}" \
		-serial "file:$linux_dir/console" -serial stdio "$@" \
		<"$linux_dir/in" >"$linux_dir/out" 2>"$linux_dir/qemu" &
	linux_pid=$!
	exec 4>"$linux_dir/in" 3<"$linux_dir/out"
	linux_attend
	exec 3<&- 4>&-
	linux_status=0
	wait "$linux_pid" || linux_status=$?
	[ $linux_status = 0 ] && [ "$(linux_said VERDICT)" = 0 ]
}

# linux_attend: listen to the guest until QEMU ends.
linux_attend() {
	while read -r linux_line; do
		case $linux_line in
		step\ *)
			linux_counters >"$linux_dir/${linux_line#step }"
			echo >&4
			;;
		*) echo "$linux_line" ;;
		esac
	done <&3 >"$linux_dir/said"
}

# linux_counters: of KVM and of the fast path, the one virtual machine's.
linux_counters() {
	for linux_file in /sys/kernel/debug/kvm/[0-9]*/*exits /sys/kernel/debug/kvm/[0-9]*/fastpath_*; do
		[ ! -f "$linux_file" ] || echo "${linux_file##*/} $(cat "$linux_file")"
	done
}

# linux_counts: "NAME COUNT" for each counter, how far it went from the guest's step
# "begin" to its step "end".
linux_counts() {
	[ ! -s "$linux_dir/begin" ] || [ ! -s "$linux_dir/end" ] ||
		awk 'NR == FNR { from[$1] = $2; next } { print $1, $2 - from[$1] }' \
			"$linux_dir/begin" "$linux_dir/end"
}

# linux_count NAME: one of them, or "none".
linux_count() {
	linux_counts | awk -v name="$1" '
		$1 == name { count = $2; found = 1 }
		END { print found ? count : "none" }'
}

# linux_said NAME: the value of a result.
linux_said() {
	awk -v name="$1" '$1 == name { print $2 }' "$linux_dir/said"
}

# linux_explain: how it ended, for the results: the last that it said, and the end of
# its console.
linux_explain() {
	{
		echo "QEMU's exit status $linux_status"
		tail -n 20 "$linux_dir/said"
		cat "$linux_dir/qemu"
		tail -n 20 "$linux_dir/console"
	} | tr -d '\r' | sed 's/^/# /' >/dev/ttyS1
}

# linux_is_quiet: the guest's kernel reported nothing, neither its checkers nor a
# stall. What it did report goes to the results.
linux_is_quiet() {
	grep -Ea -A 20 -f /lib/splat "$linux_dir/console" >"$linux_dir/splat" || return 0
	tr -d '\r' <"$linux_dir/splat" | sed 's/^/# /' >/dev/ttyS1
	return 1
}
