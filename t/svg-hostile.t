#!/bin/bash
# Pictures of random files with hostile names: well-formed, with no script but ours, and
# nothing fetched. FUZZ_SVG=500: that many instead of 10,000.
. t/tap.sh

count=${FUZZ_SVG:-10000}
ok "$count hostile files" python3 t/svg_hostile.py "$BIN/fold2svg" "$count" "$TMP"
ok "100 of them under sanitizers" python3 t/svg_hostile.py "$SAN/fold2svg" 100 "$TMP"

done_testing
