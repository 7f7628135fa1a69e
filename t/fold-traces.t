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
folds "$head@[$kernel, $user, cat]: 12\n" "cat;_start;main;read;$k 12\n" "kstack, ustack, comm"
folds "$head@[cat, $kernel, $user]: 12\n" "cat;_start;main;read;$k 12\n" "comm, kstack, ustack"
folds "@[$kernel, cat]: 2\n" "cat;${k//_\[k\]/} 2\n" "one stack may be either"
folds "@[$kernel]: 2\n" "${k//_\[k\]/} 2\n" "no comm"
folds "@[, $user, cat]: 3\n" 'cat;_start;main;read 3\n' "an empty kernel stack"
folds "@[$kernel, , cat]: 3\n" "cat;$k 3\n" "an empty user stack"
folds "@[, , cat]: 3\n" 'cat 3\n' "both"
folds "@[cat]: 3\n@[a b]: 4\n" 'a b 4\ncat 3\n' "no stack at all"
folds "@[12, cat, $user]: 3\n" '12, cat;_start;main;read 3\n' "more keys"
folds "@[$user]: 3\n@[$user]: 4\n" '_start;main;read 7\n' "they add up"
folds "@[\n    0x7f067762fa9c\n    [unknown]\n    main+20\n, cat]: 1\n" \
	'cat;main;[unknown];[unknown] 1\n' "addresses without a name"
folds "@[\n    operator+(A, B)+20\n    f<a, b>(int, char)+2\n, cat]: 1\n" \
	'cat;f<a, b>(int, char);operator+(A, B) 1\n' "C++"
folds "@[\n    main+20\n, cat]: 1\n" 'cat;main+20 1\n' "--offsets" --offsets
folds "@[\n        7f06 poll+79 (/usr/lib/libc.so.6)\n        401 main+20 (/bin/a)\n, cat]: 5\n" \
	'cat;main;poll 5\n' "as perf writes stacks"
folds "@a[$user]: 3\n@b[$user]: 4\n" '_start;main;read 3\n' "of several maps the first"
is "$(said)" "stack-fold: left out: 1 sample of @b; folded are those of @a (--event NAME takes \
another, --by event keeps all apart)" "which is said"
folds "@a[$user]: 3\n@b[$user]: 4\n" '_start;main;read 4\n' "or the one named" --event @b
folds "@a[$user]: 3\n@b[$user]: 4\n" '@a;_start;main;read 3\n@b;_start;main;read 4\n' "or all" \
	--by event
folds "$head@[$user, cat]: 12\nhello\n@x: 5\n\n" 'cat;_start;main;read 12\n' \
	"what else a script prints is passed over"
folds "@total: 5\n@[\n    a+1\n]: 2\n" 'a 2\n' "a map without a key, first"
folds "@[$user]: 1\n@h[cat]: \n[0]   2 |@@|\n[1]   1 |@ |\n\n@[$user]: 2\n" \
	'_start;main;read 3\n' "a histogram is not folded"
is "$(said)" "stack-fold: standard input:6: a map's value that is no count" "which is said, too"
printf %b "@[$user, cat]: 12\n@[\n    main+2\n" | "$fold" >"$TMP/out" 2>"$TMP/err"
is "$? $(cat "$TMP/out") $(said)" "3 cat;_start;main;read 12 stack-fold: standard input:6: a \
map's key without an end" "a key that breaks off"

# ---- DTrace
head='CPU     ID            FUNCTION:NAME\n  0  64091                :tick-60s \n\n\n'
folds "$head              genunix\`free+0xce\n              unix\`loop+0x1\n                1\n
              libc.so.1\`read+0x7\n              a.out\`main+0x1\n               22\n" \
	'a.out`main;libc.so.1`read 22\nunix`loop;genunix`free 1\n' "aggregated stacks"
folds "$head" '' "headings alone"
folds "  a\`f+0x1\n  a\`main\n    3\n" 'a`main;a`f 3\n' "no heading"
folds "  a\`f+0x1\r\n  a\`main\r\n    3\r\n" 'a`main;a`f 3\n' "CRLF"
folds "  a\`f+0x1\n  a\`main\n    3\n" 'a`main;a`f+0x1 3\n' "--offsets" --offsets
folds "  unix\`0xfffffffffb800c91\n  0x104d08831\n  a\`m\n  3\n" 'a`m;[unknown];[unix] 3\n' \
	"addresses without a name"
folds "  a\`A::f(B*, C)+0x6ae\n  a\`m\n  3\n" 'a`m;a`A::f(B*, C) 3\n' "C++"
folds "  a\`A::f(B*, C)+0x6ae\n  a\`m\n  3\n" 'a`m;a`A::f 3\n' "--shorten" --shorten
folds "  unix\`k\n\n  a\`u\n  bash\n  3\n" 'bash;a`u;unix`k 3\n' "stack, ustack, execname"
printf %b "  a\`f\n  1\n  a\`g\n" | "$fold" >"$TMP/out" 2>"$TMP/err"
is "$? $(cat "$TMP/out") $(said)" "3 a\`f 1 stack-fold: standard input:3: a stack without a count" \
	"a stack that breaks off"

# ---- what bpftrace itself writes here
if command -v bpftrace >/dev/null && [ "$(id -u)" = 0 ] && [ -x "$O/examples/burn" ]; then
	"$O/examples/burn" 10 &
	timeout 60 bpftrace -e 'profile:hz:199 /comm == "burn"/ {
			@[kstack, ustack, comm] = count(); }
		interval:s:2 { exit(); }' >"$TMP/bpftrace.txt" 2>/dev/null
	kill %1
	"$fold" "$TMP/bpftrace.txt" >"$TMP/out"
	is "$?" 0 "bpftrace's own text: all of it was understood"
	is "$(awk '{ n += $NF } END { print n }' "$TMP/out")" \
		"$(awk '/\]: [0-9]+$/ { n += $NF } END { print n }' "$TMP/bpftrace.txt")" \
		"each count is there"
	ok "and burn's functions" grep -q '^burn;.*main.*hot_seventy.*spin' "$TMP/out"
fi

done_testing
