# shellcheck shell=bash
# For tests that sample this machine. Sourced after tap.sh; skips the whole test
# without root or without BPF.

[ "$(id -u)" = 0 ] || skip_all "sampling needs root"
"$BIN/bpf-sample" -q -d 0.01 >"$TMP/probe.cap" 2>"$TMP/probe.err" ||
	skip_all "no BPF here: $(tail -n 1 "$TMP/probe.err")"

# shellcheck disable=SC2034 # for the tests
EXAMPLES=$O/examples
# shellcheck disable=SC2034
NCPU=$(nproc)

# Stack lines, folded lines and their sum, quietly.
lines() { "$BIN/stack-resolve" -q "$@"; }
folded() { lines "$1" | "$BIN/stack-fold" -q "${@:2}"; }
sum() { awk '{ n += $NF } END { print n + 0 }' "$@"; }

# between LOW VALUE HIGH, with fractions
between() {
	awk -v l="$1" -v v="$2" -v h="$3" 'BEGIN { exit !(v >= l && v <= h) }' ||
		{ echo "$2 is not within $1 and $3"; return 1; }
}

# An expression's value.
calc() { awk "BEGIN { print $1 }"; }

# The totals of a capture by a reader of its own: fired, filtered, weight, lost, skipped,
# sum of SAMPLE weights, sum of LOST weights, number of END records.
totals() { python3 t/capture_totals.py "$1"; }

# Of stack lines: "USER-SAMPLES WHOLE-PER-CENT", then what the other stacks stopped at, most
# frequent first: samples, why, the outermost frame that was reached.
whole() {
	awk -F '\t' '
	/^#/ || NF < 8 { next }
	{
		cut = $8 ~ /^\[truncated: /
		outermost = $(8 + cut)
		if (outermost !~ /`/ || outermost ~ /^\[kernel/)
			next
		all += $1
		if (cut) {
			broken += $1
			why[$8 " " outermost] += $1
		}
	}
	END {
		printf "%d %.2f\n", all, all ? 100 * (all - broken) / all : 0
		fflush()
		for (w in why)
			print why[w], w | "sort -k1,1nr -k2 | head -n 12"
	}' "$@"
}
