#!/usr/bin/env python3
"""Pictures of random folded files with hostile names and texts.

	svg_hostile.py FOLD2SVG COUNT FOLDER

Each must be well-formed (expat's word, and xmllint's over FOLDER if it is there), hold the
script and the style sheet that any picture has and no other, no event attributes, and
nothing that is fetched. The first fault is printed, and its input is left in FOLDER (1).
"""
import random
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

SVG = "{http://www.w3.org/2000/svg}"
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


def fault(xml, scripts):
    """What is wrong with a picture; scripts: those that it may have"""
    root = ET.fromstring(xml)
    for e in root.iter():
        tag = e.tag.removeprefix(SVG)
        if tag == "script" and (e.text not in scripts or e.attrib):
            return "another script"
        if tag not in ("svg", "title", "desc", "style", "g", "rect", "path", "text", "metadata",
                       "script"):
            return f"an element {tag}"
        for key, value in e.attrib.items():
            name = key.lower()
            if name.startswith("on") or any(name.startswith(f) and not name.startswith("data-")
                                            for f in FETCHING):
                return f"an attribute {key}"
            if not name.startswith("data-") and "url(" in value:
                return f"url( in {key}"
        if tag == "style" and any(word in e.text for word in ("url(", "@import")):
            return "a style sheet that fetches"
    if sum(e.tag == SVG + "script" for e in root.iter()) > 1:
        return "two scripts"
    return None


def xmllint(folder):
    files = [str(f) for f in folder.glob("*.svg")]
    if not files or not shutil.which("xmllint"):
        return ""
    said = subprocess.run(["xmllint", "--noout", *files], capture_output=True, check=False)
    for f in files:
        Path(f).unlink()
    return said.stderr.decode(errors="replace")


def script_of(program, args):
    xml = subprocess.run([program, *args], input=b"a 1\n", capture_output=True, check=True).stdout
    return ET.fromstring(xml).find(SVG + "script").text


def main():
    program, count, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    scripts = {script_of(program, a) for a in ([], ["--encoding=ascii"])}
    for n in range(count):
        rnd = random.Random(n)
        data, args = folded(rnd), options(rnd)
        run = subprocess.run([program, *args], input=data, capture_output=True, check=False)
        try:
            wrong = f"status {run.returncode}" if run.returncode not in (0, 3) else \
                fault(run.stdout, scripts)
        except (ET.ParseError, LookupError, ValueError) as e:
            wrong = str(e)
        if not wrong:
            (folder / f"{n}.svg").write_bytes(run.stdout)
            if n % 200 == 199 or n == count - 1:
                wrong = xmllint(folder)
        if wrong:
            (folder / "input").write_bytes(data)
            print(f"{n}: {wrong}; options {args}; input {data!r}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
