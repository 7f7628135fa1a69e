#!/bin/bash
# fold2svg: the words on the frames, which people's scripts read, are those of flamegraph.pl.
. t/tap.sh

words() { # what the frames say, sorted
	"$BIN/fold2svg" "$@" 2>/dev/null | grep -o '<title>[^<]*%)' | sed 's/<title>//' | sort
}

cat >"$TMP/folded" <<'END'
app;main;parse 250
app;main;parse;read_[k] 1000
app;main 50
app;main;draw;inl_[i] 1234567
app;main;parse 7
job;hot_[j] 3
job;wake_[w] 3
END
is "$(words --minwidth 0 "$TMP/folded")" "all (1,235,880 samples, 100%)
app (1,235,874 samples, 100.00%)
draw (1,234,567 samples, 99.89%)
hot (3 samples, 0.00%)
inl (1,234,567 samples, 99.89%)
job (6 samples, 0.00%)
main (1,235,874 samples, 100.00%)
parse (1,257 samples, 0.10%)
read (1,000 samples, 0.08%)
wake (3 samples, 0.00%)" "names without their annotations, counts with commas, two decimals"
is "$(words "$TMP/folded" | wc -l)" 7 "frames narrower than 0.1 px are left out"
is "$(words --minwidth 1% "$TMP/folded")" "all (1,235,880 samples, 100%)
app (1,235,874 samples, 100.00%)
draw (1,234,567 samples, 99.89%)
inl (1,234,567 samples, 99.89%)
main (1,235,874 samples, 100.00%)" "--minwidth 1%"
is "$(words --inverted "$TMP/folded")" "$(words "$TMP/folded")" "--inverted changes none"
is "$(words --minwidth 0 --reverse "$TMP/folded" | grep -E '^(parse|main|job|hot)')" \
	"hot (3 samples, 0.00%)
job (3 samples, 0.00%)
job (3 samples, 0.00%)
main (1,000 samples, 0.08%)
main (1,234,567 samples, 99.89%)
main (257 samples, 0.02%)
main (50 samples, 0.00%)
parse (1,000 samples, 0.08%)
parse (257 samples, 0.02%)" "--reverse"
is "$(words --countname bytes --factor 10 "$TMP/folded" | grep -E '^(all|parse)')" \
	"all (12,358,800 bytes, 100%)
parse (12,570 bytes, 0.10%)" "--countname and --factor"
is "$(words --total 5000000 "$TMP/folded" | grep -E '^(all|parse|app)')" \
	"all (5,000,000 samples, 100%)
app (1,235,874 samples, 24.72%)
parse (1,257 samples, 0.03%)" "--total"

printf '%s\n' 'a;x;m 10' 'a;y;m 20' 'm 30' 'a;y;m 40' >"$TMP/chart"
is "$(words --flamechart "$TMP/chart")" "a (30 samples, 30.00%)
a (40 samples, 40.00%)
all (100 samples, 100%)
m (10 samples, 10.00%)
m (20 samples, 20.00%)
m (30 samples, 30.00%)
m (40 samples, 40.00%)
x (10 samples, 10.00%)
y (20 samples, 20.00%)
y (40 samples, 40.00%)" "--flamechart: neighbours are merged"
is "$(words --flamechart --reverse "$TMP/chart")" "a (10 samples, 10.00%)
a (20 samples, 20.00%)
a (40 samples, 40.00%)
all (100 samples, 100%)
m (100 samples, 100.00%)
x (10 samples, 10.00%)
y (20 samples, 20.00%)
y (40 samples, 40.00%)" "and leaf first"

printf 'a;b 50 150\na;c 50 0\na;d 0 50\n' >"$TMP/diff"
is "$(words "$TMP/diff" | grep -E '^(a|b|d) ')" "a (200 samples, 100.00%; +50.00%)
b (150 samples, 75.00%; +50.00%)
d (50 samples, 25.00%; +25.00%)" "a differential: the change behind it"
is "$(words --negate "$TMP/diff" | grep '^b ')" "b (150 samples, 75.00%; -50.00%)" "--negate"

if command -v flamegraph.pl >/dev/null; then
	for options in "" --reverse --flamechart "--flamechart --reverse" "--total 5000000" \
		"--factor 0.5" "--minwidth 50"; do
		# shellcheck disable=SC2086 # options
		is "$(words $options "$TMP/folded")" "$(flamegraph.pl $options "$TMP/folded" |
			grep -o '<title>[^<]*%)' | sed 's/<title>//' | sort)" \
			"as flamegraph.pl${options:+ }$options"
	done
fi

done_testing
