#!/bin/bash
# fold2svg without a browser: the picture's bytes, its words, its options, and faults.
. t/tap.sh

fold2svg=$BIN/fold2svg
golden=t/golden/fold2svg

# Everything but the style sheet and the script, which are files of their own.
without_code() {
	sed -e '/^<style>$/,/<\/style>$/d' -e '/^<script>/,/<\/script>$/d'
}

# Name, count and depth of each frame drawn, sorted; from the <title>s, and from awk.
titles() {
	sed -n 's/^<.*><title>\(.*\)<\/title><\/[a-z]*>.*/\1/p'
}

# Runs it on stdin: its status and what it says; the picture is in $TMP/out.
said() { # args…
	"$fold2svg" "$@" >"$TMP/out" 2>"$TMP/err"
	echo "$? $(cat "$TMP/err")"
}

# ---- goldens
for name in kinds inverted; do
	options=()
	[ $name = kinds ] || options=(--inverted --width 640 --height 20 --title 'A & B <c>'
		--subtitle "sub \"title\"" --countname ns --minwidth 5%)
	"$fold2svg" "${options[@]}" $golden/kinds.folded >"$TMP/$name.svg"
	is $? 0 "$name: status 0"
	is "$(without_code <"$TMP/$name.svg")" "$(cat $golden/$name.txt)" "$name: as it was"
done
is "$(tac $golden/kinds.folded | "$fold2svg" | sha256sum)" "$(sha256sum <"$TMP/kinds.svg")" \
	"the order of the lines does not matter"
is "$(sed 's/$/ \r/' $golden/kinds.folded | "$fold2svg" - | sha256sum)" \
	"$(sha256sum <"$TMP/kinds.svg")" "nor do CRLF and trailing blanks"
head -n 6 $golden/kinds.folded >"$TMP/a"
tail -n +7 $golden/kinds.folded >"$TMP/b"
is "$("$fold2svg" "$TMP/a" - <"$TMP/b" | sha256sum)" "$(sha256sum <"$TMP/kinds.svg")" \
	"several files, one of them the standard input"

# ---- the same frames as an independent computation finds
awk 'BEGIN { for (i = 0; i < 400; i++) {
	s = "p" i % 3
	for (d = i * 7 % 11; d >= 0; d--) s = s ";f" (i * (d + 3)) % 5
	print s, i % 13 + 1
} }' >"$TMP/tree.folded"
awk '{
	n = split($1, f, ";"); path = ""; total += $2
	for (i = 1; i <= n; i++) { path = path ";" f[i]; name[path] = f[i]; sum[path] += $2 }
} END {
	printf "all (%d samples, 100%%)\n", total
	for (p in sum) printf "%s (%d samples, %.2f%%)\n", name[p], sum[p], 100 * sum[p] / total
}' "$TMP/tree.folded" | sort >"$TMP/want"
"$fold2svg" --minwidth 0 "$TMP/tree.folded" | titles | sed 's/\([0-9]\),\([0-9]\)/\1\2/' |
	sort >"$TMP/got"
is "$(cat "$TMP/got")" "$(cat "$TMP/want")" "names and counts are those that awk finds"

# ---- valid, whatever the names
{
	printf '%s\n' '</text><script>alert(1)</script> 1' ']]> 2' "\"';&lt;<!--;--> 3" \
		'__proto__;constructor 4' '<![CDATA[;<?xml?> 5' ';;; 6'
	printf 'ctrl\001\033[31m\177;bad\377\300\200\355\240\200;\357\277\276;\342\200\256rtl 7\n'
	printf '%010000d 8\n' 0
	printf 'f;%.0s' {1..5000}
	echo 'end 9'
} >"$TMP/hostile.folded"
is "$(said "$TMP/hostile.folded")" "0 " "hostile names: status 0"
if command -v xmllint >/dev/null; then
	ok "hostile names: valid XML" xmllint --noout "$TMP/out"
	ok "goldens: valid XML" xmllint --noout "$TMP/kinds.svg" "$TMP/inverted.svg"
else
	skip "valid XML" "no xmllint"
