#!/bin/bash
# stack-fold: what it writes, for stack lines and for folded lines.
. t/tap.sh

fold=$BIN/stack-fold
data=t/data/fold golden=t/golden/fold
basic=$data/basic.lines

# The folded lines of input and options, on one line each; the status if it is not 0.
folded() {
	"$fold" -q "$@" 2>&1 || echo "status $?"
}

# ---- goldens, derived by hand
for name in basic hostile; do
	is "$(folded $data/$name.lines)" "$(cat $golden/$name.folded)" "$name.lines"
done
is "$(folded <$basic)" "$(cat $golden/basic.folded)" "standard input"
is "$(folded - <$basic)" "$(cat $golden/basic.folded)" "standard input by a dash"
is "$(sed 's/$/\r/' $basic | folded)" "$(cat $golden/basic.folded)" "lines that end in CR LF"
is "$(printf '%s' "$(cat $basic)" | folded)" "$(cat $golden/basic.folded)" \
	"a last line without its LF"

for text in 'a;f 1\n' 'a 1 1.0: 1 c:\n\t1 f (/x)\n\n' '1\te\t-\t-\t1\t1\ta\t/x`f\n'; do
	printf '\357\273\277%b' "$text" >"$TMP/marked"
	is "$("$fold" "$TMP/marked" "$TMP/marked" 2>&1)" "a;f 2" "a byte order mark before '$text'"
done

# ---- options
gzip=$TMP/gzip
grep -e '^#' -e $'\tgzip\t' $basic >"$gzip"
is "$(folded --by none "$gzip")" "main;read;entry_SYSCALL_64_after_hwframe_[k];\
do_syscall_64_[k];ksys_read_[k] 3
main;zip;deflate 16" "--by none"
is "$(folded --by comm,pid,tid "$gzip" | cut -d';' -f1-4)" "gzip;pid 812;tid 812;main
gzip;pid 812;tid 813;main" "--by comm,pid,tid"
is "$(folded --by event,cpu,comm $basic | grep LazyCompile | cut -d';' -f1-4)" \
	"cpu-clock;cpu 3;node;[truncated: no unwind info]" "--by event,cpu,comm"
is "$(folded --by pid $basic | grep lost)" "pid -;[lost: sample ring full] 7" \
	"what a line does not tell is a dash"
is "$(folded --offsets "$gzip" | tail -n 2)" "gzip;main+0x4f1;zip+0x1b;deflate+0x2a0 14
gzip;main+0x4f1;zip+0x1b;deflate+0x2a8 2" "--offsets"
is "$(folded --offsets $basic | grep LazyCompile)" \
	"node;[truncated: no unwind info];[node]+0x1f30;LazyCompile:*hot /app/x.js:3_[j];\
v8::Run(int: char)+0x10;std::inl<int>+0x3_[i] 1" \
	"--offsets: an address without a symbol, a suffix"
is "$(printf 'a 1 1.0: 1 c:\n\t10 [unknown] (/l.so)\n\t1 f+0x2 (/x)\n\n' | folded --offsets)" \
	"a;f+0x2;[l.so] 1" "--offsets: perf's text has none for an address without a symbol"
is "$(folded --modules "$gzip" | tail -n 1)" \
	"gzip;gzip\`main;libc.so.6\`read;[kernel]\`entry_SYSCALL_64_after_hwframe_[k];\
[kernel]\`do_syscall_64_[k];[kernel]\`ksys_read_[k] 3" \
	"--modules"
is "$(folded --no-annotate $basic)" "$(sed 's/_\[[kji]\]//g' $golden/basic.folded)" "--no-annotate"
is "$(folded --kernel $basic)" "[lost];[lost: sample ring full] 7
gzip;entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k];ksys_read_[k] 3
kworker/0:1;ret_from_fork_[k];kthread_[k] 5
nft;nft_do_chain_[k];[kernel:bpf]_[k];inl_[i] 4" "--kernel"
is "$(folded --user $basic)" "[lost];[lost: sample ring full] 7
gzip;main;read 3
gzip;main;zip;deflate 16
nft;[unknown];[anon];__vdso_gettimeofday 4
node;[truncated: no unwind info];[node];LazyCompile:*hot /app/x.js:3_[j];v8::Run(int: char);\
std::inl<int>_[i] 1" \
	"--user"
