#!/bin/bash
# What all tools have in common on their command line.
. t/tap.sh

for bin in "$BIN"/*; do
	tool=$(basename "$bin")
	for option in -h --help -V --version; do
		out=$("$bin" $option 2>"$TMP/err" </dev/null)
		is "$? $(cat "$TMP/err")" "0 " "$tool $option: status 0, nothing on stderr"
		ok "$tool $option: something on stdout" test -n "$out"
	done
	is "$("$bin" -V)" "$("$bin" --version)" "$tool: -V and --version say the same"
	out=$("$bin" --no-such-option 2>"$TMP/err" </dev/null)
	is "$? $out" "2 " "$tool --no-such-option: status 2, nothing on stdout"
	ok "$tool --no-such-option: the usage on stderr" grep -qi '^usage:' "$TMP/err"
	ok "$tool --no-such-option: the message names the tool and the option" \
		grep -qE "^(.*/)?$tool: .*no-such-option" "$TMP/err"
	"$bin" --help >/dev/full 2>"$TMP/err"
	is $? 1 "$tool --help on a full disk: status 1"
done

if command -v script >/dev/null; then
	# script(1) gives it a terminal; -e passes its status on.
	out=$(script -qec "'$BIN/bpf-sample' -d 1" /dev/null </dev/null 2>&1)
	status=$?
	ok "bpf-sample: refuses to write to a terminal" test $status = 1 -o $status = 2
	is "$(grep -c '^bpf-sample: .*binary' <<<"$out")" 1 "bpf-sample: and says why"
else
	skip "bpf-sample: refuses to write to a terminal" "no script(1)"
fi

done_testing
