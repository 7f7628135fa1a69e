#!/bin/bash
# stack-fold on bpftrace's maps and DTrace's aggregations: what each form of them is to
# become was worked out by hand.
. t/tap.sh
. t/folds.sh

# ---- bpftrace
head='Attaching 2 probes...\n\n\n'
kernel='\n    vfs_read+16\n    do_syscall_64+90\n    entry_SYSCALL_64_after_hwframe+118\n'
user='\n    read+17\n    main+20\n    _start+33\n'
k='entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k];vfs_read_[k]'
u='_start;main;read'
folds "$head@[$kernel, $user, cat]: 12\n" "cat;$u;$k 12\n" "kstack, ustack, comm"
folds "$head@[cat, $kernel, $user]: 12\n" "cat;$u;$k 12\n" "comm, kstack, ustack"
folds "$head@[cat, $user, $kernel]: 12\n" "cat;$u;$k 12\n" "comm, ustack, kstack"
folds "$head@[$user,$kernel,cat]: 12\n" "cat;$u;$k 12\n" "blanks lost at line ends"
folds "$head@[$kernel, $user, cat]: 12\n" "cat;$u;${k//_\[k\]/} 12\n" "--no-annotate" \
	--no-annotate
folds "@[$kernel, cat]: 2\n" "cat;$k 2\n" "one stack, the kernel's by its root"
folds "@[$user, cat]: 2\n" "cat;$u 2\n" "one stack, a user's"
folds "@[\n    b+1\n    a+1\n]: 2\n" 'a;b 2\n' "one stack that may be either"
folds "@[\n    b+1\n    a+1\n, \n    d+1\n    c+1\n]: 2\n" 'c;d;a_[k];b_[k] 2\n' \
	"two stacks that may be either: the first is the kernel's"
folds "@[\n    d+1\n    c+1\n, \n    b+1\n    a+1\n]: 2\n@[$user, $kernel]: 1\n" \
	"$u;$k 1\nc;d;a_[k];b_[k] 2\n" "others of the map tell: what comes after it"
folds "@[$user, ]: 1\n@[\n    b+1\n, \n    a+1\n]: 2\n" "$u 1\nb;a_[k] 2\n" \
	"others of the map tell: what comes before it"
folds "@[, \n    a+1\n]: 2\n@[$user, $kernel]: 1\n" "$u;$k 1\na_[k] 2\n" \
	"an empty stack keeps its place"
folds "@[\n    a+1\n, ]: 2\n@[$user, $kernel]: 1\n" "$u;$k 1\na 2\n" "so it does at the end"
folds "@[\n    f(int)+1\n    a+1\n, \n    b+1\n]: 2\n" 'a;f(int);b_[k] 2\n' "C++ is a user's"
folds "@[\n    a+1\n    0x7f067762fa9c\n, \n    b+1\n    0xffffffff81a00aaa\n]: 2\n" \
	'[unknown];a;[kernel]_[k];b_[k] 2\n' "addresses tell"
folds "@[$kernel]: 2\n" "$k 2\n" "no comm"
folds "@[, $user, cat]: 3\n" "cat;$u 3\n" "an empty kernel stack"
folds "@[$kernel, , cat]: 3\n" "cat;$k 3\n" "an empty user stack"
folds "@[, , cat]: 3\n" 'cat 3\n' "both"
folds "@[]: 3\n" '[unknown] 3\n' "an empty stack alone"
folds "@[cat]: 3\n@[a b]: 4\n" 'a b 4\ncat 3\n' "no stack at all"
folds "@[12, cat, $user]: 3\n" "12, cat;$u 3\n" "more keys"
folds "@[12, $user, , cat, 7]: 3\n" "12, cat, 7;$u 3\n" "around stacks, an empty one among them"
folds "@[$user, a,b]: 3\n@[$user, a, b]: 4\n" "a, b;$u 4\na,b;$u 3\n" "a comma in a comm"
folds "@[$user, a]: 3, x]: 4\n" "a]: 3, x;$u 4\n" "the end of a key in a comm"
folds "@[\n    operator[]: 5\n    a]: 6\n    main+2\n, cat]: 4\n" \
	'cat;main;a]: 6;operator[]: 5 4\n' \
	"the end of a key in a frame"
