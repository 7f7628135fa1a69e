#!/bin/bash
# Code made at run time: named from its perf map, which only bpf-sample may be able to read.
. t/tap.sh
. t/live.sh
command -v node >/dev/null || skip_all "no node"

# node writes isolate-*.log where it runs
root=$PWD
workload=$root/examples/jit_workload.js
cd "$TMP" || exit 1

# not below the /tmp that a container has of its own
inner=/var/tmp/t-node.$$
jit='jitHotLoop'
hot() { # its share of folded lines
	awk -v name="$jit" '$0 ~ name "[^;]*_\\[j\\] [0-9]+$" { n += $NF } { all += $NF }
		END { print all ? n / all : 0 }' "$1"
}

rm -f /tmp/perf-*.map
"$BIN/bpf-sample" -q -F 499 -o "$TMP/own.cap" -- node --perf-basic-prof "$workload" 3
rm -f /tmp/perf-*.map
folded "$TMP/own.cap" >"$TMP/own.folded"
ok "a command's JIT code is named and tagged, its map deleted since" \
	between 0.5 "$(hot "$TMP/own.folded")" 1

node --perf-basic-prof "$workload" 6 &
pid=$!
sleep 1
"$BIN/bpf-sample" -q -F 499 -d 2 -p $pid -o "$TMP/live.cap"
cp "/tmp/perf-$pid.map" "$TMP/map"
kill $pid
wait $pid 2>/dev/null
rm -f "/tmp/perf-$pid.map"
folded "$TMP/live.cap" >"$TMP/live.folded"
# What node has not written to its map yet (it buffers) cannot be named while it lives.
if grep -q "$jit" "$TMP/map"; then
	ok "a process that still runs at the end" between 0.5 "$(hot "$TMP/live.folded")" 1
else
	ok "a process that still runs: its code is not yet in its map" \
		grep -q '\[anon\]\|\[unknown\]' "$TMP/live.folded"
fi

# A pid and mount namespace of its own with its own /tmp, as a container has.
cat >"$TMP/contained.sh" <<END
mount -t tmpfs none /tmp
exec "\$1" --perf-basic-prof "$inner.js" 3
END
cp "$(command -v node)" "$inner"
cp "$workload" "$inner.js"
script=$(cat "$TMP/contained.sh")
unshare --pid --mount --fork --mount-proc --propagation private bash -c "$script" sh "$inner" &
sleep 0.5
"$BIN/bpf-sample" -q -F 499 -d 5 -o "$TMP/box.cap"
wait
rm -f "$inner" "$inner.js"
folded "$TMP/box.cap" --by comm | grep "^${inner##*/}"  >"$TMP/box.folded"
ok "node in its own pid and mount namespace" between 0.5 "$(hot "$TMP/box.folded")" 1
ok "its functions are named though its binary is gone" \
	grep -q 'node::Start' "$TMP/box.folded"

# Maps that must not be believed: another user's, a symbolic link, a FIFO.
cat >"$TMP/evil.sh" <<'END'
node "$2" 2 &
pid=$!
case $1 in
owner) echo "0 ffffffffffff EVIL" >/tmp/perf-$pid.map; chown nobody /tmp/perf-$pid.map ;;
link) echo "0 ffffffffffff EVIL" >/tmp/evil.$$; ln -s /tmp/evil.$$ /tmp/perf-$pid.map ;;
fifo) mkfifo /tmp/perf-$pid.map ;;
esac
wait
rm -f /tmp/evil.$$
END
for kind in owner link fifo; do
	timeout 60 "$BIN/bpf-sample" -F 499 -o "$TMP/evil.cap" -- \
		sh "$TMP/evil.sh" $kind "$workload" 2>"$TMP/evil.err"
	is "$?" 0 "a perf map that must not be believed ($kind) does not stop anything"
	ok "and is told about ($kind)" grep -q 'perf-[0-9]*\.map.*not used' "$TMP/evil.err"
	is "$(timeout 20 "$BIN/stack-resolve" -q <"$TMP/evil.cap" | grep -c EVIL)" 0 \
		"and not believed ($kind)"
	rm -f /tmp/perf-*.map
done
done_testing
