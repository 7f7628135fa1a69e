#!/bin/bash
# The forms that the text of perf script takes by its options, versions and machines: what
# each is to become was worked out by hand.
. t/tap.sh
. t/folds.sh

frames='\t        401136 hot+0x10 (/usr/bin/app)\n\t        401200 main+0x4f (/usr/bin/app)\n'
one="app 1 [0] 1.500000: 2 cycles: \n$frames"

# ---- headers: "OPTIONS; HEADER => FOLDED", frames follow
while IFS= read -r line; do
	want=${line#* => } line=${line% => *}
	read -ra options <<<"${line%%;*}"
	folds "${line#*;}\n$frames\n" "${want/ / }\n" "header:${line#*;}" "${options[@]}"
done <<'E'
;java 25607/25608 4794564.109216: 33 cycles:uppp => java;main;hot 33
;a 5 [001] 2.500000:          7 cpu_core/cycles/P:  => a;main;hot 7
;a 5 [001] 2.500000:          7 armv8_pmuv3_0/cpu_cycles/:  => a;main;hot 7
;a 5 [001] 2.500000:          7 cpu/event=0x3c,umask=0x0/u:  => a;main;hot 7
;a 5 [001] 2.500000:          7 r01a8:u:  => a;main;hot 7
;a 5 [001] 2.500000:          7 mem:0x401136:rw:  => a;main;hot 7
;a 5 [001] 2.500000:          7 cycles:  /user.slice/x => a;main;hot 7
;a 5 [001] 2.500000:          7 cycles:u:   call                         => a;main;hot 7
;a 5 [001] 2.5:  7 cycles:    7ffe0 |OP LOAD|LVL L1 hit|SNP None|BLK  N/A    22 => a;main;hot 7
;DOM Worker 18281/18301 1.234567: 2 cycles:u:  => DOM Worker;main;hot 2
;kworker/0:1H-kblockd    77 [012] 2.5: 7 cycles:  => kworker/0:1H-kblockd;main;hot 7
;/usr/bin/x    77 [012] 2.5: 7 cycles:  => /usr/bin/x;main;hot 7
;:1234  1234 [012] 2.5: 7 cycles:  => :1234;main;hot 7
;x: y    77 [012] 2.5: 7 cycles:  => x: y;main;hot 7
;cycles:    77 [012] 2.5: 7 cycles:  => cycles:;main;hot 7
;1    77 [012] 2.5: 7 cycles:  => 1;main;hot 7
;12 34    77 [012] 2.5: 7 cycles:  => 12 34;main;hot 7
;12 34    77777 2.5: 7 cycles:  => 12 34;main;hot 7
;#hash    77 2.5: 7 cycles:  => #hash;main;hot 7
;TMPFS  3  77 [012] 2.5: 7 cycles:  => TMPFS  3;main;hot 7
;(sd-pam)  77 [012] 2.5: 7 cycles:  => (sd-pam);main;hot 7
;[kthread]  77 [012] 2.5: 7 cycles:  => [kthread];main;hot 7
;Ünïcode ✓  77 [012] 2.5: 7 cycles:  => Ünïcode ✓;main;hot 7
--by cpu;a 4194304/4194304 [1023] 2.5: 7 cycles:  => cpu 1023;main;hot 7
;a 5/6 [001] 2.5: 18446744073709551615 cycles:  => a;main;hot 18446744073709551615
;a 5/6 [001] 2.5: 0 cycles:  => a;main;hot 0
;a     5/6     [001]     12.000000000:     100000 cycles:  => a;main;hot 100000
;a 5 [001] KH   2.5: 7 cycles:  => a;main;hot 7
;a 5 [001] 2026-11-30 08:02:31.676558 2.5: 7 cycles:  => a;main;hot 7
;a 5 K     2026-11-30 08:02:31.676558 2.5: 7 cycles:  => a;main;hot 7
;a 5 [001] 7 cycles:  => a;main;hot 7
;a 5 7 cycles:  => a;main;hot 7
;a 5 cycles:  => a;main;hot 1
;my prog 12          9  => my prog;main;hot 9
;a 2.500000: cycles:  => a;main;hot 1
;my prog 2.500000: 9 cycles:  => my prog;main;hot 9
;my prog [002] 2.500000: 9 cycles:  => my prog;main;hot 9
;my prog [002]  => my prog;main;hot 1
;my prog cycles:  => my prog;main;hot 1
;my prog          9  => my prog;main;hot 9
;my prog  => my prog;main;hot 1
;2.500000: 9 cycles:  => main;hot 9
;cycles:  => main;hot 1
--by pid,tid;12/13  => pid 12;tid 13;main;hot 1
--by pid,tid;12  => pid -;tid 12;main;hot 1
--by cpu;[003]  => cpu 3;main;hot 1
;         9  => main;hot 9
;         9 cycles:  => main;hot 9
;30521.390091: sched:sched_switch: prev_comm=a b => main;hot 1
;[001] 30521.390091: sched:sched_switch: prev_comm=a b => main;hot 1
;21170 30521.390091: sched:sched_switch: prev_comm=a b => main;hot 1
;[001] sched:sched_switch: a b => main;hot 1
;21170 sched:sched_switch: a b => main;hot 1
--by tid,cpu;21170 [001] 12.5: sched:sched_switch: a b => tid 21170;cpu 1;main;hot 1
--by event;a 1/1 [001] 1.5: 7 raw 0x1b1:  => raw 0x1b1;main;hot 7
--by event;a 1/1 [001] 1.5: raw 0x1b1:  => raw 0x1b1;main;hot 1
--by event;a 1/1 [001] 1.5: 7 raw 0x1b1:  /user.slice/x => raw 0x1b1;main;hot 7
--by event;a 1/1 [001] 1.5: 7 cycles/name=foo bar/:  => cycles/name=foo bar/;main;hot 7
--by event;a 1/1 [001] 1.5: cycles/name=a b c/u:  => cycles/name=a b c/u;main;hot 1
--by event;a 1/1 [001] 1.5: 7 my own event:  => my own event;main;hot 7
--by event;1.500000: 7 raw 0x1b1:  => raw 0x1b1;main;hot 7
--by event;sched:sched_switch: prev_comm=a prev_pid=1 => sched:sched_switch;main;hot 1
--by comm,tid;my prog 21170 prev_comm=a prev_pid=1 => my prog;tid 21170;main;hot 1
--by comm,cpu;my prog 21170 [001] prev_comm=a b prev_pid=1 => my prog;cpu 1;main;hot 1
--by comm,tid;my prog prev_comm=a prev_pid=1 => my prog;tid -;main;hot 1
--by tid;21170 prev_comm=a prev_pid=1 => tid 21170;main;hot 1
;prev_comm=a prev_pid=1 => main;hot 1
E
switch='30521.390091: sched:sched_switch: prev_comm=x'
folds "$switch\n$frames\n30521.390092: cpu-clock: \n$frames\n" \
	'cpu-clock;main;hot 1\nsched:sched_switch;main;hot 1\n' \
	"nor has a sample behind one without a command" --by event
folds "my prog \n$frames\n12 34 \n$frames\n  x \n$frames\ncycles: \n$frames\n1 \n$frames\n" \
	'12 34;main;hot 1\n1;main;hot 1\ncycles:;main;hot 1\nmy prog;main;hot 1\nx;main;hot 1\n' \
	"the first header shows that the command is all there is"
folds "\n$frames\n\n$frames\n" 'main;hot 2\n' "no headers at all"
folds "\n$frames\n\n$frames\n" 'tid -;-;main;hot 2\n' "and --by has nothing" --by tid,event
folds "\n$frames" 'main;hot 1\n' "a single sample without one"
is "$(awk 'BEGIN { for (i = 0; i < 60000; i++) print "  ffffffff81000000 f" }' | "$fold" |
	awk -F';' '{ print NF, $NF }')" "60000 f_[k] 1" "a long one, beyond what is looked at"
