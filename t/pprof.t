#!/bin/bash
# stack2pprof: what is in the profile, by a reader of the test's own and by go tool pprof.
. t/tap.sh

pprof=$BIN/stack2pprof
data=t/data/fold

profile() { # FILE… → the profile's text
	"$pprof" "$@" >"$TMP/p.gz" 2>"$TMP/err" || echo "status $?: $(cat "$TMP/err")"
	python3 t/pprof.py dump "$TMP/p.gz"
}

# ---- all there is, worked out by hand
sed -e ':a' -e '/\\$/{N; s/\\\n *//; ta' -e '}' -e 's/ | /\t/g' >"$TMP/lines" <<'END'
# event cpu-clock samples 1000
# event off-cpu:futex ns 0
# start 1700000000000000000 30
# file 0aff /bin/a b
2 | cpu-clock | 70 | 0 | 1 | 2 | x y | /bin/a b`main+0x4 @m.c:7 | /bin/a b`in1 @i.h:8 (inlined) \
    | /bin/a b`in2 @i.h:9 (inlined) | [kernel]`sys+0x1
3 | cpu-clock | 90 | 1 | 1 | 2 | x y | /bin/a b`main+0x9 @m.c:7 | /bin/a b`in1 @i.h:8 (inlined) \
    | /bin/a b`in2 @i.h:9 (inlined) | [kernel]`sys+0x2
500 | off-cpu:futex | 40 | 1 | 1 | 2 | x y | /lib/l.so`0x1f30 \
    | /lib/l.so`_ZN1A1fEi+0x2 | [jit]`_Z1gv+0x1
# file 0bff /bin/a b
1 | cpu-clock | 50 | 1 | 0 | 0 | - | [truncated: why] | /bin/a b`main+0x4 @m.c:7 | [unknown]`0xff
4 | cpu-clock | 50 | 1 | - | - | [lost] | [lost: why]
END
is "$(profile "$TMP/lines")" "\
types samples/count cpu/nanoseconds off-cpu:futex/nanoseconds default cpu
period 1000 cpu/nanoseconds time 1700000000000000010 duration 50
mapping /bin/a b 0aff functions files numbers inlined
mapping [kernel] - functions
mapping /lib/l.so - functions
mapping [jit] - functions
mapping /bin/a b 0bff functions files numbers
mapping [unknown] - functions
function in2 | in2 | i.h
function in1 | in1 | i.h
function main | main | m.c
function sys | sys | -
function [l.so] | - | -
function A::f | _ZN1A1fEi | -
function _Z1gv | _Z1gv | -
function [truncated: why] | - | -
function [unknown] | - | -
function [lost: why] | - | -
sample 5 5000 0 comm='x y' pid=1 tid=2 event='cpu-clock'
    [kernel] 0x0 sys
    /bin/a b 0x0 in2:9 < in1:8 < main:7
sample 0 0 500 comm='x y' pid=1 tid=2 event='off-cpu:futex'
    [jit] 0x0 _Z1gv
    /lib/l.so 0x0 A::f
    /lib/l.so 0x1f30 [l.so]
sample 1 1000 0 pid=0 tid=0 event='cpu-clock'
    [unknown] 0xff [unknown]
    /bin/a b 0x0 main:7
    - 0x0 [truncated: why]
sample 4 4000 0 comm='[lost]' event='cpu-clock'
    - 0x0 [lost: why]" "stacks, labels, mappings, functions, lines"
cp "$TMP/p.gz" "$TMP/first.gz"
ok "the same again, byte for byte" cmp "$TMP/first.gz" <("$pprof" "$TMP/lines")
ok "from standard input" cmp "$TMP/first.gz" <("$pprof" <"$TMP/lines")
ok "lines that end in CR LF" cmp "$TMP/first.gz" <(sed 's/$/\r/' "$TMP/lines" | "$pprof" -)
ok "of two files" cmp "$TMP/first.gz" \
	<("$pprof" <(head -n 6 "$TMP/lines") <(tail -n +7 "$TMP/lines"))

# A text that was seen is another sample once its file is another build.
printf '%s\n' '# file aa /f' $'1\te\t-\t-\t1\t1\tc\t/f`g' \
	'# file bb /f' $'2\te\t-\t-\t1\t1\tc\t/f`g' \
	'# file aa /f' $'4\te\t-\t-\t1\t1\tc\t/f`g' >"$TMP/builds"
