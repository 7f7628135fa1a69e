#!/bin/bash
# A capture of a busy machine as the text of perf script: readers see what stack-fold sees
# in the stack lines.
. t/tap.sh
. t/live.sh
. t/perf-text.sh

cat >"$TMP/busy.py" <<'END'
import hashlib, re, time, zlib
end = time.time() + 2
while time.time() < end:
    hashlib.sha256(b"x" * 100000).digest()
    zlib.compress(bytes(range(256)) * 200)
    re.sub(r"(a+)+b", "", "aaaaaaaaaaaaaaac")
END
# shellcheck disable=SC2016 # $0 is for the inner shell
"$BIN/bpf-sample" -q -F 499 -o "$TMP/busy.cap" -- sh -c '
	python3 "$0" & cat /dev/zero | head -c 300000000 | wc -c >/dev/null; wait' "$TMP/busy.py"
resolve --perf "$TMP/busy.cap" >"$TMP/busy.perf"
ok "the kernel's frames: $(grep -cF '([kernel.kallsyms])' "$TMP/busy.perf")" \
	grep -qF '([kernel.kallsyms])' "$TMP/busy.perf"
ok "and the user's" grep -qE '^	[0-9a-f]+ [^ ]+\+0x[0-9a-f]+ \(/' "$TMP/busy.perf"
round_trip "live" "$TMP/busy.cap"

# What the lines tell of files and time reaches a profile.
"$BIN/stack-resolve" -q "$TMP/busy.cap" | "$BIN/stack2pprof" >"$TMP/busy.gz"
python3 t/pprof.py dump "$TMP/busy.gz" >"$TMP/dump"
sed -n 's/^mapping \(\/[^ ]*\) .*/\1/p' "$TMP/dump" >"$TMP/files"
ok "a profile of files: $(wc -l <"$TMP/files")" test -s "$TMP/files"
is "$(sed -n 's/^mapping \(\/[^ ]* [^ ]*\) .*/\1/p' "$TMP/dump")" "$(while read -r file; do
	id=$(readelf -nW "$file" | sed -n 's/.*Build ID: //p')
	echo "$file ${id:--}"
done <"$TMP/files")" "each has its build-id"
ok "and the profile the capture's time" python3 -c 'import sys, time
at = int(open(sys.argv[1]).read().split(" time ")[1].split()[0])
sys.exit(not 0 < time.time() - at / 1e9 < 3600)' "$TMP/dump"

done_testing
