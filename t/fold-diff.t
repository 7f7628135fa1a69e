#!/bin/bash
# stack-fold --diff: two counts a line.
. t/tap.sh

fold=$BIN/stack-fold

# What it writes, messages too; the status if it is not 0.
diff_of() {
	"$fold" --diff "$@" 2>&1 || echo "status $?"
}

before=$TMP/before.folded after=$TMP/after.folded
printf 'app;%s\n' 'main;parse 30' 'main;gone 10' 'main 5' 'main;parse 2' >"$before"
printf 'app;%s\n' 'new 7' 'main;parse 60' 'main 5' >"$after"

# ---- lines, derived by hand
is "$(diff_of "$before" "$after")" "app;main 5 5
app;main;gone 10 0
app;main;parse 32 60
app;new 0 7" "both counts, sorted, merged; 0 where a stack is not"
is "$(diff_of "$after" "$before")" "app;main 5 5
app;main;gone 0 10
app;main;parse 60 32
app;new 7 0" "the other way round"
is "$(diff_of "$before" "$before" | awk '$(NF - 1) != $NF' | wc -l)" 0 "a file and itself"
is "$(diff_of - "$after" <"$before")" "$(diff_of "$before" "$after")" "before by a dash"
is "$(diff_of "$before" - <"$after")" "$(diff_of "$before" "$after")" "after by a dash"
is "$(diff_of "$before" --diff "$after" -q)" "$(diff_of "$before" "$after")" \
	"options between and behind the files"
ok "sorted as sort does" sort -c <(diff_of "$before" "$after")
printf '%s\n' 'f 1' 'f (x) 1' 'f 5 2' 'f;g 1' 'f' 'f  3' >"$TMP/blanks"
ok "sorted as lines, blanks in names and all" \
	sort -c <("$fold" --diff "$TMP/blanks" "$before" 2>/dev/null)
is "$("$fold" --diff "$TMP/blanks" "$TMP/blanks" 2>/dev/null)" "f  3 3
f (x) 1 1
f 1 1
f 5 2 2
f;g 1 1" "blanks before the counts are the name's"
printf 'a 18446744073709551615\n' >"$TMP/large"
is "$(diff_of "$TMP/large" "$TMP/large")" "a 18446744073709551615 18446744073709551615" \
	"the largest counts"

# ---- stack lines, and options for them
lines=t/data/fold/basic.lines
golden=t/golden/fold/basic.folded
is "$(diff_of $lines $golden)" "$(awk '{ $NF = $NF " " $NF } 1' $golden)" \
	"stack lines before, folded lines after"
is "$(diff_of $lines /dev/null -q)" "$(sed 's/$/ 0/' $golden)" "all of it gone"
is "$(diff_of /dev/null $lines -q)" "$(sed 's/\([0-9]*\)$/0 \1/' $golden)" "all of it new"
for options in "--by comm,pid" --user --kernel "--offsets --modules" --no-annotate; do
	# shellcheck disable=SC2086 # options
	is "$(diff_of -q $options $lines $lines)" \
		"$("$fold" -q $options $lines | awk '{ $NF = $NF " " $NF } 1')" "$options"
done
is "$(diff_of --modules "$before" "$after" | tail -n 1)" "status 2" \
	"what does not fit folded lines does not here"
sed 's/10101010/20202020/' t/data/fold/units.lines >"$TMP/rates"
is "$(diff_of --by event --unit ns t/data/fold/units.lines "$TMP/rates" | head -n 1)" \
	"cpu-clock;f $((3 * 10101010)) $((3 * 20202020))" "--unit: each file by its own rates"
is "$("$fold" --diff t/data/fold/units.lines "$TMP/rates" 2>&1 >/dev/null)" \
	"stack-fold: cpu-clock was sampled at differing rates: --unit ns makes the sums \
comparable" \
	"rates that differ between the files are told"

# ---- --normalize: 47 before, 72 after. 5 × 72 / 47 = 7 rest 31, 10 × 72 / 47 = 15 rest 15,
# 32 × 72 / 47 = 49 rest 1: 71 in all, and the missing one is app;main's.
is "$(diff_of --normalize "$before" "$after")" "app;main 8 5
app;main;gone 15 0
app;main;parse 49 60
app;new 0 7" "--normalize"
# 72 before, 47 after: 5 × 47 / 72 = 3 rest 19, 60 × 47 / 72 = 39 rest 12, 7 × 47 / 72 = 4
# rest 41: 46, and one for app;new.
is "$(diff_of --normalize "$after" "$before")" "app;main 3 5
app;main;gone 0 10
app;main;parse 39 32
app;new 5 0" "--normalize, to less"
printf '%s\n' 'c 1' 'a 1' 'b 1' >"$TMP/three"
printf 'a 2\n' >"$TMP/two"
is "$(diff_of --normalize "$TMP/three" "$TMP/two")" "a 1 2
b 1 0
c 0 0" "of equal remainders the first by bytes"
is "$(diff_of --normalize "$before" "$before")" "$(diff_of "$before" "$before")" \
	"equal sums are left alone"
