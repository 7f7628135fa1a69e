#!/bin/bash
# perf as an independent judge: the same program, sampled at the same time.
. t/tap.sh
. t/live.sh
command -v perf >/dev/null || skip_all "no perf"

# Fourteen functions whose shares differ, each with its own code.
python3 - >"$TMP/many.c" <<'END'
weights = [30, 26, 22, 19, 16, 14, 12, 10, 8, 7, 6, 5, 4, 3]
print("#include <time.h>\n#include <stdlib.h>\nvolatile unsigned long sink;")
for i, w in enumerate(weights):
    print(f"""__attribute__((noinline, noclone)) void work_{i:02}(void)
{{
	for (long k = 0; k < {w}L * 20000; k++)
		sink = sink * {2 * i + 3} + {i};
	__asm__ volatile("");
}}""")
print("int main(int argc, char **argv)\n{\n\ttime_t end = time(NULL) + atoi(argv[argc - 1]);")
print("\twhile (time(NULL) < end) {")
for i in range(len(weights)):
    print(f"\t\twork_{i:02}();")
print("\t}\n\treturn 0;\n}")
END
cc -O1 -fno-omit-frame-pointer -o "$TMP/many" "$TMP/many.c" || exit 1

"$TMP/many" 12 &
pid=$!
perf record -q -e cpu-clock -F 499 -g -p $pid -o "$TMP/perf.data" 2>/dev/null &
"$BIN/bpf-sample" -q -F 499 -p $pid -o "$TMP/many.cap"
wait
perf script -i "$TMP/perf.data" -F ip,sym 2>/dev/null |
	awk 'NF && !inside { print $2; inside = 1 } !NF { inside = 0 }' >"$TMP/perf.leaves"
lines "$TMP/many.cap" | awk -F'\t' '!/^#/ {
	f = $NF; sub(/^[^`]*`/, "", f); sub(/\+0x[0-9a-f]*$/, "", f)
	for (i = 0; i < $1; i++) print f }' >"$TMP/our.leaves"
ok "both have samples: $(wc -l <"$TMP/perf.leaves") and $(wc -l <"$TMP/our.leaves")" \
	between 300 "$(wc -l <"$TMP/our.leaves")" 1e9

# The shares are of some thousand samples each: three points are two to three standard
# deviations of a share of 15 %.
cat >"$TMP/compare.py" <<'END'
import collections, sys
def shares(path):
    names = open(path).read().split()
    return {k: 100 * n / len(names) for k, n in collections.Counter(names).items()}
a, b = shares(sys.argv[1]), shares(sys.argv[2])
top = lambda s: sorted(s, key=s.get, reverse=True)[:10]
both = set(top(a)) & set(top(b))
print(a, b)
assert len(both) >= 8, both
for name in both:
    assert abs(a[name] - b[name]) <= 3, (name, a[name], b[name])
END
ok "the ten hottest functions agree in eight at least, their shares within 3 points" \
	python3 "$TMP/compare.py" "$TMP/perf.leaves" "$TMP/our.leaves"
done_testing