fi
is "$(grep -c '<script' "$TMP/out")" 1 "no script but ours"
is "$(grep -oE '(href=|src=|url\(|@import|https?:)[^ ]*' "$TMP/out" | sort -u)" \
	'http://www.w3.org/1999/xhtml";
http://www.w3.org/2000/svg"
http://www.w3.org/2000/svg";' "nothing to be loaded: the only addresses are XML namespaces"
is "$(grep -cE '<[a-z]+[^>]* on[a-z]+=' "$TMP/out")" 0 "no event attributes"
is "$(titles <"$TMP/out" | grep -c '^&lt;/text&gt;&lt;script&gt;alert(1)&lt;/script&gt; (1 ')" 1 \
	"markup is escaped"
ok "5,000 frames deep" test "$(titles <"$TMP/out" | grep -c '^f (')" = 5000
if command -v rsvg-convert >/dev/null; then
	# rsvg refuses elements by the hundred thousand, not these.
	ok "librsvg draws it" rsvg-convert --output "$TMP/kinds.png" "$TMP/kinds.svg"
fi

# ---- frames too narrow
printf 'a 10000\nb;c;d 1\n' >"$TMP/narrow"
is "$("$fold2svg" "$TMP/narrow" | titles | wc -l)" 5 "0.12 px are drawn"
is "$("$fold2svg" --minwidth 0.2 "$TMP/narrow" | titles | wc -l)" 2 "--minwidth in px"
ok "the picture says what is not drawn" grep -q '>3 frames narrower than 0.2 px not drawn<' \
	<("$fold2svg" --minwidth 0.2 "$TMP/narrow")
ok "--minwidth in percent" grep -q '>3 frames narrower than 1% not drawn<' \
	<("$fold2svg" --minwidth 1% "$TMP/narrow")
is "$("$fold2svg" --minwidth 0.009% "$TMP/narrow" | titles | wc -l)" 5 \
	"of the whole, not of the caller"
is "$("$fold2svg" --minwidth 0.2 "$TMP/narrow" | grep -oE '^<svg.*')" \
	"$(echo 'a 1' | "$fold2svg" | grep -oE '^<svg.*')" "and they take no height"

is "$("$fold2svg" --minwidth 99999 "$TMP/narrow" | titles | wc -l)" 1 \
	"the root is drawn always"

