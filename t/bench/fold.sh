#!/bin/bash
# stack-fold: 256 MB or more of stack lines and of folded lines: 5,000 stacks in 40,000 lines
# that differ in weight and thread, again and again.
. t/bench/figures.sh

awk 'BEGIN {
	srand(1)
	for (i = 0; i < 5000; i++) {
		depth = 15 + int(rand() * 30)
		for (d = 0; d < depth; d++)
			stack[i] = stack[i] "\t/usr/lib/x86_64-linux-gnu/libexample.so." d % 4 \
				"`some_function_" int(rand() * 40) "+0x" sprintf("%x", rand() * 4096)
	}
	for (i = 0; i < 40000; i++) {
		tid = 100 + int(rand() * 64)
		print 1 + int(rand() * 99) "\tcpu-clock\t-\t-\t100\t" tid "\tworker-" tid % 8 \
			stack[int(rand() * 5000)]
	}
}' >"$TMP/lines.once"
"$BIN/stack-fold" "$TMP/lines.once" >"$TMP/folded.once"

repeat() { # file: at least 256 MB of it
	local hundred=() i
	# A hundred at a time, or starting cat would take as long as copying.
	for ((i = 0; i < 100; i++)); do
		hundred+=("$1")
	done
	for ((i = 0; i * 100 * $(stat -c %s "$1") < 268435456; i++)); do
		cat "${hundred[@]}"
	done
}

for kind in lines folded; do
	repeat "$TMP/$kind.once" >"$TMP/$kind"
	megabytes=$(($(stat -c %s "$TMP/$kind") / 1000000))
	seconds "$TMP/out" "$BIN/stack-fold" "$TMP/$kind"
	[ $kind = lines ] && what="stack lines" || what="folded lines"
	figure "stack-fold, $what" "$(per_second $megabytes)" "MB/s" "($megabytes MB)"
	rm "$TMP/$kind"
done