printf '1\te\t-\t-\t1\t1\tk\t[truncated: no frames]\n' >"$TMP/alone"
is "$(folded --kernel "$TMP/alone") $(folded --user "$TMP/alone")" \
	"k;[truncated: no frames] 1 k;[truncated: no frames] 1" "a remark alone is of either kind"
printf '1\te\t-\t-\t1\t1\tk\t[truncated: depth limit]\t[kernel]`f\n' >"$TMP/cut"
is "$(folded --kernel "$TMP/cut") $(folded --user "$TMP/cut")" \
	"k;[truncated: depth limit];f_[k] 1 " "a remark is of the kind of what follows it"
is "$("$fold" -v --kernel $basic 2>&1 >/dev/null)" "stack-fold: lines: 8, distinct stacks: 4, \
sum: 19
stack-fold: left out, without kernel frames: lines: 4, sum: 23" "-v tells what was left out"
is "$("$fold" --kernel "$basic" 2>&1 >/dev/null)" "" "without -v nothing is told"
is "$(grep deflate $basic | "$fold" --kernel 2>&1)" \
	"stack-fold: none of the 2 samples has kernel frames" "but that nothing is left"

# ---- --skip-after takes a name as it is, and as it is printed
printf '1\te\t-\t-\t1\t1\tc\t/x`main\t%s\t%s\n' '/x`a;b<int>(int)+0x3' '/x`g' \
	'[jit]`f->h;i->k' '[kernel]`sys' '/lib/l.so`0x10' '/x`g' >"$TMP/skip"
skipping() { # NAME options
	"$fold" --by none "${@:2}" --skip-after "$1" "$TMP/skip" 2>&1 | grep -v main
}
for name in 'a;b<int>(int)' 'a:b<int>(int)'; do
	is "$(skipping "$name")" "a:b<int>(int);g 1" "--skip-after $name"
	is "$(skipping "$name" --shorten)" "a:b;g 1" \
		"--skip-after $name --shorten"
done
is "$(skipping a:b --shorten)" "a:b;g 1" "--skip-after a:b --shorten"
is "$(skipping 'x`a:b+0x3' --shorten --offsets --modules)" 'x`a:b+0x3;x`g 1' \
	"--skip-after with module and offset, where they are shown"
is "$(skipping 'f->h;i->k')" "f_[j];h:i_[i];k_[i];sys_[k] 1" "--skip-after a chain of JIT code"
is "$(skipping f)" "f_[j];h:i_[i];k_[i];sys_[k] 1" "--skip-after its first function"
is "$(skipping h:i)" "h:i_[i];k_[i];sys_[k] 1" "--skip-after one that is inlined"
is "$(skipping k --reverse)" "sys_[k];k_[i] 1" "--skip-after the last one, --reverse"
is "$(printf '3\te\t-\t-\t-\t-\tc\t/m`main\t[jit]`f->h->k\t/x`g\n' | folded --reverse)" \
	"c;g;k_[i];h_[i];f_[j];main 3" "--reverse turns a JIT's chain, too"
is "$(skipping '[l.so]')" "[l.so];g 1" "--skip-after an address without a symbol"
is "$(skipping sys)" "sys_[k] 1" "--skip-after a function of the kernel"
is "$(skipping a:b; skipping mai -q)" "stack-fold: --skip-after: no stack has a frame a:b; a \
whole name is needed, as the output spells it, without _[k], _[j], _[i]" \
	"a function that never came"
is "$(printf 'j 1 1.0: 1 c:\n\t1 Lp/C;::m (/tmp/perf-1.map)\n\t2 main (/x)\n\n' |
	folded --skip-after p/C:::m)" "j;p/C:::m_[j] 1" \
	"--skip-after Java's names as they are printed"
