#!/bin/bash
# The sampler under Debian 12's own kernel, Linux 6.1, the oldest that it is for: in an emulated
# machine (t/vm), so that nothing here is about speed. VM_KERNEL=FILE tests another kernel.
. t/tap.sh

t/vm/run.sh "$TMP/vm" 2>"$TMP/why"
status=$?
[ $status != 77 ] || skip_all "$(tail -n 1 "$TMP/why")"
is "$status" 0 "the machine came to its end" || diag "$(cat "$TMP/why" "$TMP/vm/console")"
[ $status = 0 ] || done_testing
out=$TMP/vm/out

# A number between two others.
between() { awk -v l="$1" -v v="$2" -v h="$3" 'BEGIN { exit !(v >= l && v <= h) }'; }
sum() { awk '{ n += $NF } END { print n + 0 }' "$@"; }

# The percentage of the weight of NAME's samples with user frames, of those commands or of all,
# that has the whole stack up to the root.
whole() { # NAME [COMM…]
	awk -F '\t' -v comms=" ${*:2} " '
		$8 ~ /^\[kernel/ || (comms != "  " && !index(comms, " " $7 " ")) { next }
		{ all += $1 }
		$8 !~ /^\[truncated/ { whole += $1 }
		END { printf "%.1f\n", all ? 100 * whole / all : 0 }' "$out/$1.lines"
}

folded() { "$BIN/stack-fold" -q <"$out/$1.lines"; }

# ---- the programs load, whatever is asked of them
echo "# Linux $(cat "$out/release")"
sed 's/^/# instructions verified: /' "$out/verified"
sed 's/^/# status, seconds to load and end: /' "$out/loads"
ok "there is type information" test "$(cat "$out/btf")" -gt 1000000
is "$(wc -l <"$out/loads")" 14 "all sets of options were tried"
is "$(grep -v '^0 ' "$out/loads")" "" "the programs load with each" ||
	diag "$(cat "$out/loads.err")"

# ---- what each sampling says of itself
for cap in "$out"/*.cap; do
	name=$(basename "$cap" .cap)
	is "$(cat "$out/$name.status")" 0 "$name: bpf-sample's status" ||
		diag "$(tail -n 20 "$out/$name.err")"
	python3 t/capture_totals.py "$cap" >"$TMP/totals"
	is "$(awk '{ v[$1] = $2 } END { print v["fired"] - v["filtered"] - v["weight"] - v["lost"] }
		' "$TMP/totals")" 0 "$name: fired = filtered + counted + lost"
	is "$(awk '{ v[$1] = $2 } END { print v["weight"] - v["samples"], v["lost"] - v["losts"] }
		' "$TMP/totals")" "0 0" "$name: the records add up to the totals"
	ok "$name: samples" test "$(awk '$1 == "weight" { print $2 }' "$TMP/totals")" -ge 50
done
is "$(grep -l 'cannot run the unwinder' "$out"/*.err)" "" "the unwinder runs"

# ---- known answers
for name in burn-auto burn-fp nofp; do
	folded $name >"$TMP/folded"
	hot=$(grep -E ';main;hot_seventy;spin [0-9]+$' "$TMP/folded" | sum)
	cold=$(grep -E ';main;cold_thirty;spin [0-9]+$' "$TMP/folded" | sum)
	share=$(awk "BEGIN { print 100 * $hot / ($hot + $cold + 1e-9) }")
	ok "$name: hot_seventy has 70 % +- 6 of the two" between 64 "$share" 76 ||
		diag "$hot and $cold of $(sum "$TMP/folded"): $share %"
done

# "main, N times descend, grind": the share of all samples in grind().
chain() { # NAME N
	folded "$1" | awk -v n="$2" '
		/;grind / {
			all += $NF
			depth = gsub(/;descend/, "")
			if (depth == n && /;main;grind /)
				right += $NF
		}
		END { printf "%.1f\n", all ? 100 * right / all : 0 }'
}
for name in auto fp nofp; do
	is "$(chain chain-$name 64)" 100.0 "chain-$name: every call of 64"
done
is "$(chain deep 500)" 100.0 "deep: every call of 500"

# Programs start slowly here, and it is their start that has most of what is not whole.
for name in burn-auto nofp chain-auto chain-nofp deep kernel; do
	share=$(whole $name burn burn-nofp cpu_bound cpu_bound-nofp dd) # not what started it
	ok "$name: user stacks are whole" between 96 "$share" 100 ||
		diag "$share %: $(cut -f 1,7- "$out/$name.lines" | grep truncated | cut -c 1-300)"
done
for name in short crowded; do
	share=$(whole $name bash gzip ls)
	ok "$name: user stacks of processes of some ms are whole" between 95 "$share" 100 ||
		diag "$share %: $(cut -f 1,7- "$out/$name.lines" | grep truncated | cut -c 1-300)"
done

# In a system call the registers are the task's own.
share=$(awk -F '\t' '$7 == "dd" { all += $1 }
	$7 == "dd" && $8 !~ /^\[/ && /\[kernel\]`/ { both += $1 }
	END { printf "%.1f\n", all ? 100 * both / all : 0 }' "$out/kernel.lines")
ok "kernel frames stand below the user frames of the call" between 80 "$share" 100 ||
	diag "$share %"
done_testing
