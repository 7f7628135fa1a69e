#!/bin/bash
# stack-fold on the text of perf script: what each form of it is to become was worked out by
# hand. TABs are written as such in what printf gets.
. t/tap.sh
. t/folds.sh

# ---- headers
frames='\t        401136 hot+0x10 (/usr/bin/app)\n\t        401200 main+0x4f (/usr/bin/app)\n'
for header in 'app 812 [003] 1224.160952:     250000 cpu-clock: ' \
	'app   812/813   [003]  1224.160952:     250000 cpu-clock:pppH: ' \
	'app 812 1224.160952:     250000 cycles:' \
	'app 812/812 [000] 1224.160952612: 250000 cycles:u:  ' \
	'app 812 250000 cycles: ' \
	'            app   812 [003] 1224.160952:     250000 cycles: ' \
	'app 812 [003] d.h1. 1224.160952:     250000 cycles: '; do
	folds "$header\n$frames\n" 'app;main;hot 250000\n' "header: $header"
done
folds "app 812 [003] 1224.160952: cycles: \n$frames\n" 'app;main;hot 1\n' "no period: one each"
folds "app 812\n$frames\n" 'app;main;hot 1\n' "neither time nor event"
folds "app 812 [003] 1224.160952: \n$frames\n" 'app;main;hot 1\n' "no event"
folds "Web Content 81/82 [001] 2.5: 7 cycles: \n$frames\n" 'Web Content;main;hot 7\n' \
	"a comm with a blank"
folds "job 12 34 5/6 [001] 2.5: 7 cycles: \n$frames\n" 'job 12 34;main;hot 7\n' \
	"a comm with numbers"
folds "a 5/6 [001] 2.5: 7 cycles: \n$frames\n" 'a;main;hot 7\n' "a comm of one letter"
folds ":-1    -1 [001] 2.5: 7 cycles: \n\tffffffff81000010 do_exit+0x10 ([kernel.kallsyms])\n\n" \
	':-1;do_exit_[k] 7\n' "a task that is exiting"
folds ":-1 -1/-1 [001] 2.5: 7 cycles: \n$frames\n" ':-1;main;hot 7\n' "both of its ids"
folds "swapper     0 [012] 2.5: 7 cycles: \n$frames\n" 'swapper;main;hot 7\n' "pid 0"
folds "kworker/u8:5-events_unbound 77 [012] 2.5: 7 cycles: \n$frames\n" \
	'kworker/u8:5-events_unbound;main;hot 7\n' "a comm with a colon"
folds "a;b 7 [012] 2.5: 7 cycles: \n$frames\n" 'a:b;main;hot 7\n' "a comm with a semicolon"

# ---- samples
one="app 1 [0] 1.5: 2 cycles: \n$frames"
folds "$one\n$one\n" 'app;main;hot 4\n' "equal samples add up"
folds "$one\n${one%??}" 'app;main;hot 4\n' "the last line has no end"
folds "$one" 'app;main;hot 2\n' "the last sample has no empty line behind it"
folds "$one$one\n" 'app;main;hot 4\n' "no empty line between samples"
folds "$one\n\n\n$one\n\n" 'app;main;hot 4\n' "several"
folds "$one \n$one\t\n" 'app;main;hot 4\n' "empty lines of blanks"
folds "app 1 [0] 1.5: 2 cycles: \n\n$frames\n$one\n" 'app;main;hot 4\n' \
	"an empty line between a header and its frames"
folds "# ========\n# cmdline : perf\n#\n$one\n" 'app;main;hot 2\n' "comments at the head"
folds "app 1 [0] 1.5: 2 cycles: \n\n$one\n" 'app 2\napp;main;hot 2\n' "an empty call chain"
folds "app 1 [0] 1.5: 2 cycles: \napp 1 [0] 1.6: 3 cycles: \n" 'app 5\n' "no frames at all"
is "$(printf %b "$one\n" | sed 's/$/\r/' | "$fold")" "app;main;hot 2" "CRLF"
head='          false 39654 19115.489713:          1 cycles:u:  '
folds "${head}ffffffff9b201293 [unknown] ([unknown])\n${head/1 c/4 c}    7f _start+0x4 (/l)\n" \
	'false;[unknown] 1\nfalse;_start 4\n' "samples of one line"
