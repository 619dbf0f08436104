# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# In the machine: our programs with the stock module, with fastpath=0 and with
# fastpath=1, the parameter itself, and fastpath=1 again without APICv.  KTAP goes
# to the results.

# shellcheck source=../scripts/machine/job.sh
. /lib/job.sh

status=0

modes()
{
	/selftests/run_modes.sh "$@" >/dev/ttyS1 2>&1 || status=1
}

kvm_load stock
modes
if [ -e /modules/fastpath/kvm-intel.ko ]; then
	kvm_load fastpath
	modes
	/selftests/run_modes.sh -v 0 /selftests/fastpath_parameter.sh >/dev/ttyS1 2>&1 ||
		status=1
	kvm_load fastpath enable_apicv=0
	modes -l enable_apicv=0 -v 1
fi
exit $status
