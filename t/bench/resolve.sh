#!/bin/bash
# stack-resolve: a million distinct addresses in the code of large libraries; how much text
# it writes; and perf script on the same stacks.
. t/bench/figures.sh

addresses=1000000
# Whatever large ELF files are here: clang builds the BPF programs, so its libraries are.
files=$(command -v node;
	ldd "$(readlink -f "$(command -v clang)")" | grep -oE '/[^ ]*lib(LLVM|clang)[^ ]*' |
	xargs -r readlink -f | sort -u)
if [ -z "$files" ]; then
	files=$(readlink -f "$(command -v clang)")
fi
# shellcheck disable=SC2086 # paths without blanks
"$O/t/bench/mkcapture" $addresses $files >"$TMP/bench.cap"

seconds "$TMP/lines" "$BIN/stack-resolve" "$TMP/bench.cap"
named=$(tr '\t' '\n' <"$TMP/lines" | awk '/`/ { all++; if ($0 !~ /`0x/) named++ }
	END { printf "%.0f", 100 * named / all }')
figure "stack-resolve, distinct addresses from symbol tables" \
	"$(per_second $addresses)" "addresses/s" "($named % named; ${took} s in all)"

# shellcheck disable=SC2086
"$O/t/bench/mkcapture" -r 1000 20000 $files >"$TMP/bench.cap"
bytes=$("$BIN/stack-resolve" --perf "$TMP/bench.cap" | wc -c)
seconds /dev/null "$BIN/stack-resolve" --perf "$TMP/bench.cap"
figure "stack-resolve --perf" "$(per_second $((bytes / 1000000)))" "MB/s" \
	"(20000 addresses in $((bytes / 1000000)) MB; ${took} s in all)"

# Stacks as perf recorded them, named by perf and by us: as many samples as perf has, and
# added up as bpf-sample does. Node has frame pointers and many symbols.
command -v perf >/dev/null && command -v node >/dev/null || exit 0
# shellcheck disable=SC2016 # the program's own ${}
perf record -q -e cpu-clock -F 10000 -g -o "$TMP/perf.data" "$(readlink -f "$(command -v node)")" \
	-e 'let n = 0; for (let i = 0; i < 1e6; i++)
		n += JSON.stringify(JSON.parse(`{"a":[1,2,3,{"b":${i}}]}`)).length' \
	>"$TMP/perf.log" 2>&1 || exit 0
perf script -i "$TMP/perf.data" --show-mmap-events -F pid,tid,time,event,ip,sym,dso \
	>"$TMP/stacks" 2>/dev/null
seconds "$TMP/perf.text" perf script -i "$TMP/perf.data" --no-inline 2>/dev/null
theirs=$took
samples=$(grep -c 'cpu-clock:' "$TMP/perf.text")
# What a further sample takes, when symbol tables have been read: for perf, nine tenths of them.
seconds "$TMP/tenth.text" perf script -i "$TMP/perf.data" --no-inline --time 10%/1 2>/dev/null
per_sample=$(awk -v all="$theirs" -v tenth="$took" -v n="$samples" \
	-v less="$(grep -c 'cpu-clock:' "$TMP/tenth.text")" \
	'BEGIN { printf "%.3f", (all - tenth) / (n - less) * 1e6 }')
for sum in "" --sum; do
	t/bench/perfcapture.py $sum <"$TMP/stacks" | "$O/t/mkcap" >"$TMP/same.cap"
	seconds "$TMP/same.text" "$BIN/stack-resolve" -q --perf --kallsyms /proc/kallsyms \
		"$TMP/same.cap"
	ours=$took
	same=$(grep -c '+0x.*/node)' "$TMP/same.text" || true)
	figure "stack-resolve --perf, stacks of perf record${sum:+, summed}" \
		"$(ratio "$theirs" "$ours")" "x perf script" \
		"($samples samples; $ours s against $theirs s; $same of $(
			grep -c '+0x.*/node)' "$TMP/perf.text") names)"
	# shellcheck disable=SC2046 # ten times the same
	seconds /dev/null "$BIN/stack-resolve" -q --perf --kallsyms /proc/kallsyms \
		$(printf "$TMP/same.cap %.0s" {1..10})
	figure "  a further sample" "$(awk -v theirs="$per_sample" -v ten="$took" -v one="$ours" \
		-v n="$samples" 'BEGIN { printf "%.1f", theirs / ((ten - one) / 9 / n * 1e6) }')" \
		"x perf script" "(that one: $per_sample us)"
done