head='bash 9 [001] 7.123456: sched:sched_switch: prev_comm=bash prev_pid=9'
folds "$head ==> next_comm=a b\n$frames\n" 'bash;main;hot 1\n' "a tracepoint's payload"
folds "$head\n        more of it: 1\n$frames\n" \
	'bash;main;hot 1\n' "of two lines"

# ---- frames
folds "app 1/1 K   1.5: cycles: \n$frames\n" 'app;main;hot 1\n' "-F misc"
folds "b 0 [000] 0.0: PERF_RECORD_MMAP2 1/1: [0x7f(0x11) @ 0xf fe:0 3 0]: r-xp /l
b 0 [000] 0.0: PERF_RECORD_COMM: b:42/42\n$one\n" 'app;main;hot 2\n' "records that are no samples"
round=PERF_RECORD_FINISHED_ROUND
folds "$round\n$one\n$round\n$one\n$round\n" 'app;main;hot 4\n' "the ends of rounds"
is "$(said)" "" "are no damage"
folds "$round\ncycles: \n$frames\n$round\ncycles: \n$frames\n$round\n" 'main;hot 2\n' \
	"nor where headers have little"
is "$(said)" "" "nothing is said then"

f() { # frame folded name option…
	local frame=$1 want=$2 name=$3
	shift 3
	folds "c 1 [0] 1.5: 1 cycles: \n\t$frame\n\n" "c;$want 1\n" "$name" "$@"
}
f '401136 hot (/usr/bin/app)' 'hot' "without an offset"
f '    401136 hot+0x1f (/usr/bin/app)' 'hot' "blanks before the address"
f '401136 [unknown] (/usr/lib/libc.so.6)' '[libc.so.6]' "[unknown] of a file"
f '401136 [unknown] ([unknown])' '[unknown]' "of nothing known"
f 'ffffffff81000000 [unknown] ([kernel.kallsyms])' '[kernel]_[k]' "of the kernel"
f '401136 [unknown] (/usr/lib/libc.so.6 (deleted))' '[libc.so.6]' "of a file that is gone"
f '401136 f+0x1 (/opt/a b (x)/lib.so (deleted))' 'f' "a path with blanks and brackets"
f '401136 f+0x1 (/opt/a b (x)/lib.so)' 'lib.so`f' "and its name" --modules
f '401136 f+0x1 (/usr/lib/libc.so.6+0x2724a)' 'libc.so.6`f' "a file with an offset" --modules
f '401136 f' 'f' "no file"
f '7fff1000 clock+0x1 ([vdso])' 'clock' "[vdso] is not the kernel's"
f 'ffffffffff600000 vtime+0x0 ([vsyscall])' 'vtime' "nor is [vsyscall]"
f '7fff1000 x+0x1 ([heap])' 'x' "nor [heap]"
f '7fff1000 [unknown] (//anon)' '[anon]' "memory without a file"
f 'ffffffff81 read+0x1 ([kernel.kallsyms])' 'read_[k]' "[kernel.kallsyms]"
f 'ffffffff81 read+0x1 ([guest.kernel.kallsyms])' 'read_[k]' "a guest's"
f 'ffffffff81 read+0x1 (/usr/lib/debug/boot/vmlinux-5.4.14-x.1)' 'read_[k]' "a versioned vmlinux"
f '8c3453 read+0x1 (/lib/modules/4.3.0/build/vmlinux)' 'read_[k]' "vmlinux"
f 'ffffffffc0 nat+0x1 ([nf_nat])' 'nat_[k]' "a module"
f 'ffffffffc0 nat+0x1 ([nf_nat])' '[kernel:nf_nat]`nat_[k]' "a module's name" --modules
f 'ffffffffc0 nat+0x1 (/lib/modules/6.1/kernel/net/nf_nat.ko.xz)' 'nat_[k]' "a packed .ko"
f 'ffffffffc0 p+0x1 (bpf_prog_2b956549c660136a_lb)' 'p_[k]' "a BPF program"
f '7f72 hot+0x1 (/tmp/perf-1234.map)' 'hot_[j]' "a perf map"
f '7f72 hot+0x1 (/tmp/jitted-1234-99.so)' 'hot_[j]' "a jitted .so"
f '7f72 hot+0x1 ([JIT] tid 1234)' 'hot_[j]' "[JIT]"
f '401136 std::function<int (int, int)>::operator()(int, int) const+0x1f (/usr/bin/app)' \
	'std::function<int (int, int)>::operator()(int, int) const' "C++ brackets"