printf 'a 9223372036854775807\nb 9223372036854775806\n' >"$TMP/large"
printf 'a 3\nb 2\n' >"$TMP/small"
is "$(diff_of --normalize "$TMP/large" "$TMP/small")" "a 3 3
b 2 2" "large counts, exactly"
is "$(diff_of --normalize "$TMP/small" "$TMP/large" | cut -d ' ' -f 2)" "11068046444225730968
7378697629483820645" "and to large ones"
printf 'a 9223372036854775808\nb 9223372036854775808\n' >"$TMP/too-large"
is "$(diff_of --normalize "$TMP/too-large" "$before")" \
	"stack-fold: --normalize: a sum of counts has more than 64 bits
status 1" "a sum that is not known cannot be scaled"
for zero in "$TMP/zero" /dev/null; do
	[ "$zero" = /dev/null ] || printf 'z 0\n' >"$zero"
	is "$(diff_of -q --normalize "$zero" "$before")" "$(diff_of -q "$zero" "$before")" \
		"$zero, sum 0, stays"
	is "$(diff_of -q --normalize "$before" "$zero")" "$(diff_of -q "$before" "$zero")" \
		"and nothing is scaled to it"
done
awk 'BEGIN { srand(4); for (i = 0; i < 5000; i++) print "f" i, int(rand() * 50) }' >"$TMP/many"
awk 'BEGIN { srand(5); for (i = 0; i < 4000; i++) print "f" i, int(rand() * 70) }' >"$TMP/more"
diff_of --normalize "$TMP/many" "$TMP/more" >"$TMP/scaled"
is "$(awk '{ before += $2; after += $3 } END { print before - after }' "$TMP/scaled")" 0 \
	"the sums agree exactly"
from=$(awk '{ sum += $2 } END { print sum }' "$TMP/many")
is "$(awk -v from="$from" 'NR == FNR { got[$1] = $2; to += $3; next }
	{ off = got[$1] - $2 * to / from } off <= -1 || off >= 1' "$TMP/scaled" "$TMP/many")" "" \
	"and no count is off by one or more"

# ---- where it cannot
is "$("$fold" --diff "$before" /dev/null 2>&1 >/dev/null)" "stack-fold: /dev/null: no samples" \
	"a file without samples is told"
is "$(diff_of "$before" "$TMP/absent")" "stack-fold: $TMP/absent: No such file or directory
status 1" "a file that is not there: nothing is written"
printf 'no count\n' >"$TMP/none"
is "$(diff_of "$TMP/none" "$after" | tail -n 1)" "status 1" "a file of neither kind"
is "$("$fold" --diff "$TMP/none" "$after" 2>/dev/null)" "" "nothing is written"
is "$(diff_of "$TMP/blanks" "$TMP/blanks" | tail -n 1)" "status 3" "damaged lines: status 3"
is "$("$fold" --diff "$TMP/blanks" "$after" 2>&1 >/dev/null)" \
	"stack-fold: $TMP/blanks:5: no count (a number behind the last blank)" \
	"with the first one's place"
for files in "" "$before" "$before $after $before" "- -"; do
	# shellcheck disable=SC2086 # files
	out=$("$fold" --diff $files 2>"$TMP/err" </dev/null)
	is "$? $out" "2 " "--diff $(wc -w <<<"$files") files${files:+, ${files##*/}}: status 2"
	ok "and says why" grep -q '^stack-fold: --diff: ' "$TMP/err"
done
is "$("$fold" --normalize "$before" 2>&1 | head -n 1)" \
	"stack-fold: --normalize: only with --diff" "--normalize alone"
"$fold" --diff "$before" "$after" >/dev/full 2>"$TMP/err"
is "$? $(cat "$TMP/err")" "1 stack-fold: standard output: No space left on device" "a full disk"
is "$("$fold" -v --diff --normalize "$before" "$after" 2>&1 >/dev/null)" \
	"stack-fold: lines: 7, distinct stacks: 4, sum before: 72, after: 72" "-v has both sums"

done_testing
