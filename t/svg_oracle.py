#!/usr/bin/env python3
"""What a picture of folded files must hold, computed without fold2svg, and whether it does.

	svg_oracle.py <PICTURES

Each line of input is of words parted by blanks: PICTURE OPTION… FILE…; the options are
those that it was drawn with, spelt out ("--minwidth=0.5%"). Compared are each box's place,
width and <title>, and the data in <metadata>. For each line comes a line "same" or
"differs", after it where.
"""
import re
import sys
import xml.etree.ElementTree as ET
from fractions import Fraction

SVG = "{http://www.w3.org/2000/svg}"
COUNT = r"(?:\d+\.?\d*|\.\d+)"
PAD = 10
GAP = Fraction("0.5")


def options_of(args):
    o = {"width": "1200", "minwidth": "0.1", "factor": "1", "countname": "samples",
         "base": "after", "height": "16"}
    files = []
    for arg in args:
        if arg.startswith("--"):
            key, _, value = arg[2:].partition("=")
            o[key] = value or True
        else:
            files.append(arg)
    return o, files


def lines_of(files):
    for name in files:
        with open(name, encoding="utf-8", newline="\n") as f:
            for line in f.read().split("\n"):
                line = line.rstrip(" \t\r")
                if line and not line.startswith("# "):
                    yield line


def stacks_of(files, total):
    """(frames, before, after) in the input's order, before None unless differential, and the
    decimals of their unit"""
    lines = list(lines_of(files))
    two = [re.fullmatch(rf"(?:(.*)[ \t])?({COUNT})[ \t]+({COUNT})", line) for line in lines]
    if lines and all(two):
        found = [(m[1] or "", m[2], m[3]) for m in two]
    else:
        one = [re.fullmatch(rf"(?:(.*)[ \t])?({COUNT})", line) for line in lines]
        found = [(m[1] or "", None, m[2]) for m in one]
    result = []
    for stack, before, after in found:
        frames = stack.rstrip(" \t").split(";")
        if frames[-1] == "":
            frames.pop()
        result.append((frames, before, after))
    decimals = max([len(c.partition(".")[2]) for _, *cs in result for c in cs if c] +
                   [len(total.partition(".")[2])])
    scale = 10 ** decimals
    return [(f, None if b is None else int(Fraction(b.rstrip(".")) * scale),
             int(Fraction(a.rstrip(".")) * scale)) for f, b, a in result], decimals


class Node:
    def __init__(self, name, depth):
        self.name, self.depth, self.callees = name, depth, []
        self.before = self.after = self.start = 0


def width_of(before, after, base):
    """A stack's: its count in the base, or if that is 0 in the other"""
    return (before or after) if base == "before" else (after or before)


def tree_of(stacks, differential, o):
    root, last, now = Node(None, 0), [], 0
    chart = "flamechart" in o
    for frames, before, after in stacks:
        if not before and not after:
            continue
        if "reverse" in o:
            frames = frames[::-1]
        path, same = [root], True
        for i, name in enumerate(frames):
            node = None
            if chart:
                same = same and i < len(last) and last[i].name == name
                node = last[i] if same else None
            else:
                node = next((c for c in path[-1].callees if c.name == name), None)
            if node is None:
                node = Node(name, i + 1)
                node.start = now
                path[-1].callees.append(node)
            path.append(node)
        path[-1].before += before or 0
        path[-1].after += after
        last, now = path[1:], now + after
    return laid_out(root, differential, chart, o["base"])


def laid_out(root, differential, chart, base):
    """The frames in preorder. Own time is at the left, in a chart where it was."""
    order, todo, at = [], [(root, False)], 0
    while todo:
        node, left = todo.pop()
        if left:
            node.total = at - node.entered
            node.total_before = node.before + sum(c.total_before for c in node.callees)
            node.total_after = node.after + sum(c.total_after for c in node.callees)
            continue
        order.append(node)
        node.entered = at
        if differential or not chart:
            node.start = at
        node.self = width_of(node.before, node.after, base) if differential else node.after
        at += node.self
        if not chart:
            node.callees.sort(key=lambda c: c.name.encode())
        todo.append((node, True))
        todo.extend((c, False) for c in reversed(node.callees))
    return order


def label_of(name):
    return re.sub(r"_\[[kji]\]$", "", name)


def kind_of(name):
    m = re.search(r"_\[([kji])\]$", name)
    label = label_of(name)
    if (not m or m[1] != "i") and label.startswith("[") and label.endswith("]") and label:
        return m[1].upper() if m else "x"
    return m[1] if m else "u"


def count_text(n, decimals, factor):
    return f"{round(Fraction(n, 10 ** decimals) * factor):,}"


def hundredths(n):
    return f"{float(n):.2f}"


