#!/bin/bash
# bpf-sample: what a sample costs in the kernel, what bpf-sample itself takes, and what a
# workload loses, beside perf where it is installed.
. t/bench/figures.sh

if [ "$(id -u)" != 0 ]; then
	echo "bpf-sample: sampling needs root"
	exit 0
fi
EXAMPLES=$O/examples
perf=$(command -v perf || true)

# ---- one sample, by the kernel's own count of the program's time
stats=$(sysctl -n kernel.bpf_stats_enabled)
PATH=$PATH:/usr/sbin
cost() { # mode frames: nanoseconds a run, every CPU spinning that deep
	local mode=$1 frames=$2 out
	sysctl -qw kernel.bpf_stats_enabled=1
	# below main are the C library's two and _start
	# shellcheck disable=SC2016 # the inner shell's
	"$BIN/bpf-sample" -q --unwind "$mode" -F 997 -o /dev/null -- bash -c '
		for i in $(seq $(nproc)); do "$0" 5 "$1" & done; wait' \
		"$EXAMPLES/cpu_bound" $((frames - 5)) 2>/dev/null &
	local sampler=$!
	sleep 4
	# the newest, should another one run
	out=$(bpftool prog show name sample |
		sed -n 's/.*run_time_ns \([0-9]*\) run_cnt \([0-9]*\).*/\1 \2/p' | tail -n 1)
	wait $sampler
	sysctl -qw kernel.bpf_stats_enabled="$stats"
	figure "one sample in the kernel, $frames user frames, $mode" \
		"$(awk -v t="${out% *}" -v n="${out#* }" 'BEGIN { printf "%.2f", t / n / 1000 }')" \
		us "(${out#* } runs; some are of other processes, which are left out)"
}
if command -v bpftool >/dev/null; then
	for frames in 10 30 60 120; do
		cost fp $frames
		cost tables $frames
	done
fi

# ---- its own CPU time and memory, system-wide at 99 Hz under a parallel build: what starting
# takes, and what each second from then on does
used() { # command…: CPU seconds and megabytes
	python3 - "$@" <<'END'
import os, subprocess, sys
p = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, _, r = os.wait4(p.pid, 0)
print(r.ru_utime + r.ru_stime, r.ru_maxrss / 1024)
END
}
own() { # what command…, ending in its seconds
	local what=$1 short long
	shift
	examples/compile_loop.sh 30 >/dev/null 2>&1 &
	local load=$!
	sleep 1
	short=$(used "$@" 2)
	long=$(used "$@" 22)
	kill $load 2>/dev/null || true
	wait $load 2>/dev/null || true
	figure "$what: own CPU" "$(awk -v a="${short% *}" -v b="${long% *}" \
		'BEGIN { printf "%.2f", 100 * (b - a) / 20 }')" \
		"% of a core" "99 Hz, all CPUs, parallel build; and to start and end:"
	figure "$what: start and end" "$(awk -v a="${short% *}" -v b="${long% *}" \
		'BEGIN { printf "%.0f", 1000 * (a - (b - a) / 10) }')" "ms of CPU" ""
	figure "$what: own memory" "$(printf %.1f "${long#* }")" "MB" ""
}
own bpf-sample "$BIN/bpf-sample" -q -o /dev/null -d
if [ -n "$perf" ]; then
	own "perf record -g" perf record -q -a -e cpu-clock -F 99 -g -o "$TMP/perf.data" sleep
fi

# ---- throughput of a workload, in alternating rounds
work() { # seconds that a fixed amount of work on every CPU takes
	local start end
	start=$(date +%s%N)
	for _ in $(seq "$(nproc)"); do
		awk 'BEGIN { for (i = 0; i < 6000000; i++) x += i % 7; print x }' >/dev/null &
		jobs_+=($!)
	done
	wait "${jobs_[@]}"
	jobs_=()
	end=$(date +%s%N)
	awk -v ns=$((end - start)) 'BEGIN { printf "%.4f\n", ns / 1e9 }'
}
jobs_=()
with() { # name command…: one round under it
	local name=$1
	shift
	"$@" >/dev/null 2>&1 &
	local p=$!
	sleep 0.7
	work >>"$TMP/with.$name"
	kill -INT $p 2>/dev/null || true
	wait $p 2>/dev/null || true
}
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
percent() { awk -v m="$(median "$1")" 'BEGIN { print 100 * m }'; }
for hz in 99 999; do
	rm -f "$TMP"/with.*
	for _ in 1 2 3 4 5 6 7; do
		work >>"$TMP/with.none"
		with ours "$BIN/bpf-sample" -q -F $hz -o /dev/null
		if [ -n "$perf" ]; then
			with perf perf record -q -a -e cpu-clock -F $hz -g -o "$TMP/perf.data"
			with clock perf record -q -a -e cpu-clock -F $hz -o "$TMP/perf.data"
		fi
	done
	for name in ours perf clock; do
		[ -f "$TMP/with.$name" ] || continue
		case $name in
		ours) what="bpf-sample" ;;
		perf) what="perf record -g" ;;
		clock) what="perf record, no stacks (the timer's floor)" ;;
		esac
		figure "throughput at $hz Hz, $what" \
			"$(ratio "$(percent "$TMP/with.none")" "$(median "$TMP/with.$name")")" \
			"% of none" "medians of 7 alternating rounds"
	done
done
