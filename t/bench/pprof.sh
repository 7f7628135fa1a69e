#!/bin/bash
# stack2pprof: samples a second, of stacks that come again, of stacks no two of which have
# the same addresses, and of such that have not even the same functions.
. t/bench/figures.sh

awk 'BEGIN {
	srand(1)
	for (i = 0; i < 2000; i++) {
		depth = 10 + int(rand() * 20)
		for (d = 0; d < depth; d++)
			stack[i] = stack[i] "\t/usr/lib/libexample.so." d % 4 \
				sprintf("`some_function_%d+0x%x", rand() * 400, rand() * 64)
	}
	print "# event cpu-clock samples 10101010"
	for (i = 0; i < 200000; i++) {
		n = int(rand() * 2000)
		print 1 + int(rand() * 99) "\tcpu-clock\t-\t-\t100\t" 100 + n % 16 \
			"\tworker-" n % 8 stack[n]
	}
}' >"$TMP/again"
awk '{ print $0 (/^#/ ? "" : sprintf("%x", 65536 + NR)) }' "$TMP/again" >"$TMP/addresses"
awk '{ print $0 (/^#/ ? "" : "_" NR) }' "$TMP/again" >"$TMP/functions"

declare -A what=([again]="stacks that come again" [addresses]="all addresses different"
	[functions]="all functions different")
for kind in again addresses functions; do
	measure "$TMP/out" "$BIN/stack2pprof" "$TMP/$kind"
	figure "stack2pprof, ${what[$kind]}" "$(per_second 200000)" "samples/s" \
		"($(($(stat -c %s "$TMP/$kind") / 1000000)) MB in $took s; \
memory $((peak / 1024)) MB)"
done
