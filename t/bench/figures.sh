# shellcheck shell=bash
# What the scripts of `make bench` share. Each measures something by itself:
#
#	#!/bin/bash
#	. t/bench/figures.sh
#	seconds OUT COMMAND ARG…         runs it, stdout to OUT; $took has the best of three
#	measure OUT COMMAND ARG…         the same, $peak has its largest memory in kB, too
#	figure WHAT NUMBER UNIT REMARK   prints one line
#
# RUNS=1 before either of the two runs it only once.
#
# $O, $BIN and $TMP are as in t/tap.sh. Figures are for people, beside those of another
# program in the same run: nothing passes or fails by them.

set -eu -o pipefail
export LC_ALL=C

O=$(realpath -m "${O:-build}")
# shellcheck disable=SC2034 # for the scripts
BIN=$O/bin
TMP=$(mktemp -d "${TMPDIR:-/tmp}/bench.XXXXXX")
trap 'rm -rf "$TMP"' EXIT

seconds() { # output-file command arg…
	local out=$1 start end run
	shift
	took=
	for ((run = 0; run < ${RUNS:-3}; run++)); do
		start=$(date +%s%N)
		"$@" >"$out" </dev/null
		end=$(date +%s%N)
		took=$(awk -v ns=$((end - start)) -v best="$took" 'BEGIN {
			s = ns / 1e9
			printf "%.3f", best == "" || s < best ? s : best
		}')
	done
}

measure() { # output-file command arg…
	local run all=""
	for ((run = 0; run < ${RUNS:-3}; run++)); do
		all+=$("$O/t/bench/measure" "$@")$'\n'
	done
	# shellcheck disable=SC2034 # for the scripts
	read -r took peak < <(sort -n <<<"${all%$'\n'}")
}

per_second() { awk -v n="$1" -v s="$took" 'BEGIN { printf "%.0f", n / s }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", a / b }'; }

figure() {
	printf '%-52s %12s %-12s %s\n' "$1" "$2" "$3" "${4:-}"
}