is "$(profile "$TMP/builds" | grep -E '^(types|period|mapping|sample)')" \
	"types samples/count default samples
period 0  time 0 duration 0
mapping /f aa functions
mapping /f bb functions
sample 5 comm='c' pid=1 tid=1 event='e'
sample 2 comm='c' pid=1 tid=1 event='e'" "a file that becomes another one, and back"

# There and back again, between files of one path: nothing is mixed up, whatever was seen.
for build in aa bb cc - aa cc; do
	printf '# file %s /g\n' $build
	printf '1\te\t-\t-\t1\t1\tc\t/%c`f+0x%d\n' f 1 g 1 g 2 h 1
done >"$TMP/again"
is "$(profile "$TMP/again" | grep -E '^(mapping|sample)')" \
	"mapping /f - functions
mapping /g aa functions
mapping /h - functions
mapping /g bb functions
mapping /g cc functions
mapping /g - functions
sample 6 comm='c' pid=1 tid=1 event='e'
sample 4 comm='c' pid=1 tid=1 event='e'
sample 6 comm='c' pid=1 tid=1 event='e'
sample 2 comm='c' pid=1 tid=1 event='e'
sample 4 comm='c' pid=1 tid=1 event='e'
sample 2 comm='c' pid=1 tid=1 event='e'" "a file that changes again and again"

# Texts that differ only behind the name are one function, those that look so are not.
printf '1\te\t-\t-\t1\t1\tc\t%s\n' 'm`f' 'm`f+0x1' 'm`f+0x22' 'm`f+0x' 'm`f+0x1+0x2' \
	'm`+0x1' 'm`+0x2' 'm`0x1+0x1' 'm`0x1' 'r+0x1' 'r+0x2' 'm`f+0xg' '' '`' 'm`' >"$TMP/offsets"
is "$(profile "$TMP/offsets" | awk '/^sample/ { n = $2 } /^ / { print n, $0 }')" \
	"3     m 0x0 f
1     m 0x0 f+0x
1     m 0x0 f+0x1
1     m 0x0 +0x1
1     m 0x0 +0x2
1     m 0x0 0x1
1     m 0x1 [m]
1     - 0x0 r+0x1
1     - 0x0 r+0x2
1     m 0x0 f+0xg
1     - 0x0 [unknown]
1     m 0x0 [m]" "offsets, and what looks like one"

# What a JIT inlined, and its Java names.
printf '1\te\t-\t-\t1\t1\tc\t%s\n' \
	'[jit]`Lx/A;::f->Lx/B;::g->h+0x4' '[jit]`a->+0x1' '[jit]`->b+0x1' '/m`a->b' \
	$'[jit]`a->b+0x1\t[jit]`c->d+0x1 (inlined)' '/m`Lx/A;::f' >"$TMP/jit"
is "$(profile "$TMP/jit" | grep -E '^(mapping|    )')" "mapping [jit] - functions inlined
mapping /m - functions
    [jit] 0x0 h < x/B;::g < x/A;::f
    [jit] 0x0 a->
    [jit] 0x0 ->b
    /m 0x0 a->b
    [jit] 0x0 d < c < b < a
    /m 0x0 Lx/A;::f" "chains and classes as stack-fold has them"
{
	printf '1\te\t-\t-\t1\t1\tc\t[jit]`f'
	printf -- '->f%.0s' {1..999}
	echo +0x1
} >"$TMP/long"
"$pprof" "$TMP/long" >"$TMP/long.gz"
is "$(python3 t/pprof.py folded "$TMP/long.gz" samples)" \
	"$("$BIN/stack-fold" --no-annotate "$TMP/long")" "a chain of a thousand"

# Labels that are no numbers that the format has.
printf '1\te\t-\t-\t%s\t%s\tc\n' 007 9223372036854775807 9223372036854775808 \
	99999999999999999999 >"$TMP/labels"
is "$(profile "$TMP/labels" | grep ^sample)" \
	"sample 1 comm='c' pid=7 tid=9223372036854775807 event='e'
