#!/bin/bash
# Every fuzz target over its corpus, with sanitizers: built by `make sanitized`.
. t/tap.sh

export ASAN_OPTIONS=detect_leaks=1

for source in t/fuzz/*.c; do
	name=$(basename "$source" .c)
	[ "$name" != replay ] || continue
	corpus=t/fuzz/corpus/$name
	inputs=("$corpus"/*)
	if [ ! -e "${inputs[0]}" ]; then
		is "none" "$corpus/*" "$name has a corpus"
		continue
	fi
	ok "$name: ${#inputs[@]} inputs" "$O/san/t/fuzz/$name" "${inputs[@]}"
done

done_testing
