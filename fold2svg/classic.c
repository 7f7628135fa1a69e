#include "classic.h"

#include <math.h>

#include "base/utf8.h"
#include "palmap.h"

static const char *const words[CLASSIC_COUNT] = {
	[CLASSIC_HOT] = "hot", [CLASSIC_MEM] = "mem", [CLASSIC_IO] = "io",
	[CLASSIC_RED] = "red", [CLASSIC_GREEN] = "green", [CLASSIC_BLUE] = "blue",
	[CLASSIC_AQUA] = "aqua", [CLASSIC_YELLOW] = "yellow", [CLASSIC_PURPLE] = "purple",
	[CLASSIC_ORANGE] = "orange", [CLASSIC_WAKEUP] = "wakeup", [CLASSIC_CHAIN] = "chain",
	[CLASSIC_JAVA] = "java", [CLASSIC_JS] = "js", [CLASSIC_PERL] = "perl",
	[CLASSIC_PYTHON] = "python", [CLASSIC_RUST] = "rust",
};

const char *classic_word(enum classic_palette palette)
{
	return words[palette];
}

/* ---- numbers from 0 to 1 out of a name: the first takes most weight in all palettes */

struct numbers {
	double v1, v2, v3;
};

/* A character of the name; a byte that is none stands for itself. */
static uint32_t next_char(struct slice *s)
{
	uint32_t cp;
	size_t n = utf8_decode(s->p, s->len, &cp);

	if (!n) {
		cp = (unsigned char)s->p[0];
		n = 1;
	}
	s->p += n;
	s->len -= n;
	return cp;
}

/* The first number of drand48(3) after that seed, which is perl's rand on every system. */
static double random48(uint32_t seed)
{
	uint64_t x = ((uint64_t)seed << 16) + 0x330e;

	x = (x * 0x5deece66dull + 0xb) & ((1ull << 48) - 1);
	return ldexp((double)x, -48);
}

/* The default: seeded by the sum of the characters, so that anagrams share a colour. */
static struct numbers numbers_of_sum(struct slice name)
{
	uint32_t sum = 0;
	double v;

	while (name.len)
		sum += next_char(&name);
	v = random48(sum);
	return (struct numbers){ v, v, v };
}

/* Three numbers that do not depend on one another. */
static struct numbers numbers_of_hash(struct slice name)
{
	uint32_t h = 0x811c9dc5; /* FNV-1a */

	for (size_t i = 0; i < name.len; i++)
		h = (h ^ (unsigned char)name.p[i]) * 0x01000193;
	return (struct numbers){ random48(h), random48(h ^ 0x5bd1e995), random48(h * 31 + 1) };
}

/* Of the first three characters, earlier ones with more weight. */
static double vector_of(const uint32_t *chars, size_t n)
{
	double vector = 0, weight = 1, max = 1;

	for (unsigned i = 0; i < n && i < 3; i++) {
		unsigned mod = 10 + i;

		vector += (double)(chars[i] % mod) / (double)(mod - 1) * weight;
		max += 1 * weight;
		weight *= 0.70;
	}
	return 1 - vector / max;
}

/*
 * --hash: by the first characters, and by the last ones. "MODULE`" at the start is
 * left out: up to the first '`' but for one at the very start, in the name and in the name
 * turned round.
 */
static struct numbers numbers_of_ends(struct slice name)
{
	uint32_t first[3] = { 0 }, last[3] = { 0 };
	size_t nfirst = 0, nlast = 0, keep;
	struct slice rest = name;
	struct numbers v;

	for (size_t i = 1; i < name.len; i++)
		if (name.p[i] == '`') {
			rest = (struct slice){ name.p + i + 1, name.len - i - 1 };
			break;
		}
	while (rest.len && nfirst < 3)
		first[nfirst++] = next_char(&rest);
	keep = name.len;
	for (size_t i = name.len; i-- > 0 && name.len > 1;)
		if (name.p[i] == '`' && i != name.len - 1) {
			keep = i;
			break;
		}
	for (rest = (struct slice){ name.p, keep }; rest.len; nlast++) {
		last[2] = last[1];
		last[1] = last[0];
		last[0] = next_char(&rest);
	}
	v.v1 = vector_of(first, nfirst);
	v.v2 = v.v3 = vector_of(last, nlast);
	return v;
}

/* ---- what a name looks like */

static bool has(struct slice name, const char *part)
{
	return memmem(name.p, name.len, part, strlen(part)) != NULL;
}

static bool ends(struct slice name, const char *end)
{
	size_t n = strlen(end);

	return name.len >= n && memcmp(name.p + name.len - n, end, n) == 0;
}

static bool has_java_package(struct slice name)
{
	static const char *const packages[] = {
		"java/", "javax/", "jdk/", "net/", "org/", "com/", "io/", "sun/",
	};

	if (name.len && name.p[0] == 'L')
		name = (struct slice){ name.p + 1, name.len - 1 };
	for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++)
		if (slice_starts(name, slice_str(packages[i])))
			return true;
	return false;
}

static enum classic_palette java_palette(struct slice name)
{
	if (ends(name, "_[j]"))
		return CLASSIC_GREEN;
	if (ends(name, "_[i]"))
		return CLASSIC_AQUA;
	if (has_java_package(name) || has(name, ":::"))
		return CLASSIC_GREEN;
	if (has(name, "::"))
		return CLASSIC_YELLOW;
	return ends(name, "_[k]") ? CLASSIC_ORANGE : CLASSIC_RED;
}