"$fold" --by none "$TMP/skip" >"$TMP/skip.folded"
is "$("$fold" --skip-after sys "$TMP/skip.folded" 2>&1 | grep -v ^main)
$("$fold" --shorten --skip-after a:b "$TMP/skip.folded" 2>&1 | grep -v ^main)
$("$fold" --skip-after mai "$TMP/skip.folded" 2>&1 >/dev/null | cut -c-50)" "sys_[k] 1
a:b;g 1
stack-fold: --skip-after: no stack has a frame mai" "--skip-after in folded lines"

# ---- units
units=$data/units.lines
is "$(folded $units)" "a;f 4002" "weights as they are"
is "$("$fold" $units 2>&1 >/dev/null)" \
	"stack-fold: the sums mix units (cpu-clock: samples, off-cpu:futex: ns): keep them \
apart with --by event" \
	"differing units are told"
is "$("$fold" --count $units 2>&1)" "a;f 3" "not where each line counts one"
is "$("$fold" --by event,comm $units 2>&1)" "cpu-clock;a;f 3
off-cpu:futex;a;f 1500
task-clock;a;f 2499" "not where they are kept apart"
is "$("$fold" --unit ns $units 2>&1)" "a;f $((3 * 10101010 + 1500 + 2499))" "--unit ns"
is "$(grep -v off-cpu $units | "$fold" --unit samples 2>&1)" "a;f 5" \
	"--unit samples, rounded to the nearest"
is "$(folded --unit samples $units)" "stack-fold: $units:5: --unit samples: a sample of \
off-cpu:futex stands for no fixed time; fold it without --unit, or leave it out
status 1" "--unit samples of what has no period"
is "$(grep -v '^#' $units | folded --unit ns)" "stack-fold: standard input:1: --unit ns: no \"# \
event\" comment tells what cpu-clock counts (grep drops comments, keep them: grep -e '^#' -e \
PATTERN)
status 1" "--unit without the comments"
printf '1\tcpu-clock\t-\t-\t1\t1\ta\t/x`f\n' >"$TMP/bare"
is "$(folded --unit ns $units "$TMP/bare" | tail -n 1)" "status 1" \
	"one file's comments do not tell of another's events"
{ cat $units; sed 's/10101010/1003009/' $units; } >"$TMP/rates"
is "$("$fold" --by event "$TMP/rates" 2>&1 >/dev/null; "$fold" --by comm "$TMP/rates" 2>&1 \
>/dev/null)" \
	"stack-fold: cpu-clock was sampled at differing rates: --unit ns makes the sums \
comparable" \
	"differing rates are told"
is "$(folded --unit ns "$TMP/rates")" "a;f $((3 * 10101010 + 3 * 1003009 + 2 * (1500 + 2499)))" \
	"each line has the rate told before it"

is "$(printf 'a 1 1.0: 1 c:\n\t1 f (/x)\n\na 1 1.0: 1 d:\n\t1 f (/x)\n\n' |
	"$fold" --event d 2>&1)" "a;f 1
stack-fold: left out: 1 sample of c; folded are those of d" \
	"no advice to name an event where one is"
is "$("$fold" --by cpu "$TMP/bare" 2>&1)" "cpu -;f 1
stack-fold: --by cpu: some samples tell no cpu; sample with bpf-sample -T" "--by cpu without one"
is "$(printf 'a 1 1.0: 1 c:\n\t1 f (/x)\n\n' | "$fold" --by cpu 2>&1)" "cpu -;f 1
stack-fold: --by cpu: some samples tell no cpu" "the same for perf's text, which has it otherwise"

# ---- folded lines
for name in basic hostile; do
	ok "folding $name.folded again changes nothing" \
		cmp <("$fold" -q $golden/$name.folded) $golden/$name.folded
	ok "$name: sorted as sort does" sort -c $golden/$name.folded
done
is "$(cat $golden/basic.folded $golden/basic.folded | folded)" \
	"$(awk '{ $NF *= 2 } 1' $golden/basic.folded)" "twice the input, twice the counts"
is "$(folded $golden/basic.folded $basic)" "$(awk '{ $NF *= 2 } 1' $golden/basic.folded)" \
	"folded lines and stack lines together"
