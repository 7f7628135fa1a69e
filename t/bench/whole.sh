#!/bin/bash
# Whole user stacks, and what they cost: bpf-sample beside `perf record --call-graph dwarf`
# (8 KB copies, its default) on the same workload at the same rate.
. t/bench/figures.sh

if [ "$(id -u)" != 0 ]; then
	echo "bpf-sample: sampling needs root"
	exit 0
fi
perf=$(command -v perf || true)
cpu() { # out command…: its CPU seconds
	python3 - "$@" <<'END'
import os, subprocess, sys
p = subprocess.Popen(sys.argv[2:], stdout=open(sys.argv[1], "w"), stderr=subprocess.DEVNULL)
_, _, r = os.wait4(p.pid, 0)
print(f"{r.ru_utime + r.ru_stime:.2f}")
END
}
workload() { # name: a command that runs for some seconds
	case $1 in
	xz) xz -9 -T1 -k -c "$(command -v node || command -v bash)" ;;
	perl) perl -e 'sub f { my $n = shift; $n < 2 ? $n : f($n - 1) + f($n - 2) } f(29)' ;;
	cc1) for _ in 1 2 3; do cc -O2 -Ilib -Ifold2svg -c -o /dev/null lib/elf/symtab.c; done ;;
	esac
}
export -f workload
for name in xz perl cc1; do
	"$BIN/bpf-sample" -q -d 5 -F 499 -o "$TMP/ours.cap" -- \
		bash -c "while :; do workload $name >/dev/null; done"
	writing=$(cpu "$TMP/ours.lines" "$BIN/stack-resolve" -q "$TMP/ours.cap")
	whole=$(awk -F'\t' '/^#/ || !/`/ { next } { n += $1 } $8 !~ /^\[truncated/ { w += $1 }
		END { printf "%.1f", 100 * w / n }' "$TMP/ours.lines")
	figure "$name: whole stacks, bpf-sample" "$whole" "%" \
		"$(stat -c %s "$TMP/ours.cap") bytes; resolved in $writing s of CPU"
	[ -n "$perf" ] || continue
	timeout 5 perf record -q -e cpu-clock:u -F 499 --call-graph dwarf -o "$TMP/perf.data" -- \
		bash -c "while :; do workload $name >/dev/null; done" >/dev/null 2>&1 || true
	writing=$(cpu "$TMP/perf.txt" timeout 120 perf script -i "$TMP/perf.data" -F comm,ip,sym)
	# the program's own _start is nameless where it is stripped: its callee tells, too
	whole=$(awk 'function done() { if (frames) { n++; w += rooted } frames = rooted = 0 }
		BEGIN { root = "^(_start|__libc_start_main.*|__?clone3?|_dl_start)$" }
		!NF { done() } NF && inside { rooted = rooted || $2 ~ root; frames++ }
		{ inside = NF > 0 }
		END { done(); printf "%.1f", n ? 100 * w / n : 0 }' "$TMP/perf.txt")
	figure "$name: whole stacks, perf record --call-graph dwarf" "$whole" "%" \
		"$(stat -c %s "$TMP/perf.data") bytes; perf script took $writing s of CPU"
done
