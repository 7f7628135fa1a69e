#!/bin/bash
. t/tap.sh

command -v shellcheck >/dev/null || skip_all "no shellcheck"
for script in t/*.t t/*.sh t/bench/*.sh t/vm/*.sh .ci/*.sh .ci/run examples/*.sh; do
	[ -e "$script" ] || continue
	ok "$script" shellcheck -x "$script"
done
done_testing
