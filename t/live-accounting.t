#!/bin/bash
# Nothing is lost silently: what fired is in the capture or counted as lost.
. t/tap.sh
. t/live.sh

check() { # name expected-ticks capture
	local name=$1 expected=$2
	local -A t=()
	while read -r key value; do t[$key]=$value; done < <(totals "$3")
	is "${t[ends]}" 1 "$name: one END record"
	is "${t[fired]}" "$((t[filtered] + t[samples] + t[losts]))" \
		"$name: fired = filtered + weights + lost, exactly"
	is "${t[samples]} ${t[losts]}" "${t[weight]} ${t[lost]}" "$name: END has the same sums"
	[ "$expected" = 0 ] && return
	# A tick that the kernel could not deliver (interrupts off, a hypervisor that has the
	# CPU, a BPF system call on it) never fires; it is counted from the gap it leaves.
	local sum="${t[samples]} + ${t[losts]} + ${t[skipped]}"
	ok "$name: weights + lost + skipped = CPUs x HZ x seconds within 1 %" \
		between 0.99 "$(calc "($sum) / $expected")" 1.01
}

# The time that the sampler itself measured, from its summary; three digits are 0.1 %.
seconds() { sed -n 's/^bpf-sample: sampled for \([0-9.]*\) s.*/\1/p' "$1"; }
ticks() { awk "BEGIN { print $NCPU * 499 * $(seconds "$1") }"; }

"$BIN/bpf-sample" -v --idle -F 499 -d 4 -o "$TMP/idle.cap" 2>"$TMP/idle.err"
check "with --idle" "$(ticks "$TMP/idle.err")" "$TMP/idle.cap"

examples/compile_loop.sh 6 >/dev/null 2>&1 &
"$BIN/bpf-sample" -v --idle -F 499 -d 4 --max-stacks 64 -o "$TMP/small.cap" 2>"$TMP/small.err"
check "with --max-stacks 64 under a compile load" \
	"$(ticks "$TMP/small.err")" "$TMP/small.cap"
ok "the maps did overflow into the ring" \
	between 1 "$(sed -n 's/.*through the overflow ring \([0-9]*\).*/\1/p' "$TMP/small.err")" 1e9
is "$(lines "$TMP/small.cap" | awk -F'\t' '!/^#/ { n += $1 } END { print n }')" \
	"$(totals "$TMP/small.cap" | awk '/^(samples|losts) / { n += $2 } END { print n }')" \
	"stack lines carry every sample and every lost one"
wait

"$BIN/bpf-sample" -q -F 499 -d 1 -o "$TMP/busy.cap"
check "without --idle" 0 "$TMP/busy.cap"
"$BIN/bpf-sample" -q -F 499 -d 2 -i 20 -o "$TMP/fast.cap"
check "draining every 20 ms" 0 "$TMP/fast.cap"
"$BIN/bpf-sample" -q -F 499 -d 1 -p $$ -o "$TMP/pid.cap"
check "one process" 0 "$TMP/pid.cap"

# A reader that does not read: the pipe fills, the maps fill, the ring fills.
"$BIN/bpf-sample" -q --idle -F 4999 -d 3 -i 50 --max-stacks 1 2>/dev/null |
	{ sleep 5; cat >"$TMP/stalled.cap"; }
check "a stalled reader" 0 "$TMP/stalled.cap"
done_testing
