# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# In the machine: the fuzzer's corpus, and random programs, with and without APICv
# and the preemption timer. /selftests/fuzz.conf may set
#
#   seed    first seed, of each configuration in turn (default 1)
#   count   programs for each configuration (default 600)
#   rounds  how often to go through the configurations (default 1)

# shellcheck source=../scripts/machine/job.sh
. /lib/job.sh

seed=1
count=600
rounds=1
# shellcheck source=/dev/null
[ ! -e /selftests/fuzz.conf ] || . /selftests/fuzz.conf

variant=stock
[ ! -e /modules/fastpath/kvm-intel.ko ] || variant=fastpath
corpus=$(find /selftests/corpus -name '*.prog' | sort)

status=0
while [ "$rounds" != 0 ]; do
	for parameters in 'enable_apicv=1 preemption_timer=1' \
		'enable_apicv=0 preemption_timer=1' \
		'enable_apicv=1 preemption_timer=0' \
		'enable_apicv=0 preemption_timer=0'; do
		# shellcheck disable=SC2086  # one word for each parameter
		kvm_load $variant $parameters
		result "# mode $variant $parameters: fastpath_fuzz"
		# shellcheck disable=SC2086  # one word for each program
		/selftests/fastpath_fuzz -s "$seed" -n "$count" $corpus \
			>/dev/ttyS1 2>&1
		end=$?
		result "# mode $variant $parameters: fastpath_fuzz exits with $end"
		[ $end = 0 ] || status=1
		seed=$((seed + count))
	done
	corpus=
	rounds=$((rounds - 1))
done
exit $status
