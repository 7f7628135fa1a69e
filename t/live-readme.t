#!/bin/bash
# The README's commands, as they stand there: every block marked `sh`, in order, in one
# folder; `-d 10` becomes `-d 1`. (Blocks marked `console` name processes or programs
# that need not be here.)
. t/tap.sh
. t/live.sh

readme=$PWD/README.md
mkdir "$TMP/blocks" "$TMP/bin" "$TMP/work"
awk -v dir="$TMP/blocks" '
	/^```sh$/ { file = sprintf("%s/%02d", dir, ++n); next }
	/^```$/ { file = "" }
	file { print > file }' "$readme"
ok "there are blocks to run" test -s "$TMP/blocks/01"

# Where root has no sudo, it is not needed.
if ! command -v sudo >/dev/null; then
	printf '#!/bin/sh\nexec "$@"\n' >"$TMP/bin/sudo"
	chmod +x "$TMP/bin/sudo"
fi
# sudo may have a path of its own: it is told the one of the programs.
sed -i "s|\bsudo bpf-sample|sudo $BIN/bpf-sample|; s|-d 10\b|-d 1|" "$TMP/blocks"/*
# Something to sample on an idle machine.
"$EXAMPLES/burn" 120 &
for block in "$TMP/blocks"/*; do
	ok "$(grep -v '^#' "$block" | head -n 1)" env -C "$TMP/work" PATH="$BIN:$TMP/bin:$PATH" \
		bash -e -o pipefail "$block"
done
for svg in "$TMP/work"/*.svg; do
	ok "$(basename "$svg") is an SVG" grep -q '</svg>' "$svg"
done

# What the README says `make` can, and what it links to, is there.
targets=$(grep -oE '(`|sudo )make [a-z]+' "$readme" | sed 's/.* //' | sort -u)
for target in $targets; do
	ok "make $target exists" make -n O="$O" "$target"
done
links=$(grep -oE '\]\([^)]*\)' "$readme" | tr -d '()]')
for link in $links; do
	ok "$link is there" test -e "$link"
done

done_testing
