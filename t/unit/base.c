/* lib/base without streams: memory, text, numbers, tables, cursors. */
#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cursor.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/map64.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "tap.h"

static uint64_t rng = 88172645463325252ull;
static uint64_t roll(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng;
}

static void test_slice(void)
{
	struct slice cut = SLICE("nf.ko");

	ok(slice_cmp(SLICE("a"), SLICE("ab")) < 0, "a prefix comes first");
	ok(slice_cmp(SLICE("\xff"), SLICE("a")) > 0, "bytes are unsigned");
	ok(slice_cmp(SLICE(""), SLICE("")) == 0, "empty is empty");
	ok(slice_starts(SLICE("abc"), SLICE("ab")) && !slice_starts(SLICE("a"), SLICE("ab")),
	   "starts");
	ok(!slice_eq(SLICE("a"), SLICE("a\0")), "a NUL counts");
	ok(slice_cut_end(&cut, SLICE(".ko")) && slice_eq(cut, SLICE("nf")), "an end is cut off");
	ok(!slice_cut_end(&cut, SLICE("xnf")) && slice_eq(cut, SLICE("nf")), "or is not there");
	ok(slice_cut_end(&cut, SLICE("nf")) && !cut.len, "it may be all");
	ok(slice_eq(slice_trim(SLICE(" \t a b\t \r")), SLICE("a b")), "blanks are trimmed");
	ok(!slice_trim(SLICE(" \r\t")).len && !slice_trim(SLICE("")).len, "all may be blank");
	ok(slice_eq(slice_trim(SLICE("a\0")), SLICE("a\0")), "a NUL is none");
	ok(slice_eq(slice_basename(SLICE("/a/b")), SLICE("b")), "behind the last slash");
	ok(slice_eq(slice_basename(SLICE("b")), SLICE("b")), "without one it is all");
	ok(slice_eq(slice_basename(SLICE("a/")), SLICE("")), "or nothing");
}

static void test_strbuf(void)
{
	struct strbuf sb = STRBUF_INIT;

	is_str(strbuf_str(&sb), "", "an empty one is an empty string");
	strbuf_addu64(&sb, 0);
	strbuf_addch(&sb, ' ');
	strbuf_addu64(&sb, UINT64_MAX);
	strbuf_addch(&sb, ' ');
	strbuf_addhex(&sb, 0);
	strbuf_addhex(&sb, 0xdeadbeefcafef00d);
	is_str(sb.buf, "0 18446744073709551615 0deadbeefcafef00d", "numbers");
	strbuf_reset(&sb);
	for (int i = 0; i < 100; i++)
		strbuf_addf(&sb, "%03d%s", i, "padding that makes it grow in vsnprintf");
	is_u64(sb.len, 100 * (3 + strlen("padding that makes it grow in vsnprintf")), "formatted");
	ok(memcmp(sb.buf + sb.len - 42, "099pad", 6) == 0, "the last piece is whole");
	strbuf_reset(&sb);
	strbuf_add(&sb, "a\0b", 3);
	ok(sb.len == 3 && sb.buf[3] == '\0', "NULs may be in it");
	is_u64((uint64_t)-fail(&sb, -EINVAL, "%s at %d", "x", 7), EINVAL, "fail gives the code");
	is_str(sb.buf, "x at 7", "and the reason replaces what was there");
	ok(fail(NULL, -EIO, "x") == -EIO, "fail without a strbuf");
	strbuf_release(&sb);
	ok(!sb.buf && !sb.len, "released");
}

static void test_arena(void)
{
	struct arena a = { 0 };
	char *small[1000], *big;
	bool whole = true, aligned = true;

	for (int i = 0; i < 1000; i++) {
		char text[16];
		size_t n = (size_t)snprintf(text, sizeof(text), "s%d", i);

		small[i] = arena_dup(&a, text, n);
		aligned &= (uintptr_t)arena_alloc(&a, 24) % 8 == 0;
	}
	big = arena_alloc(&a, 5 << 20);
	memset(big, 1, 5 << 20);
	for (int i = 0; i < 1000; i++) {
		char text[16];

		snprintf(text, sizeof(text), "s%d", i);
		whole &= strcmp(small[i], text) == 0;
	}
	ok(whole, "what was allocated stays");
	ok(aligned, "allocations are aligned");
	ok(a.total > 5 << 20 && a.total < 6 << 20, "total counts the bytes");
	arena_release(&a);
	is_str(arena_dup(&a, "x", 1), "x", "usable after a release");
	arena_release(&a);
}

