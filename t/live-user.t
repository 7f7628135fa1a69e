#!/bin/bash
# The capture rule: root samples, anyone resolves, later, what is gone by then.
. t/tap.sh
. t/live.sh
getent passwd nobody >/dev/null || skip_all "no user nobody"

chmod 755 "$TMP"
mkdir "$TMP/private"
cp "$EXAMPLES/burn" "$TMP/private/secretburn"
cp "$EXAMPLES/burn" "$TMP/goneburn"
chmod 700 "$TMP/private"
"$TMP/private/secretburn" 4 &
"$TMP/goneburn" 4 &
rm "$TMP/goneburn"
unshare --mount --propagation private sh -c '
	mount -t tmpfs none /mnt && cp "$1" /mnt/boxburn && exec /mnt/boxburn 4' sh \
	"$EXAMPLES/burn" &
sleep 0.3
"$BIN/bpf-sample" -q -F 997 -d 2 -o "$TMP/root.cap"
wait
as_nobody() { setpriv --reuid nobody --regid nogroup --clear-groups "$@"; }
cp "$BIN/stack-resolve" "$TMP/stack-resolve"
as_nobody "$TMP/stack-resolve" "$TMP/root.cap" >"$TMP/lines" 2>"$TMP/err"
is "$?" 0 "nobody resolves a capture of root's"
"$BIN/stack-fold" "$TMP/lines" >"$TMP/folded"
for comm in secretburn goneburn boxburn; do
	ok "functions of $comm, which nobody cannot read, are named" \
		grep -q "^$comm;.*main;hot_seventy;spin " "$TMP/folded"
done
# Idle time does not count, so that some kernel frames are there on the quietest machine:
# page faults and system calls of the programs above.
all=$(grep -o '\[kernel[^`]*`[^	]*' "$TMP/lines" | wc -l)
named=$(grep -o '\[kernel[^`]*`[^	]*' "$TMP/lines" | grep -vc '`0x')
ok "nearly all of $all kernel frames are named" \
	between 0.99 "$(calc "$named / $all")" 1
ok "there are kernel frames" between 1 "$all" 1e9

# Without the kernel's symbols: one warning, addresses, no failure.
old=$(cat /proc/sys/kernel/kptr_restrict)
echo 2 >/proc/sys/kernel/kptr_restrict
"$BIN/bpf-sample" -F 499 -d 1 -o "$TMP/hidden.cap" 2>"$TMP/hidden.err"
status=$?
echo "$old" >/proc/sys/kernel/kptr_restrict
is "$status" 0 "kptr_restrict is no failure"
is "$(grep -c kptr_restrict "$TMP/hidden.err")" 1 "but one warning"
ok "kernel frames are addresses then" grep -q '\[kernel\]`0xffff' <(lines "$TMP/hidden.cap")

# A BPF program's frames: the sampler's own may be hit, so only the form is checked here.
is "$(lines "$TMP/root.cap" | grep -o '`bpf_prog_[^	]*' | grep -c '^$')" 0 "no empty BPF names"
done_testing
