/*
 * The named palettes: the colours are those that flamegraph.pl drew with --minwidth 0 for
 * stacks of these names, by default and with --hash.
 */
#include "../../fold2svg/classic.h"

#include <stdlib.h>

#include "../../fold2svg/palmap.h"
#include "tap.h"

static const struct {
	const char *palette, *name;
	uint32_t plain, hashed;
} drawn[] = {
	{ "hot", "main", 0xf3b32a, 0xf7532e },
	{ "hot", "malloc", 0xe6771c, 0xee7024 },
	{ "hot", "std::vec<int>", 0xf5b92c, 0xf3922a },
	{ "hot", "a", 0xec9223, 0xeb8c21 },
	{ "hot", "ab", 0xfde035, 0xe26818 },
	{ "hot", "libc.so`malloc", 0xcd0000, 0xf07027 },
	{ "hot", "`odd`x", 0xef9c25, 0xfbe633 },
	{ "hot", "x`y`z", 0xe46b19, 0xf4af2b },
	{ "hot", "do_syscall_64_[k]", 0xd7320c, 0xecbd22 },
	{ "hot", "été", 0xfde035, 0xef9f26 },
	{ "hot", "-", 0xc8c8c8, 0xc8c8c8 },
	{ "hot", "--", 0xa0a0a0, 0xa0a0a0 },
	{ "mem", "main", 0x00e4a3, 0x00e84c },
	{ "mem", "x`y`z", 0x00d561, 0x00e59f },
	{ "io", "main", 0x7e7ee8, 0x6565ec },
	{ "io", "x`y`z", 0x6b6bd7, 0x7d7de9 },
	{ "red", "main", 0xf27070, 0xdb4f4f },
	{ "green", "main", 0x60f260, 0x47db47 },
	{ "blue", "main", 0x7e7ef3, 0x6565df },
	{ "aqua", "main", 0x60cfcf, 0x47b8b8 },
	{ "yellow", "main", 0xd9d941, 0xc2c239 },
	{ "purple", "main", 0xf07ef0, 0xd565d5 },
	{ "orange", "main", 0xf08c00, 0xd57100 },
	{ "wakeup", "main", 0x60cfcf, 0x47b8b8 },
	{ "chain", "main", 0x7e7ef3, 0x6565df },
	{ "chain", "waker_[w]", 0x40b2b2, 0x46b7b7 },
	{ "java", "java/lang/Object", 0x57ea57, 0x4de04d },
	{ "java", "Ljava/util/Map", 0x57ea57, 0x57ea57 },
	{ "java", "javax/x", 0x37cc37, 0x4de04d },
	{ "java", "org/a/B:::run", 0x35ca35, 0x60f260 },
	{ "java", "Foo:::bar", 0x34ca34, 0x6afb6a },
	{ "java", "Foo::bar", 0xcccc3c, 0xe2e244 },
	{ "java", "x_[j]", 0x69fa69, 0x5ef15e },
	{ "java", "x_[i]", 0x35a8a8, 0x5ecece },
	{ "java", "x_[k]", 0xf18d00, 0xee8a00 },
	{ "java", "Foo::bar_[k]", 0xd3d33f, 0xe2e244 },
	{ "java", "plain", 0xe05555, 0xef6b6b },
	{ "js", "x_[j]", 0x69d7d7, 0x5ecece },
	{ "js", "a/x_[j]", 0x45d945, 0x5bed5b },
	{ "js", "v8::Run", 0xd9d941, 0xcdcd3d },
	{ "js", "/home/a.js", 0x37cc37, 0x56e956 },
	{ "js", "a:b", 0x4fbfbf, 0x59c9c9 },
	{ "js", " ", 0x34ca34, 0x67f867 },
	{ "js", "x_[k]", 0xf18d00, 0xee8a00 },
	{ "js", "plain", 0xe05555, 0xef6b6b },
	{ "perl", "Foo::bar", 0xcccc3c, 0xe2e244 },
	{ "perl", "Perl_run", 0x60f260, 0x66f766 },
	{ "perl", "a.pl", 0x42d642, 0x59ec59 },
	{ "perl", "x_[k]", 0xf18d00, 0xee8a00 },
	{ "perl", "plain", 0xe05555, 0xef6b6b },
};

static enum classic_palette palette(const char *word)
{
	int p = 0;

	while (strcmp(classic_word(p), word) != 0)
		p++;
	return p;
}

static void test_drawn(void)
{
	for (size_t i = 0; i < sizeof(drawn) / sizeof(drawn[0]); i++) {
		struct classic c = { .palette = palette(drawn[i].palette) };

		is_u64(classic_rgb(&c, slice_str(drawn[i].name)), drawn[i].plain, "%s: '%s'",
		       drawn[i].palette, drawn[i].name);
		c.hash = true;
		is_u64(classic_rgb(&c, slice_str(drawn[i].name)), drawn[i].hashed,
		       "%s --hash: '%s'", drawn[i].palette, drawn[i].name);
	}
}

/* Palettes that flamegraph.pl has not pick one of its own. */
static void is_like(const char *word, const char *name, const char *other)
{
	struct classic c = { .palette = palette(word) }, d = { .palette = palette(other) };

	is_u64(classic_rgb(&c, slice_str(name)), classic_rgb(&d, slice_str(name)),
	       "%s: '%s' is %s", word, name, other);
}

static void test_others(void)
{
	struct classic c = { .palette = CLASSIC_HOT, .random = true };
	uint32_t once = classic_rgb(&c, SLICE("main"));

	is_like("rust", "core::fmt::write", "orange");
	is_like("rust", "<alloc::vec::Vec<T> as core::ops::Drop>::drop", "orange");
	is_like("rust", "ripgrep::search", "yellow");
	is_like("rust", "memcpy", "red");
	is_like("python", "run (/usr/lib/python3/dist-packages/six.py:3)", "aqua");
	is_like("python", "join (/usr/lib/python3.11/posixpath.py:71)", "yellow");
	is_like("python", "<built-in method time.sleep>", "yellow");
	is_like("python", "main (app.py:9)", "red");
	is_u64(classic_rgb(&c, SLICE("main")), once, "--random: of the name, too");
	ok(classic_rgb(&c, SLICE("niam")) != once, "and not the same for an anagram");
}

static void test_palmap(void)
{
	struct palmap map = { 0 };
	struct classic c = { .palette = CLASSIC_HOT, .palmap = &map };
	struct classic without = { .palette = CLASSIC_HOT };
	uint32_t rgb = 0;

	palmap_set(&map, SLICE("main"), 0x010203);
	is_u64(classic_rgb(&c, SLICE("main")), 0x010203, "a map's colour takes precedence");
	is_u64(classic_rgb(&c, SLICE("f")), classic_rgb(&without, SLICE("f")),
	       "a name that is not in it has the palette's");
	ok(palmap_find(&map, SLICE("f"), &rgb) && rgb == classic_rgb(&without, SLICE("f")),
	   "and is in it from then on");
	ok(!palmap_find(&map, SLICE("g"), &rgb), "no other is");
	palmap_release(&map);
}

int main(void)
{
	test_drawn();
	test_others();
	test_palmap();
	return done_testing();
}