static void test_intern(void)
{
	struct intern in = { 0 };
	bool dense = true, same = true, found = true;
	uint32_t id;

	ok(!intern_find_hashed(&in, SLICE("x"), hash_bytes("x", 1), &id),
	   "nothing in an empty one");
	for (uint32_t i = 0; i < 5000; i++) {
		char text[16];
		size_t n = (size_t)snprintf(text, sizeof(text), "%u", i);

		dense &= intern_add(&in, (struct slice){ text, n }) == i;
	}
	ok(dense, "ids count up from 0");
	for (uint32_t i = 0; i < 5000; i++) {
		char text[16];
		struct slice s = { text, (size_t)snprintf(text, sizeof(text), "%u", i) };

		same &= intern_add(&in, s) == i && slice_eq(intern_get(&in, i), s);
		found &= intern_find_hashed(&in, s, hash_bytes(s.p, s.len), &id) && id == i;
	}
	ok(same, "equal bytes, equal id");
	ok(found, "found without being added");
	ok(!intern_find_hashed(&in, SLICE("x"), hash_bytes("x", 1), &id), "another is not found");
	is_u64(in.len, 5000, "and looking did not add it");
	is_u64(intern_add(&in, SLICE("")), 5000, "the empty string is one, too");
	/* one hash for all: still told apart by their bytes */
	id = intern_add_hashed(&in, SLICE("p"), 1);
	ok(intern_add_hashed(&in, SLICE("q"), 1) != id, "a collision of hashes is none of ids");
	intern_release(&in);
}

static void test_map64(void)
{
	struct map64 m = { 0 };
	struct map64_slot *slot;
	uint64_t n = 0, sum = 0;
	size_t pos = 0;
	bool added, good = true;

	ok(!map64_get(&m, 0) && !map64_delete(&m, 0), "nothing in an empty one");
	for (uint64_t k = 0; k < 20000; k++) {
		*map64_put(&m, k * 0x100000001ull, &added) = k;
		good &= added;
	}
	ok(good, "new keys are added");
	*map64_put(&m, UINT64_MAX, NULL) = 7;
	is_u64(*map64_get(&m, UINT64_MAX), 7, "any key");
	ok(map64_delete(&m, UINT64_MAX) && !map64_get(&m, UINT64_MAX), "deleted");
	is_u64(*map64_put(&m, UINT64_MAX, &added), 0, "a key that comes back has value 0");
	ok(added && map64_delete(&m, UINT64_MAX), "and is new");
	while ((slot = map64_next(&m, &pos))) {
		n++;
		sum += slot->value;
		if (slot->value % 2)
			map64_delete(&m, slot->key);
	}
	ok(n == 20000 && sum == 20000ull * 19999 / 2, "each key is visited once");
	is_u64(m.len, 10000, "deleting while visiting");
	for (uint64_t k = 0; k < 20000; k++) {
		uint64_t *v = map64_get(&m, k * 0x100000001ull);

		good &= k % 2 ? !v : v && *v == k;
	}
	ok(good, "the others are still there");
	for (int i = 0; i < 200000; i++) {
		map64_put(&m, (uint64_t)i << 32, NULL);
		map64_delete(&m, (uint64_t)i << 32);
	}
	ok(m.cap <= 1 << 16, "places of deleted keys are used again");
	map64_release(&m);
}

static void is_number(const char *text, int r, uint64_t want)
{
	uint64_t v = 0;

	ok(number_u64(slice_str(text), &v) == r && v == want, "decimal '%s'", text);
}

static void is_hex(const char *text, int r, uint64_t want)
{
	uint64_t v = 0;

	ok(number_hex(slice_str(text), &v) == r && v == want, "hexadecimal '%s'", text);
}

static void is_seconds(const char *text, int r, uint64_t want)
{
	uint64_t v = 0;

	ok(number_seconds(slice_str(text), &v) == r && v == want, "seconds '%s'", text);
}

