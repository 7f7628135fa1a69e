#!/bin/bash
# The README's commands, as they stand there: every block marked `sh`, in order, in one
# folder; ten seconds become one. Blocks marked `console` name processes or programs that
# need not be here; that of DTrace is run, too, on what its script prints.
. t/tap.sh
. t/live.sh

readme=$PWD/README.md
mkdir "$TMP/blocks" "$TMP/bin" "$TMP/work"
awk -v dir="$TMP/blocks" '
	/^```(sh|console)$/ { block = ""; kind = substr($0, 4); next }
	/^```$/ {
		if (kind == "sh" || block ~ /dtrace/)
			printf "%s", block > sprintf("%s/%02d", dir, ++n)
		kind = ""
	}
	kind { block = block $0 "\n" }' "$readme"
ok "there are blocks to run" test -s "$TMP/blocks/01"
for tool in bpf-sample stack-resolve stack-fold fold2svg perf bpftrace dtrace fold2speedscope \
	stack2pprof pprof; do
	ok "some run $tool" grep -rqw "$tool" "$TMP/blocks"
done

# Where root has no sudo, it is not needed.
if ! command -v sudo >/dev/null; then
	printf '#!/bin/sh\nexec "$@"\n' >"$TMP/bin/sudo"
	chmod +x "$TMP/bin/sudo"
fi
# What DTrace would print.
cat >"$TMP/stacks" <<'END'
dtrace: description 'profile-99 ' matched 2 probes
CPU     ID                    FUNCTION:NAME
  0  64091                       :tick-10s

  cat
              genunix`fop_read+0x5b
              unix`sys_syscall+0x17a

              libc.so.1`__read+0xa
              cat`main+0x1d
                7
END
printf '#!/bin/sh\nexec cat "%s"\n' "$TMP/stacks" >"$TMP/bin/dtrace"
chmod +x "$TMP/bin/dtrace"
# sudo may have a path of its own: it is told the one of the programs.
sed -i "s|\bsudo bpf-sample|sudo $BIN/bpf-sample|; s|\bsudo dtrace|sudo $TMP/bin/dtrace|
	s|-d 10\b|-d 1|; s|sleep 10\b|sleep 1|; s|:s:10\b|:s:1|" "$TMP/blocks"/*
# Something to sample on an idle machine.
"$EXAMPLES/burn" 300 &
for block in "$TMP/blocks"/*; do
	ok "$(grep -v '^#' "$block" | head -n 1)" env -C "$TMP/work" PATH="$BIN:$TMP/bin:$PATH" \
		bash -e -o pipefail "$block"
done
for svg in "$TMP/work"/*.svg; do
	ok "$(basename "$svg") is an SVG" grep -q '</svg>' "$svg"
done
for svg in perf maps; do
	ok "$svg.svg shows what ran" grep -q hot_seventy "$TMP/work/$svg.svg"
done
# shellcheck disable=SC2016 # no command, a backtick
ok "stacks.svg, too" grep -q 'unix`sys_syscall' "$TMP/work/stacks.svg"

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
