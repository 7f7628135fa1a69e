"""Judges stack lines of examples/known_chain: each chain must be one that can be.

    known_chain.py PROGRAM LINES

A frame of the program or its library must be called by the one that the source says, with
just the frames of the C library between them that belong there, and no other.
"""
import collections
import re
import subprocess
import sys

SORT, SIGNAL, PLT = "(libc's qsort)", "(libc and the signal's frame)", "(PLT)"
CALLS = {  # function: those that it may call
    "main": {"c01_plain", PLT},
    "c01_plain": {"c02_stack_arguments"},
    "c02_stack_arguments": {"c03_alloca"},
    "c03_alloca": {"c04_vla"},
    "c04_vla": {"c05_sorter"},
    "c05_sorter": {SORT, PLT},
    SORT: {"c06_compare"},
    "c06_compare": {"c07_all_registers"},
    "c07_all_registers": {"c08_deep_frame"},
    "c08_deep_frame": {"c09_avx"},
    "c09_avx": {"c10_realigned"},
    "c10_realigned": {"c11_tail", "c12_library", PLT},  # the first leaves its place to these
    "c11_tail": set(),
    "c12_library": {"c13_callback"},
    "c13_callback": {"c14_raiser", "c16_recursive"},
    "c14_raiser": {SIGNAL, PLT},
    SIGNAL: {"c15_handler"},
    "c15_handler": {"c16_recursive"},
    "c16_recursive": {"c16_recursive", "c17_framed"},
    "c17_framed": {"c18_assembly"},
    "c18_assembly": {"c19_red_zone", "c20_leaf"},
    "c19_red_zone": set(),
    "c20_leaf": set(),
    PLT: set(),
}
RECURSION = 4  # of c16_recursive


def chain_of(frames, own):
    """Functions from main on, runs of other modules' frames as one; None without main."""
    chain = []
    for frame in frames:
        module, name = frame.split("`", 1)
        function = re.sub(r"\+0x[0-9a-f]+$", "", name)
        if module in own and (function in CALLS or chain):
            chain.append(function if function in CALLS else
                         PLT if re.fullmatch("0x[0-9a-f]+", name) else f"(other: {frame})")
        elif module in own:
            continue  # _start, the PLT of a start
        elif chain:
            if "ld-linux" in module or module == "[vdso]":
                chain.append(module)
            elif chain[-1] == "c14_raiser" or chain[-1] == SIGNAL:
                chain[-1:] = [chain[-1], SIGNAL] if chain[-1] == "c14_raiser" else [SIGNAL]
            elif chain[-1] == "c05_sorter" or chain[-1] == SORT:
                chain[-1:] = [chain[-1], SORT] if chain[-1] == "c05_sorter" else [SORT]
            else:
                chain.append(module)
    return chain


def fault_of(chain, from_main):
    """What is wrong with a chain, or None."""
    if from_main and chain[0] != "main":
        return "main is not at the root"
    recursion = 0
    for caller, callee in zip(chain, chain[1:] + [None]):
        recursion = recursion + 1 if caller == "c16_recursive" else 0
        if callee is None or callee == "[vdso]" and caller == "main":
            return None
        if "ld-linux" in callee or "libc.so" in callee and caller == "main":
            return None  # a symbol bound at its first call; clock_gettime without a vdso
        if callee not in CALLS.get(caller, ()):
            return f"{caller} does not call {callee}"
        if caller == callee == "c16_recursive" and recursion == RECURSION:
            return "too deep a recursion"
        if callee == "c17_framed" and from_main and recursion != RECURSION:
            return "too flat a recursion"
    return None


def instructions(program):
    """Addresses of the functions' instructions as NAME+0xOFF."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program],
                          capture_output=True, text=True, check=True).stdout
    found, name, start = set(), None, 0
    for line in text.splitlines():
        if m := re.fullmatch(r"([0-9a-f]+) <(\w+)>:", line):
            start, name = int(m[1], 16), m[2]
        elif name in CALLS and name != "main" and (m := re.match(r" *([0-9a-f]+):\t(\S+)", line)):
            if not m[2].startswith(("nop", "cs", "data16", "xchg")):
                found.add(f"{name}+0x{int(m[1], 16) - start:x}")
    return found


def main():
    program, lines = sys.argv[1:]
    library = program.rsplit("/", 1)[0] + "/libknown_chain.so"
    own = {program, library}
    counts, faults, leaves, hit, why = (collections.Counter() for _ in range(5))
    for line in open(lines, encoding="utf-8"):
        fields = line.rstrip("\n").split("\t")
        if line[0] == "#" or len(fields) < 8:
            continue
        weight, frames = int(fields[0]), fields[7:]
        cut = frames[0].startswith("[truncated: ")
        user = [f for f in frames if "`" in f and not f.startswith("[kernel")]
        if not user or not any(f.split("`")[0] in own for f in user) and not cut:
            continue  # the dynamic loader's start, exec
        chain = chain_of(user, own)
        if any("`restore_sigcontext" in f for f in frames):
            continue  # the kernel is exchanging the registers one by one
        counts["all"] += weight
        if cut:
            counts["cut"] += weight
            why[frames[0] + " " + user[0]] += weight
            chain = chain[1:]  # the first function may have lost its callers
        if not chain:
            continue
        fault = fault_of(chain, not cut)
        if fault:
            faults[f"{fault}: {' '.join(chain)}"] += weight
        leaves[chain[-1]] += weight
        if user[-1].split("`")[0] in own:
            hit[user[-1].split("`", 1)[1]] += weight

    code = instructions(program) | instructions(library)
    code = {c for c in code if not c.startswith("c12") or c in instructions(library)}
    seen = len(code & set(hit))
    print(f"{counts['all']} samples, {sum(faults.values())} of them impossible, {counts['cut']} "
          f"cut; {seen} of {len(code)} instructions of the functions were hit")
    for what, n in why.most_common(8):
        print(f"    {n} {what}")
    for what, n in faults.most_common(20):
        print(f"impossible: {n} {what}")
    missing = [f for f in CALLS if f[0] == "c" and not leaves[f]]
    if missing:
        print("never sampled in: " + " ".join(missing))
    # A twentieth of the time goes by in a function whose first and last instructions keep the
    # frame's address in r10, in no real program so much.
    too_many = counts["cut"] > 0.02 * counts["all"]
    if too_many:
        print("more than 2 % cut")
    return bool(faults or missing or too_many)


sys.exit(main())
