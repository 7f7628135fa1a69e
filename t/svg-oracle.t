#!/bin/bash
# Boxes and data of fold2svg's picture beside what t/svg_oracle.py computes, for each
# option that changes the tree or what is drawn of it.
. t/tap.sh

# Names repeat under each other, end in numbers, are empty, or of two languages.
folded() { # seed lines counts("" one, "2" two) fractions
	awk -v seed="$1" -v lines="$2" -v two="$3" -v fractions="$4" '
	function count() {
		if (rand() < 0.15)
			return 0
		return int(exp(rand() * 11)) \
			(fractions && rand() < 0.5 ? "." int(rand() * 1000) : "")
	}
	BEGIN {
		srand(seed)
		n = split("main run_[k] run_[j] run_[i] std::vec<a, b> " \
			"[libc.so.6] [unknown] λ f 12 g_3" \
			" naïve operator[] x_[i] <init> a&b", names, " ")
		for (i = 0; i < lines; i++) {
			s = ""
			for (d = int(rand() * rand() * 12); d >= 0; d--)
				s = s (s ? ";" : "") \
					(rand() < 0.02 ? "" : names[1 + int(rand() * n)]) \
					(rand() < 0.03 ? " 7" : "")
			print "p" int(rand() * 3) ";" s " " count() (two ? " " count() : "")
			if (rand() < 0.4)
				print "p0;" s " " 1 + int(rand() * 9) \
					(two ? " " 1 + int(rand() * 9) : "")
		}
	}'
}

# Draws now; what is wrong with it is found in the end, by one process for all.
names=()
same() { # name options and files…
	local out=$TMP/${#names[@]}.svg
	names+=("$1")
	shift
	"$BIN/fold2svg" "$@" >"$out" || diag "status $?"
	echo "$out $*" >>"$TMP/pictures"
}

for seed in 1 2; do
	folded $seed 300 "" "" >"$TMP/one$seed"
	folded $((seed + 10)) 200 "" 1 >"$TMP/fractions$seed"
	folded $((seed + 20)) 300 2 "" >"$TMP/two$seed"
	folded $((seed + 30)) 200 2 1 >"$TMP/two-fractions$seed"
	for what in one fractions two two-fractions; do
		files=("$TMP/$what$seed")
		for options in "" --reverse --flamechart "--flamechart --reverse" --inverted \
			--minwidth=0 --minwidth=3.7 --minwidth=0.63% --total=9000001 \
			--factor=0.001 \
			"--factor=33 --countname=ns" --width=640 --width=2400 --height=23 --no-js \
			--colors=module --colors=hot --bgcolors=grey "--total=7000001.5 --reverse" \
			"--flamechart --minwidth=2 --inverted --width=901"; do
			read -ra options <<<"$options"
			same "$what $seed: ${options[*]}" "${options[@]}" "${files[@]}"
		done
		[[ $what = two* ]] || continue
		for options in --base=before --negate "--base=before --reverse --negate" \
			"--base=before --minwidth=1" "--base=before --total=9000000"; do
			read -ra options <<<"$options"
			same "$what $seed: ${options[*]}" "${options[@]}" "${files[@]}"
		done
	done
	same "several files, $seed" "$TMP/one$seed" "$TMP/fractions$seed" "$TMP/one$seed"
	same "several differentials, $seed" "$TMP/two$seed" "$TMP/two-fractions$seed"
	same "one that is none makes them all so, $seed" "$TMP/two$seed" "$TMP/one$seed"
done

printf 'a;b 5 0\na;c 7 0\n' >"$TMP/gone"
same "all vanished" "$TMP/gone"
same "all vanished, before" --base=before "$TMP/gone"
printf ' 5\n;;a 3\n;a 2\n' >"$TMP/empty"
same "a stack of no frames, and empty names" "$TMP/empty"
printf 'a;%s 1\n' "$(printf 'f;%.0s' {1..2000})" b >"$TMP/deep"
same "2,000 frames deep" "$TMP/deep"
printf 'a 9223372036854775808\nb;c 9223372036854775806\nb 1\n' >"$TMP/huge"
same "counts beyond 2^63" "$TMP/huge"

mapfile -t found < <(python3 t/svg_oracle.py <"$TMP/pictures")
for i in "${!names[@]}"; do
	is "${found[i]:-no answer}" same "${names[i]}"
done

done_testing
