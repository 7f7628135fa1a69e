#!/bin/bash
# fold2svg's pictures in headless Chromium: the tests of t/browser, one after another.
. t/tap.sh

browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser)}
[ -n "$browser" ] || skip_all "no chromium"
command -v node >/dev/null || skip_all "no node"
[ -d t/browser/node_modules/playwright-core ] ||
	skip_all "no playwright-core: run npm ci in t/browser"

cat >"$TMP/mix.folded" <<-'END'
	app;main;a_function_with_a_rather_long_name_that_is_cut;alloc_pages 9000
	app;main;a_function_with_a_rather_long_name_that_is_cut;helper_[i] 3000
	app;main;narrow;of_no_interest 200
	app;main;narrow;seen 10
	app;main;alloc_large;alloc_small;alloc_large 40000
	app;main;syscall;do_syscall_64_[k];vfs_read_[k] 30000
	app;main;syscall;do_syscall_64_[k];alloc_inode_[k] 20001
	node;Builtins_JSEntry;fib_[j];fib_[j] 40000
	node;[unknown] 15000
	node;[libuv.so.1] 15000
END
cat >"$TMP/hostile.folded" <<-'END'
	</text><script>pwned=1</script> 10
	<img src=x onerror=pwned=1> 10
	]]><script>pwned=1</script> 10
	"quoted" 'and' &amp <&> 10
	__proto__ 10
	constructor 10
	$& $1 \u0041 10
	</metadata><script>pwned=1</script> 10
	javascript:pwned=1 10
END
cat >"$TMP/change.folded" <<-'END'
	app;main;faster 4000 1000
	app;main;gone 1000 0
	app;main;new 0 2000
	app;main;same 3000 3000
	app;main;slower;inner 1000 3000
	app;main;slower 500 500
	END
printf '%s\n' 'most 9223372036854775807' 'rest 3' >"$TMP/huge.folded"
awk 'BEGIN { for (i = 0; i < 5000; i++) printf "%sf%d", i ? ";" : "", i; print " 7" }' \
	>"$TMP/deep.folded"
awk 'BEGIN { s = "tower"; for (i = 0; i < 150; i++) { s = s ";level_" i; print s, 1 }
	print "broad;flat 6000" }' >"$TMP/tower.folded"
awk 'BEGIN { for (i = 0; i < 120000; i++)
	printf "app;main;part_%d;work_%d;leaf_%d %d\n", i % 10, i % 1000, i, i % 7 + 1 }' \
	>"$TMP/many.folded"
awk 'function random() { seed = (seed * 1103515 + 12345) % 2147483; return seed / 2147483 }
	BEGIN { seed = 7
	for (i = 0; i < 1500; i++) {
		s = "app_" int(random() * 3)
		depth = 2 + int(random() * 14)
		for (d = 0; d < depth; d++) {
			s = s ";f" int(random() * random() * 6)
			if (d > depth / 2 && random() < .5)
				s = s "_[k]"
		}
		print s, 1 + int(1 / (random() * random() + .002))
	} }' >"$TMP/rich.folded"
for name in mix hostile huge deep tower many rich change; do
	"$BIN/fold2svg" "$TMP/$name.folded" >"$TMP/$name.svg" || exit 1
done
"$BIN/fold2svg" --width 2000 "$TMP/mix.folded" >"$TMP/fixed.svg" || exit 1
printf '%s\n' 'b;x 300' 'a;x 200' 'b;y 500' 'b;x 100' >"$TMP/chart.folded"
"$BIN/fold2svg" --flamechart "$TMP/chart.folded" >"$TMP/chart.svg" || exit 1
"$BIN/fold2svg" --reverse "$TMP/mix.folded" >"$TMP/reversed.svg" || exit 1
sed 's/^const CALLERS_MAX = .*/const CALLERS_MAX = 100;/' "$TMP/rich.svg" >"$TMP/cut.svg"
printf '%s\n' 'app;linked;seen 5000' 'app;classy 1000' 'app;linked 3000' >"$TMP/links.folded"
printf 'linked\ttitle=about it\thref=img.html#at\nclassy\tclass=mine\tstyle=opacity: .7\n' \
	>"$TMP/nameattr"
"$BIN/fold2svg" --nameattr "$TMP/nameattr" "$TMP/links.folded" >"$TMP/links.svg" || exit 1
printf '%s\n' 'app;read_something;wait 123456789012345 223456789012345' \
	'app;read_something;sleep_a_little 123456789012345 0' 'app;write 0 9876543210' |
	"$BIN/fold2svg" --countname ns >"$TMP/nanoseconds.svg" || exit 1
printf '%s\n' 'app;wait;--;waker;other 7' |
	"$BIN/fold2svg" --colors chain >"$TMP/wakers.svg" || exit 1
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "x"; print " 5"; print "short 9" }' |
	"$BIN/fold2svg" >"$TMP/long.svg" || exit 1
echo '<!DOCTYPE html><title>img</title><img src="hostile.svg">' >"$TMP/img.html"
{
	echo '<!DOCTYPE html><meta charset="utf-8"><title>inline</title><p>before</p>'
	sed 1d "$TMP/mix.svg"
} >"$TMP/inline.html"

# Their numbers are counted through.
for part in zoom search views table keyboard state odd random; do
	node "t/browser/$part.mjs" "$TMP" "$browser" >"$TMP/$part.tap"
	while IFS= read -r line; do
		case $line in
		ok\ *) tap_line 0 "${line#* - }" ;;
		"not ok "*) tap_line 1 "${line#* - }" ;;
		'# '*) diag "${line#\# }" ;;
		esac
	done <"$TMP/$part.tap"
	ok "t/browser/$part.mjs came to its end" grep -q '^1\.\.' "$TMP/$part.tap"
done

# Figures, for who reads them.
node t/browser/timing.mjs "$TMP" "$browser" | while IFS= read -r line; do
	diag "${line#\# }"
done
done_testing