sample 1 comm='c' pid='9223372036854775808' tid='99999999999999999999' event='e'" \
	"pids and tids that are too large"

# ---- times
when() {
	printf '%b\n' "$@" >"$TMP/times"
	profile "$TMP/times" | sed -n '/^period/s/.*time/time/p'
}
line='1\te\tAT\t-\t1\t1\tc'
is "$(when '# start 5000 1000' "${line/AT/1500}" "${line/AT/1700}")" "time 5500 duration 200" \
	"a capture of samples with times"
is "$(when '# start 5000 1000' "${line/AT/1500}" "${line/AT/-}")" "time 5000 duration 0" \
	"one without"
is "$(when "${line/AT/1500}" "${line/AT/1700}")" "time 0 duration 200" "no comment"
is "$(when '# start 9000 1000' "${line/AT/1500}" '# start 5000 20' "${line/AT/30}")" \
	"time 5010 duration 4490" "two boots"
is "$(when '# start 9000 1000' "${line/AT/-}" '# start 5000 20' "${line/AT/-}")" \
	"time 5000 duration 0" "two without"
is "$(when "${line/AT/1}" "${line/AT/18446744073709551615}") $(when '# start 1 5' "${line/AT/1}")" \
	"time 0 duration 0 time 0 duration 0" "nonsense"

# Sums beyond what the format can hold.
printf '%s\te\t-\t-\t1\t1\tc\tm`f\n' 18446744073709551615 1 >"$TMP/large"
is "$(profile "$TMP/large" | grep sample.9) $(cat "$TMP/err")" \
	"sample 9223372036854775807 comm='c' pid=1 tid=1 event='e' \
stack2pprof: some sums are above 2^63 - 1, and written as that" "sums above 2^63 - 1"

# ---- against stack-fold
for name in basic hostile units; do
	for event in $(grep -av '^#' $data/$name.lines | cut -f2 | sort -u | head -n 20); do
		awk -F'\t' -v e="$event" '/^#/ || $2 == e' $data/$name.lines >"$TMP/one"
		"$pprof" "$TMP/one" >"$TMP/one.gz" 2>"$TMP/err"
		column=$(python3 t/pprof.py dump "$TMP/one.gz" | sed -n '1s/^types //; 1s,/.*,,p')
		is "$(python3 t/pprof.py folded "$TMP/one.gz" "$column" | sort)" \
			"$("$BIN/stack-fold" -q --no-annotate "$TMP/one" 2>/dev/null | sort)" \
			"$name.lines, $event: as stack-fold has it"
	done
done

# ---- the real program
raw() { go tool pprof "$@" "$TMP/go.gz" 2>"$TMP/go.err"; }
if command -v go >/dev/null && go tool pprof -h 2>&1 | grep -q traces; then
	# it shows no sample without a stack
	grep -v $'\tbare$' $data/basic.lines >"$TMP/go.lines"
	"$pprof" "$TMP/go.lines" >"$TMP/go.gz"
	"$BIN/stack-fold" --no-annotate "$TMP/go.lines" >"$TMP/go.folded"
	# stack-fold's ';' cannot stand in a name
	is "$(raw -top -sample_index=samples -nodecount=99999 -nodefraction=0 |
		awk '/flat%/ { on = 1; next }
			on { f = $1; c = $4; for (i = 0; i < 5; i++) sub(/^ *[^ ]+ +/, "");
			sub(/ \(inline\)$/, ""); gsub(/;/, ":"); print f, c, $0 }' | sort)" \
		"$(python3 t/pprof.py top "$TMP/go.folded" | sort)" \
		"go tool pprof -top: each function's own and total samples are the folded file's"
	is "$(raw -traces -sample_index=samples | python3 t/pprof.py traces)" \
		"$(sort "$TMP/go.folded")" "go tool pprof -traces: the folded file's stacks"
	is "$(raw -raw | awk '/^Locations/ { exit } /^ +[0-9]+ +[0-9]+: / { n += $1; ns += $2 }
		END { print n, ns }')" \
		"$(awk '{ n += $NF } END { print n, n * 10101010 }' "$TMP/go.folded")" \
		"go tool pprof -raw: the sums are the folded file's, in samples and ns"
	is "$(cat "$TMP/go.err")" "" "it looks for no symbols, and complains of nothing"
	is "$(raw -top | grep ^Type)" "Type: cpu" "what it shows first is cpu"
	is "$(raw -traces -tagfocus=comm=node -sample_index=samples | python3 t/pprof.py traces)" \
		"$(grep ^node "$TMP/go.folded")" "samples are chosen by label"
	is "$(raw -traces -tagfocus=tid=901 -sample_index=samples 2>/dev/null |
		python3 t/pprof.py traces)" \
		"$(grep -P '\t901\tnode' "$TMP/go.lines" | "$BIN/stack-fold" --no-annotate)" \
		"by one that is a number, too"
	cp "$TMP/first.gz" "$TMP/go.gz"
	is "$(raw -raw | grep -o '/bin/a b 0.*')" "/bin/a b 0aff [FN][FL][LN][IN]
