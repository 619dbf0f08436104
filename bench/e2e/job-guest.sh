# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# In the Linux guest: cyclictest, and what there is to know of the run. The options
# come with the kernel's command line, which hands on to init what it does not know.
set -u
# shellcheck source=scripts/machine/job.sh
. /lib/job.sh

result "clockevent $(awk '/^Per CPU device: 0/ { getline; print $4 }' /proc/timer_list)"
result "clocksource $(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)"

step begin
# shellcheck disable=SC2154 # from the command line
cyclictest --quiet --mlockall --priority=90 --default-system --nsecs \
	--interval="$e2e_interval" --loops="$e2e_ticks" --histogram="$e2e_buckets" \
	--json=/tmp/json >/tmp/out 2>&1
status=$?
step end

result "cyclictest $status"
if [ $status != 0 ]; then
	grep -vE '^[0-9]+ 0+$' /tmp/out >/dev/ttyS1
	exit 1
fi
# Only what came: the serial port is slow.
awk '{ gsub(/[",:]/, "") }
	/^ *(cycles|min|max|avg) / { print $1, $2 }
	/^ *[0-9]+ [0-9]+$/ { print "latency", $1, $2 }' /tmp/json >/dev/ttyS1
