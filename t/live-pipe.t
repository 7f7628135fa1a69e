#!/bin/bash
# The pipe as a whole: signals, killed stages, full disks.
. t/tap.sh
. t/live.sh

# SIGINT to the whole pipeline, as Ctrl-C does: what was sampled is delivered. The stages
# are started with SIGINT as it is by default, which a shell's background jobs ignore.
"$EXAMPLES/burn" 60 &
burn=$!
default_sigint() { exec python3 t/default_sigint.py "$BIN/$1" "${@:2}"; }
export -f default_sigint
timeout -k 1 120 setsid bash -c '
	echo $$ >"$1/group"
	trap "" INT
	(default_sigint bpf-sample -q -F 499 -i 200) |
	(default_sigint stack-resolve -q) | tee "$1/int.lines" |
	(default_sigint stack-fold -q) |
	(default_sigint fold2svg) >"$1/int.svg"
	echo "${PIPESTATUS[*]}" >"$1/status"' sh "$TMP" &
job=$!
# until samples of burn come out of the second stage, all stages run
for _ in $(seq 300); do
	grep -q hot_seventy "$TMP/int.lines" 2>/dev/null && break
	sleep 0.2
done
kill -INT -- "-$(cat "$TMP/group")"
wait $job
is "$(cat "$TMP/status")" "0 0 0 0 0" "SIGINT to all stages: each ends well"
ok "and the picture has what was sampled" grep -q 'hot_seventy' "$TMP/int.svg"
ok "and is whole" xmllint --noout "$TMP/int.svg"

# SIGTERM to the first alone.
"$BIN/bpf-sample" -q -F 499 -o "$TMP/term.cap" &
p=$!
sleep 1
kill -TERM $p
wait $p
is "$?" 0 "SIGTERM ends the sampling well"
is "$(totals "$TMP/term.cap" | grep ends)" "ends 1" "and the capture is whole"

# Killing any stage ends the others.
for victim in bpf-sample stack-resolve stack-fold fold2svg; do
	rm -f "$TMP"/pid.*
	(
		(echo "$BASHPID" >"$TMP/pid.bpf-sample"; exec "$BIN/bpf-sample" -q -F 499 -i 200) |
		(echo "$BASHPID" >"$TMP/pid.stack-resolve"; exec "$BIN/stack-resolve" -q) |
		(echo "$BASHPID" >"$TMP/pid.stack-fold"; exec "$BIN/stack-fold" -q) |
		(echo "$BASHPID" >"$TMP/pid.fold2svg"; exec "$BIN/fold2svg" >"$TMP/x.svg")
	) 2>/dev/null &
	sleep 1.5
	kill -KILL "$(cat "$TMP/pid.$victim")"
	# bpf-sample sees that nobody reads at its next interval, stack-fold and fold2svg only
	# write at the end; stack-fold writes when stack-resolve ends.
	left=all
	for _ in $(seq 50); do
		left=
		for stage in bpf-sample stack-resolve stack-fold fold2svg; do
			[ -d "/proc/$(cat "$TMP/pid.$stage")" ] && left="$left $stage"
		done
		# a stage that waits for the end of its input has it when the one before ends
		[ -z "$left" ] && break
		sleep 0.2
	done
	is "$left" "" "killing $victim ends all the others"
	for stage in bpf-sample stack-resolve stack-fold fold2svg; do
		kill -KILL "$(cat "$TMP/pid.$stage")" 2>/dev/null
	done
	wait
done

kill $burn
wait $burn 2>/dev/null

# A full disk.
"$BIN/bpf-sample" -F 499 -d 1 >/dev/full 2>"$TMP/full.err"
is "$?" 1 "a full disk is status 1"
ok "and says so" grep -q 'No space left' "$TMP/full.err"
"$BIN/bpf-sample" -F 499 -d 1 -o /nonexistent/x 2>"$TMP/open.err"
is "$?" 1 "an output that cannot be opened is status 1"

# Live: lines arrive while the sampling goes on.
"$EXAMPLES/burn" 10 &
timeout 20 "$BIN/bpf-sample" -q -F 499 -d 5 -i 200 | "$BIN/stack-resolve" -q | {
	while read -r line && [[ $line == '#'* ]]; do :; done
	date +%s%N >"$TMP/first"
	cat >/dev/null
	date +%s%N >"$TMP/last"
}
ok "lines come long before the end" \
	between 2 "$(awk "BEGIN { print ($(cat "$TMP/last") - $(cat "$TMP/first")) / 1e9 }")" 20
done_testing