folds "x \n\tffffffff81000010\n\t      7f12345678\n\n" 'x;[unknown];[unknown]_[k] 1\n' \
	"neither symbols nor files"
is "$(printf %b "my prog \n$frames\nx \n$frames\n" | sed 's/$/\r/' | "$fold")" \
	"$(printf 'my prog;main;hot 1\nx;main;hot 1')" "CRLF"
is "$(printf %b "\n$frames\n\n$frames\n" | sed 's/$/\r/' | "$fold")" 'main;hot 2' \
	"CRLF, no headers"
folds "$one\nno header\n$frames\n$one\n" 'app;main;hot 4\n' \
	"where headers have ids, a line without is none"
is "$(said)" "stack-fold: standard input:5: neither a sample's header nor a frame (the first of 3 \
malformed lines)" "and is told"
folds "name \n$frames\nno frames follow\nname \n$frames\n" 'name;main;hot 2\n' \
	"nor is one that no frames follow"
is "$(said)" "stack-fold: standard input:5: neither a sample's header nor a frame" "which is told"
folds "\t        401200 main+0x4f (/usr/bin/app)\n\n$one\n" 'app;main;hot 2\n' \
	"a text whose beginning is cut off"
is "$(said)" "stack-fold: standard input:1: a frame without a header before it" "and where"
folds "Warning:\nProcessed 12 events and lost 1 chunks!\n\n$one\n" 'app;main;hot 2\n' \
	"what perf says on stderr"

