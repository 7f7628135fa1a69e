#!/bin/bash
# Build-ids, segments and function symbols of real files against readelf: each function is
# found at its first, middle and last byte and not beyond its size, under the name that a
# plain reading of elf/symtab.h gives. Then code that runs says where it was mapped from.
. t/tap.sh

LOOKUP=$O/t/unit/symtab
IMAGE=$O/t/unit/elf_image
CC=${CC:-cc}

# Reads what readelf says of a file; with "ask" prints addresses, with "check" reads the
# answers to them on stdin and prints those that differ from the model.
cat >"$TMP/model.pl" <<'EOF'
use strict; use warnings; no warnings 'portable';
my ($mode, $file) = @ARGV;
my (%section, %functions);
# readelf complains of what a debug file lacks.
open STDERR, '>', '/dev/null';
open my $h, '-|', 'readelf', '-SW', $file or die;
while (<$h>) {
	next unless /^\s*\[\s*(\d+)\] (.*)/;
	my ($n, $rest) = ($1, $2);
	$rest =~ /\s([0-9a-f]{8,16}) [0-9a-f]{6,} ([0-9a-f]{6,}) [0-9a-f]{2}\s+(\S*)/ or next;
	my ($addr, $end, $flags) = (hex $1, hex($1) + hex $2, $3);
	$section{$n} = { addr => $addr, end => $end, exec => scalar($flags =~ /X/) };
}
my $table = '';
open $h, '-|', 'readelf', '-sW', $file or die;
while (<$h>) {
	$table = $1 if /^Symbol table '(.*)'/;
	s/ \[.*?\] / /; # st_other
	my ($addr, $size, $type, $bind, $in, $name) =
		/^\s*\d+: ([0-9a-f]+)\s+(\S+) (\S+)\s+(\S+)\s+\S+\s+(\S+) (\S+)/ or next;
	next if $in eq 'UND' || $type !~ /^(FUNC|IFUNC|NOTYPE)$/;
	my $s = $section{$in};
	next if $type eq 'NOTYPE' && !($s && $s->{exec} && $name !~ /^[.\$]/);
	$addr = hex $addr;
	$size = $size =~ /^0x/ ? hex $size : $size;
	next if !$size && !($s && $addr >= $s->{addr} && $addr < $s->{end});
	$name =~ s/(?<=.)@.*//;
	push @{$functions{$table}}, { addr => $addr, size => $size, name => $name,
		rank => $bind eq 'LOCAL' ? 2 : $bind eq 'WEAK' ? 1 : 0,
		limit => $size ? 0 : $s->{end} };
}
my $source = $functions{'.symtab'} ? '.symtab' : $functions{'.dynsym'} ? '.dynsym' : '';
my @f = sort { $a->{addr} <=> $b->{addr} } @{$functions{$source} || []};
my (%at, @starts);
push @{$at{$_->{addr}}}, $_ for @f;
@starts = sort { $a <=> $b } keys %at;
my ($longest, %next) = (0);
$next{$starts[$_]} = $starts[$_ + 1] for 0 .. $#starts - 1;
for my $addr (@starts) {
	my @sized = sort { $b->{size} <=> $a->{size} } grep { $_->{size} } @{$at{$addr}};
	for my $s (@{$at{$addr}}) {
		if ($s->{size}) {
			$s->{end} = $addr + $s->{size};
		} elsif (@sized) {
			$s->{end} = $addr + $sized[0]{size};
		} else {
			my $next = $next{$addr} // $s->{limit};
			$s->{end} = $next < $s->{limit} ? $next : $s->{limit};
			$s->{weak_extent} = 1;
		}
		$longest = $s->{end} - $addr if $s->{end} - $addr > $longest;
	}
}
if ($mode eq 'ask') {
	my %ask;
	for my $s (@f) {
		$ask{$_} = 1 for $s->{addr}, $s->{addr} + int(($s->{end} - $s->{addr}) / 2),
			$s->{end} - 1, $s->{end};
	}
	printf "%x\n", $_ for sort { $a <=> $b } keys %ask;
	exit;
}
sub before {
	my ($x, $y) = @_;
	return $x->{rank} <=> $y->{rank} || ($x->{name} =~ /^_/) <=> ($y->{name} =~ /^_/) ||
		length $x->{name} <=> length $y->{name} || $x->{name} cmp $y->{name};
}
# The index of the last start that is not above the address.
sub last_start {
	my ($addr, $lo, $hi) = ($_[0], 0, scalar @starts);
	while ($lo < $hi) {
		my $mid = int(($lo + $hi) / 2);
		if ($starts[$mid] <= $addr) { $lo = $mid + 1 } else { $hi = $mid }
	}
	return $lo - 1;
}
chomp(my $got_source = <STDIN>);
print "table $got_source, not $source\n" if $got_source ne $source;
my $answers = 0;
while (<STDIN>) {
	chomp;
	my ($addr, $got) = /^(\S+) (.*)/ or die $_;
	my ($ip, $sized, $unsized) = (hex $addr);
	for (my $i = last_start($ip); $i >= 0 && $starts[$i] + $longest > $ip && !$sized; $i--) {
		my @covers = sort { before($a, $b) } grep { $_->{end} > $ip } @{$at{$starts[$i]}};
		next unless @covers;
		if ($covers[0]{weak_extent}) {
			$unsized //= $covers[0];
		} else {
			$sized = $covers[0];
		}
	}
	# A label gives way to a sized function that covers it, even beyond that one's end.
	if ($unsized && !$sized) {
		my $label = $unsized->{addr};
		for my $s (@f) {
			last if $s->{addr} > $label;
			undef $unsized, last if $s->{size} && $s->{end} > $label;
		}
	}
	my $want = $sized // $unsized;
	my $text = '-';
	$text = sprintf '%x %x %s', $want->{addr}, $want->{end} - $want->{addr}, $want->{name}
		if $want;
	print "$addr: got $got, want $text\n" if $got ne $text;
	$answers++;
}
print "no functions\n" if $source && !$answers;
EOF

