# shellcheck shell=bash
# What the tests of stack-resolve --perf share: a capture, as stack lines and as the text of
# perf script, has to be the same to those who read it.

resolve() { "$BIN/stack-resolve" -q "$@"; }
fold() { "$BIN/stack-fold" -q "$@"; }

# A reader written here, from the man page of stack-resolve: strict in what it takes.
cat >"$TMP/reader.py" <<'E2'
import re, sys
head = re.compile(r'(\S.*?) {1,2}(\d+)/(\d+) \[(\d{3,})\] (\d+\.\d{6}):    ([1-9]\d*) (\S+):')
frame = re.compile(r'\t([0-9a-f]+) (\S.*?)(\+0x[0-9a-f]+)? \((\S+)\)')
text = sys.stdin.buffer.read().decode()
assert text == '' or text.endswith('\n\n'), 'the last sample has no empty line'
sums, wanted = {}, None
for block in text.split('\n\n')[:-1]:
    lines = block.split('\n')
    while lines[0].startswith('#'):
        lines.pop(0)
    m = head.fullmatch(lines[0])
    assert m, lines[0]
    row = []
    for line in lines[1:]:
        f = frame.fullmatch(line)
        assert f, line
        name, dso = f[2], f[4]
        kind = '_[k]' if dso.startswith('[') and dso not in ('[unknown]', '[vdso]') else \
            '_[j]' if re.fullmatch(r'/tmp/perf-\d+\.map', dso) else ''
        if name == '[unknown]':
            base = dso.rsplit('/', 1)[-1]
            name = '[kernel]' if base == '[kernel.kallsyms]' else \
                base if base.startswith('[') else '[' + base + ']'
        parts = name.split('->') if kind == '_[j]' else [name]
        for i, part in reversed(list(enumerate(parts))):
            row.append(part.replace(';', ':') + ('_[i]' if i else kind))
    wanted = wanted or m[7]
    if m[7] == wanted:
        stack = ';'.join([m[1]] + row[::-1])
        sums[stack] = sums.get(stack, 0) + int(m[6])
for stack in sorted(sums, key=str.encode):
    print(stack, sums[stack])
E2
first_event() { # the lines of the first event, as those who read perf script take them
	awk -F'\t' '/^#/ { print; next } !e { e = $2 } $2 == e'
}
round_trip() { # name capture
	local option
	resolve "$2" | first_event | fold >"$TMP/want"
	resolve --perf "$2" >"$TMP/perf"
	is "$(python3 "$TMP/reader.py" <"$TMP/perf" 2>&1)" "$(cat "$TMP/want")" \
		"$1: a strict reader sees what stack-fold does"
	is "$(fold <"$TMP/perf")" "$(cat "$TMP/want")" "$1: stack-fold makes the same of both"
	for option in --user --kernel --shorten --reverse --collapse-recursion; do
		resolve "$2" | first_event | fold $option >"$TMP/with"
		is "$(fold $option <"$TMP/perf")" "$(cat "$TMP/with")" "$1: with $option, too"
	done
	resolve --perf-each "$2" >"$TMP/perf"
	is "$(fold <"$TMP/perf")" "$(cat "$TMP/want")" "$1: and of --perf-each"
	# The Perl tool's differences, as the man page lists them, made in what we expect.
	if [ -n "$collapse" ]; then
		python3 - "$TMP/want" >"$TMP/perl.want" <<'E2'
import re, sys
out = {}
for line in open(sys.argv[1], 'rb').read().decode().splitlines():
    stack, _, count = line.rpartition(' ')
    comm, *frames = stack.split(';')
    comm = comm.replace(' ', '_')
    comm += '_' if len(comm.encode()) == 1 else ''
    row = []
    for f in frames:
        kind = re.search(r'(_\[[kji]\])?$', f)[0]
        name = f[:len(f) - len(kind)]
        if name.startswith('('):
            continue
        name = '[[kernel.kallsyms]]' if (name, kind) == ('[kernel]', '_[k]') else name
        name = '[[vdso]]' if name == '[vdso]' else name
        kind = '_[k]' if name.startswith(('__vdso_', '[[vdso]')) else kind
        for i, part in enumerate(name.split('->')):
            if not re.search(r'\.\(.*\)\.', part):
                part = re.sub(r'\((?!anonymous namespace\)).*', '', part)
            part = part.translate({34: None, 39: None})
            if comm.startswith('java') and ':' in part:
                part = re.sub('^L', '', part)
            row.append(part + ('_[i]' if i else kind))
    stack = ';'.join([comm] + row)
    out[stack] = out.get(stack, 0) + int(count)
for stack in sorted(out, key=str.encode):
    print(stack, out[stack])
E2
		resolve --perf "$2" | "$collapse" --all 2>/dev/null >"$TMP/perl"
		is "$(cat "$TMP/perl")" "$(cat "$TMP/perl.want")" \
			"$1: stackcollapse-perf.pl, but for the listed differences"
	fi
}
collapse=$(command -v stackcollapse-perf.pl)
