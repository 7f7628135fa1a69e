#!/bin/bash
# fold2svg: a folded file with some 450,000 frames; flamegraph.pl beside it if there.
. t/bench/figures.sh

perl -e '
	my ($frames, $random) = (0, 1);
	sub random { $random = ($random * 1103515245 + 12345) % 2147483648; $random / 2147483648 }
	my @stack = ("program");
	while ($frames < 450000) {
		# Up a few frames from the last leaf, then down again: a tree as programs have it.
		$#stack = int(random() * $#stack) if @stack > 1;
		for (1 .. 2 + int(random() * 12)) {
			last if @stack > 60;
			push @stack, "function_" . $frames++ % 5000;
		}
		print join(";", @stack), " ", 1 + int(random() * 100), "\n";
	}' | LC_ALL=C sort >"$TMP/folded"
frames=$(awk '{
	sub(/ [0-9]+$/, "")
	n = split($0, frame, ";")
	path = ""
	for (i = 1; i <= n; i++) {
		path = path ";" frame[i]
		if (!(path in seen)) {
			seen[path]
			frames++
		}
	}
} END { print frames }' "$TMP/folded")

seconds "$TMP/out.svg" "$BIN/fold2svg" "$TMP/folded"
figure "fold2svg" "$(per_second "$frames")" "frames/s" \
	"($frames frames; $(stat -c %s "$TMP/out.svg") bytes)"
if command -v flamegraph.pl >/dev/null; then
	ours=$took
	seconds "$TMP/out.svg" flamegraph.pl "$TMP/folded"
	figure "flamegraph.pl on the same" "$(per_second "$frames")" "frames/s" \
		"($(ratio "$took" "$ours") times as long)"
fi