f '401136 main::{lambda(int)#1}::operator() (/usr/bin/app)' 'main::{lambda(int)#1}::operator()' \
	"a lambda"
f '401136 (anonymous namespace)::f(char const*) (/usr/bin/app)' \
	'(anonymous namespace)::f(char const*)' "an anonymous namespace"
f '401136 operator new(unsigned long) (/usr/bin/app)' 'operator new(unsigned long)' "operator new"
f '401136 A::operator->() const (/usr/bin/app)' 'A::operator->() const' "operator->"
f '401136 <alloc::boxed::Box<T> as gc::Trace>::trace::mark+0xe (/usr/bin/boa)' \
	'<alloc::boxed::Box<T> as gc::Trace>::trace::mark' "Rust"
f '443319 regexp/syntax.(*parser).push+0xa6 (/usr/bin/go)' 'regexp/syntax.(*parser).push' "Go"
f '401136 camlStdlib__List__map_$27 (/usr/bin/app)' 'camlStdlib__List__map_$27' "OCaml"
f '7f1 LazyCompile:*get "a(b;c" /x/y.js:3 (/tmp/perf-1.map)' \
	'LazyCompile:*get "a(b:c" /x/y.js:3_[j]' "JavaScript, a bracket without its end"
f '7f1 RegExp:[&<>\\"'"'"'] (/tmp/perf-1.map)' 'RegExp:[&<>\\"'"'"']_[j]' "quotes"
f '7f1 Lpkg/Cls;::m+0x4 (/tmp/perf-1.map)' 'pkg/Cls:::m_[j]' "Java"
f '7f1 Lp/A;::a->Lp/B;::b->Lp/C;::c+0x4 (/tmp/perf-1.map)' \
	'p/A:::a_[j];p/B:::b_[i];p/C:::c_[i]' "Java, inlined"
f '7f1 add+0x4 (/usr/bin/app)' 'add' "a name of hexadecimal digits"
f '7f443cc8af43 __mmap64 (inlined)' '__mmap64_[i]' "inlined"
f '401136 f+0x1 (/usr/bin/app)\n  app.c:12' 'f' "a source line behind it"
f '401136 f+0x1 (/usr/bin/app)\n  app.c:12 (discriminator 3)' 'f' "one with a discriminator"
f '401136 f+0x1 (/lib/libc.so.6)\n  libc.so.6[27b25]' 'f' "one that perf does not know"
is "$(said)" "" "and none of them is damage"
f '401136 f+0x1 (/usr/bin/app)' 'f+0x1' "--offsets" --offsets
folds 'c 1 [0] 1.5: 1 cycles: \n\t1 f (/a)\n\t1 mid (inlined)\n\t1 out (inlined)\n\t2 m (/a)\n\n' \
	'c;m;out_[i];mid_[i];f 1\n' "a chain of inlined ones"

