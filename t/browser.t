#!/bin/bash
# fold2svg's pictures in headless Chromium: see t/browser/flame.mjs.
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
	node;Builtins_JSEntry;fib_[j] 40000
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
printf '%s\n' 'most 9223372036854775807' 'rest 3' >"$TMP/huge.folded"
awk 'BEGIN { for (i = 0; i < 5000; i++) printf "%sf%d", i ? ";" : "", i; print " 7" }' \
	>"$TMP/deep.folded"
awk 'BEGIN { s = "tower"; for (i = 0; i < 150; i++) { s = s ";level_" i; print s, 1 }
	print "broad;flat 6000" }' >"$TMP/tower.folded"
awk 'BEGIN { for (i = 0; i < 120000; i++)
	printf "app;main;part_%d;work_%d;leaf_%d %d\n", i % 10, i % 1000, i, i % 7 + 1 }' \
	>"$TMP/many.folded"
for name in mix hostile huge deep tower many; do
	"$BIN/fold2svg" "$TMP/$name.folded" >"$TMP/$name.svg" || exit 1
done
"$BIN/fold2svg" --width 2000 "$TMP/mix.folded" >"$TMP/fixed.svg" || exit 1
echo '<!DOCTYPE html><title>img</title><img src="hostile.svg">' >"$TMP/img.html"

node t/browser/flame.mjs "$TMP" "$browser"
exit
