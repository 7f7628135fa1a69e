#!/bin/bash
# What fold2svg makes of its input: every line is drawn, or told. Under sanitizers.
. t/tap.sh

fold2svg=$SAN/fold2svg

said() { # args…: status and messages; the picture of stdin is in $TMP/out
	"$fold2svg" "$@" >"$TMP/out" 2>"$TMP/err"
	echo "$? $(cat "$TMP/err")"
}
titles() {
	grep -o '<title>[^<]*' "$TMP/out" | sed 's/<title>//' | tail -n +2
}
# The data of class "frames": "NAME UP AFTER BEFORE", names counted from 0.
data() {
	sed -n '/<metadata class="frames">/,/<\/metadata>/p' "$TMP/out" | sed 's/<[^>]*>//g; /^$/d'
}
setting() { # name
	grep -oE "data-$1=\"[^\"]*\"" "$TMP/out" | head -n 1 | sed 's/^[^"]*"//; s/"$//'
}
status_of() { # printf's arguments: the status on these lines
	# shellcheck disable=SC2059 # formats on purpose
	printf "$@" | said | cut -d' ' -f1
}

# ---- counts with decimals
is "$(printf 'a 0.1\na 0.2\nb 10.70\nc 5.\n' | said)" "0 " "decimals"
is "$(setting decimals) $(data | tr '\n' ',')" "1 0,0 0 3,1 1 107,2 1 50," "are exact"
is "$(titles | head -n 1)" "all (16 samples, 100%)" "and rounded only in words"
is "$(printf 'a 1\nb 0.125\nc 2.5\n' | said) $(setting decimals) $(data | tr '\n' ',')" \
	"0  3 0,0 0 1000,1 1 125,2 1 2500," "more decimals in a later line"
rounded() { # message's number of decimals
	echo "0 fold2svg: counts are rounded to $1, for which there is room in 64 bits"
}
is "$(printf 'a 0.30000000000000004\nb 1000\nb 2500.25\n' | said)" "$(rounded '15 decimals')" \
	"decimals that there is no room for are rounded, and that is told"
is "$(setting decimals) $(data | tr '\n' ',')" \
	"15 0,0 0 300000000000000,1 1 3500250000000000000," "all to the same"
is "$(printf 'b 2500.25\nb 1000\na 0.30000000000000004\n' | said) $(data | tr '\n' ',')" \
	"$(rounded '2 decimals') 0,0 0 30,1 1 350025," "in whatever order they come"
is "$(printf 'a 0.1 0.30000000000000004\nb 500 2000\n' | said) $(data | tr '\n' ',')" \
	"$(rounded '15 decimals') 0,0 0 300000000000000 100000000000000,\
1 1 2000000000000000000 500000000000000000," "in differentials"
is "$(printf 'a 0.30000000000000004\nb 1000\n' | said --flamechart) $(data | tr '\n' ',')" \
	"$(rounded '1 decimal') 0,0 0 3,1 1 10000," "in charts, to six at most"
is "$(printf 'a 1000000000000\nb 0.00000001\nc 1\n' | said) $(setting decimals)" \
	"$(rounded '0 decimals') 0" "small ones beside large ones"
is "$(printf 'a 0.12345678901234567890123\nb 1\n' | said) $(data | tr '\n' ',')" \
	"$(rounded '19 decimals') 0,0 0 1234567890123456789,1 1 10000000000000000000," \
	"more digits than 64 bits hold"
is "$(printf 'a 1.5\nb 18446744073709551615\n' | said) $(data | tr '\n' ',')" \
	"3 fold2svg: standard input:2: the count is too large; the line is left out 0,0 0 15," \
	"what overflows without decimals is left out, and the others stay exact"
is "$(printf 'a 18446744073709551615\n' | said) $(titles | tail -n 1)" \
	"0  a (18,446,744,073,709,551,615 samples, 100.00%)" "the largest count"
is "$(printf 'a 18446744073709551616\nb 1\n' | said)" \
	"3 fold2svg: standard input:1: the count is too large; the line is left out" "a larger one"
for count in -5 1e6 0x10 1,000 1.2.3 .5 +5 ½ NaN; do
	is "$(status_of 'a %s\nb 1\n' "$count")" 3 "'$count' is no count"
done
is "$(printf 'a -5\nb 1\n' | said)" \
	"3 fold2svg: standard input:1: the count is negative; the line is left out" "a negative one"

# ---- differentials
printf 'a;b 3 5\na;gone 2 0\nnew 0 7\n' >"$TMP/diff"
is "$(said "$TMP/diff") $(setting diff) $(setting base)" "0  1 after" "a differential"
is "$(data | tr '\n' ',')" "0,0,1 0 5 3,2 1 0 2,3 2 7," "its counts"
is "$(said --base before "$TMP/diff") $(setting base) $(data | tr '\n' ',')" \
	"0  before 0,0,1 0 5 3,2 1 0 2,3 2 7," "with the other base"
is "$(printf '\n# comment\na;b 3 5 \r\nno count\n' | said)" \
	"3 fold2svg: standard input:4: no count (a number behind the last blank); the line is \
left out" \
	"comments, blanks and unreadable lines have no say"
is "$(setting diff)" 1 "so that is one, too"
is "$(said "$TMP/diff" - <<<"c 9") $(setting diff)" "0  0" \
	"one line with one count, in any file, and there is none"
