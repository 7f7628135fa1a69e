#!/bin/bash
# What `make demo` does: profiles examples/burn for five seconds through the whole
# pipe, writes demo.svg, and prints the hottest functions. Needs root.
set -eu -o pipefail

O=${O:-build}
PATH=$O/bin:$PATH
svg=demo.svg

if [ "$(id -u)" != 0 ]; then
	echo "demo: sampling needs root: sudo make demo" >&2
	exit 1
fi
folded=$(mktemp)
trap 'rm -f "$folded"' EXIT

echo "bpf-sample -F 997 -- burn 5 | stack-resolve | stack-fold | fold2svg > $svg" >&2
bpf-sample -F 997 -- "$O/examples/burn" 5 | stack-resolve | stack-fold >"$folded"
fold2svg --title 'examples/burn' "$folded" >"$svg"
# Under sudo it belongs to who asked for it.
[ -z "${SUDO_UID:-}" ] || chown "$SUDO_UID" "$svg"

# Self: samples with the function as leaf. Total: those with it anywhere, counted once.
printf '\n%7s %7s  %s\n' self total function
awk '{
	count = $NF
	sub(/ [0-9]+$/, "")
	n = split($0, frame, ";")
	split("", seen)
	for (i = 2; i <= n; i++) # the first is the command; remarks are no functions
		if (!(frame[i] in seen) && frame[i] !~ /^\[(truncated|lost)/) {
			seen[frame[i]]
			total[frame[i]] += count
		}
	self[frame[n]] += count
	sum += count
}
END {
	for (f in total)
		printf "%6.1f%% %6.1f%%  %s\n", 100 * self[f] / sum, 100 * total[f] / sum, f
}' "$folded" | sort -k1,1nr -k2,2nr -k3 | head -n 8
printf '\n%s: open it in a browser\n' "$PWD/$svg"
