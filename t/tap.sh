# shellcheck shell=bash
# The Test Anything Protocol for shell tests. A test is a bash script that runs from
# the root of the repository:
#
#	#!/bin/bash
#	. t/tap.sh
#	ok "name" command args…     passes if the command succeeds
#	is "got" "want" "name"      passes if both are equal
#	skip "name" "reason"        counted as passed, shown as skipped
#	done_testing
#
# $O is the build's folder, $BIN that of the built programs, $SAN that of the same with
# sanitizers (status 99 on a finding), $TMP a scratch folder that is removed at the end.
# `make test` sets O; without it, it is build/.

set -u
export LC_ALL=C

O=$(realpath -m "${O:-build}")
BIN=$O/bin
SAN=$O/san/bin
TMP=$(mktemp -d "${TMPDIR:-/tmp}/t.XXXXXX")
export O BIN SAN TMP
# Programs leave their memory to the kernel at exit; the fuzz targets look for leaks.
export ASAN_OPTIONS=exitcode=99:detect_leaks=0 UBSAN_OPTIONS=exitcode=99:print_stacktrace=1
# Background jobs that a test leaves behind end with it.
tap_cleanup() {
	local job
	for job in $(jobs -p); do
		kill "$job" 2>/dev/null
	done
	rm -rf "$TMP"
}
trap tap_cleanup EXIT
trap 'exit 130' INT TERM

tap_run=0 tap_failed=0

# Text as diagnostics: each line behind a '#', to stderr, where prove shows it.
diag() {
	printf '%s\n' "$*" | sed 's/^/#   /' >&2
}

tap_line() { # pass name
	tap_run=$((tap_run + 1))
	# A name must not start a directive.
	local name=${2//#/}
	if [ "$1" = 0 ]; then
		echo "ok $tap_run - $name"
		return 0
	fi
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_run - $name"
	echo "# failed: $name" >&2
	return 1
}

ok() { # name command args…
	local name=$1 status
	shift
	# What the command writes is shown only if it fails.
	"$@" >"$TMP/tap.out" 2>&1 </dev/null
	status=$?
	if [ $status = 0 ]; then
		tap_line 0 "$name"
		return
	fi
	tap_line 1 "$name"
	diag "status $status: $*"
	diag "$(head -c 4000 "$TMP/tap.out" | tr -d '\000')"
	return 1
}

is() { # got want name
	if [ "$1" = "$2" ]; then
		tap_line 0 "$3"
		return
	fi
	tap_line 1 "$3"
	if [ "${1//[!$'\n']/}${2//[!$'\n']/}" = "" ]; then
		diag "got  '$1'"
		diag "want '$2'"
	else
		diag "$(diff -u --label got --label want \
			<(printf '%s\n' "$1") <(printf '%s\n' "$2") | head -n 60)"
	fi
	return 1
}

skip() { # name reason
	tap_run=$((tap_run + 1))
	echo "ok $tap_run - ${1//#/} # SKIP $2"
}

# The whole test is skipped: before any check.
skip_all() { # reason
	echo "1..0 # SKIP $1"
	exit 0
}

# Prints the plan and ends the test.
done_testing() {
	echo "1..$tap_run"
	[ $tap_failed = 0 ] && [ $tap_run != 0 ]
	exit
}
