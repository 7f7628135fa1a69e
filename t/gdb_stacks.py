"""For gdb -x: each thread's frames, root first: FRAME, tid, module, function, offset, by TABs.

Without frames that gdb makes up from debug information: inlined ones and tail calls.
"""
import re

import gdb

gdb.execute("set backtrace past-main on")
gdb.execute("set backtrace past-entry on")
gdb.execute("set pagination off")

for thread in gdb.selected_inferior().threads():
    thread.switch()
    frames, frame = [], gdb.newest_frame()
    while frame:
        if frame.type() in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            frame = frame.older()
            continue
        pc = frame.pc()
        symbol = gdb.execute(f"info symbol {pc:#x}", to_string=True)
        m = re.match(r"(\S+)(?: \+ (\d+))? in section ", symbol)
        frames.append((gdb.solib_name(pc) or "program", m[1] if m else "",
                       int(m[2] or 0) if m else 0))
        frame = frame.older()
    for module, name, offset in reversed(frames):
        print(f"FRAME\t{thread.ptid[1]}\t{module}\t{name}\t{offset}")
