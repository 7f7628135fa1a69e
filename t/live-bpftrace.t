#!/bin/bash
# What bpftrace itself prints here, in each of its forms: the stacks of examples/burn.
. t/tap.sh
. t/live.sh

"$EXAMPLES/burn" 300 &
burn=$!
# The maps end up in one text: keys in either order, as perf writes stacks, of statistics.
program='profile:hz:199 /pid == '$burn'/ {
	@a[kstack, ustack, comm] = count();
	@b[comm, ustack, kstack] = count();
	@c[ustack(perf), comm] = count();
	@d[ustack] = stats(1);
	@e[ustack] = hist(1);
	@f[kstack, comm] = count();
	@g = count();
}
interval:s:2 { printf("a line of the script\n"); exit(); }'
for form in text json; do
	timeout 120 bpftrace -f $form -e "$program" >"$TMP/$form" 2>"$TMP/$form.err"
	is "$?" 0 "bpftrace runs" || diag "$(cat "$TMP/$form.err")"
done
kill $burn

# The number of samples by bpftrace itself.
samples() { sed -n -e 's/^@g: //p' -e 's/.*{"@g": \([0-9]*\).*/\1/p' "$1"; }
# Only one form of stacks has the file of an address without a name.
fold() { "$BIN/stack-fold" "$@" 2>"$TMP/err" | sed 's/\[[^];]*\]\(;\| \)/[unknown]\1/g'; }
for form in text json; do
	n=$(samples "$TMP/$form")
	ok "$form: there are samples" test "$n" -gt 0
	ok "$form: all of it was understood" "$BIN/stack-fold" "$TMP/$form"
	fold "$TMP/$form" >"$TMP/out"
	is "$(sum "$TMP/out")" "$n" "each sample is there"
	ok "and burn's functions, behind its name" \
		grep -q '^burn;.*main;hot_seventy;spin' "$TMP/out"
	is "$(grep -vc '^burn;' "$TMP/out")" 0 "nothing has another root"
	ok "what was left out is told" grep -q 'left out: .* of @b' "$TMP/err"
	ok "histograms, too" grep -q 'left out: [1-9].* no count.* histograms' "$TMP/err"
	is "$(fold --event @b "$TMP/$form")" "$(cat "$TMP/out")" "the order of keys does not matter"
	is "$(fold --event @c "$TMP/$form")" "$(fold --user "$TMP/$form")" "stacks as perf has them"
	is "$(fold --event @d "$TMP/$form")" \
		"$(fold --by none --user "$TMP/$form")" "of statistics the total"
	is "$(fold --event @f --kernel "$TMP/$form")" "$(fold --kernel "$TMP/$form")" \
		"kernel stacks alone"
done

done_testing