# ---- samples without frames, where a header tells little: the form of the others shows it
empties() { # header folded-without folded-with
	local h=$1
	folds "$h\n$frames\n$h\n\n$h\n$frames\n" "$2 1\n$3 2\n" "without frames: $h"
	folds "$h\n$frames\n$h\n$h\n$h\n$frames\n$h" "$2 3\n$3 2\n" "several, and the last: $h"
	is "$(said)" "" "none is damage: $h"
	folds "$h\n\n$h\n$frames\n" "$2 1\n$3 1\n" "the first: $h"
}
for h in 'cpu-clock: ' 'cycles:u: ' '20844 ' '[000] ' '12.500: ' '20844 cycles: '; do
	empties "$h" '[unknown]' 'main;hot'
done
for h in 'node ' 'node cpu-clock: ' 'node [000] '; do
	empties "$h" node 'node;main;hot'
done
p='   3344481 '
folds "  813 \n$frames\n  813 \n\n  813 \n$frames\n" '[unknown] 1\nmain;hot 2\n' "a short id"
set='prev_comm=a b prev_pid=1'
folds "perf 9 $set\n$frames\nperf 9 $set\n\nperf 9 $set\n$frames\n" 'perf 1\nperf;main;hot 2\n' \
	"what a tracepoint prints, without its event"
printf %b "perf 21170 NR 1 (1, 7ffe, 0)\n$frames\n" | "$fold" >"$TMP/out" 2>"$TMP/err"
is "$? $(cat "$TMP/out")" "3 " "that cannot be told from a command if it is no name=value"
is "$(said | grep -c 'standard input:1: .*-F event,trace')" 1 "and what is missing is told"
for comm in '' 'node '; do
	root=${comm:-[unknown]} root=${root% }
	folds "$comm$p\n$frames\n$comm$p\n\n$comm$p\n$frames\n$comm$p\n$frames\n" \
		"$root 3344481\n${comm:+node;}main;hot 10033443\n" "a period: $comm"
	is "$(said)" "" "a period: $comm: nothing is damaged"
done
folds "cycles: \n$frames\nnode cycles: \n\n20 cycles: \ncycles: \n$frames\n" 'main;hot 2\n' \
	"a line of another form is none"