folds "@[$user, x\ny]: 3\n" "x�y;$u 3\n" "a line break in a comm"
folds "@[$user]: 3\n@[$user]: 4\n" "$u 7\n" "they add up"
folds "@[$user]: 3\n\n@[$user]: 4\n" "$u 7\n" "printed more than once"
folds "@[\n    0x7f067762fa9c\n    [unknown]\n    main+20\n, cat]: 1\n" \
	'cat;main;[unknown];[unknown] 1\n' "addresses without a name"
folds "@[\n    operator+(A, B)+20\n    f<a, b>(int, char)+2\n, cat]: 1\n" \
	'cat;f<a, b>(int, char);operator+(A, B) 1\n' "C++"
folds "@[\n    main+20\n, cat]: 1\n" 'cat;main+20 1\n' "--offsets" --offsets
folds "@[\n    [inlined] f@/a/b.c:3\n    g+12@c.c:7\n    memcpy@GLIBC_2.2.5+3\n]: 1\n" \
	'memcpy@GLIBC_2.2.5;g;f_[i] 1\n' "with sources, inlined frames and versions"
folds "@[\n        7f06 poll+79 (/usr/lib/libc.so.6)\n        401 main+20 (/bin/a)\n, cat]: 5\n" \
	'cat;main;poll 5\n' "as perf writes stacks"
k_perf='\n\tffffffff8225fd19 b+25\n\tffffffff81000e06 a+22\n'
folds "@[$k_perf, \n\t55d5f713f2d7 d+39 (/x/y)\n]: 1\n" 'd;a_[k];b_[k] 1\n' \
	"whose addresses tell, too"
folds "@[\n\t7f9176c88af1 0x7f9176c88af1 (/x/lib.so)\n\t7f91 0x7f91 ([unknown])\n, \n]: 1\n" \
	'[unknown];[lib.so] 1\n' "and addresses without a name"
folds "@[\n\t55d5f713f2d7 d+39 (/x/y)\n\t55d5f713f2d8 e+39 (inlined)\n]: 1\n" \
	'e_[i];y`d 1\n' "and inlined ones, and modules" --modules
folds "@[\nffffffff8225fd19\nffffffff81000e06\n, \n55d5f713f2d7\n401136\n, cat]: 5\n" \
	'cat;[unknown];[unknown];[kernel]_[k];[kernel]_[k] 5\n' "raw addresses"
folds "@[\n401136\n, cat]: 5\n" 'cat;[unknown]+0x401136 5\n' "raw addresses with --offsets" \
	--offsets
folds "@[\nb+1\na+1\n, \nd+1\nc+1\n, cat]: 5\n" 'cat;c;d;a_[k];b_[k] 5\n' "frames not indented"
folds "$(printf %b "$head@[$kernel, $user, cat]: 12\n" | sed 's/$/\\r/')\n" "cat;$u;$k 12\n" "CRLF"

folds "@a[$user]: 3\n@b[$user]: 4\n" "$u 3\n" "of several maps the first"
is "$(said)" "stack-fold: left out: 1 sample of @b; folded are those of @a (--event NAME takes \
another, --by event keeps all apart)" "which is said"
folds "@a[cat]: 3\n@b[, cat]: 1\n@b[$user, cat]: 4\n" "cat 1\ncat;$u 4\n" \
	"the first with a stack"
folds "@a[$user]: 3\n@b[$user]: 4\n" "$u 4\n" "or the one named" --event @b
folds "@a[$user]: 3\n@b[$user]: 4\n" "@a;$u 3\n@b;$u 4\n" "or all" --by event
folds "$head@[$user, cat]: 12\nhello\n@x: 5\nLost 3 events\n\n" "cat;$u 12\n" \
	"what else a script prints is passed over"
