"""Reads profile.proto with a protobuf reader of its own, for t/pprof.t.

	pprof.py dump PROFILE            all that is in it, as text
	pprof.py folded PROFILE COLUMN   folded lines of the labels "comm" and the stacks
	pprof.py top FOLDED              self, total and name of each function
	pprof.py traces                  folded lines of `go tool pprof -traces` (standard input)
	pprof.py serve FILE PORT         takes one POST into FILE, on a port that is told in PORT
"""
import collections
import gzip
import http.server
import os
import re
import sys


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at
        assert shift < 70, "a varint is too long"


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, kind = tag >> 3, tag & 7
        assert kind in (0, 2), f"wire type {kind}"
        value, at = varint(data, at)
        if kind == 2:
            assert at + value <= len(data), "a field is cut"
            value, at = data[at:at + value], at + value
        yield number, value


def message(data, names, repeated=()):
    out = {name: [] if name in repeated else 0 for name in names.values()}
    for number, value in fields(data):
        name = names[number]
        if name in repeated:
            out[name].append(value)
        else:
            assert not out[name], f"{name} is there twice"
            out[name] = value
    return out


def packed(parts):
    out = []
    for data in parts:
        at = 0
        while at < len(data):
            value, at = varint(data, at)
            out.append(value)
    return out


class Profile:
    def __init__(self, path):
        with open(path, "rb") as f:
            raw = f.read()
        assert raw[:2] == b"\x1f\x8b" and raw[4:8] == bytes(4), "gzip, without a time"
        top = message(gzip.decompress(raw), {
            1: "types", 2: "samples", 3: "mappings", 4: "locations", 5: "functions",
            6: "strings", 9: "time", 10: "duration", 11: "period_type", 12: "period",
            14: "default"},
            ("types", "samples", "mappings", "locations", "functions", "strings"))
        self.strings = [s.decode("utf-8") for s in top["strings"]]
        assert self.strings[0] == "" and len(set(self.strings)) == len(self.strings)
        self.types = [self.value_type(t) for t in top["types"]]
        self.period = top["period"]
        self.period_type = self.value_type(top["period_type"]) if top["period_type"] else None
        self.time, self.duration = top["time"], top["duration"]
        self.default = self.strings[top["default"]]
        self.mappings = self.table(top["mappings"], {
            1: "id", 5: "file", 6: "build_id", 7: "functions", 8: "files", 9: "numbers",
            10: "inlined"})
        self.functions = self.table(top["functions"], {
            1: "id", 2: "name", 3: "system_name", 4: "file"})
        self.locations = self.table(top["locations"], {
            1: "id", 2: "mapping", 3: "address", 4: "lines"}, ("lines",))
        for location in self.locations.values():
            assert location["mapping"] == 0 or location["mapping"] in self.mappings
            location["lines"] = [message(line, {1: "function", 2: "number"})
                                 for line in location["lines"]]
            assert all(line["function"] in self.functions for line in location["lines"])
        self.samples = []
        for data in top["samples"]:
            s = message(data, {1: "locations", 2: "values", 3: "labels"},
                        ("locations", "values", "labels"))
            stack, values = packed(s["locations"]), packed(s["values"])
            assert len(values) == len(self.types)
            assert all(at in self.locations for at in stack)
            self.samples.append((stack, values, dict(map(self.label, s["labels"]))))

    def label(self, data):
        label = message(data, {1: "key", 2: "text", 3: "number", 4: "unit"})
        key = self.strings[label["key"]]
        assert not label["text"] or not (label["number"] or label["unit"])
        # a number without a unit is taken to be of its key's
        assert self.strings[label["unit"]] == ("" if label["text"] or label["number"] else key)
        return key, self.strings[label["text"]] if label["text"] else label["number"]

    def value_type(self, data):
        t = message(data, {1: "type", 2: "unit"})
        return self.strings[t["type"]], self.strings[t["unit"]]

    @staticmethod
    def table(parts, names, repeated=()):
        rows = [message(data, names, repeated) for data in parts]
        out = {row["id"]: row for row in rows}
        assert len(out) == len(rows) and 0 not in out, "ids are unique"
        return out

    def name(self, line):
        return self.strings[self.functions[line["function"]]["name"]]

    def root_first(self, stack):
        return [self.name(line) for at in reversed(stack)
                for line in reversed(self.locations[at]["lines"])]


def dump(path):
    p = Profile(path)
    print("types", " ".join("/".join(t) for t in p.types), "default", p.default)
    print("period", p.period, "/".join(p.period_type or ()), "time", p.time, "duration",
          p.duration)
    for m in p.mappings.values():
        flags = " ".join(f for f in ("functions", "files", "numbers", "inlined") if m[f])
        print("mapping", p.strings[m["file"]], p.strings[m["build_id"]] or "-", flags)
    for f in p.functions.values():
        print("function", " | ".join(p.strings[f[at]] or "-"
                                     for at in ("name", "system_name", "file")))
    for stack, values, labels in p.samples:
        print("sample", *values, *(f"{k}={v!r}" for k, v in labels.items()))
        for at in stack:
            location = p.locations[at]
            module = location["mapping"] and p.mappings[location["mapping"]]
            print("   ", p.strings[module["file"]] if module else "-", hex(location["address"]),
                  " < ".join(p.name(line) + (f":{line['number']}" if line["number"] else "")
                             for line in location["lines"]))


def print_folded(sums):
    for stack, value in sorted(sums.items()):
        if value:
            print(stack, value)


def folded(path, column):
    p = Profile(path)
    at = [t[0] for t in p.types].index(column)
    sums = collections.Counter()
    for stack, values, labels in p.samples:
        names = [labels.get("comm", "-")] + p.root_first(stack)
        text = ";".join(n.replace(";", ":") for n in names)
        # stack-fold's way to keep a line from being a comment
        sums[re.sub("^#(?= |$)", "\ufffd", text)] += values[at]
    print_folded(sums)


def top(path):
    own, total = collections.Counter(), collections.Counter()
    with open(path, encoding="utf-8") as f:
        for line in f:
            stack, count = line.rstrip("\n").rsplit(" ", 1)
            names = stack.split(";")[1:]
            if names:
                own[names[-1]] += int(count)
            for name in set(names):
                total[name] += int(count)
    for name in sorted(total):
        print(own[name], total[name], name)


def traces():
    sums = collections.Counter()
    comm, value, stack = "-", None, []

    def end():
        if value is not None:
            sums[";".join([comm] + stack[::-1])] += value

    for line in sys.stdin.read().split("\n"):
        label = re.match(r" *([a-z]+):  (.*)", line)
        frame = re.match(r"(.{10})   (.*)", line)
        if line.startswith("-----------+"):
            end()
            comm, value, stack = "-", None, []
        elif label and value is None:
            comm = label[2] if label[1] == "comm" else comm
        elif frame:
            value = int(frame[1]) if frame[1].strip() else value
            stack.append(re.sub(r" \(inline\)$", "", frame[2]).replace(";", ":"))
    end()
    print_folded(sums)


def serve(path, port_path):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            with open(path, "wb") as f:
                f.write(self.rfile.read(int(self.headers["Content-Length"])))
            with open(path + ".request", "w", encoding="utf-8") as f:
                f.write(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.timeout = 60
        with open(port_path + ".new", "w", encoding="utf-8") as f:
            f.write(str(server.server_port))
        os.rename(port_path + ".new", port_path)
        server.handle_request()


commands = {"dump": dump, "folded": folded, "top": top, "traces": traces, "serve": serve}
commands[sys.argv[1]](*sys.argv[2:])
