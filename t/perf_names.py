#!/usr/bin/env python3
"""A capture, as the text that t/mkcap makes one of, of 100 processes whose functions, files and
threads have names of odd pieces; the argument seeds the choice."""
import random
import sys

random.seed(int(sys.argv[1]))
pieces = ["f", "main", "`", "(int)", " (x)", "->", "[", "]", ";", " @f.c:1", "/", ":", "_[k]",
          "_[j]", "\t", "\x1b", "é", "#", '"', "'", "0x12", "::", "<", ">", " ", "operator",
          "Lx/A;", "[unknown]", "[kernel]", "deadbeef", "0", "+", "*", "{lambda}", ",",
          " (deleted)", "$", "\u2028", ".", "=>"]


def escaped(text):
    return "".join(c if c.isascii() and c.isalnum() else
                   "".join(f"%{b:02x}" for b in c.encode()) for c in text)


def odd(most):
    """A name; not beginning with a blank, which the text of perf script cannot tell."""
    name = "".join(random.choice(pieces) for _ in range(random.randint(1, most)))
    return escaped(name.lstrip(" ") or "x")


def symbol(kind, address, rest=""):
    if random.random() < .8:
        print(f"{kind} addr={address} size=16 name={odd(5)} {rest}")
    return f"{address + 4}"


print("header\nevent id=1 name=cpu-clock period=1000")
for i in range(1, 101):
    path = odd(3).replace("%20", "_")
    print(f"proc image={i} pid={i}\nfile id={i} build={i:04x} path=/bin/{path}\n"
          f"file id={i + 1000} flags=8 path=[anon]\n"
          f"map image={i} file={i} start=0x1000 length=0x1000\n"
          f"map image={i} file={i + 1000} start=0x8000 length=0x1000")
    user = [str(0x500000)]
    for k in range(0, 64, 16):
        user += [str(0x1000 + int(symbol(f"sym scope=0 id={i}", k))),
                 symbol(f"sym scope=1 id={i}", 0x8000 + k)]
    random.shuffle(user)
    modules = ["", "module=nf_tables", "module=bpf"]
    kernel = [symbol("ksym", 0xffffffff81000000 + i * 64 + k, random.choice(modules))
              for k in range(0, 48, 16)]
    print(f"stack id=1 kind=1 end={random.choice([0, 1, 3])} ips={user[0]}!,{','.join(user[1:])}\n"
          f"stack id=2 kind=0 ips={kernel[0]}!,{','.join(kernel[1:])}")
    comm = escaped(random.choice(["java", "a", "node x", "kworker/0:1", "x(y)", 'b"c', "[x]"]))
    print(f"sample event=1 image={i} tid={i} u=1 k={random.choice([0, 2])} weight={i} comm={comm}\n"
          f"exit image={i}")
print("end")
