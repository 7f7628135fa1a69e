#!/bin/bash
# stack-fold: 256 MB or more of stack lines, of folded lines and of perf script's text: 5,000
# stacks in 40,000 samples that differ in weight and thread, again and again. Beside it, where
# they are on PATH, the other programs that read perf script's text; and all kinds once more with
# stacks that are all different.
. t/bench/figures.sh

awk 'BEGIN {
	srand(1)
	for (i = 0; i < 5000; i++) {
		depth = 15 + int(rand() * 30)
		for (d = 0; d < depth; d++)
			stack[i] = stack[i] "\t/usr/lib/x86_64-linux-gnu/libexample.so." d % 4 \
				sprintf("`some_function_%d+0x%x", rand() * 40, rand() * 4096)
	}
	for (i = 0; i < 40000; i++) {
		n = int(rand() * 5000)
		print 1 + int(rand() * 99) "\tcpu-clock\t-\t-\t100\t" 100 + int(rand() * 64) \
			"\tworker-" n % 8 stack[n]
	}
}' >"$TMP/lines.once"
"$BIN/stack-fold" "$TMP/lines.once" >"$TMP/folded.once"

repeat() { # file megabytes: so much of it, rounded up
	local copies=() size
	size=$(stat -c %s "$1")
	while [ $((${#copies[@]} * size)) -lt $(($2 * 1000000)) ]; do
		copies+=("$1")
	done
	cat "${copies[@]}"
}

# The same samples, as perf script would write them: leaf first, with addresses.
awk -F'\t' '{
	printf "%s %d/%d [%03d] %d.%06d: %10d cpu-clock:pppH: \n", $7, $5, $6, NR % 8, NR / 1000, \
		NR % 1000 * 1000, $1 * 10101010
	for (i = NF; i > 7; i--) {
		split($i, part, "`")
		printf "\t%16x %s (%s)\n", 140000000000000 + length($i) * i, part[2], part[1]
	}
	print ""
}' "$TMP/lines.once" >"$TMP/perf.once"

declare -A what=([lines]="stack lines" [folded]="folded lines" [perf]="perf script")
for kind in lines folded perf; do
	repeat "$TMP/$kind.once" 256 >"$TMP/$kind"
	megabytes=$(($(stat -c %s "$TMP/$kind") / 1000000))
	seconds "$TMP/out" "$BIN/stack-fold" "$TMP/$kind"
	figure "stack-fold, ${what[$kind]}" "$(per_second $megabytes)" "MB/s" "($megabytes MB)"
	[ $kind = perf ] || rm "$TMP/$kind"
done

ours=$took
for tool in stackcollapse-perf.pl inferno-collapse-perf; do
	command -v $tool >/dev/null || continue
	options=(--all)
	[ $tool = stackcollapse-perf.pl ] || options+=(--nthreads 1)
	RUNS=1 seconds "$TMP/out" $tool "${options[@]}" "$TMP/perf"
	figure "stack-fold / $tool" "$(ratio "$took" "$ours")" "x" \
		"(that one: $(per_second "$megabytes") MB/s)"
done
rm "$TMP/perf"

# 64 MB in which each leaf is another one.
for kind in lines folded perf; do
	repeat "$TMP/$kind.once" 64 | case $kind in
	lines) awk '{ print $0 "_" NR }' ;;
	folded) awk '{ sub(/ [0-9]+$/, "_" NR "&"); print }' ;;
	perf) awk '/^\t/ && !leaf { leaf = 1; sub(/\+0x/, "_" NR "&") } !NF { leaf = 0 } 1' ;;
	esac >"$TMP/distinct"
	measure "$TMP/out" "$BIN/stack-fold" -q "$TMP/distinct"
	figure "stack-fold, ${what[$kind]}, no two alike" \
		"$(per_second $(($(stat -c %s "$TMP/distinct") / 1000000)))" "MB/s"
	figure "  memory" "$(ratio "$((peak * 1024))" "$(stat -c %s "$TMP/out")")" "x the output"
done