is "$(titles | sort | tr '\n' ',')" "a (5 samples, 23.81%),all (21 samples, 100%),\
b 3 (5 samples, 23.81%),c (9 samples, 42.86%),new 0 (7 samples, 33.33%)," \
	"the first of two numbers is part of a name then"
is "$(echo "c 9" | said - "$TMP/diff") $(titles | sort | tr '\n' ',' | md5sum)" \
	"0  $(said "$TMP/diff" - <<<"c 9" >/dev/null; titles | sort | tr '\n' ',' | md5sum)" \
	"wherever that line is"
printf 'x 1 1\nbad\n' >"$TMP/one"
printf 'y 1 2\nz 3\nbad\n' >"$TMP/two"
is "$(said "$TMP/one" "$TMP/two")" "3 fold2svg: $TMP/one:2: no count (a number behind the last \
blank)
fold2svg: 2 lines could not be read and are left out" \
	"a message names the file and line all the same"
is "$(printf 'a 1.5 2\nb 0.25 0\n' | said) $(setting decimals) $(data | tr '\n' ',')" \
	"0  2 0,0 0 200 150,1 1 0 25," "decimals in differentials"
is "$(printf 'a 1 2 3\nb 4 5 6\n' | said) $(data | tr '\n' ',')" "0  0,0 0 3 2,1 1 6 5," \
	"three numbers: the last two"
is "$(printf ' 3 5\na 1 1\n' | said) $(setting diff)" "0  1" "an empty stack has two counts as well"
is "$(printf '3 5\na 1 1\n' | said) $(setting diff)" "0  0" "a number alone is a name"
is "$(printf 'a 0 0\n' | said)" "1 fold2svg: no samples in the input, so there is nothing to draw" \
	"all counts 0"
ok "nothing is written then" test ! -s "$TMP/out"
is "$(printf 'a 18446744073709551615 1\nb 1 1\n' | said)" \
	"3 fold2svg: standard input:2: the sum of all counts overflows 64 bits; the line is left \
out" \
	"a sum that overflows"

# ---- lines
printf 'a;b 1\r\na;b 2 \t\r\n\r\n#\n# x 5\n#comment\na;b 3' >"$TMP/lines"
is "$(said "$TMP/lines") $(titles | tail -n 1)" "0  b (6 samples, 100.00%)" \
	"CRLF, blanks, comments, no LF at the end"
printf '\357\273\277a;b 1\r\na;c 2\r\n' >"$TMP/bom"
is "$(said "$TMP/bom" "$TMP/bom") $(titles | cut -d' ' -f1,2 | tr '\n' ' ')" \
	"0  all (6 a (6 b (2 c (4 " \
	"a byte order mark at the start of each file is no part of a name"
is "$(printf '\357\273\277a 1 2\n' | said) $(setting diff)" "0  1" "nor of a differential's"
is "$(printf '#init;x 5\n' | said) $(titles | tail -n 1)" "0  x (5 samples, 100.00%)" \
	"a name that begins with #"
is "$(printf ';a 1\na;;b 2\na; 4\n;; 8\n' | said) $(data | tr '\n' ',')" \
	"0  0,0,0 0 8,1 1 1,1 2 4,0,2 0 2," "empty frames"
{
	head -c 3000000 /dev/zero | tr '\0' 'x'
	echo ' 5'
} >"$TMP/long"
is "$(said "$TMP/long") $(stat -c %s "$TMP/long")" "0  3000003" "a line of 3 MB"
is "$(printf 'a\377b 1\na\376b 2\na\001b 4\na 8\n' | said) \
$(titles | cut -d' ' -f1,2 | tr '\n' ',')" \
	$'0  all (15,a (8,a\xef\xbf\xbdb (7,' "names are cleaned, then merged"

# ---- orders of the tree
printf 'm;b;x 1\nm;a 2\nm;b;x 4\nm;b;y 8\n' >"$TMP/order"
is "$(said --flamechart "$TMP/order") $(titles | cut -d' ' -f1 | sort | tr '\n' ' ')" \
	"0  a all b b m x x y " "--flamechart merges neighbours only"
is "$(said --reverse "$TMP/order") $(titles | sort | cut -d' ' -f1,2 | tr '\n' ' ')" \
	"0  a (2 all (15 b (5 b (8 m (2 m (5 m (8 x (5 y (8 " "--reverse merges from the leaves"
printf 'f;-- 1\nf;--;w;v 2\n' >"$TMP/chain"
said --colors chain "$TMP/chain" >/dev/null
is "$(grep -oE '#(40b2b2|[0-9a-f]{6}) [wv]' "$TMP/out" | cut -c9- | tr '\n' ' ')" "v w " \
	"--colors chain: wakers"

awk 'BEGIN { srand(3); for (i = 0; i < 3000; i++) {
	s = "p"
	for (d = rand() * 9; d > 0; d--)
		s = s ";" substr("abc d(e)!", 1 + int(rand() * 9), 1 + int(rand() * 3))
	print s, 1 + int(rand() * 9)
} }' >"$TMP/random"
for option in --inverted --reverse --no-js; do
	is "$(sort "$TMP/random" | "$fold2svg" $option | sha256sum)" \
		"$("$fold2svg" $option "$TMP/random" | sha256sum)" \
		"$option: sorted or not, the same"
done

done_testing
