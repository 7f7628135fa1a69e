#!/bin/bash
# make install, uninstall and static.
. t/tap.sh

quiet_make=(make -s O="$O")
tools=$(ls "$BIN")

ok "make install" "${quiet_make[@]}" install PREFIX=/usr DESTDIR="$TMP/root"
is "$(ls "$TMP/root/usr/bin")" "$tools" "all programs are installed"
for tool in $tools; do
	ok "$tool runs where it was installed" "$TMP/root/usr/bin/$tool" --version
	ok "$tool.1 is installed" test -s "$TMP/root/usr/share/man/man1/$tool.1"
done
for page in lib/*/*.5; do
	ok "$page is installed" cmp "$page" "$TMP/root/usr/share/man/man5/$(basename "$page")"
done
ok "make uninstall" "${quiet_make[@]}" uninstall PREFIX=/usr DESTDIR="$TMP/root"
is "$(find "$TMP/root" -type f)" "" "uninstall leaves no file"

if [ -n "${SANITIZE:-}" ]; then
	skip "make static" "sanitizers are shared libraries"
	done_testing
fi
ok "make static" "${quiet_make[@]}" static
for tool in $tools; do
	static=$O/static/bin/$tool
	is "$(readelf -ld "$static" | grep -E 'INTERP|NEEDED')" "" "$tool needs no shared library"
	ok "$tool runs" "$static" --version
done

done_testing
