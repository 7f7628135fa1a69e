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
				sprintf("`some_function_%d+0x%x", rand() * 40, rand() * 4096)
	}
	for (i = 0; i < 40000; i++) {
		n = int(rand() * 5000)
		print 1 + int(rand() * 99) "\tcpu-clock\t-\t-\t100\t" 100 + int(rand() * 64) \
			"\tworker-" n % 8 stack[n]
	}
}' >"$TMP/lines.once"
"$BIN/stack-fold" "$TMP/lines.once" >"$TMP/folded.once"

repeat() { # file: 256 MB of it, rounded up
	local copies=() size
	size=$(stat -c %s "$1")
	while [ $((${#copies[@]} * size)) -lt 268435456 ]; do
		copies+=("$1")
	done
	cat "${copies[@]}"
}

for kind in lines folded; do
	repeat "$TMP/$kind.once" >"$TMP/$kind"
	megabytes=$(($(stat -c %s "$TMP/$kind") / 1000000))
	seconds "$TMP/out" "$BIN/stack-fold" "$TMP/$kind"
	[ $kind = lines ] && what="stack lines" || what="folded lines"
	figure "stack-fold, $what" "$(per_second $megabytes)" "MB/s" "($megabytes MB)"
	rm "$TMP/$kind"
done