check_symbols() { # name file
	local name=$1 file=$2
	perl "$TMP/model.pl" ask "$file" >"$TMP/ask"
	if ! "$LOOKUP" "$file" <"$TMP/ask" >"$TMP/answers"; then
		is "failed" "" "$name: symbols are read"
		return
	fi
	perl "$TMP/model.pl" check "$file" <"$TMP/answers" >"$TMP/differences" 2>&1 ||
		echo "the model failed" >>"$TMP/differences"
	is "$(head -n 5 "$TMP/differences")" "" "$name: $(wc -l <"$TMP/ask") addresses"
}

check_image() { # name file
	local name=$1 file=$2 want
	want=$(readelf -nW "$file" 2>/dev/null | sed -n 's/.*Build ID: //p' | head -n 1)
	"$IMAGE" "$file" >"$TMP/image"
	is "$(head -n 1 "$TMP/image")" "$want" "$name: build-id ${want:-none}"
	want=$(readelf -lW "$file" | perl -ne '
		no warnings "portable";
		next unless /^\s+LOAD\s+0x(\S+) 0x(\S+) \S+ 0x(\S+) \S+ (.{3})/;
		my ($o, $v, $n, $flags) = (hex $1, hex $2, hex $3, $4);
		next unless $flags =~ /E/ && $n;
		printf "%x %x\n%x %x\n", $o, $v, $o + $n - 1, $v + $n - 1;')
	is "$(tail -n +2 "$TMP/image")" "$want" "$name: executable segments"
}

check() { # name file
	check_symbols "$@"
	check_image "$@"
}

# ---- files of the system, whatever there is of them
for file in /bin/bash /bin/ls /usr/bin/perl /usr/bin/python3 /usr/bin/gdb "$(command -v node)" \
	/lib*/*-linux-gnu/libc.so.6 /lib*/*-linux-gnu/libm.so.6 /lib64/libc.so.6 \
	/lib*/*/ld-linux-*.so.* /usr/lib/*-linux-gnu/libstdc++.so.6 \
	/usr/lib/*-linux-gnu/libz.so.1; do
	file=$(readlink -f "$file")
	if [ -f "$file" ] && [[ " ${seen:=} " != *" $file "* ]]; then
		seen+=" $file"
		# The model is slow: files of very many symbols are left out.
		[ "$(readelf -sW "$file" | wc -l)" -lt 60000 ] || continue
		check "$file" "$file"
	fi
done

# ---- our own programs, with .symtab
check "unit/symtab" "$O/t/unit/symtab"

# ---- odd layouts: each program prints where its functions are, by /proc/self/maps
cat >"$TMP/where.c" <<'EOF'
#include <stdio.h>
#include <stdint.h>

int shared_data[4096] = { 1 };
const char read_only[8192] = "x";

__attribute__((noinline)) int first(int x) { return x + shared_data[x & 7]; }
__attribute__((noinline)) static int second(int x) { return x * 3 + read_only[x & 7]; }
int alias_of_first(int x) __attribute__((alias("first")));
int __weak_alias(int x) __attribute__((weak, alias("first")));
__attribute__((noinline, section(".text.far"))) int far(int x) { return first(x) - second(x); }
void label(void);
__asm__(".text\n.globl label\nlabel:\nnop\nnop\n"
	".globl hand\n.type hand,%function\nhand:\nret\nret\n");

static void where(const char *name, void *code)
{
	unsigned long start, end, offset;
	char line[4096], perms[8];
	FILE *f = fopen("/proc/self/maps", "r");

	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %7s %lx", &start, &end, perms, &offset) == 4 &&
		    (uintptr_t)code >= start && (uintptr_t)code < end)
			printf("%lx %s\n", (uintptr_t)code - start + offset, name);
	fclose(f);
}

int main(void)
{
	where("first", first);
	where("second", second);
	where("far", far);
	where("main", main);
	where("label", label);
	return far(1) == 12345;
}
EOF

# The functions of a running program are where the image says they are.
check_running() { # name file
	local name=$1 file=$2 offset function vaddr wrong=
	"$file" >"$TMP/where" || wrong="does not run"
	while read -r offset function; do
		# Its address, by the executable segment that holds the offset.
		vaddr=$(readelf -sW "$file" | awk -v f="$function" '$8 == f { print $2; exit }')
		vaddr=$(printf '%x' "0x${vaddr:-0}")
		"$O/t/unit/elf_image" "$file" "$offset" | grep -qx "$vaddr" ||
			wrong+="$function at offset $offset is not $vaddr; "
		echo "$vaddr" | "$LOOKUP" "$file" | grep -q " $function\$" ||
			wrong+="$function at $vaddr has another name; "
	done <"$TMP/where"
	[ -s "$TMP/where" ] || wrong="says nothing"
	is "$wrong" "" "$name: running code is where the image says"
}

layout() { # name flags…
	local name=$1 file
	shift
	file=$TMP/where-${name//[^a-z0-9]/-}
	if ! $CC -O1 -w "$@" -o "$file" "$TMP/where.c" 2>"$TMP/cc.err"; then
		skip "$name" "$CC $*: $(tail -n 1 "$TMP/cc.err")"
		return
	fi
	check "$name" "$file"
	check_running "$name" "$file"
}

layout "PIE" -pie -fPIE
layout "non-PIE" -no-pie
layout "static" -static
layout "static PIE" -static-pie -fPIE
layout "code and data in one segment" -pie -fPIE -Wl,-z,noseparate-code
layout "non-PIE, one segment" -no-pie -Wl,-z,noseparate-code
layout "far text segment" -no-pie -Wl,-Ttext-segment=0x70000000
layout "prelinked-like PIE" -pie -fPIE -Wl,-Ttext-segment=0x3000000000
layout "large pages" -pie -fPIE -Wl,-z,max-page-size=0x200000
layout "overlapping pages" -pie -fPIE -Wl,-z,noseparate-code,-z,max-page-size=0x10000
# Other linkers lay files out in other ways; where there are none there are no such files.
if command -v ld.lld >/dev/null; then
	layout "lld" -pie -fPIE -fuse-ld=lld -Wl,--rosegment
	layout "lld, overlapping pages" -pie -fPIE -fuse-ld=lld -Wl,--no-rosegment
	layout "lld, far text" -no-pie -fuse-ld=lld -Wl,--image-base=0x10000000
fi
if command -v ld.gold >/dev/null; then
	layout "gold" -pie -fPIE -fuse-ld=gold
fi
layout "no build-id" -pie -fPIE -Wl,--build-id=none
layout "build-id of 16 bytes" -pie -fPIE -Wl,--build-id=md5
layout "build-id of 8 bytes" -pie -fPIE -Wl,--build-id=0x0123456789abcdef

build() { # file flags…
	local file=$TMP/$1
	shift
	# shellcheck disable=SC2086 # CC may have flags
	ok "$(basename "$file") is built" $CC -O1 -w "$@" -o "$file"
}
build stripped -pie -fPIE -rdynamic -s "$TMP/where.c"
check "stripped" "$TMP/stripped"
build full.so -g -shared -fPIC "$TMP/where.c"
check "shared library" "$TMP/full.so"
objcopy --only-keep-debug "$TMP/full.so" "$TMP/full.debug"
check_symbols "debug file" "$TMP/full.debug"

cat >"$TMP/bare.c" <<'EOF'
static int __attribute__((noinline)) helper(int x) { return x + 1; }
void _start(void) { for (;;) helper(2); }
EOF
bare() { # name flags…
	local name=$1
	shift
	build bare -nostdlib -static -fno-pic -no-pie "$@" "$TMP/bare.c"
	check "$name" "$TMP/bare"
}
bare "without libc"
bare "writable code" -Wl,-N
[ "$(uname -m)" != x86_64 ] || bare "32-bit" -m32

done_testing
