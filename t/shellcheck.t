#!/bin/bash
. t/tap.sh

command -v shellcheck >/dev/null || skip_all "no shellcheck"
# functions are called by way of ok(); code for sh -c and awk stands in single quotes
exclude=SC2317,SC2016,SC2119,SC2120
for script in t/*.t t/*.sh t/bench/*.sh t/vm/*.sh .ci/*.sh .ci/run examples/*.sh; do
	[ -e "$script" ] || continue
	ok "$script" shellcheck -x -e "$exclude" "$script"
done
done_testing