static void test_numbers(void)
{
	uint64_t *list;
	size_t n;

	is_number("0", 0, 0);
	is_number("18446744073709551615", 0, UINT64_MAX);
	is_number("18446744073709551616", -ERANGE, 0);
	is_number("", -EINVAL, 0);
	is_number("-1", -EINVAL, 0);
	is_number(" 1", -EINVAL, 0);
	is_number("1 ", -EINVAL, 0);
	is_hex("0", 0, 0);
	is_hex("0xfFfFfFfFfFfFfFfF", 0, UINT64_MAX);
	is_hex("10000000000000000", -ERANGE, 0);
	is_hex("0x", -EINVAL, 0);
	is_hex("", -EINVAL, 0);
	is_hex("g", -EINVAL, 0);
	is_seconds("2", 0, 2000000000);
	is_seconds("0.25", 0, 250000000);
	is_seconds(".5", 0, 500000000);
	is_seconds("0.0000000019", 0, 1);
	is_seconds("18446744073.709551615", 0, UINT64_MAX);
	is_seconds("18446744073.709551616", -ERANGE, 0);
	is_seconds(".", -EINVAL, 0);
	is_seconds("1.", -EINVAL, 0);
	is_seconds("-1", -EINVAL, 0);
	is_seconds("1e3", -EINVAL, 0);
	ok(number_list(SLICE("0-2,7"), 7, &list, &n) == 0 && n == 4 && list[0] == 0 &&
	   list[2] == 2 && list[3] == 7, "a list with a range");
	free(list);
	ok(number_list(SLICE("8"), 7, &list, &n) == -ERANGE, "beyond the largest");
	ok(number_list(SLICE("2-1"), 7, &list, &n) == -EINVAL, "a range that descends");
	ok(number_list(SLICE("1,"), 7, &list, &n) == -EINVAL, "nothing behind the comma");
	ok(number_list(SLICE(""), 7, &list, &n) == -EINVAL, "nothing");
	ok(number_list(SLICE("0-18446744073709551615"), 7, &list, &n) == -ERANGE,
	   "a range without an end");
}

static void test_cursor(void)
{
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 'h', 'i', 0, 9 };
	struct cursor c = cursor_of(bytes, sizeof(bytes));

	is_u64(cursor_u16(&c), 0x0201, "little-endian, 16 bits");
	is_u64(cursor_u16(&c), 0x0403, "and the next");
	is_u64(cursor_u32(&c), 0x08070605, "32 bits");
	ok(slice_eq(cursor_cstr(&c), SLICE("hi")), "a string");
	is_u64(cursor_left(&c), 1, "what is left");
	is_u64(cursor_u16(&c), 0, "past the end is 0");
	ok(c.bad, "and bad");
	is_u64(cursor_u8(&c), 0, "and stays so");
	is_u64(cursor_left(&c), 0, "nothing is left of a bad one");
	c = cursor_of(bytes, sizeof(bytes));
	cursor_seek(&c, sizeof(bytes));
	ok(!c.bad && cursor_left(&c) == 0, "the end itself is no error");
	cursor_seek(&c, sizeof(bytes) + 1);
	ok(c.bad, "behind it is one");
	c = cursor_of(bytes, 8);
	ok(!cursor_cstr(&c).len && c.bad, "a string without its NUL");
	c = cursor_of(bytes, 8);
	ok(!cursor_bytes(&c, SIZE_MAX) && c.bad, "a length that would wrap around");
}

static void is_clean(struct slice given, const char *want, const char *what)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addclean(&sb, given);
	is_str(strbuf_str(&sb), want, "%s", what);
	ok(utf8_is_clean(given) == slice_eq(given, slice_str(want)), "%s: noticed", what);
	ok(utf8_is_clean(strbuf_slice(&sb)), "%s: the result is clean", what);
	strbuf_release(&sb);
}

/* Eight bytes are looked at together: each byte at each place among good ones. */
static void test_utf8_places(void)
{
	char text[19];
	bool good = true;

	for (size_t at = 0; at < sizeof(text); at++) {
		for (unsigned c = 0; c < 256; c++) {
			memset(text, at % 2 ? ' ' : '~', sizeof(text));
			text[at] = (char)c;
			good &= utf8_is_clean((struct slice){ text, sizeof(text) }) ==
				(c >= 0x20 && c < 0x7f);
		}
	}
	ok(good, "any one byte at any place");
}

