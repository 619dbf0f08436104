# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# In the machine: the programs of the kind that /selftests/kind names, with
# fastpath=0 and with fastpath=1, in the configuration of kvm_intel that
# /selftests/parameters names.  With all the programs and no parameters, the stock
# module and the test of the parameter come on top.  KTAP goes to the results.

# shellcheck source=../scripts/machine/job.sh
. /lib/job.sh

parameters=$(cat /selftests/parameters)
kind=$(cat /selftests/kind)
status=0

# load VARIANT: with the parameters, one word each.
load()
{
	# shellcheck disable=SC2086
	kvm_load "$1" $parameters
}

# run_kind: the programs, in the modes that the loaded module has.
run_kind()
{
	# What is of the kind "modes" needs no more name than its parameters.
	/selftests/run_modes.sh -k "$kind" -l "${kind#modes} $parameters" \
		>/dev/ttyS1 2>&1 || status=1
}

if [ "$kind$parameters" = modes ] || [ ! -e /modules/fastpath/kvm-intel.ko ]; then
	load stock
	run_kind
fi
if [ -e /modules/fastpath/kvm-intel.ko ]; then
	load fastpath
	run_kind
	if [ "$kind$parameters" = modes ]; then
		/selftests/run_modes.sh -v 0 /selftests/fastpath_parameter.sh \
			>/dev/ttyS1 2>&1 || status=1
	fi
fi
exit $status