folds "@total: 5\n@[\n    a+1\n]: 2\n" 'a 2\n' "a map without a key, first"
folds "@h: \n[8K, 16K)   2 |@@|\n\n@[\n    a+1\n]: 2\n" 'a 2\n' "a histogram without a key, first"

folds "${head}Sampling for 10\n@[\n    a+1\n]: 2\n" 'a 2\n' "a number printed first"
folds "${head}a;b 10\na;c 2\n" 'a;b 10\na;c 2\n' "a script that prints folded lines"
folds "@[\n    a+1\n]: 20\n" 'a 20\n' "--count: they are" --count
folds "@[\n    a+1\n]: 20\n" 'a 20\n' "--unit samples: they are" --unit samples
folds "@[\n    a+1\n]: 20\n" '' "--unit ns" --unit ns
is "$(said)" "stack-fold: --unit ns: nothing tells the time that a count stands for" "is refused"

row='[8K, 16K)             47 |@@@@@@@@|\n\n'
folds "@[$user]: 1\n@h[cat]: \n$row@[$user]: 2\n" "$u 3\n" "a histogram is not folded"
is "$(said)" "stack-fold: left out: 1 value that is no count of a stack, such as histograms" \
	"which is said, too"
printf %b "@[$user]: \n$row@[$user, cat]:\n$row@[$user]: -5\n@[$user]: x y\n@[$user]: (1, 2)\n
@[$user]: 3\n" | "$fold" >"$TMP/out" 2>"$TMP/err"
is "$? $(cat "$TMP/out")|$(said)" "0 $u 3|stack-fold: left out: 5 values that are no counts of \
stacks, such as histograms" "of stacks, and other values: status 0"
folds "@[$user]: @[$kernel]: @[$user, a]: 3\n" "a;$u 3\n" "values that are stacks, but empty"
folds "@[$user]: count 5, average 3, total 15\n" "$u 15\n" "of statistics the total"
folds "@[$user]: { .count = 5, .average = 3, .total = 15 }\n" "$u 15\n" "as they are written now"
printf %b "@[$user, cat]: 12\n@[\n    main+2\n]: 18446744073709551616\n" |
	"$fold" >"$TMP/out" 2>"$TMP/err"
is "$? $(cat "$TMP/out") $(said)" "3 cat;$u 12 stack-fold: standard input:6: the count does not \
fit into 64 bits" "a count of more than 64 bits"
printf %b "@[$user, cat]: 12\n@[\n    main+2\n" | "$fold" >"$TMP/out" 2>"$TMP/err"
is "$? $(cat "$TMP/out") $(said)" "3 cat;$u 12 stack-fold: standard input:6: a map's key without \
an end" "a key that breaks off"

# ---- bpftrace's JSON
json='{"type": "attached_probes", "data": {"probes": 2}}\n'
json_k=${kernel//\\n/\\\\n} json_u=${user//\\n/\\\\n}
map() { printf '{"type": "%s", "data": {"%s": {%s}}}\\n' "$@"; }
folds "$json$(map map @ "\"$json_k,$json_u,cat\": 12, \",$json_u,a\\\\\"b\": 3")" \
	"a\"b;$u 3\ncat;$u;$k 12\n" "JSON"
n='{"type": "map", "data": {"@n": 5}}\n'
folds "$json$n$(map map @ "\"$json_u\": \"9007199254740993\"")" \
	"$u 9007199254740993\n" "a map without a key, and a number as a text"
total='"count": 2, "average": 3, "total": 7'
folds "$(map stats @ "\"$json_u\": {$total}")" \
	"$u 7\n" "of statistics the total"
bare='"\\nread+17\\nmain+20\\n,\\u00e9\\u001b": 4'
hist="\"$json_u\": [{\"min\": 1, \"max\": 2, \"count\": 9}]"
folds "$(map stats @s "$total")$(map hist @h "$hist")$(map map @ "$bare")" \
	'��;main;read 4\n' "histograms are not folded; blanks lost, escapes"
