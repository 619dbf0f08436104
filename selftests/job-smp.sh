# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# In the machine, with two CPUs: the parameter is flipped on one CPU while the
# guest ticks on the other.

# shellcheck source=../scripts/machine/job.sh
. /lib/job.sh

kvm_load fastpath
/selftests/run_modes.sh -l smp /selftests/fastpath_switch_test >/dev/ttyS1 2>&1
