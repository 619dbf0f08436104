# SPDX-License-Identifier: GPL-2.0-only
#
# vmx-fastpath: VM-exit fast path for kvm-intel
#
#   make              build the module
#   make install      put it before the distribution's; 'make uninstall' undoes it
#   make bench        measure it in the emulated machine, from nothing
#   make check        all tests, from nothing
#   make help         the rest
#
# KDIR=  headers of the kernel to build for
# KSRC=  kernel source: a tree, or an archive of one

export KDIR KSRC DESTDIR

all: module

help:
	@echo 'module (default)  build kvm-intel.ko into build/modules/<kernel>/fastpath/'
	@echo 'install           install it into updates/, where modprobe prefers it'
	@echo 'uninstall         remove it: the distribution'"'"'s module is in use again'
	@echo 'bench             table stock / fastpath=0 / fastpath=1 in the emulated machine'
	@echo '                  VMEXIT_FLAT=path: of a kvm-unit-tests vmexit.flat instead'
	@echo 'bench-configs     the same without APICv, without the preemption timer, and without both'
	@echo 'e2e               cyclictest in a Linux guest in the machine: table and plot of its'
	@echo '                  latency, in us of the machine, stock / fastpath=0 / fastpath=1'
	@echo 'profile           what the host executes for each VM exit, to the last instruction:'
	@echo '                  tables, flame graphs; TRACES=y: and list the instructions'
	@echo 'sweep             lateness by period, 100 us to 10 ms of the machine'"'"'s time: table,'
	@echo '                  plots, and the figures that fastpath=1 has to keep to'
	@echo 'load              the cost of an exit by the number of vCPUs and of memslots: table,'
	@echo '                  and that fastpath=1 does not grow with either'
	@echo 'never-early       1000000 interrupts, or TICKS=, of which none may come early'
	@echo 'profile-diff      what differs between the profiles OLD= and NEW=build/profile'
	@echo 'tuner-plots       the tuner beside stock'"'"'s rule on the same costs, on the host'
	@echo 'check             unit tests, static checks, and the tests in the machine'
	@echo '                  KUT=dir: instead, a build of kvm-unit-tests, what differs from stock'
	@echo 'check-static      what needs no machine: unit tests, sparse, checkpatch, ...'
	@echo 'check-debug       the kselftests on a kernel with KASAN, lockdep and the like'
	@echo 'check-rt          the kselftests on the distribution'"'"'s PREEMPT_RT kernel'
	@echo 'check-long        both, KVM in a Linux guest, all of the kernel'"'"'s own KVM'
	@echo '                  selftests, sweep, load, never-early: hours'
	@echo 'selftests         the kselftests in the machine, in all modes'
	@echo 'fuzz              random guests, with and without the fast path, for'
	@echo '                  SECONDS=300 of real time, from SEED= on'
	@echo 'fuzz-faults       that it finds faults: one after the other, planted for it'
	@echo 'shell             a shell in the machine, on this terminal'
	@echo 'clean             remove what was built of ours; distclean: all of build/'
	@echo 'Variables: KDIR= kernel headers, KSRC= kernel source, DESTDIR= for install'

module:
	@kernel/build fastpath

install:
	@kernel/install

uninstall:
	@kernel/install -u

# The packages come first: everything below asks the headers which kernel it is
# for. Each of these is one command that works on a fresh machine.
bench: bench-build
	@bench/run

bench-configs: bench-build
	@bench/run-configs

bench-build: deps-bench
	@kernel/build fastpath
	@kernel/build floor
	@scripts/machine/build-bochs
	@$(MAKE) --no-print-directory -s -C bench O=$(CURDIR)/build/bench

profile: PROFILE_DIR ?= build/profile
profile: bench-build
	@scripts/machine/build-bochs -i bench/profile/recorder
	@bench/profile/run $(if $(TRACES),-t)
	@bench/profile/report --svg '$(PROFILE_DIR)/svg' --json '$(PROFILE_DIR)/report.json' \
		'$(PROFILE_DIR)'

sweep: bench-build
	@scripts/deps plot
	@bench/sweep/run

load: bench-build
	@bench/load/run

never-early: bench-build
	@bench/never-early $(if $(TICKS),'$(TICKS)')

profile-diff: NEW ?= build/profile
profile-diff:
	@[ -n '$(OLD)' ] || { echo 'profile-diff: OLD= is missing: an earlier build/profile' >&2; exit 2; }
	@bench/profile/diff '$(OLD)' '$(NEW)' || [ $$? = 1 ]

tuner-plots:
	@scripts/deps module plot
	@bench/tuner/run

e2e: deps-machine
	@scripts/deps qemu e2e
	@kernel/build fastpath
	@scripts/machine/build-bochs
	@bench/e2e/run

check: KUT ?=
check: deps-check
ifneq ($(KUT),)
	@kernel/build fastpath >/dev/null
	@scripts/machine/build-bochs
	@KUT='$(KUT)' selftests/kut/run $(KUT_TESTS)
else
	@scripts/check all
endif

check-static: deps-check
	@scripts/check static

check-debug: deps-check
	@scripts/deps debug
	@scripts/check debug

check-rt: deps-check
	@scripts/deps rt
	@scripts/check rt

check-long: deps-check
	@scripts/deps debug rt
	@scripts/check long

selftests: deps-check
	@scripts/check selftests

fuzz: deps-check
	@kernel/build fastpath
	@scripts/machine/build-bochs
	@selftests/fuzz/run $(if $(SECONDS),-t '$(SECONDS)') $(if $(SEED),-s '$(SEED)')

fuzz-faults: deps-check
	@scripts/machine/build-bochs
	@selftests/fuzz/find-faults

shell: deps-machine
	@kernel/build fastpath
	@scripts/machine/build-bochs
	@overlay=build/module/shell/modules/fastpath && mkdir -p $$overlay && \
		KREL=$$(kernel/release) && export KREL && \
		cp build/modules/$$KREL/fastpath/kvm-intel.ko $$overlay/ && \
		scripts/machine/shell -r build/module/shell

deps-bench: VMEXIT_FLAT ?=
deps-bench:
	@scripts/deps module machine $(if $(VMEXIT_FLAT),qemu)

deps-machine:
	@scripts/deps module machine

deps-check:
	@scripts/deps module machine qemu check

clean:
	rm -rf build/module build/modules build/bench build/btf build/selftests build/kut* \
		build/unit build/e2e build/sweep build/load build/tuner build/profile*

distclean:
	rm -rf build

.PHONY: all help module install uninstall bench bench-configs bench-build profile \
	profile-diff sweep load never-early tuner-plots e2e check check-static check-debug \
	check-rt check-long selftests fuzz fuzz-faults shell deps-bench deps-machine \
	deps-check clean distclean
