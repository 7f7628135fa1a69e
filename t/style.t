#!/bin/bash
# What an eye should not have to look for.
. t/tap.sh

# Files of ours, not data: tracked ones and those about to be.
files=$(git ls-files -co --exclude-standard 2>/dev/null | while read -r f; do
	[ -f "$f" ] && echo "$f"
done | grep -vE '^t/(data|golden|fuzz/corpus)/|\.(svg|cap|folded|png|json)$')
if [ -z "$files" ]; then
	skip_all "not a git checkout"
fi
code=$(grep -E '\.([ch]|js|css|sh|t)$|(^|/)(Makefile|tool\.mk)$|^\.ci/run$' <<<"$files")
c=$(grep -E '\.[ch]$' <<<"$files")

# shellcheck disable=SC2086 # no name of ours has a blank
{
	is "$(grep -nE '[[:blank:]]+$' $files /dev/null | head -n 20)" "" "no trailing blanks"
	is "$(for f in $files; do [ -z "$(tail -c 1 "$f" | tr -d '\n')" ] || echo "$f"; done)" "" \
		"every file ends with a newline"
	is "$(grep -nE '^  +[^ *]' $c /dev/null | head -n 20)" "" "C is indented with tabs"
	is "$(perl -CSD -ne '
		chomp;
		1 while s/\t/" " x (8 - length($`) % 8)/e;
		print "$ARGV:$.: ", length, "\n" if length > 100;
		close ARGV if eof;' $code)" "" "no line of code is longer than 100 columns"
	is "$(grep -nE 'typedef[[:blank:]]+(struct|union|enum)' $c /dev/null |
		grep -v '^bpf/kernel.h:')" "" "no typedefs for structs, but the kernel's"
	is "$(wc -l $c | awk '$2 != "total" && $1 > 650')" "" "no C file has more than 650 lines"
}

done_testing