# ---- the legend
cat >"$TMP/legend.awk" <<'END'
# Whether the header's texts, of 6 px a character at least, stay in the picture, and the frames
# begin beneath them; else what does not.
/^<svg/ { match($0, /width="[0-9]+/); width = substr($0, RSTART + 7, RLENGTH - 7) }
/^<g transform/ {
	match($0, / [0-9]+\)/)
	y = substr($0, RSTART + 1, RLENGTH - 2) + 0
	if (top == "" || y < top)
		top = y
}
/class="header"/ { inside = 1 }
inside {
	while (match($0, /<text class="small" x="[0-9]+" y="[0-9]+">[^<]*/)) {
		split(substr($0, RSTART, RLENGTH), part, /["><]/)
		if (part[5] + 6 * length(part[9]) > width - 10 || part[7] > top - 10)
			print part[9]
		$0 = substr($0, RSTART + RLENGTH)
	}
}
/<\/g>/ { inside = 0 }
END
legend() { # words…: status 0 if $TMP/out has each of them, and they are in place
	local word
	for word; do
		grep -q ">$word</text>" "$TMP/out" || { echo "no '$word'"; return 1; }
	done
	! awk -f "$TMP/legend.awk" "$TMP/out" | grep .
}
# Wide letters and narrow ones take more and less room.
heading() { # text repeated: how much of it a heading shows
	echo 'a 1' | "$fold2svg" --no-js --title "$(printf "$1%.0s" {1..200})" |
		sed -n 's/.*class="title"[^>]*>\([^<]*\)<.*/\1/p'
}
is "$(heading WM | tr -d . | wc -m) $(heading il | tr -d . | wc -m)" "60 199" \
	"a heading is cut at the picture's edge"
is "$(heading WM | tail -c 3)" ".." "and that is told"
printf 'a;b 5 3\na;gone 200 0\nnew 0 700000\n' >"$TMP/change"
for i in {1..12}; do
	echo "m$i::f;main;k_[k];j_[j];[x] $i"
done >"$TMP/modules"
modules=(m{1..12} user kernel JIT unknown)
for width in 100 135 200 260 300 420 600 1200; do
	words=(new vanished)
	[ $width -lt 200 ] && words+=(less more) || words+=("+100%")
	"$fold2svg" --no-js --width $width "$TMP/change" >"$TMP/out"
	ok "$width px: the legend of a differential is whole" legend "${words[@]}"
	"$fold2svg" --no-js --colors module --width $width "$TMP/modules" >"$TMP/out"
	ok "and that of modules" legend "${modules[@]}"
done

# ---- counts
printf 'a 9223372036854775808\nb 9223372036854775807\n' >"$TMP/huge"
is "$(said "$TMP/huge")" "0 " "counts up to 2^63 and beyond"
is "$(titles <"$TMP/out")" 'all (18,446,744,073,709,551,615 samples, 100%)
a (9,223,372,036,854,775,808 samples, 50.00%)
b (9,223,372,036,854,775,807 samples, 50.00%)' "are exact"
is "$(echo 'c 1' | said "$TMP/huge" -)" \
	"3 fold2svg: standard input:1: the sum of all counts overflows 64 bits; \
the line is left out" "a sum that overflows is told"

# ---- lines that cannot be read
is "$(printf 'a 1\nno count\nb 2\nc x\nd 1e3\n' | said)" \
	"3 fold2svg: standard input:2: no count (a number behind the last blank)
fold2svg: 3 lines could not be read and are left out" "bad lines are counted, the first is told"
is "$(titles <"$TMP/out" | cut -d' ' -f1 | tr '\n' ' ')" "all a b " "the rest is drawn"
for input in '' '\n\n' '# nothing\n' 'nothing to read\n' 'a 0\n'; do
	# shellcheck disable=SC2059 # the input is a format on purpose
	out=$(printf "$input" | said)
	is "${out%% *} $(grep -c 'no samples' <<<"$out")" "1 1" \
		"nothing to draw in '$input': status 1, said once"
	ok "no picture of '$input'" test ! -s "$TMP/out"
done

# ---- options
bad() { # args…
	local out
	out=$("$fold2svg" "$@" 2>"$TMP/err" <$golden/kinds.folded)
	is "$? $out" "2 " "$*: status 2, no picture"
	ok "$*: the message names the option" grep -q -- "${1%%=*}" "$TMP/err"
}
bad --width 0
bad --width=99
bad --width 12a
bad --width -5
bad --width 1e4
bad --height 0
bad --height ''
bad --minwidth x
bad --minwidth -1
bad --minwidth 101%
bad --minwidth %
bad --minwidth 0x1p3
bad --minwidth 1.2.3
bad --minwidth inf
bad --minwidth 1%%
bad --no-such-option

# ---- faults
is "$(said /nonexistent/x.folded)" "1 fold2svg: /nonexistent/x.folded: No such file or directory" \
	"a file that is not there"
is "$(said "$TMP")" "1 fold2svg: $TMP: Is a directory" "a folder"
ok "no picture of what cannot be read" test ! -s "$TMP/out"
"$fold2svg" $golden/kinds.folded >/dev/full 2>"$TMP/err"
is "$? $(cat "$TMP/err")" "1 fold2svg: standard output: No space left on device" "a full disk"
"$fold2svg" $golden/kinds.folded 2>"$TMP/err" >&-
is $? 1 "a closed output"
awk 'BEGIN { for (i = 0; i < 20000; i++) print "name_" i, 1 }' >"$TMP/wide"
{
	"$fold2svg" "$TMP/wide" 2>"$TMP/err"
	echo $? >"$TMP/status"
} | head -c 1000 >/dev/null
is "$(cat "$TMP/status") $(cat "$TMP/err")" "141 " "a reader that goes away ends it quietly"

done_testing
