# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The kernel's own tests in the machine: which, and what job-upstream.sh needs.
# To be sourced at the top of the tree.

# upstream_tests VERDICT...: the tests with one of these verdicts.
upstream_tests()
{
	awk -v verdicts=" $* " '!/^#/ && index(verdicts, " " $1 " ") { print $2 }' \
		selftests/upstream-tests
}

# upstream_overlay DIR ARGUMENTS LIMIT TEST...: lay out in DIR what the machine gets
# to run these tests, kvm_load being given ARGUMENTS, each for LIMIT seconds.
upstream_overlay()
{
	local dir=$1 test

	rm -rf "$dir"
	mkdir -p "$dir/selftests/upstream/x86_64"
	echo "$2" >"$dir/selftests/upstream-arguments"
	echo "$3" >"$dir/selftests/upstream-limit"
	shift 3
	printf '%s\n' "$@" >"$dir/selftests/upstream-list"
	for test; do
		strip -o "$dir/selftests/upstream/$test" "build/selftests/kvm/$test"
	done
}