def expected_boxes(order, differential, decimals, o):
    root, factor = order[0], Fraction(o["factor"])
    span = root.total
    if "total" in o:
        span = int(Fraction(o["total"]) * 10 ** decimals)
    base = lambda n: n.total
    if differential:
        base = lambda n: n.total_before if o["base"] == "before" else n.total_after
    whole = span if "total" in o else base(root)
    inner = int(o["width"]) - 2 * PAD
    percent = o["minwidth"].endswith("%")
    least = Fraction(o["minwidth"].rstrip("%"))
    boxes, hidden = [], 0
    for node in order:
        share = Fraction(node.total, span)
        if node is not root and share * (100 if percent else inner) < least:
            hidden += 1
            continue
        total = span if node is root else node.total
        left = PAD * 100 + node.start * inner * 100 // span
        right = PAD * 100 + (node.start + total) * inner * 100 // span
        if node is root:
            title = f"all ({count_text(whole, decimals, factor)} {o['countname']}, 100%)"
        else:
            title = f"{label_of(node.name)} ({count_text(base(node), decimals, factor)} " \
                f"{o['countname']}, {hundredths(100 * base(node) / whole if whole else 0)}%"
            if differential:
                change = node.total_after - node.total_before
                sign = "+" if (change > 0) != ("negate" in o) else "-"
                size = 100 * abs(change) / whole if whole else 0
                title += f"; {sign if change else ''}{hundredths(size)}%"
            title += ")"
        boxes.append((node.depth, left, right - left, title))
    boxes.sort(key=lambda b: b[:1])  # stable: from left to right in each row
    return boxes, hidden


def drawn_boxes(svg, o):
    rows, boxes = [], []
    for row in svg.find(f".//{SVG}g[@class='frames']"):
        y = int(re.fullmatch(r"translate\(0 (\d+)\)", row.get("transform"))[1])
        rows.append((y, row))
    rows.sort(key=lambda r: r[0], reverse="inverted" not in o)
    height = int(o["height"])
    for (y, row) in rows:
        depth = abs(y - rows[0][0]) // height
        for box in row:
            title = box.find(f"{SVG}title")
            if title is None:
                continue
            if box.tag == SVG + "rect":
                left, width = Fraction(box.get("x")), Fraction(box.get("width")) + GAP
            else:
                m = re.fullmatch(r"M([\d.]+) 0h([\d.]+)v\d+h-\2", box.get("d"))
                left, width = Fraction(m[1]), Fraction(m[2])
            boxes.append((depth, left * 100, width * 100, title.text))
    return boxes


def expected_frames(order, differential, chart):
    """With what data.h has behind UP: two counts, or one and in a chart the gap before"""
    gaps = {}
    for node in order:
        at = node.start
        for callee in node.callees:
            gaps[callee] = callee.start - at
            at = callee.start + callee.total
    for node in order:
        second = node.before if differential else gaps.get(node, 0) if chart else 0
        yield (node.depth,) + (("all", "x") if node.name is None else
                               (label_of(node.name), kind_of(node.name))) + (node.after, second)


def data_text(svg, name):
    return "".join(e.text for e in svg.findall(f".//{SVG}metadata[@class='{name}']"))


def data_frames(svg):
    names = [line.split("\t")[0] for line in data_text(svg, "names").split("\n")]
    depth = -1
    for i, line in enumerate(data_text(svg, "frames").split("\n")[:-1]):
        name, up, first, second = (line.split(" ") + ["0"] * 3)[:4]
        head, _, label = names[int(name)].partition(" ") if i else ("x", "", "all")
        depth += 1 - int(up)
        yield depth, label, head[0], int(first), int(second)


def difference(what, got, want):
    got, want = list(got), list(want)
    if got == want:
        return ""
    at = next((i for i, (g, w) in enumerate(zip(got, want)) if g != w), min(len(got), len(want)))
    return f" {what} {at} of {len(got)}, {len(want)}: {got[at:at + 1]} for {want[at:at + 1]}"


def compare(picture, args):
    o, files = options_of(args)
    svg = ET.parse(picture).getroot()
    stacks, decimals = stacks_of(files, o.get("total", ""))
    differential = bool(stacks) and stacks[0][1] is not None
    order = tree_of(stacks, differential, o)
    boxes, hidden = expected_boxes(order, differential, decimals, o)
    note = svg.find(f".//{SVG}text[@class='small note']").text or ""
    said = re.match(r"([\d,]*)", note)[1].replace(",", "")
    found = difference("box", drawn_boxes(svg, o), boxes)
    found += difference("number not drawn", [int(said or 0)], [hidden])
    if "no-js" not in o:
        found += difference("frame of the data", data_frames(svg),
                            expected_frames(order, differential, "flamechart" in o))
    return found


for line in sys.stdin:
    picture, *args = line.split()
    found = compare(picture, args)
    print("differs" + found if found else "same")