is "$(said)" "stack-fold: standard input:5: neither a sample's header nor a frame (the first of 2 \
malformed lines)" "which is told"

# ---- folded lines behind it
for h in 'app 1 [0] 1.500000: 2 cycles: ' 'app 1.500000: 2 cycles: ' 'app 12 2 cycles: ' \
	'app          2 ' 'app 12          2 '; do
	folds "$h\n$frames\na;b;c 5\na;b;d 6\n" 'app;main;hot 2\n' "folded lines behind: $h"
	is "$(said)" "stack-fold: standard input:5: neither a sample's header nor a frame (the \
first of 2 malformed lines)" "which is told: $h"
done
folds "$one\nname 7\n" 'app;main;hot 2\n' "a folded line of one name"
is "$(said)" "stack-fold: standard input:5: neither a sample's header nor a frame" \
	"where headers have times it is malformed"
folds "$one\nname 7\n$frames\n" 'app;main;hot 2\n' "but if frames follow" -q
is "$(said)" "" "it is a header"

# ---- what it tells more of a sample
more() { # name lines: twice behind a sample, with an empty line behind it or not
	local name=$1
	shift
	folds "$one$1\n$one$1\n" 'app;main;hot 4\n' "$name"
	is "$(said)" "" "$name: nothing is damaged"
	folds "$one$1\n\n$one$1\n\n" 'app;main;hot 4\n' "$name, an empty line behind"
	is "$(said)" "" "$name, an empty line behind: nothing is damaged"
}
more "-F insn" ' insn: 48 01 c8'
more "-F insnlen,insn" ' ilen: 3 insn: 48 01 c8'
more "-F iregs,uregs" ' ABI:2    AX:0x0    BX:0xffff888328153f80 '
more "-F brstack" ' 0x401136/0x401140/P/-/-/0  0x401136/0x4/M/-/-/12/COND/- '
more "-F brstacksym" ' main+0x12/foo(int, char)+0x0/P/-/-/0  main+0x1/main+0x8/-/X/A/3 '
more "-F brstackinsn" '\n\tmain:\n\t0000000000401136\tinsn: 55           \t# PRED 3 cycles [3]
\t0000000000401137\tmov %%rsp, %%rbp\n\tmain+20:\n\t000000000040113a\tinsn: 83 \t# MISPRED 5 cycles
\t... not reaching sample ...\n'
more "-F srccode" '\n|33       \t\tx = x * 3;'
more "-F metric" '\n           app 1 [0] 1.500000: \tmetric:      0.32  insn per cycle\n'
more "-F bpf-output" '      BPF output: 0000: 48 65 6c 6c  Hell\n                 0004: 6e 67  ng
      BPF string: \"Hello\"\n'

# ---- ways to indent
folds 'java 19983 cycles:
      7f7241fbe6d8 arrayOopDesc::base(BasicType) const (/opt/jdk 1.8/libjvm.so)
      7f722d119786 Ljava/io/FileOutputStream;::writeBytes (/tmp/perf-19982.map)
      7f722d12e1d4 LBusy;::main (/tmp/perf-19982.map)\n\n' \
	'java;LBusy:::main_[j];java/io/FileOutputStream:::writeBytes_[j];'\
'arrayOopDesc::base(BasicType) const 1\n' "blanks before frames, an old perf's header"

# ---- samples of one line
folds '     a 9 [001] 7.123456:     5 cycles:P:  ffffffff9c755588 ktime_get+0x18 ([kernel.kallsyms])
     b 9/9 [001] 7.123456:     5 cycles:P:      7f9c755588aa strlen@plt+0x4 (/usr/lib/libc.so.6)
    dd 9 [001] 7.123456:     5 cycles:P:      7f9c755588aa read+0x4 (/usr/lib/libc.so.6)\n' \
	'a;ktime_get_[k] 5\nb;strlen@plt 5\ndd;read 5\n' "samples of one line"
