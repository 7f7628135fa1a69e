#!/bin/bash
# Unwind tables of real files against libdw, address by address: t/oracle/cfi.c. By default
# some files always and as many of the system's as fit into twenty seconds of CPU time, in an order
# that is the same each time; UNWIND_ALL=1 takes all there are.
. t/tap.sh

CC=${CC:-cc}
[ "$(uname -m)" = x86_64 ] || skip_all "the oracle speaks x86_64"
echo '#include <elfutils/libdw.h>' | $CC -E -x c - >/dev/null 2>&1 || skip_all "no libdw-dev"

# shellcheck disable=SC2086 # CC may have flags
ok "the oracle is built" $CC -std=gnu11 -D_GNU_SOURCE -O2 -Ilib -o "$TMP/cfi" t/oracle/cfi.c \
	lib/unwind/*.c lib/elf/*.c lib/base/*.c -ldw -lelf -lz

# The files with their differences, which must be none; $1 is shown, the rest is for cfi.
compare() {
	local name=$1 totals
	shift
	"$TMP/cfi" "$@" >"$TMP/out"
	totals=$(tail -n 1 "$TMP/out")
	grep '^# unsupported' "$TMP/out" >>"$TMP/forms"
	is "$(grep -v '^#' "$TMP/out" | head -n -1)" "" "$name: ${totals%%;*}"
	# What compared nothing shows nothing.
	ok "$name: compared" grep -qE '[1-9][0-9]* checks, 0 differences' <(echo "$totals")
	echo "# $name: $totals"
}

elf_files() { # folders…
	find "$@" -xdev -maxdepth 3 -type f \( -perm -u+x -o -name '*.so*' \) -print0 2>/dev/null |
		sort -z | xargs -0 perl -e '
		for (@ARGV) {
			open my $f, "<", $_ or next;
			read $f, my $head, 20;
			print "$_\n" if $head =~ /^\x7fELF\x02\x01/ && unpack("x18v", $head) == 62;
		}'
}

# ---- what the compiler makes of functions of every kind, in every form of section
cat >"$TMP/kinds.c" <<'EOF'
#include <alloca.h>
#include <stdlib.h>
int outside(volatile char *p);
int by_alloca(int n) { volatile char *p = alloca(n); return outside(p) + n; }
int realigned(int n)
{
	volatile char block[64] __attribute__((aligned(64)));
	return outside(block) + outside(alloca(n));
}
int many(int a, int b, int c, int d, int e, int f, int g, int h)
{
	return outside((char[]){ a, b, c }) + d + e + f + g + h + outside((char[]){ d, e });
}
void dies(int n) { if (outside((char[]){ n })) abort(); exit(n); }
int outside(volatile char *p) { return p[0] == 7; }
int main(int argc, char **argv)
{
	(void)argv;
	if (argc == 2)
		dies(argc);
	return by_alloca(argc) + realigned(argc) + many(1, 2, 3, 4, 5, 6, 7, argc);
}
EOF
kinds() { # name flags…
	local name=$1
	shift
	if ! $CC -w "$@" -o "$TMP/kinds" "$TMP/kinds.c" 2>"$TMP/cc.err"; then
		skip "$name" "$CC $*: $(tail -n 1 "$TMP/cc.err")"
		return
	fi
	compare "$name" "$TMP/kinds"
}
kinds "-O2" -O2
kinds "-O0" -O0
kinds "-O2, frame pointers" -O2 -fno-omit-frame-pointer
kinds "-Os, arguments pushed" -Os -mpush-args -mno-accumulate-outgoing-args
kinds "static" -O2 -static
kinds "static PIE" -O2 -static-pie -fPIE
kinds "PLT entries" -O2 -fPIC -shared -Wl,-z,lazy
kinds "PLT entries for CET" -O2 -fPIC -shared -fcf-protection -Wl,-z,lazy,-z,ibtplt
kinds "large model" -O2 -mcmodel=large -no-pie
if command -v ld.lld >/dev/null; then
	kinds "lld" -O2 -fuse-ld=lld
fi
if command -v ld.gold >/dev/null; then
	kinds "gold" -O2 -fuse-ld=gold
fi

# ---- .debug_frame, where there is no .eh_frame
no_eh=(-O2 -w -g -fno-asynchronous-unwind-tables -fno-exceptions "-Wl,--no-eh-frame-hdr")
# shellcheck disable=SC2086 # CC may have flags
ok "functions with .debug_frame are built" $CC "${no_eh[@]}" -o "$TMP/debug" "$TMP/kinds.c"
objcopy -R .eh_frame --decompress-debug-sections "$TMP/debug"
compare ".debug_frame" "$TMP/debug"
plain=$(tail -n 1 "$TMP/out")
objcopy --compress-debug-sections=zlib "$TMP/debug"
compare ".debug_frame, compressed" "$TMP/debug"
is "$(tail -n 1 "$TMP/out" | cut -d, -f2-5)" "$(cut -d, -f2-5 <<<"$plain")" \
	".debug_frame has the same table when compressed"

# ---- a file without sections has the table of the same file with them
strip_sections() { # file: e_shoff, e_shnum and e_shstrndx become 0
	printf '\0\0\0\0\0\0\0\0' | dd of="$1" bs=1 seek=40 conv=notrunc status=none
	printf '\0\0\0\0' | dd of="$1" bs=1 seek=60 conv=notrunc status=none
}
bash=$(readlink -f "$(command -v bash)")
cp "$bash" "$TMP/sectionless"
strip_sections "$TMP/sectionless"
compare "bash" "$bash"
with=$(tail -n 1 "$TMP/out")
compare "without sections" "$TMP/sectionless"
is "$(tail -n 1 "$TMP/out" | cut -d, -f2-5)" "$(cut -d, -f2-5 <<<"$with")" \
	"bash has the same table without sections"

# ---- the system's
always=()
libs=/usr/lib/x86_64-linux-gnu
for file in $libs/{libc.so.6,libm.so.6,libcrypto.so.3,libstdc++.so.6} \
	/lib64/{libc.so.6,libcrypto.so.3,ld-linux-x86-64.so.2} "$(command -v perl)" \
	"$(command -v python3)" "$(command -v node)" "$($CC -print-prog-name=cc1)"; do
	file=$(readlink -f "$file")
	[ ! -f "$file" ] || [[ " ${always[*]} " == *" $file "* ]] || always+=("$file")
done
compare "${#always[@]} files of note" "${always[@]}"

folders=(/usr/bin /usr/sbin /usr/lib/x86_64-linux-gnu /usr/lib64 /usr/lib/gcc /usr/libexec
	/usr/lib/jvm /usr/local)
if [ -n "${UNWIND_ALL:-}" ]; then
	folders+=(/usr/lib /opt /root)
	limit=()
	mapfile -t files < <(find "${folders[@]}" -xdev -type d 2>/dev/null | sort -u |
		while read -r dir; do elf_files "$dir" -maxdepth 1; done | sort -u)
else
	limit=(-t 20)
	# Small and large ones from everywhere, by a hash of their names.
	mapfile -t files < <(elf_files "${folders[@]}" | perl -MDigest::MD5=md5 -e '
		print sort { md5($a) cmp md5($b) } <>')
fi
compare "the system's files, as many as there is time for" "${limit[@]}" "${files[@]}"
# ---- readelf's reading of a few, which shares no code with libdw's
cat >"$TMP/readelf.pl" <<'EOF'
# Prints "address cfa rbp ra" of each row, as t/oracle/cfi.c -r would.
use strict; use warnings;
my (@columns, $in_fde);
while (<STDIN>) {
	if (/^[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ (CIE|FDE)/) {
		$in_fde = $1 eq 'FDE';
		# An FDE of no size has a row, too.
		$in_fde = 0 if /pc=([0-9a-f]+)\.\.([0-9a-f]+)/ && $1 eq $2;
	} elsif (/^\s+LOC\s+CFA\s*(.*)/) {
		@columns = split ' ', $1;
	} elsif ($in_fde && /^([0-9a-f]{16}) (\S+)\s*(.*)/) {
		my ($addr, $cfa, $rest) = ($1, $2, $3);
		$rest =~ s/ \(\w+\)//g; # "r10 (r10)": in a register
		my @values = split ' ', $rest;
		my %at = (rbp => 'u', ra => 'u', rsp => 'u');
		@at{@columns} = @values;
		$addr =~ s/^0+(?=.)//;
		if ($at{ra} eq 'u') {
			print "$addr root\n";
			next;
		}
		$at{ra} = 'u' if $at{ra} eq 'r5'; # rdi, which is followed; printed as "same"
		if ($cfa !~ /^(r[sb]p[+-]|exp$)/ || "$at{rbp} $at{ra} $at{rsp}" =~ /r/) {
			print "$addr unsupported\n";
		} else {
			print "$addr $cfa rbp $at{rbp} ra $at{ra}\n";
		}
	}
}
EOF
for file in "$bash" "$(readlink -f /usr/lib/x86_64-linux-gnu/libc.so.6)" "$TMP/debug" \
	"$(readlink -f /lib64/ld-linux-x86-64.so.2)" /usr/lib/x86_64-linux-gnu/libcrypto.so.3; do
	[ -f "$file" ] || continue
	# A row that another follows at the same address does not count.
	readelf --debug-dump=frames-interp "$file" 2>/dev/null | perl "$TMP/readelf.pl" |
		tac | awk '!seen[$1]++' | sort >"$TMP/want"
	cut -d' ' -f1 "$TMP/want" | "$TMP/cfi" -r "$file" | sort >"$TMP/got"
	# It does not tell one expression from another, and not all are supported.
	join -j 1 "$TMP/want" "$TMP/got" | awk '$2 == "exp" && $NF == "unsupported" { print $1 }' |
		sort >"$TMP/untold"
	for side in want got; do
		join -v 1 "$TMP/$side" "$TMP/untold" >"$TMP/told.$side"
	done
	is "$(diff "$TMP/told.want" "$TMP/told.got" | grep '^[<>]' | head -n 20)" "" \
		"${file##*/}: $(wc -l <"$TMP/told.want") rows as readelf has them"
done

awk '
	{ n = $3; sub(/.* of /, ""); sum[$0] += n }
	END { for (form in sum) print "# unsupported: " form ", " sum[form] " times" }' \
	"$TMP/forms" | sort

done_testing
