#!/bin/bash
# What bpf-sample says when it cannot: one clear line, the status, the remedy.
. t/tap.sh
. t/live.sh

run() { # status pattern args…
	local want=$1 pattern=$2 status
	shift 2
	timeout 20 "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
	[ "$status" = "$want" ] || { echo "status $status"; cat "$TMP/err"; return 1; }
	grep -q -- "$pattern" "$TMP/err" || { cat "$TMP/err"; return 1; }
	[ "$want" = 2 ] || [ "$(wc -l <"$TMP/err")" -le 2 ] || { cat "$TMP/err"; return 1; }
}
B=$BIN/bpf-sample
ok "no such process" run 1 'no process 99999999' "$B" -p 99999999
ok "no such thread" run 1 'no thread 99999999' "$B" -t 99999999
ok "no such cgroup" run 1 'cgroup /nowhere: No such file' "$B" --cgroup /nowhere
ok "not a cgroup" run 1 'not a directory of the cgroup v2' "$B" --cgroup /tmp
ok "no such command" run 1 '/no/such/command: No such file' "$B" -- /no/such/command
ok "no such CPU" run 1 'CPU 4000 is not online' "$B" -d 0.1 -C 4000
for bad in '-d 0' '-d x' '-d -1' '-F 0' '-F 99999999' '-F 9.5' '-p 0' '-p 1,' '-p x' '-C 3-1' \
	'-i 0' '--max-stacks 0' '-u -k' '--no-such-option'; do
	# shellcheck disable=SC2086
	ok "wrong: $bad" run 2 '^usage: ' "$B" $bad
done
ok "a thread is not a process" run 1 'is a thread of process' sh -c '
	python3 -c "
import threading, time
t = threading.Thread(target=time.sleep, args=(10,), daemon=True); t.start()
print(t.native_id, flush=True); time.sleep(10)" >"$2/tid" &
	while [ ! -s "$2/tid" ]; do sleep 0.1; done
	"$1" -p "$(cat "$2/tid")"; s=$?; kill $!; exit $s' sh "$B" "$TMP"

cp "$B" "$TMP/bpf-sample"
chmod 755 "$TMP"
ok "an ordinary user is told what to do" run 1 'sudo, or with CAP_BPF' \
	setpriv --reuid 65534 --regid 65534 --clear-groups "$TMP/bpf-sample" -d 1
ok "the two capabilities are enough" setpriv --reuid 65534 --regid 65534 --clear-groups \
	--inh-caps +bpf,+perfmon --ambient-caps +bpf,+perfmon "$TMP/bpf-sample" -q -d 0.5
ok "a capture is not for terminals" sh -c \
	'script -qec "$1 -d 1" /dev/null | grep -q "pipe it into stack-resolve"' sh "$B"
"$B" -F 499 -d 0.5 -o "$TMP/x.cap" 2>"$TMP/summary"
n='[0-9]+'
ok "the summary" grep -Eq \
	"^bpf-sample: 0\.5 s, $n samples, $n distinct stacks, $n lost.* written, maps " \
	"$TMP/summary"
"$B" -q -F 499 -d 0.5 -o "$TMP/x.cap" 2>"$TMP/summary"
is "$(cat "$TMP/summary")" "" "-q says nothing"
ok "fractions of a second" sh -c 's=$(date +%s%N); "$1" -q -d 0.25 -o "$2/y.cap"; e=$(date +%s%N)
	[ $(( (e - s) / 1000000 )) -ge 250 ]' sh "$B" "$TMP"
done_testing
