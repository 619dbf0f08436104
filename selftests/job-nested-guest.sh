# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# In a Linux guest of the machine: the distribution's KVM, and some of our programs,
# whose guests are then guests of a guest. KTAP goes to the results.

# shellcheck source=../scripts/machine/job.sh
. /lib/job.sh

# An exit of theirs is several of this guest's.
export TIMER_SCALE=20

kvm_load stock
step begin
# Not the lines that say little: the port is slow. Each at once, or a hang would hide
# how far it got.
xargs /selftests/run_modes.sh </selftests/nested-programs 2>&1 |
	awk '!/^# +(RUN|OK) / { print; fflush() }' >/dev/ttyS1
step end
exit 0