#define R "\xef\xbf\xbd"
static void test_utf8(void)
{
	is_clean(SLICE(""), "", "empty");
	is_clean(SLICE("std::a<b>"), "std::a<b>", "ASCII");
	is_clean(SLICE("\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\xa5"),
		 "\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\xa5", "2, 3 and 4 bytes");
	is_clean(SLICE("a\tb\nc\rd\0e\x7f"), "a" R "b" R "c" R "d" R "e" R, "controls");
	is_clean(SLICE("\x1b[31m"), R "[31m", "an escape");
	is_clean(SLICE("\xc2\x9b"), R, "a C1 control");
	is_clean(SLICE("\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa6"), R R R, "separators, overrides");
	is_clean(SLICE("\xff\xfe"), R R, "bytes of no sequence");
	is_clean(SLICE("\xc0\xaf"), R R, "an overlong slash");
	is_clean(SLICE("\xe0\x80\xaf"), R R R, "a longer one");
	is_clean(SLICE("\xed\xa0\x80"), R R R, "a surrogate");
	is_clean(SLICE("\xf4\x90\x80\x80"), R R R R, "beyond U+10FFFF");
	is_clean(SLICE("\xe2\x82"), R R, "cut off");
	is_clean(SLICE("\xe2\x82" "a"), R R "a", "cut off by another one");
}

static void test_hash(void)
{
	struct hash_key one, other;
	struct hash128 h[65], g;
	unsigned char bytes[64] = { 0 };
	bool distinct = true, lengths = true;

	hash_key_draw(&one);
	hash_key_draw(&other);
	ok(memcmp(&one, &other, sizeof(one)) != 0, "keys are drawn anew");
	for (int i = 0; i < 64; i++) {
		h[i] = hash128_bytes(&one, bytes, (size_t)i);
		for (int j = 0; j < i; j++)
			lengths &= h[i].a != h[j].a && h[i].b != h[j].b;
	}
	ok(lengths, "zeros of each length hash differently, in both halves");
	h[64] = hash128_bytes(&one, bytes, 64);
	for (int i = 0; i < 64 * 8; i++) {
		bytes[i / 8] ^= (unsigned char)(1 << i % 8);
		g = hash128_bytes(&one, bytes, 64);
		distinct &= g.a != h[64].a && g.b != h[64].b;
		bytes[i / 8] ^= (unsigned char)(1 << i % 8);
	}
	ok(distinct, "each bit changes both halves");
	g = hash128_bytes(&one, bytes, 64);
	ok(g.a == h[64].a && g.b == h[64].b, "equal bytes, equal hash");
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)roll();
	ok(hash_bytes(bytes, 17) != hash_bytes(bytes, 18), "the unkeyed one sees the length");
}

/* Through the sizes where it moves, small and large; an item's size is no part of theirs. */
static void test_grow(size_t size, size_t items)
{
	size_t cap = 0, n, wrong = 0;
	unsigned char *v = NULL;

	for (n = 0; n < items; n++) {
		v = grow(v, n, &cap, size);
		v[n * size] = (unsigned char)(n * 7);
		v[n * size + size - 1] = (unsigned char)(n * 5);
	}
	for (n = 0; n < items; n++)
		wrong += v[n * size] != (size > 1 ? n * 7 : n * 5) % 256 ||
			 v[n * size + size - 1] != n * 5 % 256;
	ok(!wrong && cap >= items, "an array of %zu times %zu bytes grows and keeps them", items,
	   size);
	free(v);
}

static void test_pages(void)
{
	for (size_t more = 0; more < 9; more += 4) {
		char *p = xmalloc_pages(LARGE_PAGE + more);

		memset(p, 1, LARGE_PAGE + more);
		ok((uintptr_t)p % LARGE_PAGE == 0, "a large page and %zu bytes begin with it",
		   more);
		free(p);
	}
}

int main(void)
{
	test_slice();
	test_strbuf();
	test_arena();
	test_intern();
	test_map64();
	test_numbers();
	test_cursor();
	test_utf8();
	test_utf8_places();
	test_hash();
	test_grow(1, 1000);
	test_grow(4, 1000);
	test_grow(24, 2000000);
	test_grow(3 << 20, 9);
	test_pages();
	return done_testing();
}
