#!/bin/bash
# fold2svg on folded files of several sizes; flamegraph.pl and inferno-flamegraph beside it
# if they are on PATH. BENCH_LARGE=1: the second file has a million stacks.
. t/bench/figures.sh

folded() { # file lines depth new names: see mkfolded.c
	"$O/t/bench/mkfolded" "$2" "$3" "$4" "$5" | sort >"$1"
}

# Distinct frames of a sorted file: what a line does not share with the one before.
frames() {
	awk '{
		sub(/ [0-9]+$/, "")
		n = split($0, frame, ";")
		for (i = 1; i <= n && frame[i] == before[i]; i++)
			;
		frames += n - i + 1
		for (; i <= n; i++)
			before[i] = frame[i]
		before[n + 1] = ""
	} END { print frames }' "$1"
}

megabytes() { awk -v bytes="$(stat -c %s "$1")" 'BEGIN { printf "%.1f", bytes / 1e6 }'; }
times_input() { awk -v kb="$peak" -v bytes="$1" 'BEGIN { printf "%.2f", kb * 1024 / bytes }'; }

picture() { # what file
	local size
	size=$(stat -c %s "$2")
	measure "$TMP/out.svg" "$BIN/fold2svg" "$2"
	figure "fold2svg, $1" "$took" "s" "($(megabytes "$2") MB in, \
$(megabytes "$TMP/out.svg") MB out; memory $((peak / 1024)) MiB, $(times_input "$size") of the \
input)"
}

beside() { # file: the other tools on it, after picture()
	local ours=$took ours_peak=$peak tool
	for tool in flamegraph.pl inferno-flamegraph; do
		command -v $tool >/dev/null || continue
		RUNS=1 measure "$TMP/out.svg" $tool "$1" 2>/dev/null
		figure "  $tool" "$took" "s" "($(ratio "$took" "$ours") times as long, \
$(ratio "$peak" "$ours_peak") times the memory; $(megabytes "$TMP/out.svg") MB out)"
	done
}

stacks=40900
folded "$TMP/folded" $stacks 17 6 long
picture "$stacks stacks, long names" "$TMP/folded"
beside "$TMP/folded"

stacks=$([ -n "${BENCH_LARGE:-}" ] && echo 1000000 || echo 230000)
folded "$TMP/folded" "$stacks" 18 2 short
picture "$stacks stacks" "$TMP/folded"
beside "$TMP/folded"

folded "$TMP/folded" 75000 20 6 short
picture "$(frames "$TMP/folded") frames" "$TMP/folded"
if command -v node >/dev/null && [ -d t/browser/node_modules ]; then
	node t/browser/timing.mjs "$TMP/out.svg" | sed -n 's/^#  */  /p' || true
fi
beside "$TMP/folded"

folded "$TMP/folded" 950000 14 6 short
RUNS=1 picture "$(frames "$TMP/folded") frames" "$TMP/folded"
