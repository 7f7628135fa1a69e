#!/bin/bash
# fold2speedscope: its output as JSON, and in the real speedscope (t/browser/speedscope.mjs).
. t/tap.sh

tool=$BIN/fold2speedscope

said() { "$tool" "$@" >"$TMP/out" 2>"$TMP/err"; echo "$? $(cat "$TMP/err")"; }
json() { python3 -c "import json, sys; d = json.load(open(sys.argv[1])); print($1)" "$TMP/out"; }

is "$(printf 'a;b"\\;c_[k] 3\na 2\nz;\377x 1\n;e 4\n\r\n# comment\n 5\n' | said --name 'x"\y')" \
	"0 " "hostile names: status 0"
is "$(json 'd["name"]')" 'x"\y' "the name"
is "$(json '[f["name"] for f in d["shared"]["frames"]]')" \
	"['a', 'b\"\\\\', 'c_[k]', 'z', '�x', '', 'e']" "the frames"
is "$(json '[(p["name"], p["unit"], p["endValue"], p["samples"], p["weights"])
	for p in d["profiles"]]')" \
	"[('a', 'none', 5, [[0, 1, 2], [0]], [3, 2]), ('z', 'none', 1, [[3, 4]], [1]), \
('', 'none', 9, [[5, 6], [5]], [4, 5])]" "a profile for each root frame"
is "$(said --unit ns <<<'a 1') $(json 'd["profiles"][0]["unit"]')" "0  nanoseconds" "--unit"
is "$(said <<<$'a 1\nbad')" \
	"3 fold2speedscope: standard input:2: no count (a number behind the last blank); the line \
is left out" "a damaged line: status 3"
is "$(said </dev/null) $(wc -c <"$TMP/out")" \
	"1 fold2speedscope: no samples in the input, so there is nothing to write 0" "no samples"
is "$(said <<<$'a 9007199254740993')" \
	"0 fold2speedscope: counts add up to more than 2^53, which speedscope rounds" "large counts"
is "$(said <<<$'a;b 3 5\nc 1 2') $(wc -c <"$TMP/out")" \
	"1 fold2speedscope: these are differential lines, of two counts each: a profile has one 0" \
	"differential lines are refused"
is "$(said <<<$'a;b 3 5\nc 1')" "0 " "a name may end in a number"
is "$(printf 'a 18446744073709551615\na;b 18446744073709551615\nb 1\n' | said | head -c 2) \
$(json '[(p["name"], p["endValue"], p["weights"]) for p in d["profiles"]]')" \
	"0  [('a', 18446744073709551615, [18446744073709551615, 18446744073709551615]), \
('b', 1, [1])]" "sums beyond 64 bits stay there"
is "$(said <<<$'a 18446744073709551616\nb 1.5\nc -1\nd 2') \
$(json 'd["profiles"][0]["weights"]')" \
	"3 fold2speedscope: standard input:1: the count is too large (the first of 3 lines left \
out) [2]" "counts that are none"
is "$(said <<<$'a;b 0\nc 0') $(wc -c <"$TMP/out")" \
	"1 fold2speedscope: no samples in the input, so there is nothing to write 0" "counts of 0"
printf 'a;x 1\nb;y 2\n' >"$TMP/one"
is "$(said "$TMP/one" - "$TMP/one" <<<'b;z 3') $(json '[(p["name"], p["samples"], p["weights"])
	for p in d["profiles"]]')" "0  [('a', [[0, 1], [0, 1]], [1, 1]), \
('b', [[2, 3], [2, 4], [2, 3]], [2, 3, 2])]" "several files make one profile for each root frame"
is "$(said --name $'\1\377</script>"' <<<'a 1') $(json 'ascii(d["name"])')" \
	"0  '\ufffd\ufffd</script>\"'" "a hostile name of the whole"
is "$(printf 'a;b\0c;\342\200\250 5\n' | said) $(json 'ascii([f["name"] for f in
	d["shared"]["frames"]])')" "0  ['a', 'b\ufffdc', '\ufffd']" "hostile frames"
head -c 5000 "$tool" | said >"$TMP/said"
is "$(head -n 1 "$TMP/said" | cut -d: -f1,2) $(wc -c <"$TMP/out")" \
	"1 fold2speedscope: standard input 0" "a program as input"
is "$(said <<<"$(printf 'f;%.0s' {1..100000})g 1") $(json '(d["profiles"][0]["samples"][0][-2:],
	len(d["profiles"][0]["samples"][0]))')" "0  ([0, 1], 100001)" "a deep stack"
is "$(said /no/such)" "1 fold2speedscope: /no/such: No such file or directory" "a missing file"
is "$(said --unit x 2>&1 | head -n 1)" "2 fold2speedscope: --unit: samples, ns or bytes" \
	"a wrong unit"
"$tool" <<<'a 1' >/dev/full 2>"$TMP/err"
is $? 1 "a full disk: status 1"

browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser)}
if [ -n "$browser" ] && [ -d t/browser/node_modules/speedscope ]; then
	printf '%s\n' 'app;main;work;work;leaf 30' 'app;main;work 12' \
		'app;main;read;sys_read_[k] 8' \
		'node;Start;fib_[j] 40' 'node;[unknown] 2' \
		'"r\o;__proto__;constructor;<b>a</b>;&amp 5' '"r\o;std::f<int, char>(a b) 3' \
		'"r\o;ünï→😀 4' >"$TMP/profile.folded"
	"$tool" --name 'Two programs' "$TMP/profile.folded" >"$TMP/profile.json"
	node t/browser/speedscope.mjs "$TMP" "$browser" >"$TMP/tap" 2>&1
	status=$?
	sed 's/^/# /' "$TMP/tap"
	is $status 0 "in the real speedscope: self and total of each function"
else
	skip "in the real speedscope" "no chromium, or no speedscope: run npm ci in t/browser"
fi

done_testing
