#!/bin/bash
# stack-fold where something is wrong: the status, a message, and all that could be read.
. t/tap.sh

fold=$BIN/stack-fold
basic=t/data/fold/basic.lines golden=t/golden/fold/basic.folded
line=$'1\tcpu-clock\t-\t-\t1\t1\tc\t/x`f'

# Runs it; what it wrote is in $out, the messages in $messages, the status in $status.
run() {
	out=$("$fold" "$@" 2>"$TMP/err")
	status=$?
	messages=$(cat "$TMP/err")
}

# ---- malformed lines
run < <(printf '%s\nwrong\n%s\n0\te\t-\t-\t-\t-\tc\n' "$line" "$line")
is "$status $out" "3 c;f 2" "malformed stack lines: the rest is folded"
is "$messages" "stack-fold: standard input:2: fewer than seven TAB-separated fields (the first \
of 2 malformed lines)" \
	"the first is told with its place and their number"
run -q < <(printf 'a 1\nb\na 2\n')
is "$status $out" "3 a 3" "a malformed folded line: the rest is folded"
is "$messages" "stack-fold: standard input:2: no count (a number behind the last blank)" \
	"and it is told, with -q, too"
run < <(printf 'cut\toff\n1\te\t-\t-\t12\n%s\n' "$line")
is "$status $out" "3 c;f 1" "the first lines malformed: the kind is that of the first good one"
run < <(printf 'a 18446744073709551615\na 1\nb 7\n')
is "$status $out" "3 a 18446744073709551615
b 7" "a sum beyond 64 bits stays at the largest"
is "$messages" "stack-fold: a sum does not fit into 64 bits and stays at 18446744073709551615" \
	"and is told"
run --unit ns < <(printf '# event cpu-clock samples 10101010\n9%018d%s\n' 0 "${line#1}")
is "$status $out" "3 c;f 18446744073709551615" "so does a weight that is converted"
printf '\t\377\n%s\n' "$line" >"$TMP/a"$'\e'"[31m"
run "$TMP/a"$'\e'"[31m"
is "$messages" "stack-fold: $TMP/a"$'\357\277\275'"[31m:1: neither a stack line nor a folded line" \
	"a file's name cannot colour the terminal"

# ---- inputs that are none
run < <(printf 'hello\nworld\n')
is "$status $out" "1 " "text of another kind: status 1"
is "$messages" "stack-fold: standard input: neither stack lines (as stack-resolve writes them), \
folded lines (frame;frame COUNT), nor the text of perf script, bpftrace or DTrace" \
	"and what was expected"
run t/data/small.cap
is "$status $out" "1 " "a capture: status 1"
is "$messages" "stack-fold: t/data/small.cap: this is a capture: put stack-resolve before \
stack-fold" \
	"and what to do with it"
head -c 200000 /dev/urandom | tr -d '[:digit:]' >"$TMP/noise"
run "$TMP/noise"
is "$status $out" "1 " "noise: status 1"
run </dev/null
is "$status $out" "0 " "an empty input: status 0"
is "$messages" "stack-fold: no samples in the input" "with a note"
run -q </dev/null
is "$status $messages" "0 " "none with -q"
run < <(printf '# event cpu-clock samples 10101010\n')
is "$status $out" "0 " "comments only: status 0"

# ---- files
run "$TMP/missing" $basic
is "$status $out" "1 $(cat $golden)" "a missing file: status 1, the others are folded"
is "$messages" "stack-fold: $TMP/missing: No such file or directory" "and it is told"
run "$TMP" $basic
is "$status $out" "1 $(cat $golden)" "a directory: status 1, the others are folded"
is "$messages" "stack-fold: $TMP: Is a directory" "and it is told"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	cp $basic "$TMP/secret"
	chmod 000 "$TMP/secret"
	chmod 755 "$TMP"
	cp "$fold" "$TMP/stack-fold"
	messages=$(cd "$TMP" && setpriv --reuid 65534 --regid 65534 --clear-groups \
		./stack-fold secret 2>&1)
	is "$? $messages" "1 stack-fold: secret: Permission denied" "a file that may not be read"
elif [ "$(id -u)" != 0 ]; then
	cp $basic "$TMP/secret"
	chmod 000 "$TMP/secret"
	run "$TMP/secret"
	is "$status $messages" "1 stack-fold: $TMP/secret: Permission denied" \
		"a file that may not be read"
else
	skip "a file that may not be read" "no setpriv(1)"
fi
out=$("$fold" <&- 2>&1)
is "$? $out" "1 stack-fold: standard input: Bad file descriptor" "standard input is closed"
messages=$("$fold" $basic 2>&1 >&-)
is "$? $messages" "1 stack-fold: standard output: Bad file descriptor" "standard output is closed"
messages=$("$fold" $basic 2>&1 >/dev/full)
is "$? $messages" "1 stack-fold: standard output: No space left on device" "a full disk"

# ---- the command line
run --by comm,nonsense $basic
is "$status $out" "2 " "--by with an unknown name: status 2"
is "$(grep -c 'comm, pid, tid, cpu, event' <<<"$messages")" 1 "the message tells the names \
there are"
run --by comm,pid,comm $basic
is "$status $out" "2 " "--by with a name twice"
run --by '' $basic
is "$status $out" "2 " "--by with nothing"
run --user --kernel $basic
is "$status $out" "2 " "--user and --kernel exclude each other"
run --unit hours $basic
is "$status $out" "2 " "an unknown unit"

# ---- pipes and signals
awk 'BEGIN { for (i = 0; i < 100000; i++) print "a;f" i, 1 }' >"$TMP/many"
{ "$fold" "$TMP/many" 2>"$TMP/err"; echo $? >"$TMP/status"; } | head -n 1 >/dev/null
is "$(cat "$TMP/status") $(cat "$TMP/err")" "$((128 + 13)) " "SIGPIPE ends it quietly"
mkfifo "$TMP/fifo"
# job control gives a background job its own SIGINT back
set -m
"$fold" "$TMP/fifo" >"$TMP/out" 2>"$TMP/err" &
pid=$!
set +m
exec 3>"$TMP/fifo"
printf '%s\n' "$line" >&3
# it has taken the signal over once it reads: the fifo is open
kill -INT $pid
printf '%s\n' "$line" >&3
exec 3>&-
wait $pid
is "$? $(cat "$TMP/out")" "0 c;f 2" "a first SIGINT is for the stage before it"

# ---- size
{ printf '1\te\t-\t-\t1\t1\tc\t/x`'; head -c 100000000 /dev/zero | tr '\0' f; echo; } |
	"$fold" 2>&1 | md5sum >"$TMP/sum"
{ printf 'c;'; head -c 100000000 /dev/zero | tr '\0' f; echo " 1"; } | md5sum >"$TMP/want"
is "$(cat "$TMP/sum")" "$(cat "$TMP/want")" "a line of 100 MB"
if (ulimit -v 20000; "$fold" -V) >/dev/null 2>&1; then
	# twenty megabytes of address space for fifty of input
	awk '{ all = all $0 "\n" } END { for (i = 0; i < 40000; i++) printf "%s", all }' $basic |
		(ulimit -v 20000; "$fold") >"$TMP/out"
	is "$(md5sum <"$TMP/out")" "$(awk '{ $NF *= 40000 } 1' $golden | md5sum)" \
		"memory is taken for distinct stacks only"
else
	skip "memory is taken for distinct stacks only" "built with a sanitizer"
fi

done_testing
