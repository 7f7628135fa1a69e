#!/bin/bash
# A parallel build, over and over: thousands of processes that live a few
# milliseconds each (driver, compiler, assembler).
#
#	compile_loop.sh [SECONDS [JOBS]]        10 s, a job for each CPU
set -u

seconds=${1:-10}
jobs=${2:-$(nproc)}
if ! [[ $# -le 2 && $seconds =~ ^[0-9]+$ && $jobs =~ ^[1-9][0-9]*$ ]]; then
	echo "usage: compile_loop.sh [SECONDS [JOBS]]" >&2
	exit 2
fi

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
cat >"$dir/unit.c" <<'C'
#include <stddef.h>
static int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }
int sum(const int *v, size_t n)
{
	int s = 0;
	for (size_t i = 0; i < n; i++)
		s += gcd(v[i], s);
	return s;
}
C

build() { # job
	local end=$((SECONDS + seconds))
	while [ $SECONDS -lt $end ]; do
		"${CC:-cc}" -O1 -c -o "$dir/$1.o" "$dir/unit.c" || return
	done
}

pids=()
for ((job = 0; job < jobs; job++)); do
	build "$job" &
	pids+=($!)
done
status=0
for pid in "${pids[@]}"; do
	wait "$pid" || status=1
done
exit $status