is "$(printf 'b 1\na;x 2\nb 3\r\na;\001 4\n\n# n 5\n#init;x 6\n' | folded)" "#init;x 6
a;x 2
a;$(printf '\357\277\275') 4
b 4" "merged, sorted, cleaned; comments and empty lines passed over"
is "$(printf '#a 1\n#b;c 2\n# x 3\n' | folded)" "#a 1
#b;c 2" "a folded input of which each line begins with a #"
is "$(printf '#a 1\n1\te\t-\t-\t-\t-\tc\t/x`f\n#b 1\n' | folded)" "c;f 1" \
	"the same are comments before stack lines"
for option in "--by comm" "--unit ns" --offsets --modules --count "--event x"; do
	# shellcheck disable=SC2086 # an option and its argument
	is "$(folded $option $golden/basic.folded | tail -n 1)" "status 2" \
		"$option does not fit folded lines"
done

# ---- the order: names that begin alike, or end where others have a blank, and long ones
awk 'BEGIN {
	srand(7)
	split("a,b, ,1,;,(,aaaaaaaa,;main;loop", part, ",")
	for (i = 0; i < 30000; i++) {
		stack = ""
		for (n = int(rand() * rand() * 40); n >= 0; n--)
			stack = stack part[1 + int(rand() * 8)]
		print "x" stack "y" int(rand() * 2), int(rand() * 100)
	}
}' >"$TMP/order"
ok "30,000 stacks are sorted as sort does" sort -c <("$fold" -q "$TMP/order")
ok "so are those of a differential" \
	sort -c <("$fold" -q --diff <(head -n 20000 "$TMP/order") <(tail -n 20000 "$TMP/order"))
ok "none is lost" cmp <("$fold" -q "$TMP/order") <(awk '{
	count = $NF
	sub(/ [0-9]+$/, "")
	sums[$0] += count
} END { for (stack in sums) print stack, sums[stack] }' "$TMP/order" | sort)

# ---- what others make of it
perl -ne 'exit 1 unless /^(.*)\s+?(\d+(?:\.\d*)?)$/ and length $1' $golden/*.folded
is $? 0 "flamegraph.pl's pattern takes every line"

# ---- an oracle that knows the man page and not the code
if command -v python3 >/dev/null; then
	checked=$fold
	[ ! -x "$O/san/bin/stack-fold" ] || checked=$O/san/bin/stack-fold
	for seed in 1 2; do
		python3 t/fold.py generate $seed 1000 >"$TMP/lines"
		for options in "" --offsets --modules --no-annotate --user --kernel \
			"--unit ns" "--unit samples" "--by none --kernel --modules --offsets" \
			"--by pid,event,comm,cpu,tid"; do
			# shellcheck disable=SC2086 # options
			python3 t/fold.py fold $options <"$TMP/lines" >"$TMP/want"
			# shellcheck disable=SC2086 # options
			"$checked" -q $options <"$TMP/lines" >"$TMP/got"
			is $? 0 "seed $seed, options '$options': status"
			ok "seed $seed, options '$options': as the oracle" cmp "$TMP/want" \
"$TMP/got"
		done
		"$checked" -q "$TMP/got" >"$TMP/again"
		ok "seed $seed: folding again changes nothing" cmp "$TMP/got" "$TMP/again"
		head -n 700 "$TMP/lines" >"$TMP/mon"
		tail -n +701 "$TMP/lines" >"$TMP/tue"
		"$checked" -q "$TMP/mon" >"$TMP/mon.folded"
		"$checked" -q "$TMP/tue" >"$TMP/tue.folded"
		ok "seed $seed: the sum of two parts is the whole" \
			cmp <(cat "$TMP/mon.folded" "$TMP/tue.folded" | "$checked" -q) \
			<("$checked" -q "$TMP/lines")
	done
else
	skip "as the oracle" "no python3"
fi

# ---- more stacks than the cache holds, and each under several raw texts
awk 'BEGIN { for (k = 0; k < 3; k++) for (i = 0; i < 90000; i++)
	printf "1\te\t-\t-\t1\t1\tc\t/x`f%d+0x%x\n", i % 45000, k }' >"$TMP/many"
is "$(folded "$TMP/many" | awk '{ n[$NF]++ } END { for (c in n) print c, n[c] }')" "6 45000" \
	"nothing is lost when the cache begins anew"

done_testing