folds '  a 9 [001] 7.123456: 5 cycles:P:  ffffffff9c755588 get+0x18 ([kernel.kallsyms])
  bitops.h:207
  a 9 [001] 7.123456: 5 cycles:P:      7f9c755588aa strlen+0x4 (/usr/lib/libc.so.6)
  libc.so.6[12ab]\n' 'a;get_[k] 5\na;strlen 5\n' "with source lines"
is "$(said)" "" "and nothing is damaged"
folds '           names 12870  ffffffff8225fd19 f
           12 34 12870      7fd5340b3970 g\n              dd 12877      7fd5340b3970 g\n' \
	'12 34;g 1\ndd;g 1\nnames;f_[k] 1\n' "of command, tid, address and symbol"
folds '           names  ffffffff8225fd19 f\n         my prog      7fd5340b3970 g
              dd      7fd5340b3970 [unknown]\n' \
	'dd;[unknown] 1\nmy prog;g 1\nnames;f_[k] 1\n' "of command, address and symbol"
folds '           names 12870/12870 25404.997603:  ffffffff8225fd19\n' 'names;[unknown]_[k] 1\n' \
	"of an address without its symbol"
folds '           names 25404.997603: \n               1 25405.000286: \n' '1 1\nnames 1\n' \
	"of command and time"
folds '  x 9 [001] 7.123456: 5 cpu/mem-loads,ldlat=30/P:     7ffd12345678 |OP LOAD|LVL L1 hit|'\
'SNP None|TLB L1 or L2 hit|LCK No|BLK N/A  35           401136 f+0x10 (/usr/bin/x)\n' 'x;f 5\n' \
	"of memory: the frame is behind the data's address"
folds '  x 9 [001] 7.1: 5 cycles:     7ffd12345678 [unknown] ([stack])           401136 f (/x)\n' \
	'x;f 5\n' "and behind the data's symbol"
folds '  x 9 [001] 7.1: 1 branches:uH: call            401136 f (/x) =>           401150 g (/x)\n' \
	'x;f 1\n' "of branches: where it comes from"

# ---- tracepoints
head='a 9 [001] 7.123456:'
folds "$head sched:sched_switch: prev_comm=b 12 [003] 1.234567: cycles: prev_pid=9\n$frames\n" \
	'a;main;hot 1\n' "a payload like a header"
folds "$head probe:x: (401136) a=401136 f (/x)\n$frames\n" 'a;main;hot 1\n' \
	"a payload like a frame"
folds "$head raw_syscalls:sys_enter: NR 1 (1, 7ffe, 0)\n$head raw_syscalls:sys_enter: NR 2 (1)\n" \
	'a 2\n' "a payload without a stack"
folds "  bash 9 [001] 7.1: block:block_rq_issue: 8,0:12\n" 'bash 1\n' "a payload like a source line"

# ---- frames
f() { # frame folded name option…
	local frame=$1 want=$2 name=$3
	shift 3
	folds "c 1 [0] 1.5: 1 cycles: \n\t$frame\n\n" "c;$want 1\n" "$name" "$@"
}
f 'ffffffff81 read+0x1 ([kernel.kallsyms]_text)' 'read_[k]' "an old name of the kernel"
f 'ffffffff81 read+0x1 ([kernel.vmlinux])' 'read_[k]' "another"
f 'ffffffff81 read+0x1 ([kernel.kallsyms]+0x12)' 'read_[k]' "the kernel, -F dsoff"
f 'ffffffff81 nat+0x1 ([nf_nat]+0x12)' 'nat_[k]' "a module, -F dsoff"
f 'ffffffff81 read+0x1 ([guest.kernel.kallsyms.1234])' 'read_[k]' "a guest's kernel"
f 'ffffffff81 read+0x1 (/root/.debug/.build-id/ab/cdef/vmlinux)' 'read_[k]' "a vmlinux kept"
f 'ffffffffc0 [unknown] (/lib/modules/6.1/kernel/net/nf_nat.ko.zst)' '[nf_nat.ko.zst]_[k]' \
	"an address in a module's file"
