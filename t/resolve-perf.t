#!/bin/bash
# stack-resolve --perf: goldens written by hand, and what readers make of the text.
. t/tap.sh
. t/perf-text.sh

mkcap() { "$O/t/mkcap"; }

is "$(resolve --perf t/data/small.cap)" "$(cat t/golden/small.perf)" "golden: small.cap"
is "$(resolve --perf t/data/small.cap | tail -c 2 | od -An -c)" "$(printf '\n\n' | od -An -c)" \
	"an empty line behind the last sample, too"
is "$(resolve --perf --no-offsets t/data/small.cap | sed -n 2p)" \
	$'\tffffffffc1000004 nft_do_chain ([nf_tables])' "--no-offsets"
is "$(resolve --perf-header t/data/small.cap | head -n 9)" "# ========
# captured on    : Thu Jan  1 00:00:00 1970
# header version : 1
# os release : 6.1.0
# arch : x86_64
# nrcpus online : 2
# cmdline : bpf-sample -d 1
# ========
#" "--perf-header"
is "$(resolve --perf-header t/data/small.cap | grep -v '^#')" "$(cat t/golden/small.perf)" \
	"and the samples as before"
resolve --perf t/data/small.cap >/dev/full 2>"$TMP/err"
is "$?" "1" "a full disk is status 1"
head -c 700 t/data/small.cap | resolve --perf >"$TMP/cut" 2>/dev/null
is "$?" "3" "a capture that is cut is status 3"
is "$(cat "$TMP/cut")" "$(head -c "$(stat -c %s "$TMP/cut")" t/golden/small.perf)" \
	"with the samples before"

# ---- one sample as many
is "$(resolve --perf-each t/data/small.cap | awk -F'[:/ ]+' '/ cpu-clock:/ { n++; w += $(NF - 2) }
	END { print n, w }')" "55 55" "--perf-each: as many samples as they weigh"
is "$(resolve --perf-each t/data/small.cap | grep -c off-cpu)" "1" "but nanoseconds stay one"
is "$(resolve --perf-each t/data/small.cap | grep '^burn 100/100' | head -n 3 | cut -d' ' -f4)" \
	"0.030303:
0.040404:
0.050505:" "each at a time of its own, behind the thread's first three"

# ---- names that readers would stumble over
cat >"$TMP/names.txt" <<'E2'
header
event id=1 name=page%20faults
proc image=1 pid=7 comm=x
file id=1 build=aa path=/nonexistent/My%20App%20(x86)/run%20me
map image=1 file=1 start=0x1000 length=0x1000
sym scope=0 id=1 addr=0x10 size=0x10 name=f%20(g)%20;h%09
sym scope=0 id=1 addr=0x20 size=0x10 name=_ZNSt8functionIFiiiEEclEii
sym scope=0 id=1 addr=0x30 size=0x10 name=%22q%22
stack id=1 kind=1 ips=0x1012!,0x1023,0x1031,0x1101
sample event=1 image=1 tid=8 u=1 weight=1 comm=a
sample event=1 image=1 tid=8 u=1 weight=2 comm=V8%20Worker
sample event=1 image=1 tid=8 u=1 weight=3 comm=pool%201%20t%202/3
sample event=1 image=1 tid=8 u=1 weight=4 comm=#x;%20y%20
sample event=1 image=1 tid=8 u=1 weight=5 comm=%20%20z
sample event=1 image=1 tid=8 u=1 weight=6
sample event=1 tid=9 weight=7 comm=none
sample event=1 image=1 tid=8 u=1 weight=18446744073709551615 comm=c%09d time=1234567890123 cpu=1234
lost cause=1 event=1 count=1 weight=5
end
E2
mkcap <"$TMP/names.txt" >"$TMP/names.cap"
resolve --perf "$TMP/names.cap" >"$TMP/names.perf"
is "$(grep -v '^	' "$TMP/names.perf" | grep .)" "a  7/8 [000] 0.000000:    1 page_faults:
V8 Worker 7/8 [000] 0.000001:    2 page_faults:
pool_1 t_2/3 7/8 [000] 0.000003:    3 page_faults:
_x: y_ 7/8 [000] 0.000006:    4 page_faults:
__z 7/8 [000] 0.000010:    5 page_faults:
-  7/8 [000] 0.000015:    6 page_faults:
none 0/0 [000] 0.000000:    7 page_faults:
c�d 7/8 [1234] 1234.567890:    18446744073709551615 page_faults:
[lost] 0/0 [000] 1234.567890:    5 page_faults:" "heads"
is "$(sed -n 2,5p "$TMP/names.perf")" \
"	1012 f (g) ;h�+0x2 (/nonexistent/My_App_(x86)/run_me)
	1023 std::function<int (int, int)>::operator()+0x3 (/nonexistent/My_App_(x86)/run_me)
	1031 \"q\"+0x1 (/nonexistent/My_App_(x86)/run_me)
	1101 [unknown] (/nonexistent/My_App_(x86)/run_me)" "frames"

# ---- what a reader sees
round_trip small.cap t/data/small.cap
# without what the man page lists: a thread's name that is spelt otherwise, one weight
# that no sum of other programs holds
sed -E '/comm=(pool|#x|%20)/d; s/18446744073709551615/12345/; s/ \(x86\)//; s/run%20me/run/' \
	"$TMP/names.txt" | mkcap >"$TMP/plain.cap"
round_trip "names" "$TMP/plain.cap"
mkcap >"$TMP/jit.cap" <<'E2'
header
event id=1 name=cpu-clock period=10000000
proc image=1 pid=7 comm=java
file id=1 flags=8 path=[anon]
map image=1 file=1 start=0x1000 length=0x1000
ksym addr=0xffffffff81000000 size=0x40 module=bpf name=bpf_prog_1
stack id=1 kind=1 ips=0x1012!,0x1023
stack id=2 kind=0 ips=0xffffffff81000004!
sample event=1 image=1 tid=8 u=1 k=2 weight=3 comm=java
sym scope=1 id=1 addr=0x1010 size=0x10 name=outer->inner->most
sym scope=1 id=1 addr=0x1020 size=0x10 name=Interpreter
exit image=1
end
E2
round_trip "JIT, inlined, BPF" "$TMP/jit.cap"
is "$(resolve --perf "$TMP/jit.cap" | sed -n 3p)" \
	$'\t1012 outer->inner->most+0x2 (/tmp/perf-7.map)' "held back until the name is known"

# Names of odd pieces: no frame is lost, none is another one.
for seed in 1 2 3; do
	python3 t/perf_names.py $seed | mkcap >"$TMP/odd.cap"
	resolve "$TMP/odd.cap" | fold >"$TMP/want"
	is "$(wc -l <"$TMP/want") $(resolve --perf "$TMP/odd.cap" | fold | diff "$TMP/want" - |
		head -n 6)" "100 " "odd names, $seed: stack-fold makes the same of both"
done

done_testing
