# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
#
# What "run" and "shell" share: options, image, Bochs. Needs lib.sh.

boot_options='c:m:r:b:M:a:wi:'
boot_usage="  -c N        CPUs (default 1)
  -m on|off   the kernel's mitigations (default off)
  -r DIR      lay the content of DIR over the machine's root (repeatable)
  -b FILE     copy a program to the machine's /usr/bin, with its shared
              libraries (repeatable)
  -M MODULE   add a module of the kernel, with those it depends on (repeatable)
  -a ARGS     append to the kernel command line, quoted as for GRUB
  -w          let the kernel go on after a warning, where it panics by default,
              and do not count any report of the kernel's checkers as a failure
  -i DIR      an emulator with the instrumentation in DIR compiled in"

cpus=1
mitigations=off
arguments=
panic_on_warn=1
instrument=
image_options=()

# boot_option LETTER VALUE: take an option that run and shell have in common.
boot_option() {
	case $1 in
	c) cpus=$2 ;;
	m) mitigations=$2 ;;
	r | b | M) image_options+=("-$1" "$2") ;;
	a) arguments=$2 ;;
	w) panic_on_warn=0 ;;
	i) instrument=$(realpath -- "$2") ;;
	*) return 1 ;;
	esac
}

# What Bochs takes for one second: as many instructions, one TSC tick each.
ips=200000000

# What costs two seconds of real time each boot and has no part in what is tested
# here: the certificates for module signatures, tests of a random number generator
# and of a key derivation, names for enums in the formats of built-in tracepoints.
skip=load_system_certificate_list,jent_mod_init,crypto_kdf108_init,trace_eval_init

kernel_arguments() {
	# nokaslr, norandmaps: addresses have an influence on instruction counts.
	# tsc_early_khz: CPUID claims another frequency, and with that KVM would not
	# trust its preemption timer.
	# panic=0: a panic stays, so that "run" sees all of it.
	local list=(
		'console=ttyS0,115200' quiet nokaslr norandmaps
		tsc=reliable "tsc_early_khz=$((ips / 1000))"
		"initcall_blacklist=$skip" cryptomgr.notests
		oops=panic "panic_on_warn=$panic_on_warn" panic=0
	)

	[ "$mitigations" = on ] || list+=(mitigations=off)
	echo "${list[*]} $arguments"
}

bios=/usr/share/bochs/BIOS-bochs-latest
vga_bios=/usr/share/vgabios/vgabios.bin

# bochsrc CONSOLE SYNC: Bochs's configuration. RDRAND and RDSEED are left out as
# Bochs seeds them with the time of day. A triple fault ends the run rather than to
# boot again. Bochs searches its list of memory blocks for each new one: have few.
bochsrc() {
	cat <<END
config_interface: textconfig
display_library: nogui
cpu: model=corei7_skylake_x, count=$cpus, ips=$ips, reset_on_triple_fault=0, exclude_features="rdrand rdseed"
memory: guest=2048, host=2048, block_size=8192
romimage: file=$bios, options=fastboot
vgaromimage: file=$vga_bios
clock: sync=$2, time0=1700000000
ata0-master: type=disk, path=boot.iso, mode=flat
ata1: enabled=0
boot: disk
com1: enabled=1, $1
com2: enabled=1, mode=file, dev=result.log
log: bochs.log
panic: action=fatal
error: action=report
info: action=report
debug: action=ignore
END
}

# Make $dir, which is then this run's alone: the emulator holds the lock, too.
claim() {
	mkdir -p "$dir" || exit "$E_SETUP"
	dir=$(cd "$dir" && pwd)
	exec 8>"$dir/lock"
	flock -n 8 || die "$dir is in use by another run: give another directory with -o"
}

# prepare JOB CONSOLE SYNC: make the image and Bochs's configuration in $dir.
# CONSOLE is what com1 is connected to. SYNC is "none" to have emulated time follow
# the instruction count alone: then two runs of one image are the same, to the last
# instruction.
prepare() {
	local job=$1 console=$2 sync=$3

	case $cpus in
	[1-8]) ;;
	*) die "-c $cpus: not a number of CPUs from 1 to 8" ;;
	esac
	case $mitigations in
	on | off) ;;
	*) die "-m $mitigations: neither on nor off" ;;
	esac

	need_file "$bios" "$vga_bios"

	trap end_boot EXIT
	"$machine_dir/build-bochs" ${instrument:+-i "$instrument"} || exit $?
	emulator=$(bochs_with "$instrument")/bochs
	"$machine_dir/mkimage" -o "$dir" -j "$job" -a "$(kernel_arguments)" \
		"${image_options[@]}" || exit $?
	bochsrc "$console" "$sync" >"$dir/bochsrc"
	# Bochs's lock on the disk may be left over from a run that was killed.
	rm -f "$dir"/{bochs,console,result}.log "$dir/boot.iso.lock"
	touch "$dir"/{console,result}.log
}

# Become the emulator.
start_bochs() {
	cd "$dir" || exit
	exec "$emulator" -q -f bochsrc </dev/null >bochs.out 2>&1
}

# No emulator stays behind, and no image, which is large.
end_boot() {
	if [ -n "${bochs_pid:-}" ]; then
		kill -KILL "$bochs_pid" || true
		wait "$bochs_pid" || true
	fi 2>/dev/null
	rm -rf "$dir"/boot.iso{,.lock} "$dir/overlay"
}