# ---- several events
two="a 1 [0] 1.5: 10 cycles: \n$frames\na 1 [0] 1.5: 1000 cache-misses: \n$frames\n"
folds "$two$two" 'a;main;hot 20\n' "of several events the first"
is "$(said)" "stack-fold: left out: 2 samples of cache-misses; folded are those of cycles \
(--event NAME takes another, --by event keeps all apart)" "and what was left out is said"
folds "$two" 'a;main;hot 1000\n' "or the one named" --event cache-misses
folds "$two" 'cache-misses;main;hot 1000\ncycles;main;hot 10\n' "or all" --by event
is "$(said)" "" "and nothing is said then"
hybrid="a 1 1.5: 10 cpu_core/cycles/P: \n$frames\na 1 1.5: 5 cpu_atom/cycles/P: \n$frames\n"
folds "$hybrid" 'a;main;hot 10\n' "of a hybrid processor's two the first" -q
folds "$hybrid$two" 'a;main;hot 25\n' "or the event of all its parts" --event cycles -q
folds "$hybrid$two" 'a;main;hot 5\n' "or of the one that is named" --event cpu_atom/cycles/ -q
folds "${two/cycles/cycles:u}$two" 'a;main;hot 20\n' "modifiers make no other event"
folds "$two" 'a;main;hot 1\n' "--count" --count
folds "a 1 [0] 1.5: 10101010 cpu-clock:pppH: \n$frames\n" 'a;main;hot 10101010\n' "--unit ns" \
	--unit ns
folds "a 1 [0] 1.5: 10101010 cpu-clock:pppH: \n$frames\n" 'a;main;hot 1\n' "--unit samples" \
	--unit samples

# ---- options, the same for all kinds
ids="app 12/13 [003] 1.5: 2 cycles: \n$frames\n"
folds "$ids" 'app;pid 12;tid 13;cpu 3;cycles;main;hot 2\n' "--by" --by comm,pid,tid,cpu,event
folds "app 13 [003] 1.5: 2 cycles: \n$frames\n" 'pid -;tid 13;main;hot 2\n' \
	"a single number is the thread's" --by pid,tid
deep='d 1 [0] 1.5: 3 cycles: \n\tffffffff81 sys_read+0x1 ([kernel.kallsyms])
\t1 f<int>(A<b>)+0x3 (/a)\n\t1 f<int>(A<b>)+0x4 (/a)
\t1 f<char>(int)+0x4 (/a)\n\t2 main (/a)\n\t3 _start (/a)\n\n'
folds "$deep" 'd;_start;main;f;f;f;sys_read_[k] 3\n' "--shorten" --shorten
folds "$deep" 'd;_start;main;f<char>(int);f<int>(A<b>);sys_read_[k] 3\n' "--collapse-recursion" \
	--collapse-recursion
folds "$deep" 'd;_start;main;f;sys_read_[k] 3\n' "both" --collapse-recursion --shorten
folds "$deep" 'd;main;f<char>(int);f<int>(A<b>);f<int>(A<b>);sys_read_[k] 3\n' "--skip-after" \
	--skip-after main
folds "$deep" 'd;sys_read_[k];f<int>(A<b>);f<int>(A<b>);f<char>(int);main;_start 3\n' "--reverse" \
	--reverse
folds "$deep" 'd;sys_read_[k] 3\n' "--kernel" --kernel
folds "$deep" 'd;_start;main;f<char>(int);f<int>(A<b>);f<int>(A<b>) 3\n' "--user" --user
folds "$deep$one\n" 'd;sys_read 3\n' "--min-count" --min-count 3 --no-annotate --kernel
folds 'a;b;b;c_[k] 3\na;d 1\n' 'a;b;c_[k] 3\na;d 1\n' "folded lines: --collapse-recursion" \
	--collapse-recursion
folds 'a;b;b;c_[k] 3\na;d 1\n' 'c_[k];b;b;a 3\n' "--reverse and --min-count" --reverse --min-count 2
folds 'a;b;c<d>(e)_[k] 3\n' 'a;b;c_[k] 3\n' "--shorten" --shorten
folds ';;a;a 3\n' ';a 3\n' "names that are empty" --collapse-recursion
folds 'a;b;c 3\n' 'b;c 3\n' "--skip-after" --skip-after b
folds 'a;b;c_[k] 3\nd 1\n' 'c_[k] 3\n' "--kernel" --kernel
folds 'a;b_[j];c_[k] 3\n' 'a;b;c 3\n' "--no-annotate" --no-annotate
folds 'a;b;[x]_[j];[y]_[i];[z]_[k];[w] 3\n' '[w];[z]_[k];[y]_[i];[x]_[j];b;a 3\n' \
	"annotations of names in brackets" --reverse
