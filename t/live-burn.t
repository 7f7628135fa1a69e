#!/bin/bash
# A program with a known answer: 70 % hot_seventy, 30 % cold_thirty, all in spin().
. t/tap.sh
. t/live.sh

"$BIN/bpf-sample" -q -F 997 -o "$TMP/burn.cap" -- "$EXAMPLES/burn" 5
is "$?" 0 "sampled burn for 5 s"
folded "$TMP/burn.cap" >"$TMP/burn.folded"
hot=$(grep -E ';main;hot_seventy;spin [0-9]+$' "$TMP/burn.folded" | sum)
cold=$(grep -E ';main;cold_thirty;spin [0-9]+$' "$TMP/burn.folded" | sum)
all=$(grep '^burn;' "$TMP/burn.folded" | sum)

# 5 s at 997 Hz are some 5,000 samples: three standard deviations of a share of 70 %
# are 2 points.
ok "hot_seventy has 70 % +- 3 of the two" \
	between 67 "$(calc "100 * $hot / ($hot + $cold)")" 73
ok "the whole chain main, hot_seventy or cold_thirty, spin in nearly all samples" \
	between 97 "$(calc "100 * ($hot + $cold) / $all")" 100
# burn has one thread of 5 s; how much of them it runs is for the machine's other work to say.
ok "not more samples than ticks" between 100 "$all" 5100
is "$(grep -c '_\[k\];\(.*;\)\?main;' "$TMP/burn.folded")" 0 \
	"user frames stand before kernel frames"
done_testing
