# SPDX-License-Identifier: GPL-2.0-only
#
# Sum up KTAP as run_modes.sh frames it.  Prints the verdicts, what came before
# a failed one, and in the last line "PASSED FAILED SKIPPED" for the caller.
#
# A program that ends with fewer verdicts than it planned, that fails without
# saying where, or that does not end at all, is one more failure.

function fail(why)
{
	printf "%s", context
	print "not ok - " program ": " why
	context = ""
	failed++
}

function end_program()
{
	if (program == "")
		return
	if (status == "")
		fail("it did not end")
	else if (verdicts != plan)
		fail(verdicts + 0 " verdicts, " plan + 0 " were planned")
	else if (status != 0 && status != 4 && !failures)
		fail("exit status " status)
	program = context = ""
}

{ sub(/\r$/, "") }

/^# mode .* exits with [0-9]+$/ {
	status = $NF
	end_program()
	print
	next
}

/^# mode / {
	end_program()
	program = substr($0, 8)
	status = plan = ""
	verdicts = failures = 0
	print
	next
}

/^1\.\.[0-9]+/ {
	plan = substr($1, 4)
	if (plan == 0) {
		print
		skipped++
	}
	next
}

/^ok .*# SKIP/ { print; verdicts++; skipped++; context = ""; next }
/^ok / { print; verdicts++; passed++; context = ""; next }
/^not ok / {
	printf "%s", context
	print
	verdicts++
	failures++
	failed++
	context = ""
	next
}

# What perf counted is the point of counting, show it even when all is well.
/^# (exits|[0-9]+ (flips|programs)|counted|never|kvm)/ { print; next }

{ context = context $0 "\n" }

END {
	end_program()
	print passed + 0, failed + 0, skipped + 0
}