f 'ffffffffa0 bpf_trampoline_64+0x1 ([bpf_trampoline_64])' 'bpf_trampoline_64_[k]' \
	"a BPF trampoline"
f '7f1 [unknown] (/tmp/perf-10939.map)' '[perf-10939.map]_[j]' "an address that a map lacks"
f '7f1 [unknown] (/tmp/jitted-1-3.so)' '[jitted-1-3.so]_[j]' "one that a jitted file lacks"
f '7f1 hot (/proc/12/root/tmp/perf-1.map)' 'hot_[j]' "a container's map"
f '7f1 hot (/tmp/perf-1.map (deleted))' 'hot_[j]' "a map that is gone"
f '9c51fd34 java.lang.String.hashCode ([JIT app cache])' 'java.lang.String.hashCode_[j]' \
	"Android's JIT"
f '9c51fd34 a.b.c (/memfd:jit-cache (deleted))' 'a.b.c_[j]' "and its memfd"
f '9c51fd34 [unknown] ([anon:libc_malloc])' '[anon:libc_malloc]' "memory with a name"
f '7f1 foo ()' 'foo' "a file without a name"
f 'ffffffff81000000 do_idle' 'do_idle_[k]' "no file: the address tells the kernel"
f 'ffffffffff600000 vtime' 'vtime' "but for [vsyscall]"
f '7f1 [unknown] (/memfd:doublemapper (deleted))' '[memfd:doublemapper]' "a memfd"
f '7f1 [unknown] (anon_inode:[perf_event])' '[anon_inode:[perf_event]]' "an anonymous inode"
f '7f1 f+0x1 (/opt/my app/x)' 'f' "a blank in a path"
f '7f1 f+0x1 (C:\\\\Games\\\\x.exe)' 'f' "a path of Windows"
f '7f1 clock_gettime@@GLIBC_2.17+0x4 (/usr/lib/libc.so.6)' 'clock_gettime@@GLIBC_2.17' "a version"
f '7f1 std::ostream& operator<< <char>(std::ostream&, char)+0x4 (/x)' \
	'std::ostream& operator<<' "an operator's template arguments" --shorten
f '7f1 core::ops::FnOnce::call_once{{vtable.shim}}+0x4 (/x)' \
	'core::ops::FnOnce::call_once{{vtable.shim}}' "Rust"
f '7f1 <(A, B) as X<(C)>>::f+0x4 (/x)' '<(A, B) as X<(C)>>::f' "Rust, tuples"
f '7f1 main.f[go.shape.int_0]+0x4 (/x)' 'main.f[go.shape.int_0]' "Go, generics"
f '7f1 camlStdlib__List__map_1234+0x4 (/x)' 'camlStdlib__List__map_1234' "OCaml"
f '7f1 java.lang.Thread::run(java/lang/X;I)V+0x4 (/tmp/jitted-1-1.so)' \
	'java.lang.Thread::run(java/lang/X:I)V_[j]' "Java, a signature"
f '7f1 JS:^(anonymous) node:internal/x:1:2+0x4 (/tmp/perf-1.map)' \
	'JS:^(anonymous) node:internal/x:1:2_[j]' "JavaScript"
f '7f1 py::foo:/a/b c.py+0x4 (/tmp/perf-1.map)' 'py::foo:/a/b c.py_[j]' "Python"
f '7f1 RegExp:(?:a) b+0x4 (/tmp/perf-1.map)' 'RegExp:(?:a) b_[j]' "a regular expression"
f '  c0101234 vector_swi+0x4 ([kernel.kallsyms])' 'vector_swi_[k]' "32-bit ARM"
f 'ffff800008 el0t_64_sync+0x4 ([kernel.kallsyms])' 'el0t_64_sync_[k]' "64-bit ARM"

done_testing
