# shellcheck shell=bash
# For tests of stack-fold on text in a string:
#
#	. t/tap.sh
#	. t/folds.sh
#	folds INPUT EXPECTED NAME OPTION…    both with printf %b's escapes
#	said                                 what it said on stderr

fold=$BIN/stack-fold

folds() {
	local input=$1 want=$2 name=$3
	shift 3
	is "$(printf %b "$input" | "$fold" "$@" 2>"$TMP/err")" "$(printf %b "$want")" "$name"
}

said() { cat "$TMP/err"; }
