#!/bin/bash
# stack-resolve: goldens of captures kept in t/data, and captures made here of programs
# compiled here, whose symbols nm knows.
. t/tap.sh

mkcap() { "$O/t/mkcap"; }
resolve() { "$BIN/stack-resolve" "$@"; }

# ---- what is in the capture alone
is "$(mkcap <t/data/small.capture.txt | md5sum)" "$(md5sum <t/data/small.cap)" \
	"small.cap is what its text makes"
is "$(resolve t/data/small.cap 2>/dev/null)" "$(cat t/golden/small.stacks)" "golden: small.cap"
is "$(resolve <t/data/small.cap 2>/dev/null)" "$(cat t/golden/small.stacks)" "standard input"
is "$(resolve - <t/data/small.cap 2>/dev/null)" "$(cat t/golden/small.stacks)" "'-'"
is "$(resolve t/data/small.cap t/data/small.cap 2>/dev/null)" \
	"$(cat t/golden/small.stacks t/golden/small.stacks)" "two files"
is "$(cat t/data/small.cap t/data/small.cap | resolve 2>/dev/null)" \
	"$(cat t/golden/small.stacks t/golden/small.stacks)" "two captures in one stream"
is "$(resolve -q t/data/small.cap 2>&1 >/dev/null)" "" "-q is quiet"
is "$(resolve t/data/small.cap 2>&1 >/dev/null)" \
	"stack-resolve: t/data/small.cap: lost while sampling: 12 × mapping events" \
	"lost events are told"
is "$(resolve --no-offsets -q t/data/small.cap | sed -n 4p | cut -f8-)" \
	"/nonexistent/burn\`burn::main	/nonexistent/burn\`hot_seventy" "--no-offsets"
is "$(resolve --no-demangle -q t/data/small.cap | sed -n 4p | cut -f8)" \
	"/nonexistent/burn\`_ZN4burn4mainEi+0x10" "--no-demangle"
is "$(resolve -v t/data/small.cap 2>&1 >/dev/null | grep nonexistent/sh)" \
	"stack-resolve: /nonexistent/sh: 2 of 2 addresses named, by capture (2 symbols, 0 KB)" \
	"-v tells of each file"
is "$(resolve -q t/data/small.cap | awk -F'\t' '!/^#/ { n += $1 } END { print n }')" \
	"1000055" "no weight is lost"

printf 'ffffffff81ffff00 T entry_64\nffffffff82000100 T after\n' >"$TMP/kallsyms"
is "$(resolve -q --kallsyms "$TMP/kallsyms" t/data/small.cap | sed -n 3p | cut -f10-11)" \
	"[kernel]\`entry_64+0x100	[kernel]\`do_syscall_64+0x10" "--kallsyms fills in"
printf '0000000000000000 T hidden\n' >"$TMP/kallsyms"
resolve --kallsyms "$TMP/kallsyms" t/data/small.cap >/dev/null 2>"$TMP/err"
is "$?" "1" "--kallsyms of a kernel that hides them is status 1"
ok "with a message" test -s "$TMP/err"

# ---- meaning: ids that are not defined
mkcap >"$TMP/undefined.cap" <<'E2'
header
event id=1 name=cpu-clock
sample event=1 image=9 tid=5 u=3 k=4 weight=2 comm=x
stack id=3 kind=0 ips=0x1!
sample event=2 u=3 weight=3 comm=y
map image=7 file=1 start=0x1000 length=0x1000
end
E2
is "$(resolve "$TMP/undefined.cap" 2>"$TMP/err" | tail -n 2 | cut -f1,2,7-)" \
"2	cpu-clock	x	[truncated: user stack missing]	[truncated: kernel stack missing]
3	unknown	y	[truncated: user stack missing]" "undefined ids lose no weight"
is "$(resolve "$TMP/undefined.cap" >/dev/null 2>&1; echo $?)" "3" "but are status 3"
is "$(head -n 1 "$TMP/err")" \
	"stack-resolve: $TMP/undefined.cap: byte 96: sample of a user stack that is not defined" \
	"with the place of the first"
is "$(wc -l <"$TMP/err")" "6" "and of each"
{ echo header; echo 'repeat 1000 sample event=1 weight=1'; echo end; } | mkcap >"$TMP/many.cap"
is "$(resolve "$TMP/many.cap" 2>&1 >/dev/null | tail -n 1)" \
	"stack-resolve: $TMP/many.cap: 990 more faults" "of many only the number"

