#!/bin/bash
# fold2svg's command line: flamegraph.pl's options as it takes them, and values that are none.
. t/tap.sh

fold2svg=$BIN/fold2svg
kinds=$PWD/t/golden/fold2svg/kinds.folded
cd "$TMP" || exit 1

setting() { # name args…: that attribute of the settings in the picture of stdin
	local name=$1
	shift
	"$fold2svg" "$@" "$kinds" 2>&1 | grep -oE "data-$name=\"[^\"]*\"" | head -n 1 |
		sed 's/^[^"]*"//; s/"$//'
}
titles() {
	grep -o '<title>[^<]*' | sed 's/<title>//' | tail -n +2
}
# The same picture with other words for the same options.
same() { # name -- args -- args
	local name=$1 a=() b=()
	shift 2
	while [ "$1" != -- ]; do
		a+=("$1")
		shift
	done
	shift
	b=("$@")
	is "$("$fold2svg" "${b[@]}" <"$kinds" 2>&1 | sha256sum)" \
		"$("$fold2svg" "${a[@]}" <"$kinds" 2>&1 | sha256sum)" "$name"
}

# ---- spellings
same "an abbreviation" -- --subtitle x --inverted -- --sub x --inv
same "a value behind =" -- --title x -- --title=x
same "one dash" -- --title x --inverted -- -title x -inverted
same "any case" -- --title x --width 800 -- --TITLE x --Width=800
same "but values keep theirs" -- --title=-TitleX -- --title -TitleX
same "options behind files" -- --width 500 - -- - --width 500
same "--color, as many write it" -- --colors java -- --color=java
same "--b is --bgcolors, as there" -- --bgcolors blue -- --b blue
same "--no is --notes, as there" -- --notes x -- --no x
same "the last one counts" -- --width 500 -- --width 900 --width 500
same "a plus sign" -- --width 500 -- --width +500
printf 'a 1\n' >./--title
is "$("$fold2svg" -- --title 2>&1 | titles)" $'all (1 samples, 100%)\na (1 samples, 100.00%)' \
	"-- ends the options"

# ---- what they set
is "$(setting title)" "Flame Graph" "the heading"
is "$(setting title --inverted)" "Icicle Graph" "with --inverted"
is "$(setting title --flamechart)" "Flame Chart" "with --flamechart"
is "$(setting title --flamechart --inverted)" "Flame Chart" "with both"
is "$(setting title --inverted --title '')" "Icicle Graph" "an empty --title is none"
is "$(setting nametype) $(setting nametype --nametype Name:)" "Function: Name:" "--nametype"
is "$(setting fluid) $(setting fluid --width 1200)" "1 0" "--width fixes the width"
is "$(setting colors) $(setting colors --colors module) $(setting colors --colors java)" \
	"kind module classic" "--colors"
is "$(setting factor --factor 0.0010)" "1e-3" "--factor"
is "$(setting bg --bgcolors '#A0b1C2')" "#a0b1c2" "--bgcolors as #rrggbb"
is "$(setting bg --bgcolors grey)" "#f8f8f8,#e8e8e8" "--bgcolors by name"
is "$(setting bg)" "" "none: light or dark"
for colors in hot mem io wakeup chain java js perl python rust red green blue aqua yellow purple \
	orange kind module; do
	ok "--colors $colors" "$fold2svg" --colors $colors "$kinds"
done
is "$("$fold2svg" --random --colors hot "$kinds" | sha256sum)" \
	"$("$fold2svg" --random --colors hot "$kinds" | sha256sum)" \
	"--random draws the same each time"
ok "--hash makes other colours" test "$("$fold2svg" --hash --colors hot "$kinds" | sha256sum)" != \
	"$("$fold2svg" --colors hot "$kinds" | sha256sum)"
is "$("$fold2svg" --no-js "$kinds" | grep -c '<script\|class="frames">[0-9]')" 0 \
	"--no-js: neither script nor its data"

# ---- --total and --factor
printf 'a 30\nb 10\n' >two
is "$("$fold2svg" --total 80 two 2>&1 | titles | tail -n 2)" \
	$'a (30 samples, 37.50%)\nb (10 samples, 12.50%)' "--total: percentages are of that"
is "$("$fold2svg" --total 40.5 two 2>&1 | titles | tail -n 1)" "b (10 samples, 24.69%)" \
	"with decimals that the counts have not"
"$fold2svg" --total 39.9 two >out 2>err
is "$? $(cat err)" \
	"0 fold2svg: --total 39.9 is less than the sum of all counts and passed over" \
	"one that is too small is passed over"
is "$("$fold2svg" --total 0 two 2>&1 | sha256sum)" "$("$fold2svg" two | sha256sum)" \
	"0 is none, as there"
is "$("$fold2svg" --factor 1000 two | titles)" \
	$'all (40,000 samples, 100%)\na (30,000 samples, 75.00%)\nb (10,000 samples, 25.00%)' \
	"--factor: of counts, not of shares"
is "$("$fold2svg" --factor .5e-1 two | titles | head -n 1)" "all (2 samples, 100%)" \
	"one below 1 rounds as printf does"

# ---- --cp
"$fold2svg" --cp two >out
is "$? $(cat palette.map)" $'0 a->rgb(236,146,35)\nb->rgb(230,117,28)' \
	"--cp writes the map that flamegraph.pl would"
