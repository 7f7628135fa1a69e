#!/bin/bash
# Processes that are gone long before their samples are looked at: a parallel compile loop.
. t/tap.sh
. t/live.sh

"$BIN/bpf-sample" -q -F 997 -o "$TMP/short.cap" -- examples/compile_loop.sh 6 >/dev/null 2>&1
lines "$TMP/short.cap" >"$TMP/lines"

# The frame that was executing in user mode, or called the kernel: the last one before the
# kernel's. nm tells independently whether its file has a symbol that covers the address.
cat >"$TMP/judge.py" <<'END'
import bisect, re, subprocess, sys
tables = {}
def covered(path, addr):
    if path not in tables:
        spans = []
        for dynamic in ([], ["-D"]):
            out = subprocess.run(["nm", "-S", "--defined-only", *dynamic, path],
                                 capture_output=True, text=True).stdout
            for line in out.splitlines():
                f = line.split()
                if len(f) == 4 and f[2] in "tTwWi":
                    spans.append((int(f[0], 16), int(f[0], 16) + int(f[1], 16)))
            if spans:
                break
        tables[path] = spans
    return any(a <= addr < b for a, b in tables[path])

all_, known, named, nameable, pids = 0, 0, 0, 0, set()
for line in open(sys.argv[1], encoding="utf-8"):
    if line[0] == "#":
        continue
    f = line.rstrip("\n").split("\t")
    user = [x for x in f[7:] if "`" in x and not x.startswith("[kernel")]
    if not user:
        continue
    weight = int(f[0])
    pids.add(f[4])
    module, name = user[-1].split("`", 1)
    all_ += weight
    if module.startswith("[unknown]") or module.startswith("[anon]"):
        continue
    known += weight
    if not re.fullmatch("0x[0-9a-f]+", name):
        named += weight
        nameable += weight
    elif module.startswith("/") and covered(module, int(name, 16)):
        nameable += weight
print(f"user samples {all_} of {len(pids)} processes: file and offset known "
      f"{100 * known / all_:.2f} %; named {100 * named / all_:.1f} %, "
      f"{100 * named / max(nameable, 1):.2f} % of what has a symbol "
      f"({100 * nameable / all_:.1f} % has: files stripped to .dynsym name little)")
assert len(pids) > 30, "too few processes to tell"
assert known >= 0.98 * all_
assert named >= 0.95 * nameable
END
ok "98 % know module and offset, 95 % of those with a symbol are named" \
	python3 "$TMP/judge.py" "$TMP/lines"
sed 's/^/# /' "$TMP/tap.out"

# From each one's first sample on: its tables are not there yet, so that it is unwound late.
whole "$TMP/lines" >"$TMP/whole"
read -r n share <"$TMP/whole"
echo "# $share % of $n user stacks whole; the others:"
sed '1d; s/^/#     /' "$TMP/whole"
ok "98 % of the stacks are whole" between 98 "$share" 100
done_testing