# ---- which build of a file a module is
builds='
header
event id=1 name=e
proc image=1 pid=1
proc image=2 pid=2
proc image=3 pid=3
file id=1 build=0aff path=/bin/a%20b
file id=2 build=0bff path=/bin/a%20b
file id=3 path=/bin/a%20b
file id=4 build=0c path=/lib/l%0a`x
file id=5 flags=4 build=0d path=[vdso]
file id=6 flags=8 build=0e path=[anon]
file id=7 build=0f
file id=8 build=10 path=/never/used
file id=9 path=/no/id
map image=1 file=1 start=0x10000 length=0x1000
map image=2 file=2 start=0x10000 length=0x1000
map image=3 file=3 start=0x10000 length=0x1000
map image=1 file=4 start=0x20000 length=0x1000
map image=1 file=5 start=0x30000 length=0x1000
map image=1 file=6 start=0x40000 length=0x1000
map image=1 file=7 start=0x50000 length=0x1000
map image=1 file=9 start=0x60000 length=0x1000
stack id=1 kind=1 ips=0x10001!
stack id=2 kind=1 ips=0x20001!,0x30001!,0x50001!,0x60001!
stack id=3 kind=1 ips=0x40001!,0x10001!
sample event=1 image=1 u=1 weight=1
sample event=1 image=1 u=1 weight=2
sample event=1 image=2 u=1 weight=3
sample event=1 image=2 u=1 weight=4
sample event=1 image=1 u=1 weight=5
sample event=1 image=1 u=2 weight=6
sample event=1 image=1 u=3 weight=7
sample event=1 image=3 u=1 weight=8
sample event=1 image=2 u=1 weight=9
end'
mkcap <<<"$builds" >"$TMP/builds.cap"
is "$(resolve -q "$TMP/builds.cap" | grep -v '^# event' | cut -f1)" "# file 0aff /bin/a b
1
2
# file 0bff /bin/a b
3
4
# file 0aff /bin/a b
5
# file 0c /lib/l��x
6
# file - /bin/a b
8
# file 0bff /bin/a b
9
# file 0aff /bin/a b
7" "a file's build-id stands before its first line, and where another one follows it"
is "$(resolve -q "$TMP/builds.cap" "$TMP/builds.cap" | grep '^# file' | tail -n 7)" \
"# file 0bff /bin/a b
# file 0aff /bin/a b
# file 0bff /bin/a b
# file 0aff /bin/a b
# file - /bin/a b
# file 0bff /bin/a b
# file 0aff /bin/a b" "what a capture before it told is not told again"
is "$(resolve -q --perf "$TMP/builds.cap" | grep -c '^[-#]')" "9" "perf's text has no such lines"
is "$(printf 'header real=5000 mono=30\nevent id=1 name=e\nend' | mkcap | resolve -q)" \
	"# start 5000 30
# event e samples 0" "when a capture began"
# Too many paths to remember: each is told of, so that none of those before is taken for it.
{
	echo header
	for i in {1..999}; do
		printf 'file id=%d build=%04x path=/%d%0200d\n' "$i" "$i" "$i" 0
	done
} >"$TMP/many.txt"
{
	for i in {1..20}; do
		sed "s|path=|&/$i|" "$TMP/many.txt"
	done
	echo "${builds//build=/unknown=}"
} | mkcap 2>/dev/null | resolve -q 2>/dev/null | grep '^# file' >"$TMP/out"
is "$(cat "$TMP/out")" "# file - /bin/a b
# file - /no/id
# file - /lib/l��x" "where paths were forgotten, an unknown build is told of"

# ---- samples that wait: streams
mkfifo "$TMP/pipe"
resolve -q <"$TMP/pipe" >"$TMP/live" 2>/dev/null &
exec 3>"$TMP/pipe"
jit='
proc image=1 pid=1 ns=1 comm=j
file id=1 flags=8 path=[anon]
map image=1 file=1 start=0x1000 length=0x1000
stack id=1 kind=1 ips=0x1010!
sample event=1 image=1 tid=1 u=1 weight=1 comm=j
sample event=1 tid=1 weight=2 comm=now'
{ echo header; echo 'event id=1 name=e'; echo "$jit"; } | mkcap >&3
# shellcheck disable=SC2317 # called by ok
arrived() { # text: within 10 seconds, since nothing tells when it is due
	for _ in $(seq 100); do
		grep -q "$1" "$TMP/live" && return
		sleep 0.1
	done
	return 1
}
ok "a sample is written while the input pauses" arrived now
is "$(grep -c anon "$TMP/live")" "0" "one in memory without names is not"
mkcap >&3 <<'E2'
sym scope=1 id=1 addr=0x1000 size=0x20 name=late
exit image=1
E2
ok "but when its process ends" arrived 'late+0x10'
exec 3>&-
wait

# ---- files on disk
cat >"$TMP/prog.c" <<'E2'
#include <stdio.h>
__attribute__((noinline)) static int local_one(int x) { return x * 3 + 1; }
__attribute__((noinline)) int global_two(int x) { return local_one(x) ^ x >> 3; }
__attribute__((weak, noinline)) int weak_three(int x) { return global_two(x + 7) - 1; }
int data[4096] = { 1, 2, 3 };
int main(int argc, char **argv)
{
	(void)argv;
	return printf("%d %d\n", weak_three(argc), data[argc]) < 0;
}
E2

hex() { printf '%d' "0x$1"; }

# The records of a process that runs FILE at BIAS: its executable segments in whole pages,
# as the kernel maps them.
process_of() { # file bias [build-id]
	local type offset vaddr filesz rest id
	id=${3-$(readelf -nW "$1" | sed -n 's/.*Build ID: //p')}
	echo "header"
	echo "event id=1 name=cpu-clock"
	echo "proc image=1 pid=10 comm=prog"
	echo "file id=1 build=$id path=$1"
	readelf -lW "$1" | grep -E '^ *LOAD .* R E ' |
			while read -r type offset vaddr _ filesz rest; do
		offset=$((offset)) vaddr=$((vaddr)) filesz=$((filesz))
		local skip=$((vaddr % 4096))
		echo "map image=1 file=1 start=$((vaddr - skip + $2))" \
			"length=$(((filesz + skip + 4095) / 4096 * 4096)) offset=$((offset - skip))"
	done
}

# A sample for the first, a middle and the last byte of each function that nm knows; and
# for the return address right behind its last byte.
samples_of() { # file bias
	nm -S --defined-only "$1" | while read -r addr size type name; do
		case $type:$name in
		[TtWw]:local_one | [TtWw]:global_two | [TtWw]:weak_three | [TtWw]:main) ;;
		*) continue ;;
		esac
		addr=$(($(hex "$addr") + $2)) size=$(hex "$size")
		echo "stack id=1 kind=1 ips=$addr!,$((addr + size / 2)),$((addr + size - 1))!,$((
			addr + size))"
		echo "sample event=1 image=1 tid=10 u=1 weight=1 comm=prog"
		printf '%s+0x%x %s+0x%x %s+0x%x %s+0x0\n' "$name" $((size)) "$name" $((size - 1)) \
			"$name" $((size / 2)) "$name" >&3
	done
	echo end
}

check_program() { # name file bias
	{ process_of "$2" "$3"; samples_of "$2" "$3"; } 3>"$TMP/want" | mkcap >"$TMP/prog.cap"
	resolve "$TMP/prog.cap" 2>"$TMP/err" | grep -v '^#' | cut -f8- |
		sed "s|$2\`||g; s/\t/ /g" >"$TMP/got"
	is "$(cat "$TMP/got" "$TMP/err")" "$(cat "$TMP/want")" "$1: nm's names"
	is "$(wc -l <"$TMP/want")" "4" "$1: of four functions"
}

pie=$((0x555555554000))
compile() { # name bias flags…
	local name=$1 bias=$2
	shift 2
	if ! ${CC:-cc} -O2 -Wl,--build-id "$@" -o "$TMP/$name" "$TMP/prog.c" 2>"$TMP/cc.err"; then
		skip "$name" "does not link here: $(head -n 1 "$TMP/cc.err")"
		return
	fi
	check_program "$name" "$TMP/$name" "$bias"
}
compile pie $pie -pie -fPIE
compile no-pie 0 -no-pie -fno-pie
compile static 0 -static -no-pie
compile static-pie $pie -static-pie -fPIE
compile one-segment $pie -pie -fPIE -Wl,-z,noseparate-code
compile high-text 0 -no-pie -fno-pie -Wl,-Ttext-segment=0x7000000
compile common-pages $pie -pie -fPIE -Wl,-z,noseparate-code -Wl,-z,max-page-size=65536

# stripped: what .dynsym has, and the file's own address for the rest
${CC:-cc} -O2 -Wl,--build-id -pie -fPIE -rdynamic -o "$TMP/dyn" "$TMP/prog.c"
{ process_of "$TMP/dyn" $pie; samples_of "$TMP/dyn" $pie; } 3>/dev/null | mkcap >"$TMP/prog.cap"
local_addr=$(nm "$TMP/dyn" | sed -n 's/^0*\([0-9a-f]*\) t local_one/\1/p')
strip "$TMP/dyn"
resolve "$TMP/prog.cap" >"$TMP/lines" 2>"$TMP/err"
is "$(grep -c 'dyn`global_two+0x0$' "$TMP/lines")" "1" "stripped: .dynsym"
is "$(grep -c "dyn\`0x$local_addr\$" "$TMP/lines")" "1" "stripped: the address objdump shows"
is "$(cat "$TMP/err")" "" "stripped: the build-id is the same, no warning"

# replaced: never a wrong name
check_program before "$TMP/pie" $pie
cp "$TMP/prog.cap" "$TMP/before.cap"
sed -i 's/x \* 3 + 1/x * x * x * 5 + x \/ 3/' "$TMP/prog.c"
${CC:-cc} -O1 -Wl,--build-id -pie -fPIE -o "$TMP/pie" "$TMP/prog.c"
resolve "$TMP/before.cap" >"$TMP/lines" 2>"$TMP/err"
is "$?" "0" "replaced: status 0"
is "$(grep -v '^#' "$TMP/lines" | cut -f8- | grep -cE 'main|one|two|three')" "0" "replaced: no name"
is "$(grep -v '^#' "$TMP/lines" | cut -f8- | tr '\t' '\n' | grep -vcE "^$TMP/pie\`0x[0-9a-f]+\$")" \
	"0" "replaced: module and address"
replaced="replaced since the capture: its build-id differs"
is "$(head -n 1 "$TMP/err")" \
	"stack-resolve: $TMP/pie: $replaced; addresses only" \
	"replaced: a warning"
cat "$TMP/before.cap" "$TMP/before.cap" | resolve 2>"$TMP/err" >/dev/null
is "$(grep -c replaced "$TMP/err")" "1" "replaced: once a file"

# files that are none
mkfifo "$TMP/fifo"
{ process_of "$TMP/pie" $pie; samples_of "$TMP/pie" $pie; } 3>/dev/null |
	sed "s|path=.*|path=$TMP/fifo|" | mkcap >"$TMP/fifo.cap"
ok "a FIFO in a capture is not waited for" timeout 10 "$BIN/stack-resolve" "$TMP/fifo.cap"

# ---- perf maps on disk: this boot's, of the process's user
boot=$((16#$(head -c 8 /proc/sys/kernel/random/boot_id)))
pid=$((4194304 + $$)) # beyond any real one
map=/tmp/perf-$pid.map
jit_capture() { # boot ns
	mkcap <<E2
header boot=$1
event id=1 name=e
proc image=1 pid=$pid ns=$2 uid=$(id -u) comm=j
file id=1 flags=8 path=[anon]
map image=1 file=1 start=0x1000 length=0x1000
stack id=1 kind=1 ips=0x1010!
sample event=1 image=1 tid=1 u=1 weight=1 comm=j
end
E2
}
(umask 077 && echo '1000 20 from disk' >"$map")
is "$(jit_capture "$boot" "$pid" | resolve | tail -n 1 | cut -f8)" "[jit]\`from disk+0x10" \
	"a perf map on disk"
is "$(jit_capture $((boot ^ 1)) "$pid" | resolve | tail -n 1 | cut -f8)" "[anon]\`0x1010" \
	"not of another boot"
is "$(jit_capture "$boot" 7 | resolve | tail -n 1 | cut -f8)" "[anon]\`0x1010" \
	"not of another pid namespace"
if [ "$(id -u)" = 0 ]; then
	chown 12345 "$map"
	is "$(jit_capture "$boot" "$pid" | resolve | tail -n 1 | cut -f8)" "[anon]\`0x1010" \
		"not of another user"
else
	skip "not of another user" "not root"
fi
rm -f "$map"

# ---- statuses
status() { # want args…
	local want=$1
	shift
	"$BIN/stack-resolve" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	is "$?" "$want" "status $want: ${*:-without arguments}"
}
status 1
is "$(cat "$TMP/err")" "stack-resolve: standard input: empty: not a capture" "empty input is told"
status 1 /nonexistent
status 1 t/resolve.t
is "$(cat "$TMP/err")" "stack-resolve: t/resolve.t: not a capture" "another file is told"
status 1 /nonexistent t/data/small.cap
is "$(wc -l <"$TMP/out")" "12" "and the other file is read"
status 2 --no-such-option
status 0 -h
status 0 -V
"$BIN/stack-resolve" t/data/small.cap >/dev/full 2>"$TMP/err"
is "$?" "1" "a full disk is status 1"
is "$(tail -n 1 "$TMP/err")" "stack-resolve: cannot write: No space left on device" "and told"
for ((i = 0; i < 50; i++)); do cat t/data/small.cap; done >"$TMP/some.cap"
for ((i = 0; i < 40; i++)); do cat "$TMP/some.cap"; done >"$TMP/long.cap"
is "$("$BIN/stack-resolve" -q "$TMP/long.cap" | head -n 1)" \
	"# event cpu-clock samples 10101010" "a reader that leaves ends it"
if command -v script >/dev/null; then
	script -qec "$BIN/stack-resolve" /dev/null </dev/null >"$TMP/tty"
	is "$?" "2" "a terminal as input is refused"
	is "$(head -n 1 "$TMP/tty" | tr -d '\r')" \
		"stack-resolve: standard input is a terminal; try: stack-resolve < app.cap" \
		"with a hint"
else
	skip "a terminal as input is refused" "no script(1)"
fi

done_testing