is "$(said)" "stack-fold: left out: 1 value that is no count of a stack, such as histograms" \
	"which is said"
printf '%s\n' '{"type": "map", "data": {"@": {"\n    a+1\n": 12}}}' \
	'{"type": "map", "data": {"@": {"\n    b+1\n": 3, "\n' | "$fold" >"$TMP/out" 2>"$TMP/err"
is "$? $(tr '\n' '|' <"$TMP/out")$(said)" "3 a 12|b 3|stack-fold: standard input:2: not JSON as \
bpftrace writes it" "JSON that breaks off"

# ---- DTrace
head='CPU     ID            FUNCTION:NAME\n  0  64091                :tick-60s \n'
k='\n              genunix`fop+0x1\n              unix`sys_syscall+0x17a\n'
u='\n              libc`read+0x7\n              a.out`main\n'
count='                3\n'
bash='  bash                                              '
folded='a.out`main;libc`read;unix`sys_syscall;genunix`fop'
folds "$head\n              genunix\`free+0xce\n              unix\`loop+0x1\n                1\n
              libc.so.1\`read+0x7\n              a.out\`main+0x1\n               22\n" \
	'a.out`main;libc.so.1`read 22\nunix`loop;genunix`free 1\n' "aggregated stacks"
folds "$head" '' "headings alone"
folds "  a\`f+0x1\n  a\`main\n    3\n" 'a`main;a`f 3\n' "no heading"
folds "  a\`f+0x1\r\n  a\`main\r\n    3\r\n" 'a`main;a`f 3\n' "CRLF"
folds "  a\`f+0x1\n  a\`main\n    3\n" 'a`main;a`f+0x1 3\n' "--offsets" --offsets
folds "unix\`i86_mwait+0xd\nunix\`idle+0x114\n1641\n\nunix\`x\n5\n" \
	'unix`idle;unix`i86_mwait 1641\nunix`x 5\n' "not indented"
folds "unix\`a 4\nunix\`a;unix\`b 3\n" 'unix`a 4\nunix`a;unix`b 3\n' "folded lines of such names"
folds " a\`b;c 5\n a\`b 4\n  f 3\n" '  f 3\n a`b 4\n a`b;c 5\n' "and of such with blanks before"
folds " b 5\n  a\`f 3\n" '  a`f 3\n b 5\n' "of one frame, too"
folds "  unix\`0xfffffffffb800c91\n  0x104d08831\n  a\`m\n  3\n" 'a`m;[unknown];[unix] 3\n' \
	"addresses without a name"
folds "              0x104d08831\n              0x104d08832\n                3\n" \
	'[unknown];[unknown] 3\n' "nothing else"
folds "  a\`A::f(B*, C)+0x6ae\n  a\`m\n  3\n" 'a`m;a`A::f(B*, C) 3\n' "C++"
folds "  a\`A::f(B*, C)+0x6ae\n  a\`m\n  3\n" 'a`m;a`A::f 3\n' "--shorten" --shorten
folds "  a\`f::h1 (.llvm.12)+0x25\n  3\n" 'a`f::h1 (.llvm.12) 3\n' "what LLVM adds"
folds "$u              Main.run(I)V\n              Main.main([L;)V\n$count" \
	'Main.main([L:)V;Main.run(I)V;a.out`main;libc`read 3\n' "jstack: frames without a module"

folds "\n$bash$k$count${bash/bash/a b }$k$count" \
	'a b;unix`sys_syscall;genunix`fop 3\nbash;unix`sys_syscall;genunix`fop 3\n' \
	"execname, stack"
folds "\n$k$bash$count$k${bash/bash/sh  }$count" \
	'bash;unix`sys_syscall;genunix`fop 3\nsh;unix`sys_syscall;genunix`fop 3\n' "stack, execname"
folds "\n     1234$k$count     1235$k$count" \
	'1234;unix`sys_syscall;genunix`fop 3\n1235;unix`sys_syscall;genunix`fop 3\n' "pid, stack"
