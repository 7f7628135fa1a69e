"""Stacks of spinning threads by two: gdb_compare.py LINES GDB-OUTPUT.

Of each thread all samples are equal to gdb's, but for a few whose root could not be reached.
Equal are the number of frames, their modules, and in the example and its library the
function and, but for the leaf, the offset. Other libraries are stripped: there gdb takes the
symbol before, so only modules are compared.
"""
import collections
import os
import re
import sys


def frame_of(module, name, offset, leaf):
    module = os.path.basename(module)
    if "known_chain" not in module:
        return module
    return f"{module}`{name}" + ("" if leaf else f"+0x{offset:x}")


def main():
    ours, theirs = collections.defaultdict(collections.Counter), collections.defaultdict(list)
    for line in open(sys.argv[1], encoding="utf-8"):
        fields = line.rstrip("\n").split("\t")
        if line[0] == "#":
            continue
        user = [f for f in fields[7:] if not f.startswith("[kernel")]
        frames = []
        for i, f in enumerate(user):
            m = re.fullmatch(r"(.*?)`(.*?)(?:\+0x([0-9a-f]+))?", f)
            frames.append(frame_of(m[1], m[2], int(m[3] or "0", 16), i == len(user) - 1)
                          if m else f)
        ours[int(fields[5])][tuple(frames)] += int(fields[0])
    for line in open(sys.argv[2], encoding="utf-8"):
        fields = line.rstrip("\n").split("\t")
        if fields[0] == "FRAME":
            theirs[int(fields[1])].append(fields[2:])

    same = frames = samples = cut = 0
    for tid, stack in sorted(theirs.items()):
        want = tuple(frame_of("known_chain" if m == "program" else m, name, int(offset),
                              i == len(stack) - 1)
                     for i, (m, name, offset) in enumerate(stack))
        if tid not in ours:
            continue  # the first thread sleeps
        wrong = []
        for got, n in ours[tid].items():
            samples += n
            if got[0].startswith("[truncated: "):
                cut += n
                got = got[1:]
                if got == want[-len(got):]:
                    continue
            if got != want:
                wrong.append(f"    {n} samples say {' '.join(got)}")
        if wrong:
            print(f"thread {tid}: gdb says {' '.join(want)}", *wrong[:3], sep="\n")
        else:
            same += 1
            frames += len(want)
    print(f"{same} of {len(ours)} threads are the same, {frames} frames, in all of "
          f"{samples} samples; the root of {cut} was not reached")
    return same != len(ours) or same < 20 or cut > 0.01 * samples


sys.exit(main())