/bin/a b 0bff [FN][FL][LN]" "it shows the build-ids"
else
	skip "go tool pprof" "no go"
fi

# ---- the README's and the man page's way to a server
if command -v curl >/dev/null; then
	for page in README.md extra/stack2pprof/stack2pprof.1; do
		line=$(grep -E '^curl .*/ingest' "$page")
		is "$(wc -l <<<"$line")" 1 "$page: a command that posts"
		rm -f "$TMP/port"
		python3 t/pprof.py serve "$TMP/posted" "$TMP/port" &
		for _ in {1..100}; do
			[ -s "$TMP/port" ] && break
			sleep 0.1
		done
		cp "$TMP/first.gz" "$TMP/app.pb.gz"
		ok "$page: it runs" env -C "$TMP" bash -c \
			"${line/localhost:4040/127.0.0.1:$(cat "$TMP/port")} --noproxy '*'"
		wait
		ok "$page: the server has the profile" cmp "$TMP/posted" "$TMP/first.gz"
		is "$(cat "$TMP/posted.request")" "/ingest?name=app&format=pprof" \
			"$page: and its name"
	done
else
	skip "a profile is posted" "no curl"
fi

# ---- faults
status() { "$@" >"$TMP/out" 2>"$TMP/err" </dev/null; echo "$? $(cat "$TMP/err")"; }
{ cat "$TMP/lines"; printf 'what\n0\te\n'; } >"$TMP/damaged"
is "$(status "$pprof" "$TMP/damaged")" "3 stack2pprof: $TMP/damaged:11: fewer than seven \
TAB-separated fields (the first of 2 lines left out)" "damaged lines"
ok "what could be read is written" cmp "$TMP/out" "$TMP/first.gz"
is "$(status "$pprof" /dev/null)" "1 stack2pprof: no stack lines (as stack-resolve writes \
them) in the input, so there is nothing to write" "no input"
is "$(status "$pprof" "$TMP/none")" "1 stack2pprof: $TMP/none: No such file or directory" "no file"
is "$("$pprof" "$TMP/lines" 2>&1 >/dev/full; echo $?)" \
	"stack2pprof: standard output: No space left on device
1" "a full disk"
for i in {1..65}; do printf '1\te%d\t-\t-\t1\t1\tc\tm`f\n' "$i"; done >"$TMP/events"
is "$(status "$pprof" "$TMP/events" | cut -c1-34)" "1 stack2pprof: more than 64 events" "65 events"
ok "64 events" "$pprof" <(head -n 64 "$TMP/events")
if command -v script >/dev/null; then
	is "$(script -qec "'$pprof' '$TMP/lines'" /dev/null </dev/null | head -n 1 | tr -d '\r')" \
		"stack2pprof: a profile is binary: redirect it to a file or a pipe" "a terminal"
else
	skip "a terminal" "no script(1)"
fi
for name in basic hostile units; do
	"$SAN/stack2pprof" $data/$name.lines >"$TMP/out" 2>"$TMP/err"
	is "$(($? == 99))" 0 "$name.lines with sanitizers"
done
head -c 65536 /dev/urandom | tr '\n' '\t' | "$SAN/stack2pprof" >"$TMP/out" 2>"$TMP/err"
is "$?" 1 "noise, with sanitizers"

done_testing
