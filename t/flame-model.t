#!/bin/bash
# The script's model (fold2svg/flame-data.js and so on) under node: see t/js/views.mjs.
. t/tap.sh

command -v node >/dev/null || skip_all "no node"
node t/js/views.mjs "$BIN/fold2svg"