static enum classic_palette perl_palette(struct slice name)
{
	if (has(name, "::"))
		return CLASSIC_YELLOW;
	if (has(name, "Perl") || has(name, ".pl"))
		return CLASSIC_GREEN;
	return ends(name, "_[k]") ? CLASSIC_ORANGE : CLASSIC_RED;
}

static enum classic_palette js_palette(struct slice name)
{
	const char *slash = memchr(name.p, '/', name.len);

	if (ends(name, "_[j]"))
		return slash ? CLASSIC_GREEN : CLASSIC_AQUA;
	if (has(name, "::"))
		return CLASSIC_YELLOW;
	if (slash && has((struct slice){ slash, name.len - (size_t)(slash - name.p) }, ".js"))
		return CLASSIC_GREEN;
	if (has(name, ":"))
		return CLASSIC_AQUA;
	if (slice_eq(name, SLICE(" ")))
		return CLASSIC_GREEN;
	return has(name, "_[k]") ? CLASSIC_ORANGE : CLASSIC_RED;
}

/* As inferno has it: installed packages, the interpreter's own modules, the rest. */
static enum classic_palette python_palette(struct slice name)
{
	if (has(name, "site-packages") || has(name, "dist-packages"))
		return CLASSIC_AQUA;
	if (has(name, "<built-in") || has(name, "<method") || has(name, "<frozen") ||
	    has(name, "/lib/python"))
		return CLASSIC_YELLOW;
	return ends(name, "_[k]") ? CLASSIC_ORANGE : CLASSIC_RED;
}

/* As inferno has it: the standard library, other Rust and C++, the rest. */
static enum classic_palette rust_palette(struct slice name)
{
	if (slice_starts(name, SLICE("core::")) || slice_starts(name, SLICE("std::")) ||
	    slice_starts(name, SLICE("alloc::")) || has(name, "as core::") ||
	    has(name, "as std::") || has(name, "as alloc::"))
		return CLASSIC_ORANGE;
	return has(name, "::") ? CLASSIC_YELLOW : CLASSIC_RED;
}

static enum classic_palette palette_of(enum classic_palette palette, struct slice name)
{
	switch (palette) {
	case CLASSIC_WAKEUP:
		return CLASSIC_AQUA;
	case CLASSIC_CHAIN:
		return has(name, "_[w]") ? CLASSIC_AQUA : CLASSIC_BLUE;
	case CLASSIC_JAVA:
		return java_palette(name);
	case CLASSIC_JS:
		return js_palette(name);
	case CLASSIC_PERL:
		return perl_palette(name);
	case CLASSIC_PYTHON:
		return python_palette(name);
	case CLASSIC_RUST:
		return rust_palette(name);
	default:
		return palette;
	}
}

/* ---- colours */

static uint32_t channel(unsigned from, unsigned span, double v)
{
	return from + (uint32_t)(span * v);
}

static uint32_t rgb(uint32_t r, uint32_t g, uint32_t b)
{
	return r << 16 | g << 8 | b;
}

static uint32_t colour(enum classic_palette palette, struct numbers n)
{
	uint32_t x;

	switch (palette) {
	case CLASSIC_MEM:
		return rgb(0, channel(190, 50, n.v2), channel(0, 210, n.v1));
	case CLASSIC_IO:
		x = channel(80, 60, n.v1);
		return rgb(x, x, channel(190, 55, n.v2));
	case CLASSIC_RED:
		x = channel(50, 80, n.v1);
		return rgb(channel(200, 55, n.v1), x, x);
	case CLASSIC_GREEN:
		x = channel(50, 60, n.v1);
		return rgb(x, channel(200, 55, n.v1), x);
	case CLASSIC_BLUE:
		x = channel(80, 60, n.v1);
		return rgb(x, x, channel(205, 50, n.v1));
	case CLASSIC_YELLOW:
		x = channel(175, 55, n.v1);
		return rgb(x, x, channel(50, 20, n.v1));
	case CLASSIC_PURPLE:
		x = channel(190, 65, n.v1);
		return rgb(x, channel(80, 60, n.v1), x);
	case CLASSIC_AQUA:
		x = channel(165, 55, n.v1);
		return rgb(channel(50, 60, n.v1), x, x);
	case CLASSIC_ORANGE:
		return rgb(channel(190, 65, n.v1), channel(90, 65, n.v1), 0);
	default:
		return rgb(channel(205, 50, n.v3), channel(0, 230, n.v1), channel(0, 55, n.v2));
	}
}

static uint32_t colour_of(const struct classic *c, struct slice name)
{
	struct numbers n = c->hash ? numbers_of_ends(name)
			 : c->random ? numbers_of_hash(name) : numbers_of_sum(name);

	return colour(palette_of(c->palette, name), n);
}

uint32_t classic_rgb(const struct classic *c, struct slice name)
{
	uint32_t got;

	if (slice_eq(name, SLICE("--")))
		return rgb(160, 160, 160);
	if (slice_eq(name, SLICE("-")))
		return rgb(200, 200, 200);
	if (!c->palmap || !palmap_find(c->palmap, name, &got)) {
		got = colour_of(c, name);
		if (c->palmap)
			palmap_set(c->palmap, name, got);
	}
	return got;
}
