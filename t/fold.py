#!/usr/bin/env python3
"""An oracle for stack-fold, written from its man pages and not from its code.

    fold.py generate SEED LINES     random stack lines, hostile names among them
    fold.py fold [OPTION…]          folds stdin as stack-fold does, slowly
"""
import random
import re
import sys
from collections import Counter

UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def clean(raw):
    """bytes as text, each byte of no valid sequence replaced by one U+FFFD"""
    text = raw.decode("utf-8", "surrogateescape")
    text = re.sub("[\udc80-\udcff]", "\ufffd", text)
    return UNSAFE.sub("\ufffd", text)


FRAME = re.compile(
    rb"(?P<module>[^`]*)`"
    rb"(?:(?P<address>0x[0-9a-f]+)|(?P<name>.*?)(?P<offset>\+0x[0-9a-f]+)?)"
    rb"(?: @(?P<source>(?:(?! @).)+:[0-9]+))?"
    rb"(?P<inlined> \(inlined\))?", re.S)


def spell(raw, opt):
    """(text, kind): kind is user, kernel or remark"""
    if b"`" not in raw:
        return clean(raw).replace(";", ":") or "[unknown]", "remark"
    m = FRAME.fullmatch(raw)
    module, name, offset, address = m["module"], m["name"], m["offset"], m["address"]
    if name == b"" and offset:  # an offset of nothing is a name
        name, offset = offset, None
    kernel = module == b"[kernel]" or module.startswith(b"[kernel:")
    base = clean(module.split(b"/")[-1]).replace(";", ":")
    if address or not name:
        text = "[unknown]" if not base else base if base[0] == "[" else "[" + base + "]"
    else:
        text = clean(name).replace(";", ":")
        if "--modules" in opt and base:
            text = base + "`" + text
    if "--offsets" in opt:
        if address:
            text += "+" + address.decode()
        elif offset:
            text += offset.decode()
    if "--no-annotate" not in opt:
        if m["inlined"]:
            text += "_[i]"
        elif kernel:
            text += "_[k]"
        elif module == b"[jit]" and not address:
            text += "_[j]"
    return text, "kernel" if kernel else "user"


def frames_of(row, opt):
    """The frames that the options keep, or None for a sample to be left out."""
    spelt = [spell(f, opt) for f in row]
    only = "user" if "--user" in opt else "kernel" if "--kernel" in opt else None
    if only is None:
        return [text for text, _ in spelt]
    if len(spelt) == 1 and spelt[0][1] == "remark":
        return [spelt[0][0]]
    kept = []
    for i, (text, kind) in enumerate(spelt):
        if kind == "remark":
            following = spelt[i + 1][1] if i + 1 < len(spelt) else "user"
            kind = "kernel" if following == "kernel" else "user"
        if kind == only:
            kept.append(text)
    return kept or None


def fold(opt):
    by = "comm"
    if "--by" in opt:
        by = opt[opt.index("--by") + 1]
    unit = opt[opt.index("--unit") + 1] if "--unit" in opt else None
    events, sums = {}, Counter()
    for line in sys.stdin.buffer.read().split(b"\n"):
        line = line[:-1] if line.endswith(b"\r") else line
        if line.startswith(b"# event "):
            name, what, period = line[8:].rsplit(b" ", 2)
            events[name] = what.decode(), int(period)
        if not line or line.startswith(b"#"):
            continue
        weight, event, _, cpu, pid, tid, comm, *row = line.split(b"\t")
        if row and not row[-1]:
            row.pop()
        weight = int(weight)
        if unit and events[event][0] != unit:
            period = events[event][1]
            weight = weight * period if unit == "ns" else (2 * weight + period) // (2 * period)
        value = {"comm": comm, "pid": b"pid " + (pid or b"-"), "tid": b"tid " + (tid or b"-"),
                 "cpu": b"cpu " + (cpu or b"-"), "event": event}
        roots = [] if by == "none" else [
            (clean(value[b]) or "-").replace(";", ":") for b in by.split(",")]
        frames = frames_of(row, opt)
        if frames is None:
            continue
        stack = ";".join(roots + frames) or "[unknown]"
        if re.match("#( |$)", stack):
            stack = "\ufffd" + stack[1:]
        sums[stack] += weight
    lines = sorted(f"{s} {n}".encode() for s, n in sums.items())
    sys.stdout.buffer.write(b"".join(line + b"\n" for line in lines))


SPICE = ["\t", ";", " ", "`", "<", ">", "&", "+0x1f", "+0x", "0x12", " 12", " (inlined)", "#",
         "# ", " @", " @a.c:3", ":", "[lost: x]", "[", "]", "\x1b[1m", "\x7f", "\u2028", "\u202e",
         "ä", "€", "🔥", "f", "main", "std::x<int (int)>", "/", "\r"]
RAW = [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\xaf", b"\x00"]


def hostile(rng):
    out = b""
    for _ in range(rng.randrange(5)):
        out += rng.choice(RAW) if rng.random() < .1 else rng.choice(SPICE).encode()
    # a TAB parts fields and a LF lines: no name can hold one
    return out.replace(b"\t", b"").replace(b"\n", b"")


def generate(seed, count):
    rng = random.Random(seed)
    modules = [b"/usr/lib/libc.so.6", b"/bin/a", b"[jit]", b"[anon]", b"[vdso]", b"[unknown]", b""]
    kernel = [b"[kernel]", b"[kernel:nf_tables]", b"[kernel:bpf]"]
    pool = [hostile(rng) for _ in range(30)] + [b"f%d" % i for i in range(30)]

    def frame(mods):
        if rng.random() < .05:
            return hostile(rng)
        text = (hostile(rng).replace(b"`", b"") if rng.random() < .05 else rng.choice(mods)) + b"`"
        if rng.random() < .2:
            return text + b"0x%x" % rng.randrange(1 << 48)
        text += rng.choice(pool)
        if rng.random() < .8:
            text += b"+0x%x" % rng.randrange(64)
        if rng.random() < .1:
            text += b" @dir/file.c:%d" % rng.randrange(99)
        if rng.random() < .1:
            text += b" (inlined)"
        return text

    out = [b"# event cpu-clock samples 10101010", b"# event task-clock ns 777",
           b"# event odd one samples 3"]
    stacks = []
    for _ in range(count):
        if not stacks or rng.random() < .4:
            row = [frame(modules) for _ in range(rng.randrange(6))]
            row += [frame(kernel) for _ in range(rng.randrange(4) if rng.random() < .6 else 0)]
            if rng.random() < .1:
                row.insert(0, b"[truncated: no unwind info]")
            if rng.random() < .1:
                row.insert(rng.randrange(len(row) + 1), b"[truncated: depth limit]")
            stacks.append((rng.choice([b"gzip", b"a b", hostile(rng)]), row))
        comm, row = rng.choice(stacks)
        event = rng.choice([b"cpu-clock", b"task-clock", b"odd one"])
        number = lambda: rng.choice([b"-", b"%d" % rng.randrange(4)])
        fields = [b"%d" % rng.randrange(1, 1 << rng.randrange(1, 40)), event, number(), number(),
                  number(), number(), comm, *row]
        out.append(b"\t".join(fields) + (b"\r" if rng.random() < .02 else b""))
        if rng.random() < .02:
            out.append(rng.choice([b"", b"# a comment 12", b"\r"]))
    sys.stdout.buffer.write(b"\n".join(out) + b"\n")


if sys.argv[1] == "generate":
    generate(int(sys.argv[2]), int(sys.argv[3]))
else:
    fold(sys.argv[2:])
