#!/bin/bash
# Unwind tables: what building them takes, and their size in memory.
. t/bench/figures.sh

# Whatever large ELF files are here.
for file in /usr/lib/*-linux-gnu/libc.so.6 /lib64/libc.so.6 "$(cc -print-prog-name=cc1)" \
	"$(command -v node || true)" /usr/lib/jvm/*/lib/server/libjvm.so \
	/usr/lib/*-linux-gnu/libLLVM-*.so.1; do
	file=$(readlink -f "$file")
	[ ! -f "$file" ] || [[ " ${seen:=} " == *" $file "* ]] || seen+=" $file"
done
# shellcheck disable=SC2086 # paths without blanks
"$O/t/bench/mktable" $seen | while read -r rows functions bytes us rules file; do
	figure "unwind table of ${file##*/}" "$(awk -v n="$rows" -v us="$us" \
		'BEGIN { printf "%.1f", n / us }')" "M rows/s" \
		"($rows rows of $functions functions,\
 $rules rules, $((us / 1000)) ms, $(ratio "$bytes" "$rows") bytes a row)"
done
