#!/bin/bash
# Captures that are cut, changed or made to exhaust: stack-resolve ends with 0, 1 or 3 and
# within 256 MB. Every byte is tried in t/unit/damage.c; here is the program itself.
. t/tap.sh

mkcap() { "$O/t/mkcap"; }
cap=t/data/small.cap
size=$(stat -c %s $cap)

# A status that is none of the three is shown.
bad=
for cut in $(seq 0 37 $((size - 1))); do
	head -c "$cut" $cap | "$SAN/stack-resolve" -q >/dev/null 2>"$TMP/err"
	status=$?
	[[ $status == [13] && -s $TMP/err ]] || bad+="cut at $cut: status $status; "
done
is "$bad" "" "cut: status 1 or 3 and a message"

bad=
for at in $(seq 0 53 $((size - 1))); do
	cp $cap "$TMP/flipped"
	printf '\xff' | dd of="$TMP/flipped" bs=1 seek="$at" conv=notrunc status=none
	"$SAN/stack-resolve" -q "$TMP/flipped" >/dev/null 2>"$TMP/err"
	status=$?
	[[ $status == [013] ]] || bad+="byte $at: status $status; "
	[[ $status == 0 || -s $TMP/err ]] || bad+="byte $at: no message; "
done
is "$bad" "" "changed: status 0, 1 or 3, and a message unless 0"

# A capture without its end, and one behind it.
head -c $((size - 500)) $cap >"$TMP/cut"
cat "$TMP/cut" $cap | "$BIN/stack-resolve" -q >"$TMP/out" 2>"$TMP/err"
is "$?" "3" "a cut capture before a whole one: status 3"
is "$(tail -n 12 "$TMP/out")" "$(cat t/golden/small.stacks)" "the whole one is whole"
told='byte [0-9]+: truncated within a record; another capture begins at byte'
ok "the place is told" grep -qE "standard input: $told $((size - 500))\$" "$TMP/err"

# ---- floods: each would be gigabytes
limited() { # name: $TMP/flood.cap through the program in 256 MB
	(ulimit -v 262144 && exec timeout 120 "$BIN/stack-resolve" -q "$TMP/flood.cap" \
		>"$TMP/out" 2>"$TMP/err")
	local status=$?
	[[ $status == [03] ]] && status=fine
	is "$status" "fine" "$1"
	[ $status = fine ] || head -n 3 "$TMP/err" >&2
}
head='header
event id=1 name=e
proc image=1 pid=1 comm=x
file id=1 flags=8 path=[anon]
file id=2 flags=16 path=/nonexistent/x
map image=1 file=1 start=0x1000 length=0x100000000
map image=1 file=2 start=0x10000000000 length=0x100000000'
long=$(printf '%01000d' 0)

flood() { # name, then records behind the usual ones
	local name=$1
	shift
	{ echo "$head"; printf '%s\n' "$@"; echo end; } | mkcap >"$TMP/flood.cap"
	limited "$name"
}
flood processes 'repeat 2000000 proc image=@ pid=1 comm=x'
flood files "repeat 400000 file id=@ path=/nonexistent/$long"
flood 'kernel symbols' 'repeat 2000000 ksym addr=@*16 size=8 name=k@'
flood 'symbols of a file' 'repeat 2000000 sym scope=0 id=2 addr=@*16 size=8 name=f@'
flood 'JIT symbols' "repeat 400000 sym scope=1 id=1 addr=@*16 size=8 name=$long"
flood mappings 'repeat 200000 map image=1 file=1 start=@*8192 length=0x1000'
flood stacks 'repeat 2000000 stack id=@ ips=1,2,3,4,5,6,7,8'
flood 'events' 'repeat 100000 event id=@ name=e@'
flood 'held samples' 'stack id=1 kind=1 ips=0x2000' \
	'repeat 1000000 sample event=1 image=1 tid=@ u=1 weight=1'
is "$(awk '{ n += $1 } END { print n }' "$TMP/out")" "1000000" "held samples: no weight is lost"

{
	echo "$head"
	ips=$(seq -s, 1 200)
	for i in $(seq 4096 24096); do
		echo "stack id=1 kind=1 ips=$ips,$i"
		echo "sample event=1 image=1 tid=1 u=1 weight=1 time=1"
	done
	echo end
} | mkcap >"$TMP/flood.cap"
limited "held stacks"
is "$(awk '!/^#/ { n += $1 } END { print n }' "$TMP/out")" "20001" "held stacks: no weight is lost"

# Names of 64 KB in a stack of 4096 frames: a line of 256 MB.
{
	echo "$head"
	echo "sym scope=0 id=2 addr=0 size=0x100000 name=$(printf '%065000d' 0)"
	echo "stack id=1 kind=1 ips=$(seq -s, $((0x10000000000)) $((0x10000000000 + 4095)))"
	echo "repeat 3 sample event=1 image=1 tid=1 u=1 weight=1"
	echo end
} | mkcap >"$TMP/flood.cap"
limited "long lines"
is "$(cut -f1 "$TMP/out" | grep -c '^1$')" "3" "long lines: every sample is there"

done_testing
