#!/bin/bash
# Whose samples: -p and its children, -t, -C, --cgroup, a command, and exec in between.
. t/tap.sh
. t/live.sh

comms() { lines "$1" | awk -F'\t' '!/^#/ { print $7 }' | sort -u | tr '\n' ' '; }
pids() { lines "$1" | awk -F'\t' '!/^#/ { print $5 }' | sort -u | tr '\n' ' '; }

"$EXAMPLES/burn" 120 &
a=$!
"$EXAMPLES/burn" 120 &
b=$!
# A shell that starts children only while it is sampled.
bash -c 'sleep 1; while :; do "$1" 0.1; done' sh "$EXAMPLES/cpu_bound" &
c=$!
sleep 0.2

"$BIN/bpf-sample" -q -F 499 -d 1 -p $a -o "$TMP/a.cap"
is "$(pids "$TMP/a.cap")" "$a " "-p: only that process"
"$BIN/bpf-sample" -q -F 499 -d 1 -p "$a,$b" -o "$TMP/ab.cap"
is "$(pids "$TMP/ab.cap")" "$(printf '%s\n' $a $b | sort | tr '\n' ' ')" "-p with two"
"$BIN/bpf-sample" -q -F 499 -d 3 -p $c -o "$TMP/c.cap"
ok "-p: children that start meanwhile" grep -q cpu_bound <(comms "$TMP/c.cap")
is "$(pids "$TMP/c.cap" | tr ' ' '\n' | grep -cx -e $a -e $b)" 0 "-p: and no others"
"$BIN/bpf-sample" -q -F 499 -d 1 -t $b -o "$TMP/t.cap"
is "$(pids "$TMP/t.cap")" "$b " "-t: only that thread"
kill $c

taskset -p -c 0 $a >/dev/null
if [ "$NCPU" -gt 1 ]; then
	taskset -p -c 1 $b >/dev/null
	"$BIN/bpf-sample" -q -F 499 -d 1 -C 0 -o "$TMP/cpu.cap"
	ok "-C 0 sees what runs there" grep -qw $a <(pids "$TMP/cpu.cap")
	is "$(pids "$TMP/cpu.cap" | tr ' ' '\n' | grep -cx $b)" 0 "-C 0 does not see the other CPU"
fi
"$BIN/bpf-sample" -q -F 499 -d 1 -u -p $a -o "$TMP/u.cap"
is "$(lines "$TMP/u.cap" | grep -c '\[kernel')" 0 "-u: no kernel frames"
"$BIN/bpf-sample" -q -F 499 -d 1 -k -o "$TMP/k.cap"
is "$(lines "$TMP/k.cap" | grep -c 'burn`')" 0 "-k: no user frames"

cg=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ -n "$cg" ] && mkdir -p "$cg/t-live.$$" 2>/dev/null; then
	echo $b >"$cg/t-live.$$/cgroup.procs"
	"$BIN/bpf-sample" -q -F 499 -d 1 --cgroup "$cg/t-live.$$" -o "$TMP/cg.cap"
	is "$(pids "$TMP/cg.cap")" "$b " "--cgroup: only what is in it"
	kill $b
	wait $b 2>/dev/null
	rmdir "$cg/t-live.$$"
else
	skip "--cgroup" "no writable cgroup v2 hierarchy"
fi

# A target that ends early ends the capture, with a line that says so.
"$EXAMPLES/burn" 6 &
d=$!
start=$SECONDS
"$BIN/bpf-sample" -F 499 -d 30 -p $d -o "$TMP/d.cap" 2>"$TMP/d.err"
is "$?" 0 "a target that ends early is no failure"
ok "and ends the sampling" between 0 $((SECONDS - start)) 25
is "$(grep -c "process $d has ended" "$TMP/d.err")" 1 "and is told"
kill $a
wait $a 2>/dev/null

# A command: its output kept apart, its status passed on, its tree sampled, no one else.
"$BIN/bpf-sample" -F 499 -- sh -c "$EXAMPLES/burn 1; echo printed; exit 7" \
	>"$TMP/cmd.cap" 2>"$TMP/cmd.err"
is "$?" 0 "a command that fails is sampled all the same"
ok "its status is passed on" grep -q 'sh exited with status 7' "$TMP/cmd.err"
ok "its output goes to stderr, not into the capture" grep -qx printed "$TMP/cmd.err"
ok "its children are sampled" grep -q burn <(comms "$TMP/cmd.cap")
is "$(lines "$TMP/cmd.cap" | awk -F'\t' '!/^#/ && $7 !~ /^(sh|burn|bpf-sample)$/' | head -n 3)" "" \
	"and nobody else"

# exec within one drain interval: each program's addresses in its own mappings. Two copies
# of one program under other names, PIE, mapped at other addresses.
cp "$EXAMPLES/burn" "$TMP/first"
cp "$EXAMPLES/burn" "$TMP/second"
"$BIN/bpf-sample" -q -F 997 -i 60000 -o "$TMP/exec.cap" -- sh -c \
	"for i in 1 2 3 4; do sh -c '$TMP/first 0.3; exec $TMP/second 0.3'; done"
folded "$TMP/exec.cap" --modules >"$TMP/exec.folded"
ok "first is sampled" grep -q '^first;.*first`spin' "$TMP/exec.folded"
ok "second is sampled" grep -q '^second;.*second`spin' "$TMP/exec.folded"
is "$(grep -c -e '^first;.*second`' -e '^second;.*first`' "$TMP/exec.folded")" 0 \
	"no program has the other's functions"
# A process is the dynamic loader and the kernel for its first and last moments.
is "$(awk '/^(first|second);/ && !/spin/ { other += $NF } /spin/ { spin += $NF }
	END { print other / spin < 0.15 ? "few" : other " to " spin }' "$TMP/exec.folded")" few \
	"few samples of them are elsewhere"
done_testing
