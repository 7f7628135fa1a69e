#!/bin/bash
# The include graph of lib, tools and BPF programs is the one lib/README allows; every
# header compiles alone; programs link only what their place allows.
. t/tap.sh

tools=$(for f in */tool.mk extra/*/tool.mk; do [ ! -e "$f" ] || dirname "$f"; done)

# "layer allowed allowed …", from the lines with an arrow.
sed -n 's/^[[:blank:]]\{1,\}\([a-z]\{1,\}\)[[:blank:]]*->/\1/p' lib/README >"$TMP/arrows"
ok "lib/README has arrows" test -s "$TMP/arrows"

# "file include", for every #include with a quoted name.
# shellcheck disable=SC2086 # folders of ours, without blanks
find lib bpf $tools -maxdepth 2 -name '*.[ch]' -exec awk '
	match($0, /^[ \t]*#[ \t]*include[ \t]*"/) {
		name = substr($0, RSTART + RLENGTH)
		sub(/".*/, "", name)
		print FILENAME, name
	}' {} + | sort >"$TMP/includes"

# What a file of `layer` in folder `home` includes beyond its own folder and the arrows.
stray_includes() { # home layer
	local home=$1 layer=$2 allowed file inc
	allowed=" $layer $(sed -n "s/^$layer //p" "$TMP/arrows") "
	while read -r file inc; do
		[ "${file%/*}" = "$home" ] || continue
		case $inc in
		*/*) [[ $allowed == *" ${inc%%/*} "* ]] && continue ;;
		*) [ "$home" != "lib/$layer" ] && [ -e "$home/$inc" ] && continue ;;
		esac
		echo "$file: \"$inc\""
	done <"$TMP/includes"
}

for dir in lib/*/; do
	dir=${dir%/} layer=$(basename "$dir")
	if ! grep -q "^$layer\b" "$TMP/arrows"; then
		is "$layer" "" "lib/$layer is a layer of lib/README"
		continue
	fi
	is "$(stray_includes "$dir" "$layer")" "" "lib/$layer includes only what its arrow allows"
done
is "$(stray_includes bpf bpf)" "" "bpf includes only what its arrow allows"

# lib, own folder, generated headers (skeletons, embedded files); the layout of maps is shared
# between bpf and the tool that reads them.
layers=" $(awk '{ printf "%s ", $1 }' "$TMP/arrows")"
for tool in $tools; do
	strays=
	while read -r file inc; do
		[ "${file%/*}" = "$tool" ] || continue
		case $inc in
		bpf/* | ../bpf/layout.h | ../bpf/spaces.h | ../bpf/stack_hash.h)
			[ "$tool" = bpf-sample ] && continue
			;;
		"$tool"/*) continue ;;
		*/*) [[ $layers == *" ${inc%%/*} "* ]] && continue ;;
		*) [ -e "$tool/$inc" ] && continue ;;
		esac
		strays+="$file: \"$inc\""$'\n'
	done <"$TMP/includes"
	is "$strays" "" "$tool includes lib, its own folder and no other tool's"
done

# shellcheck disable=SC2086 # folders of ours, without blanks
is "$(find lib bpf $tools \( -name 'util*' -o -name 'common*' -o -name 'misc*' \))" "" \
	"no file or folder is called util, common or misc"

# shellcheck disable=SC2086 # folders of ours, without blanks
headers=$(find lib $tools -maxdepth 2 -name '*.h' | sort)
for cc in gcc clang; do
	if ! command -v $cc >/dev/null; then
		skip "every header compiles alone with $cc" "no $cc"
		continue
	fi
	# shellcheck disable=SC2086 # names of ours, without blanks
	ok "every header compiles alone with $cc" $cc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra \
		-Wno-unused-function -Werror -Ilib -Ibpf -I"$O" -fsyntax-only -x c $headers
done

links() { # library: the programs that link it
	local bin
	for bin in "$BIN"/*; do
		readelf -d "$bin" | grep -q "(NEEDED).*\[lib$1\.so" && basename "$bin"
	done | tr '\n' ' '
}
is "$(links bpf)" "bpf-sample " "only bpf-sample links libbpf"
is "$(links elf | tr ' ' '\n' | grep -vx -e bpf-sample -e stack-resolve -e '')" "" \
	"only bpf-sample and stack-resolve link libelf"

done_testing
