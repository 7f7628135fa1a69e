#!/bin/bash
# eslint over the flame graph's script and the tests' modules: t/browser/eslint.config.mjs.
. t/tap.sh

command -v node >/dev/null || skip_all "no node"
[ -d t/browser/node_modules/eslint ] || skip_all "no eslint: run npm ci in t/browser"

# shellcheck disable=SC2016 # make expands it
parts=$(make -s --no-print-directory --eval='parts: ; @echo $(fold2svg_SCRIPT)' parts)
# shellcheck disable=SC2086 # names of files, none with blanks
node t/browser/lint.mjs $parts -- t/js/*.mjs t/browser/*.mjs
exit