folds "$k     1234$count" '1234;unix`sys_syscall;genunix`fop 3\n' "stack, pid"
folds "\n$bash     1234$u$k$count" "bash, 1234;$folded 3\n" "execname, pid, ustack, stack"
folds "\n     1234$bash$k$u$count" "1234, bash;$folded 3\n" "pid, execname, stack, ustack"
folds "$k     1234$u$count$k     1235$u$count" \
	"1234;$folded 3\n1235;$folded 3\n" "stack, pid, ustack"
folds "$bash$k     1234$u$count" "bash, 1234;$folded 3\n" "execname, stack, pid, ustack"
folds "$k$bash     1234$u$count" "bash, 1234;$folded 3\n" "stack, execname, pid, ustack"
folds "$k     1234\n$count" '1234;unix`sys_syscall;genunix`fop 3\n' "stack, pid, an empty stack"
folds "$k$bash$count\n${bash/bash/sh  }$count" 'bash;unix`sys_syscall;genunix`fop 3\nsh 3\n' \
	"stack, execname; an empty stack, execname"
folds "\n     1234\n$k$count" '1234;unix`sys_syscall;genunix`fop 3\n' "pid, an empty stack, stack"
folds "$head\n     1234\n$count" '1234 3\n' "pid, an empty stack"
folds "$head\n$bash\n$count" 'bash 3\n' "execname, an empty stack"
folds "\n\n              512\n$u$count\n               12\n" \
	'[unknown] 524\na.out`main;libc`read 3\n' "empty stacks"
folds "$u\n$count" 'a.out`main;libc`read 3\n' "ustack, an empty stack"
folds "  unix\`k\n\n  a\`u\n  bash\n  3\n" 'bash;a`u;unix`k 3\n' "all indented alike"
folds "  a\`k\n\n  b\`u\n  3\n" 'a`k 3\n' "--kernel: of two stacks the first" --kernel
folds "$k$u$count" 'unix`sys_syscall;genunix`fop 3\n' "--kernel" --kernel
folds "$u$k$count" 'a.out`main;libc`read 3\n' "--user" --user
folds "$u$k$count" "$folded 3\n" "ustack, stack"

folds "$k$count" 'unix`sys_syscall;genunix`fop 3\n' "--count" --count
folds "$k$count" '' "--unit ns is refused" --unit ns

folds "dtrace: description 'profile-997 ' matched 1 probe\n$head$k${count}dtrace: 5 drops on CPU 0
$u dtrace: error on enabled probe ID 1 (ID 1: profile:::profile-99): invalid address (0x0)\n
$count  0  64091                :tick-60s hello\nTracing... Hit Ctrl-C to end.\n\n$k$count" \
	'a.out`main;libc`read 3\nunix`sys_syscall;genunix`fop 6\n' "what else DTrace prints"
is "$(said)" "" "is passed over"
value='           value  ------------- Distribution ------------- count    \n'
row='               2 |@@@@@                                    4        \n'
none="\n$bash$count${bash/bash/sh  }$count\n$bash\n$value$row$row\n$k\n$value$row\n"
folds "$none$k$count$k  -5\n" \
	'unix`sys_syscall;genunix`fop 3\n' "counts of no stack, histograms, negative sums"
is "$(said)" "stack-fold: left out: 5 values that are no counts of stacks, such as histograms" \
	"are not"
printf %b "  a\`f\n  1\n  a\`g\n" | "$fold" >"$TMP/out" 2>"$TMP/err"
is "$? $(cat "$TMP/out") $(said)" "3 a\`f 1 stack-fold: standard input:3: a stack without a count" \
	"a stack that breaks off"
printf %b "  a\`f\n  18446744073709551616\n  a\`f\n  1\n" | "$fold" >"$TMP/out" 2>"$TMP/err"
is "$? $(cat "$TMP/out") $(said)" "3 a\`f 1 stack-fold: standard input:2: the count does not fit \
into 64 bits" "a count of more than 64 bits"

done_testing
