#!/bin/bash
# stack-resolve: a million distinct addresses in the code of large libraries.
. t/bench/figures.sh

addresses=1000000
# Whatever large ELF files are here: clang builds the BPF programs, so its libraries are.
files=$(command -v node;
	ldd "$(readlink -f "$(command -v clang)")" | grep -oE '/[^ ]*lib(LLVM|clang)[^ ]*' |
	xargs -r readlink -f | sort -u)
if [ -z "$files" ]; then
	files=$(readlink -f "$(command -v clang)")
fi
# shellcheck disable=SC2086 # paths without blanks
"$O/t/bench/mkcapture" $addresses $files >"$TMP/bench.cap"

seconds "$TMP/lines" "$BIN/stack-resolve" "$TMP/bench.cap"
named=$(tr '\t' '\n' <"$TMP/lines" | awk '/`/ { all++; if ($0 !~ /`0x/) named++ }
	END { printf "%.0f", 100 * named / all }')
figure "stack-resolve, distinct addresses from symbol tables" \
	"$(per_second $addresses)" "addresses/s" "($named % named; ${took} s in all)"
