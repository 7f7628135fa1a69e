#!/bin/bash
# Man pages: well-formed, and telling of the options that the tools have, no more, no less.
. t/tap.sh

command -v mandoc >/dev/null || skip_all "no mandoc"

pages=$(find . \( -path ./build -o -path './.*' -o -name node_modules \) -prune \
	-o -name '*.[15]' -print | sort)
for page in $pages; do
	ok "$page: mandoc has nothing to say" mandoc -T lint -W warning "$page"
done

# Options at the head of a line of --help: "  -d, --depth N   words".
help_options() {
	"$1" --help | sed -n 's/^[[:blank:]]*\(-.*\)/\1/p' |
		sed 's/[[:blank:]]\{2,\}.*//; s/\t.*//' |
		grep -oE '(^|[ ,])--?[A-Za-z0-9][A-Za-z0-9-]*' | tr -d ' ,' | sort -u
}

# Options of the lists' items: ".It Fl d , Fl -depth Ar n"; "Fl Fl depth" is the same.
man_options() {
	sed -n 's/Fl Fl /Fl -/g; s/^\.It Fl /Fl /p' "$1" |
		grep -oE 'Fl -?[A-Za-z0-9][A-Za-z0-9-]*' |
		sed 's/^Fl /-/' | sort -u
}

for bin in "$BIN"/*; do
	tool=$(basename "$bin")
	page=$(grep "/$tool\.1$" <<<"$pages")
	if [ -z "$page" ]; then
		is "none" "$tool.1" "$tool has a man page"
		continue
	fi
	is "$(man_options "$page")" "$(help_options "$bin")" \
		"$tool: the page has the options of --help"
	ok "$tool: the page has an EXIT STATUS" grep -q '^\.Sh EXIT STATUS' "$page"
done

done_testing
