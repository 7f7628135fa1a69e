#!/bin/bash
# The script's model (fold2svg/flame-data.js and so on) under node, each part of it by a
# program of t/js. How long 450,000 frames take is told.
. t/tap.sh

command -v node >/dev/null || skip_all "no node"
for tests in views find table text large; do
	ok "$tests" node "t/js/$tests.mjs"
done
diag "$(sed -n 's/^# *//p' "$TMP/tap.out")"
done_testing
