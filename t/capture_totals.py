#!/usr/bin/env python3
"""Totals of a capture, from lib/capture/capture.5 alone: prints `name value` lines."""
import struct
import sys

SAMPLE, LOST, END = 10, 11, 12
data = open(sys.argv[1], "rb").read()
at, weight, lost, ends, end = 0, 0, 0, 0, (0,) * 5
while at < len(data):
    kind, _, length = struct.unpack_from("<HHI", data, at)
    if kind == SAMPLE:
        weight += struct.unpack_from("<Q", data, at + 8 + 24)[0]
    elif kind == LOST:
        lost += struct.unpack_from("<Q", data, at + 8 + 16)[0]
    elif kind == END:
        ends += 1
        end = struct.unpack_from("<5Q", data, at + 8)
    at += length
for name, value in zip(("fired", "filtered", "weight", "lost", "skipped"), end):
    print(name, value)
print("samples", weight)
print("losts", lost)
print("ends", ends)