remarks='a;[truncated: x];b;[truncated: y];c_[k] 3\n[lost];[lost: z] 2\n'
folds "$remarks" '[lost];[lost: z] 2\na;[truncated: x];b 3\n' \
	"a remark is of the kind of the frame behind it" --user
folds "$remarks" '[lost: z] 2\n[truncated: y];c_[k] 3\n' "what was lost may be either" --kernel
folds 'a;[libc.so.6];b_[k] 3\n' 'a;[libc.so.6] 3\n' "an address without a symbol is no remark" \
	--user

folds 'a 3.00\na 4.\nb 1000.0\n0.5 7\n' '0.5 7\na 7\nb 1000\n' "a fraction of zeros"
is "$(said)" "" "is none"
folds 'a 3\na 0.5\nb .0\n' 'a 3\n' "another fraction is malformed"
is "$(said)" "stack-fold: standard input:2: the count is no whole number (the first of 2 malformed \
lines)" "and told"

# ---- what is damaged
printf %b "$one\n\tweird\n\tGARBAGE here\n$one\nno header at all\n$frames\n$one\n" |
	"$fold" >"$TMP/out" 2>"$TMP/err"
is "$? $(cat "$TMP/out")" "3 app;main;hot 6" "damaged parts: status 3, the rest is folded"
is "$(said)" "stack-fold: standard input:5: a frame without a header before it (the first of 5 \
malformed lines)" "counted, with the first place"
printf %b "$one\tTHIS_IS_NO_FRAME\n\n" | "$fold" >"$TMP/out" 2>"$TMP/err"
is "$? $(cat "$TMP/out")" "3 app;main;hot 2" "a line in a stack that is none of its frames"
is "$(said)" "stack-fold: standard input:4: not a frame (ADDRESS SYMBOL (FILE))" "and where"
printf 'hello\nworld\n' | "$fold" >"$TMP/out" 2>"$TMP/err"
is "$? $(cat "$TMP/out")" "1 " "neither kind: status 1"

# ---- what perf has written: events apart, and the first one
is "$("$fold" --by event,comm t/golden/recorded.perf)" "$(cat t/golden/recorded.folded)" \
	"recorded: all events"
is "$("$fold" t/golden/recorded.perf 2>/dev/null)" \
	"$(sed -n 's/^page-faults;//p' t/golden/recorded.folded)" "recorded: the first one"

# ---- what perf itself writes here
record() {
	perf record -q -F 499 -g -e cpu-clock -o "$TMP/perf.data" "$O/examples/burn" 1 \
		>/dev/null 2>&1
}
if ! command -v perf >/dev/null || [ "$(id -u)" != 0 ] || [ ! -x "$O/examples/burn" ]; then
	skip "perf's own text" "no perf, or no root"
# Some versions abort now and then on some kernels, which is not what is tested.
elif ! { record || record || record || record; }; then
	diag "perf cannot record here"
else
	perf script -i "$TMP/perf.data" >"$TMP/perf.txt" 2>/dev/null
	samples=$(grep -c 'cpu-clock' "$TMP/perf.txt")
	"$fold" --count "$TMP/perf.txt" >"$TMP/out"
	is "$?" 0 "perf's own text: all of it was understood"
	is "$(awk '{ n += $NF } END { print n }' "$TMP/out")" "$samples" "each sample is there"
	ok "and burn's functions" grep -q '^burn;.*main;hot_seventy;spin' "$TMP/out"
	for fields in comm,tid,ip,sym comm,pid,tid,time,event,ip,sym,dso,symoff \
		comm,tid,period,event,ip,sym; do
		perf script -i "$TMP/perf.data" -F $fields >"$TMP/fields.txt" 2>/dev/null
		"$fold" --count "$TMP/fields.txt" >"$TMP/out"
		ok "-F $fields" grep -q '^burn;.*main;hot_seventy;spin' "$TMP/out"
	done
fi

done_testing
