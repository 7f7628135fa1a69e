#!/usr/bin/env python3
"""Pictures of random folded files with hostile names and texts.

	svg_hostile.py FOLD2SVG COUNT FOLDER

Each must be well-formed (expat's word, and xmllint's for a sample, kept in FOLDER), hold the
script and the style sheet that any picture has and no other, no event attributes, and
nothing that is fetched. A fault is printed with its input (1).
"""
import multiprocessing
import os
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from xml.parsers import expat

SAMPLE = 50  # xmllint sees one of so many
SANITIZERS = {k: v for k, v in os.environ.items() if k in ("ASAN_OPTIONS", "UBSAN_OPTIONS")}
ELEMENTS = {"svg", "title", "desc", "style", "g", "rect", "path", "text", "metadata", "script"}
PIECES = [
    b'<script>alert(1)</script>', b'</title>', b'</metadata>', b'</svg>', b']]>',
    b'<![CDATA[', b'<!--', b'-->', b'<?x?>', b'&', b'&lt;', b'&#0;', b'&#x1f;', b'"', b"'",
    b"'/>", b'" onload="x', b'javascript:x', b'http://e/', b'url(http://e/)',
    b"<image href='x'/>", b"@import 'x'", b'</style>', b'\\', b'\\u0000', b'${x}', b'`',
    b'__proto__', b'constructor', b'\t', b'\x00', b'\x01', b'\x0b', b'\x1b[31m', b'\x7f',
    b'\xc2\x85', b'\xff', b'\xc0\x80', b'\xed\xa0\x80', b'\xf4\x90\x80\x80',
    b'\xe2\x80\xae', b'\xef\xbf\xbe', b'\xef\xbf\xbf', b'\xef\xbb\xbf', b'\xf0\x9f\x94\xa5',
    "λ".encode(), b'_[k]', b'_[i]', b'_[j]', b'[', b']', b' ', b'  7', b'#', b'%s', b'a',
    b'main', b'\r',
]
FETCHING = ("href", "src", "data", "xlink", "filter", "mask", "clip-path")
NULL_FREE = [p for p in PIECES if b"\x00" not in p]


def text(rnd, pieces=PIECES):
    kind = rnd.random()
    if kind < 0.1:
        return bytes(rnd.choice([b for b in range(1, 256) if b not in b"\n;"])
                     for _ in range(rnd.randrange(12)))
    return b"".join(rnd.choice(pieces) for _ in range(rnd.randrange(5)))


def folded(rnd):
    lines = [b"sure 1" + rnd.choice([b"", b" 2"])]
    for _ in range(rnd.randrange(12)):
        frames = [text(rnd) for _ in range(rnd.randrange(6))]
        count = b"%d" % rnd.randrange(100) + (b" 5" if rnd.random() < 0.5 else b"")
        lines.append(b";".join(frames) + b" " + count)
    return b"\n".join(lines) + b"\n"


def options(rnd):
    args = []
    for key in ("title", "subtitle", "countname", "nametype", "notes", "fonttype"):
        if rnd.random() < 0.3:
            args.append(b"--%s=" % key.encode() + text(rnd, NULL_FREE).replace(b"\n", b""))
    for choice in ("--colors=module", "--colors=hot", "--colors=chain", "--inverted", "--reverse",
                   "--flamechart", "--minwidth=0", "--encoding=ISO-8859-1",
                   "--encoding=windows-1252",
                   "--negate", "--base=before", "--no-js"):
        if rnd.random() < 0.15:
            args.append(choice.encode())
    return args


KNOWN = []  # the script and the style sheet that pictures may have, as bytes


def learn(program):
    """The blocks that any picture has. Those for other encodings are in ASCII."""
    for args in ([], ["--encoding=ascii"]):
        xml = subprocess.run([program, *args], input=b"a 1\n", capture_output=True,
                             check=True).stdout
        ET.fromstring(xml)
        KNOWN.append(re.search(rb"<script>.*?</script>", xml, re.S)[0])
        KNOWN.append(re.findall(rb"<style>.*?</style>", xml, re.S)[1])


def without_known(xml):
    """Elements of that name and nothing in them instead: what stands in the place of a known
    block is an element only where that was one."""
    for block in KNOWN:
        at = xml.find(block[:64])
        if at >= 0 and xml.startswith(block, at):
            xml = xml[:at] + block[:block.index(b">")] + b"/>" + xml[at + len(block):]
    return xml


class Picture:
    """Looks at each element of a document."""

    def __init__(self, xml):
        self.wrong, self.inside, self.seen = None, None, Counter()
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self.start, self.end
        parser.CharacterDataHandler = self.text
        parser.CommentHandler = lambda _: self.fault("a comment")
        parser.ProcessingInstructionHandler = lambda *_: self.fault("an instruction")
        parser.StartDoctypeDeclHandler = lambda *_: self.fault("a document type")
        try:
            parser.Parse(xml, True)
        except expat.ExpatError as e:
            self.fault(str(e))

    def fault(self, what):
        self.wrong = self.wrong or what

    def start(self, tag, attrs):
        self.inside = tag
        self.seen[tag] += 1
        if tag not in ELEMENTS:
            self.fault(f"an element {tag}")
        if tag in ("script", "style") and attrs:
            self.fault(f"a {tag} with attributes")
        if tag == "script" and self.seen[tag] > 1:
            self.fault("two scripts")
        for key, value in attrs.items():
            name = key.lower()
            if name.startswith("data-"):
                continue
            if name.startswith(("on",) + FETCHING) or ":" in name:
                self.fault(f"an attribute {key}")
            if "url(" in value:
                self.fault(f"url( in {key}")

    def end(self, tag):
        self.inside = None

    def text(self, text):
        if self.inside == "script":
            self.fault("another script")
        if self.inside == "style" and re.search(r"url\(|@import", text):
            self.fault("a style sheet that fetches")


def spawn(program, args, files):
    """Its status. Cheaper than subprocess, with ten thousands of them."""
    pid = os.posix_spawn(program, [program, *args], SANITIZERS, file_actions=[
        (os.POSIX_SPAWN_OPEN, fd, str(name), flags, 0o600) for fd, name, flags in (
            (0, files[0], os.O_RDONLY), (1, files[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
            (2, "/dev/null", os.O_WRONLY))])
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def check(job):
    """What is wrong with some of the pictures, or None"""
    program, seeds, folder = job
    files = [folder / f"{os.getpid()}.{end}" for end in ("in", "out")]
    for n in seeds:
        rnd = random.Random(n)
        data, args = folded(rnd), options(rnd)
        files[0].write_bytes(data)
        status = spawn(program, args, files)
        xml = files[1].read_bytes()
        wrong = Picture(without_known(xml)).wrong if status in (0, 3) else f"status {status}"
        if wrong:
            return f"{n}: {wrong}; options {args}; input {data!r}"
        if n % SAMPLE == 0:
            (folder / f"{n}.svg").write_bytes(xml)
    return None


def main():
    program, count, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    learn(program)
    jobs = [(program, range(n, min(n + 100, count)), folder) for n in range(0, count, 100)]
    with multiprocessing.get_context("fork").Pool() as pool:
        for wrong in pool.imap_unordered(check, jobs):
            if wrong:
                print(wrong)
                return 1
    files = sorted(str(f) for f in folder.glob("*.svg"))
    return subprocess.run(["xmllint", "--noout", *files], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
