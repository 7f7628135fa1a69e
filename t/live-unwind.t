#!/bin/bash
# Programs as distributions ship them, without frame pointers: what share of their user stacks
# reaches the root. UNWIND_SECONDS=10 samples each for so long instead of 2 s.
. t/tap.sh
. t/live.sh

seconds=${UNWIND_SECONDS:-2}
data=t/data/unwind
CC=${CC:-cc} CXX=${CXX:-c++}

# ---- something to work on
awk 'BEGIN {
	srand(1)
	for (i = 0; i < 400000; i++)
		printf "%d %x the %d th line of %f\n", rand() * 1e6, rand() * 1e9, i, rand()
}' >"$TMP/text"

awk 'BEGIN {
	for (i = 0; i < 1500; i++) {
		print "commit refs/heads/main\ncommitter A <a@b> " i + 1000000000 " +0000"
		print "data 7\nchange\n\nM 644 inline file" i % 40 "\ndata <<END"
		for (j = 0; j < 200; j++)
			print j * i % 101, "line", j
		print "END\n"
	}
}' >"$TMP/history"
git init -q -b main "$TMP/repo" && git -C "$TMP/repo" fast-import --quiet <"$TMP/history"

awk 'BEGIN {
	print "#include <stdlib.h>\n#include <stdio.h>"
	for (i = 0; i < 400; i++) {
		print "int f" i "(int *v, int n) { int s = 0; for (int i = 0; i < n; i++) {"
		print "switch (v[i] % 7) { case 0: s += v[i] * " i "; break; case 3: s ^= i; break;"
		print "default: v[i] = s / (n + 1); } } return s" \
			(i ? " + f" i - 1 "(v, n / 2)" : "")
		print "; }"
	}
}' >"$TMP/big.c"
cat >"$TMP/big.cc" <<'END'
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <regex>
#include <string>
int main(int argc, char **argv)
{
	std::map<std::string, std::function<int(int)>> m;
	std::regex r("(a|b)*c");
	m["x"] = [&](int i) { return std::regex_match(argv[0], r) + i; };
	for (auto &[k, f] : m)
		std::cout << k << f(argc) << "\n";
}
END

# sample NAME COMMAND… into $TMP/lines; what forks in a loop ends with its time.
sample() {
	local name=$1
	shift
	"$BIN/bpf-sample" -q -F 499 -o "$TMP/$name.cap" -- timeout "$seconds" "$@" \
		>"$TMP/out" 2>&1 <"$TMP/text"
	lines "$TMP/$name.cap" >"$TMP/lines"
}

# judge NAME LEAST
judge() {
	local n share
	whole "$TMP/lines" >"$TMP/whole"
	read -r n share <"$TMP/whole"
	echo "# $1: $share % of $n user samples whole"
	sed '1d; s/^/#     /' "$TMP/whole"
	ok "$1: sampled" between 300 "$n" 1e9 || diag "$(tail -n 3 "$TMP/out")"
	ok "$1: at least $2 % of the stacks are whole" between "$2" "$share" 100
}

native() { # NAME COMMAND…
	if ! command -v "$2" >/dev/null; then
		echo "# $1: not there"
		return
	fi
	sample "$@"
	judge "$1" 99
}

# Again and again, in a shell that is hardly sampled.
again() { echo "while :; do $*; done"; }

# ---- stock programs
text=$TMP/text
native xz xz -9 -c "$text"
native gzip gzip -9 -c "$text" "$text" "$text" "$text"
native git sh -c "$(again "git -C $TMP/repo log -p --stat")"
python='
import json, re
d = {str(i): [i, {"a": i}] for i in range(2000)}
while True:
    json.loads(json.dumps(d, indent=1))
    re.findall("a.b", "aab" * 1000)
    sorted(range(1000), key=lambda x: -x)
'
native python-debian /usr/bin/python3 -c "$python"
other=$(python3 -c 'import sys; print(sys.executable)')
[ "$(realpath "$other")" = "$(realpath /usr/bin/python3)" ] ||
	native python-other "$other" -c "$python"
