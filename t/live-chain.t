#!/bin/bash
# Stacks are not only whole but right: of a program whose calls are known, and of spinning
# threads beside what gdb says of them.
. t/tap.sh
. t/live.sh

[ "$(uname -m)" = x86_64 ] || skip_all "the example's assembly is x86_64's"
grep -qw avx2 /proc/cpuinfo || skip_all "no AVX2"

CC=${CC:-cc}
flags=(-O2 -fomit-frame-pointer -Wall -Wextra -Werror)
build() { # compiler folder [flags…]
	mkdir "$2" && "$1" "${flags[@]}" -fPIC -shared -o "$2/libknown_chain.so" \
		examples/known_chain_library.c &&
		"$1" "${flags[@]}" "${@:3}" -pthread -o "$2/known_chain" examples/known_chain.c \
			"$2/libknown_chain.so" "-Wl,-rpath,$2"
}

# ---- every place of the program, as the clock meets them
chain() { # name folder
	"$BIN/bpf-sample" -q -F 4999 -o "$TMP/chain.cap" -- "$2/known_chain" 3
	lines "$TMP/chain.cap" >"$TMP/lines"
	ok "$1: each stack is one that the source allows" \
		python3 t/known_chain.py "$2/known_chain" "$TMP/lines"
	sed 's/^/# /' "$TMP/tap.out"
}
for cc in "$CC" clang; do
	command -v "${cc%% *}" >/dev/null || continue
	# bound when it starts, and at the first call
	build "$cc" "$TMP/$cc-now" -Wl,-z,now && chain "$cc, -z now" "$TMP/$cc-now"
	build "$cc" "$TMP/$cc-lazy" -no-pie -Wl,-z,lazy && chain "$cc, lazy, no PIE" "$TMP/$cc-lazy"
done

# ---- threads that stay where they are, and gdb
if command -v gdb >/dev/null; then
	program=$TMP/$CC-now/known_chain
	"$program" hold &
	pid=$!
	sleep 1
	"$BIN/bpf-sample" -q -F 997 -d 3 -p $pid -o "$TMP/hold.cap"
	lines "$TMP/hold.cap" >"$TMP/lines"
	gdb -q -nx -batch -p $pid -x t/gdb_stacks.py >"$TMP/gdb.out" 2>"$TMP/gdb.err"
	kill $pid
	ok "20 threads have the stacks that gdb shows" \
		python3 t/gdb_compare.py "$TMP/lines" "$TMP/gdb.out"
	sed 's/^/# /' "$TMP/tap.out"
else
	skip "threads beside gdb" "no gdb"
fi

# ---- by frame pointers and by tables, where there are both
chains() { # unwind mode
	"$BIN/bpf-sample" -q --unwind "$1" -F 997 -u -o "$TMP/$1.cap" -- "$EXAMPLES/cpu_bound" 2 64
	# From main on, without the rare ones: its clock, the way down and up.
	lines --no-offsets "$TMP/$1.cap" | awk -F '\t' '
		{
			chain = ""
			for (i = 8; i <= NF; i++)
				if (chain != "" || $i ~ /\/cpu_bound`main$/)
					chain = chain " " $i
			n[chain] += $1
			all += $1
		}
		END { for (c in n) if (c != "" && n[c] > all / 50) print c }' | sort
}
by_fp=$(chains fp)
by_tables=$(chains auto)
is "$by_fp" "$by_tables" "by frame pointers or tables: the same stacks of cpu_bound"
printf '%s\n' "$by_tables" >"$TMP/by_tables"
ok "of 66 frames" grep -qE '^ [^ ]*`main( [^ ]*`descend){64} [^ ]*`grind$' "$TMP/by_tables"

# ---- depth
"$CC" -O2 -fomit-frame-pointer -o "$TMP/deep" examples/cpu_bound.c
deep() { # options…
	"$BIN/bpf-sample" -q -F 997 -o "$TMP/deep.cap" "$@" -- "$TMP/deep" 1 500
	lines --no-offsets "$TMP/deep.cap" | grep '/deep`grind' | cut -f 8- >"$TMP/lines"
}
deep --max-depth 1023
is "$(grep -c '^\[truncated' "$TMP/lines")" 0 "500 calls of itself are whole with --max-depth 1023"
ok "all of them" \
	grep -qE '`main(	[^	]*`descend){500}	[^	]*`grind' "$TMP/lines"
deep
is "$(grep -vc '^\[truncated: depth limit\]	' "$TMP/lines")" 0 "and cut at 127 without"
leafward=$(grep -o '^[^	]*\(	[^	]*`descend\)*	[^	]*`grind' "$TMP/lines" |
	awk -F '\t' '{ print NF - 1 }' | sort -u)
is "$leafward" 127 "the leaf's side is kept"
done_testing