# shellcheck disable=SC2016 # no expansion
printf 'b->rgb(1,2,3)\nT::operator->->rgb(4,5,6)\r\n\nz->rgb(7,8,9)\n' >palette.map
printf 'T::operator-> 3\nb 1\n' | "$fold2svg" --cp --colors mem >out
is "$(grep -o 'fill="#[0-9a-f]*"' out | sort -u | tr '\n' ' ')" \
	'fill="#010203" fill="#040506" ' "--cp reads it, names with -> included"
is "$(cat palette.map)" \
	$'T::operator->->rgb(4,5,6)\nb->rgb(1,2,3)\nz->rgb(7,8,9)' "names not drawn stay in it"
printf 'b->rgb(1,2,3)\nc->rgb(1,2)\n' >palette.map
"$fold2svg" --cp two >out 2>err
is "$? $(cat err)" "1 fold2svg: palette.map:2: not of the form NAME->rgb(R,G,B)" \
	"a line that is not understood is told"
ok "and nothing drawn or written" test ! -s out -a "$(wc -l <palette.map)" = 2
rm palette.map
"$fold2svg" two >out
ok "no map without --cp" test ! -e palette.map
mkdir palette.map.new
"$fold2svg" --cp two >out 2>err
is "$? $(cat err)" "1 fold2svg: palette.map.new: Is a directory" "a map that cannot be written"
rmdir palette.map.new

# ---- --nameattr
attr() { # lines: status and message with them
	printf '%s\n' "$@" >attr
	"$fold2svg" --nameattr attr two >out 2>err
	echo "$? $(cat err)"
}
is "$(attr $'a\ttitle=A & <B>\tclass=c d\tid=i1\tstyle=fill:red' '' \
	$'b\thref=https://example.org/?x=1&y\ttarget=_blank\r')" "0 " "--nameattr"
ok "a title" grep -q '<title>A &amp; &lt;B&gt;</title>' out
ok "a class, a style, an id" grep -qE 'class="c d" style="fill:red" id="i1"' out
ok "a link" grep -q 'href="https://example.org/?x=1&amp;y" target="_blank"' out
is "$(attr $'zzz\ttitle=x')" "0 " "names that do not occur"
for href in 'a/b.html' '/x' '?q' '#f' 'x?y=a:b' 'HTTP://h/' '//h/x' ''; do
	is "$(attr $'a\thref='"$href")" "0 " "href '$href'"
done
for href in 'javascript:alert(1)' 'JavaScript:x' 'data:text/html,x' 'file:///x' 'vbscript:x' \
	' javascript:x' $'java\001script:x' 'a b' '\\h\x' ':x'; do
	is "$(attr $'a\thref='"$href" | cut -d: -f1-4)" "1 fold2svg: attr:1: href" \
		"href '${href//$'\001'/}' is refused"
done
for style in 'fill:url(x)' 'fill:URL(x)' 'fill:\75rl(x)' 'background:image-set("x" 1x)' \
	'@import x' 'width:expression(x)'; do
	is "$(attr '' $'a\tstyle='"$style" | cut -d: -f1-4)" "1 fold2svg: attr:2: style" \
		"style '$style' is refused"
done
for key in onclick onload g_extra a_extra xlink:href OnClick ''; do
	is "$(attr $'a\t'"$key"'=x')" "1 fold2svg: attr:1: no attribute for use here: $key" \
		"key '$key' is refused"
done
is "$(attr 'a title=x')" "1 fold2svg: attr:1: no TAB behind the name" "a line without TAB"
is "$(attr $'a\ttitle')" "1 fold2svg: attr:1: no '=' in an attribute" "a key without a value"
ok "nothing is drawn then" test ! -s out
"$fold2svg" --nameattr nothing-there two >out 2>err
is "$? $(cat err)" "1 fold2svg: nothing-there: No such file or directory" "no such file"

# ---- bad values
bad() { # args…
	local out
	out=$("$fold2svg" "$@" 2>err <two)
	is "$? $out" "2 " "$*: status 2, no picture"
	ok "$*: the message names the option" grep -q -- "${1%%=*}" err
}
for value in abc 0 99 -5 1e4 12a '' 1200.5 100001; do
	bad "--width=$value"
done
bad --height 0
bad --height x
for value in x 101% -1 % 1%% '' 1,5; do
	bad "--minwidth=$value"
done
for value in 0 -1 x 101 '' nan; do
	bad "--fontsize=$value"
	bad "--fontwidth=$value"
done
bad --factor 0
bad --factor -1
bad --factor x
bad --factor 1e999
bad --total x
bad --total -5
for value in nocolor HOT '' kinds; do
	bad "--colors=$value"
done
for value in red '#fff' '#12345g' '#0x1234' '#00000000' ''; do
	bad "--bgcolors=$value"
done
for value in UTF-16 utf-32 UTF-7 ebcdic-cp-us IBM037 HZ-GB-2312 'x"y' ''; do
	bad "--encoding=$value"
done
for value in UTF-8 iso-8859-1 windows-1252 Shift_JIS EUC-JP; do
	ok "--encoding $value" "$fold2svg" --encoding $value two
done
bad --base both
bad --hash=1
bad --title
bad --co
"$fold2svg" --cp --colors kind two >out 2>err
is "$? $(head -n 1 err)" \
	"2 fold2svg: --cp keeps flamegraph.pl's colours, not those of kinds and modules" \
	"--cp with other colours"
ok "a control character in a value is not printed" test \
	"$("$fold2svg" --colors $'x\033y' two 2>&1 | grep -c $'\033')" = 0

done_testing