# shellcheck disable=SC2016 # perl's variables
native perl perl -e 'while (1) { my %h; for (1 .. 1e4) { $h{$_ % 97} .= sprintf "%x", $_ }
	my @s = sort { $h{$a} cmp $h{$b} } keys %h; my $n = () = join("", @s) =~ /(1.*?2)/g; }'
native sqlite3 sqlite3 :memory: 'create table t(a, b);
	with recursive c(x) as (select 1 union all select x + 1 from c where x < 100000)
	insert into t select x, x * 7919 % 10007 from c;
	with recursive c(x) as (select 1 union all select x + 1 from c where x < 1000)
	select sum(n) from c,
		(select b, count(*) n, group_concat(a) g from t group by b order by 2);
	with recursive c(x) as (select 1 union all select x + 1 from c)
	select count(*) from c where printf("%d", x) like "%7%9";'
# shellcheck disable=SC2016 # the inner shell's
native bash bash -c 'while :; do a=(); for i in {1..500}; do a+=("${i//1/x}$((i * i % 97))"); done
	s=${a[*]}; [[ $s =~ (x.*7) ]]; done'
native sort sort -k3 "$text" "$text" "$text" "$text" "$text" "$text"
native grep grep -cE '(.)(.).*\2\1\2\1' "$text"
native cc1 sh -c "$(again "$CC -O2 -c -o /dev/null $TMP/big.c")"
native cc1plus sh -c "$(again "$CXX -O2 -c -o /dev/null $TMP/big.cc")"
if command -v clang >/dev/null; then
	native clang sh -c "$(again "clang -O2 -c -o /dev/null $TMP/big.c")"
fi

# ---- examples of our own
omit=(-O2 -fomit-frame-pointer)
"$CC" "${omit[@]}" -o "$TMP/cpu_bound" examples/cpu_bound.c &&
	native c "$TMP/cpu_bound" "$seconds"
"$CXX" "${omit[@]}" -o "$TMP/thrower" $data/thrower.cc &&
	native c++-exceptions "$TMP/thrower" "$seconds"
if command -v rustc >/dev/null; then
	rustc -O -C force-frame-pointers=no -o "$TMP/worker" $data/worker.rs &&
		native rust "$TMP/worker" "$seconds"
	# rustc keeps more on its stack than is copied of one that is unwound late, as the first
	# of each process are, and the first process's all while the tables of its 300 MB are
	# made.
	seconds=$((seconds * 3)) sample rustc sh -c \
		"$(again "rustc -O -o $TMP/rust.out $data/worker.rs")"
	first=$(awk -F '\t' '$7 == "rustc" { print $5; exit }' "$TMP/lines")
	whole "$TMP/lines" | sed "1 { s/^/# rustc, from its start: /; q; }"
	awk -F '\t' -v first="$first" '$5 != first' "$TMP/lines" >"$TMP/later"
	mv "$TMP/later" "$TMP/lines"
	judge rustc 95
else
	echo "# rust: not there"
fi

# ---- code made at run time, followed by frame pointers: where one lies in the prologue or
# epilogue of such code its caller is missed, and interpreters run hand-written code.
javascript='
let o = {};
for (let i = 0; i < 3000; i++) o["k" + i] = [i, { a: String(i) }];
for (;;) {
	JSON.parse(JSON.stringify(o));
	"aab".repeat(1000).match(/a.b/g);
	[...Array(1000).keys()].sort((x, y) => y * 7 % 13 - x * 7 % 13);
	require("zlib").deflateSync(Buffer.alloc(20000, "abcdefgh"));
}'
if command -v node >/dev/null; then
	sample node node -e "$javascript"
	judge node 90
fi
if command -v javac >/dev/null; then
	javac -d "$TMP" $data/Worker.java
	sample java java -XX:+PreserveFramePointer -cp "$TMP" Worker "$seconds"
	judge java 90
else
	echo "# java: not there"
fi
done_testing
