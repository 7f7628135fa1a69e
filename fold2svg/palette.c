#include "palette.h"

#include <math.h>

/* A kind's shades run from the first over the second to the third colour. */
struct ramp {
	uint32_t from, via, to;
};

static const struct {
	const char *word;
	char letter;
	struct ramp light, dark;
} kinds[KIND_COUNT] = {
	[KIND_USER] = { "user", 'u', { 0x86c5ea, 0x93bdf5, 0xb3cdfb },
				     { 0x27749a, 0x3569ad, 0x4a69ba } },
	[KIND_KERNEL] = { "kernel", 'k', { 0xf6a56b, 0xf9b85e, 0xf8d07c },
					 { 0xa9551f, 0x9c601a, 0x89681b } },
	[KIND_JIT] = { "JIT", 'j', { 0xbaaef6, 0xc8b0f5, 0xd8b8f4 },
				   { 0x6355b8, 0x7254b4, 0x8351aa } },
	[KIND_UNKNOWN] = { "unknown", 'x', { 0xc3c9d1, 0xcdd1d6, 0xd9dadd },
					   { 0x515862, 0x5a5f66, 0x65676c } },
};

/*
 * None near those of kinds, which frames without a module have: eight hues (OKLCH) between
 * yellow-green and cyan, and between magenta and red; and four of half their chroma.
 */
static const struct {
	struct ramp light, dark;
} hues[PALETTE_HUES] = {
	{ { 0xb7b664, 0xc4c36c, 0xd7d688 }, { 0x525003, 0x5b5906, 0x65641f } },
	{ { 0x98bf79, 0xa3cd82, 0xb9df9b }, { 0x3a571f, 0x416024, 0x4d6b33 } },
	{ { 0x76c595, 0x7fd3a0, 0x9ae5b6 }, { 0x175b38, 0x1c643e, 0x2f6f4b } },
	{ { 0x58c7b5, 0x5fd5c2, 0x81e7d5 }, { 0x015a4f, 0x026458, 0x007063 } },
	{ { 0x50c4d2, 0x56d2e0, 0x7ae4f1 }, { 0x025860, 0x02616a, 0x026d78 } },
	{ { 0xd699d3, 0xe5a4e2, 0xf5baf2 }, { 0x673a66, 0x714170, 0x7c4d7a } },
	{ { 0xe695b6, 0xf6a0c3, 0xffbad5 }, { 0x723650, 0x7d3d59, 0x874a64 } },
	{ { 0xec9693, 0xfda19e, 0xffbebb }, { 0x763736, 0x823d3d, 0x8c4a49 } },
	{ { 0xcca89e, 0xdab4aa, 0xebc8be }, { 0x60463f, 0x6a4d46, 0x745952 } },
	{ { 0xb5b392, 0xc2c09d, 0xd5d3b3 }, { 0x504e36, 0x58573c, 0x636249 } },
	{ { 0x94bbaf, 0x9fc8bc, 0xb5dbcf }, { 0x36544c, 0x3d5d54, 0x49685f } },
	{ { 0xc0a8c1, 0xceb4cf, 0xe0c8e1 }, { 0x584659, 0x614e62, 0x6c596d } },
};

/*
 * Vermilion and blue, yellow and grey-blue are told apart with each of the common kinds of
 * colour blindness, and the steps of a ramp by their lightness alone.
 */
static const struct {
	struct ramp more, less;
	uint32_t same, new, vanished;
} changes[2] = {
	{ { 0xfde1d5, 0xfea47c, 0xf0621d }, { 0xd9eafc, 0x91c3f6, 0x4495ea },
	  0xe5e6e8, 0xf7e04f, 0xacb9c7 },
	{ { 0x4f372c, 0x823b15, 0xb73d00 }, { 0x2f3f4f, 0x27527f, 0x1f69b9 },
	  0x36383a, 0x7b6c01, 0x465463 },
};

const char *kind_word(enum frame_kind kind)
{
	return kinds[kind].word;
}

char kind_letter(enum frame_kind kind)
{
	return kinds[kind].letter;
}

/* FNV-1a: the picture is made of it, so it must never change (base/hash.h may). */
static uint32_t stable_hash(struct slice s)
{
	uint32_t h = 0x811c9dc5;

	for (size_t i = 0; i < s.len; i++)
		h = (h ^ (unsigned char)s.p[i]) * 0x01000193;
	return h ^ h >> 15;
}

struct frame_look frame_look(struct slice name)
{
	struct frame_look look = { .kind = KIND_USER };

	if (slice_cut_end(&name, SLICE("_[k]")))
		look.kind = KIND_KERNEL;
	else if (slice_cut_end(&name, SLICE("_[j]")))
		look.kind = KIND_JIT;
	else
		look.inlined = slice_cut_end(&name, SLICE("_[i]"));
	if (!look.inlined && name.len && name.p[0] == '[' && name.p[name.len - 1] == ']')
		look = (struct frame_look){
			.kind = KIND_UNKNOWN,
			.side = look.kind == KIND_KERNEL ? 'k' : look.kind == KIND_JIT ? 'j' : 0,
		};
	look.label = name;
	look.shade = stable_hash(name) % PALETTE_SHADES;
	return look;
}

/* a at 0, b at `of`, each channel rounded down. */
static uint32_t mix(uint32_t a, uint32_t b, unsigned at, unsigned of)
{
	uint32_t rgb = 0;

	for (int shift = 16; shift >= 0; shift -= 8) {
		uint32_t x = a >> shift & 0xff, y = b >> shift & 0xff;

		rgb |= (x * (of - at) + y * at) / of << shift;
	}
	return rgb;
}

/* The colour at one of `shades` even steps. */
static uint32_t ramp_at(const struct ramp *r, unsigned shade, unsigned shades)
{
	unsigned span = shades - 1;

	return shade * 2 < span ? mix(r->from, r->via, shade * 2, span)
				: mix(r->via, r->to, shade * 2 - span, span);
}

static uint32_t pale(uint32_t rgb, bool inlined, bool dark)
{
	return inlined ? mix(rgb, palette_page(dark), 9, 20) : rgb;
}

uint32_t palette_fill(enum frame_kind kind, bool inlined, unsigned shade, bool dark)
{
	const struct ramp *r = dark ? &kinds[kind].dark : &kinds[kind].light;

	return pale(ramp_at(r, shade, PALETTE_SHADES), inlined, dark);
}

uint32_t palette_hue_fill(unsigned hue, bool inlined, unsigned shade, bool dark)
{
	const struct ramp *r = dark ? &hues[hue].dark : &hues[hue].light;

	return pale(ramp_at(r, shade, PALETTE_HUE_SHADES), inlined, dark);
}

unsigned palette_hue(struct slice module)
{
	return stable_hash(module) % PALETTE_HUES;
}

struct palette_class palette_change(uint64_t before, uint64_t after, bool negate)
{
	uint64_t most = before > after ? before : after;
	uint64_t change = before > after ? before - after : after - before;
	bool more = (after > before) != negate;

	if (change < most && (unsigned __int128)change * 200 < most)
		return (struct palette_class){ "d0" };
	if (!most)
		return (struct palette_class){ "d0" };
	if (change == most)
		return more ? (struct palette_class){ "n" } : (struct palette_class){ "v" };
	change = (uint64_t)(((unsigned __int128)change * PALETTE_STEPS + most - 1) / most);
	return (struct palette_class){ { more ? 'm' : 'l', (char)('0' + change), '\0' } };
}

uint32_t palette_change_fill(const char *class, bool dark)
{
	switch (*class) {
	case 'n':
		return changes[dark].new;
	case 'v':
		return changes[dark].vanished;
	case 'd':
		return changes[dark].same;
	case 'm':
		return ramp_at(&changes[dark].more, (unsigned)(class[1] - '1'), PALETTE_STEPS);
	case 'l':
		return ramp_at(&changes[dark].less, (unsigned)(class[1] - '1'), PALETTE_STEPS);
	default:
		return 0;
	}
}

/* Relative luminance as WCAG 2 defines it. */
static double luminance(uint32_t rgb)
{
	static const double weights[] = { 0.2126, 0.7152, 0.0722 };
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		double c = (rgb >> (16 - 8 * i) & 0xff) / 255.0;

		sum += weights[i] * (c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
	}
	return sum;
}

uint32_t palette_ink_on(uint32_t rgb)
{
	double l = luminance(rgb) + 0.05;

	return l / 0.05 >= 1.05 / l ? 0x000000 : 0xffffff;
}

uint32_t palette_ink(bool dark)
{
	return dark ? 0xf1f4f8 : 0x1a212b;
}

uint32_t palette_page(bool dark)
{
	return dark ? 0x16191e : 0xffffff;
}

void palette_add_css(struct strbuf *sb, bool dark)
{
	for (int kind = 0; kind < KIND_COUNT; kind++) {
		char k = kinds[kind].letter;

		for (unsigned shade = 0; shade < PALETTE_SHADES; shade++)
			strbuf_addf(sb, ".%c%u{fill:#%06x}.%c%u.i{fill:#%06x}\n",
				    k, shade, palette_fill(kind, false, shade, dark),
				    k, shade, palette_fill(kind, true, shade, dark));
	}
}

void palette_add_hue_css(struct strbuf *sb, bool dark)
{
	for (unsigned hue = 0; hue < PALETTE_HUES; hue++)
		for (unsigned shade = 0; shade < PALETTE_HUE_SHADES; shade++)
			strbuf_addf(sb, ".h%x%u{fill:#%06x}.h%x%u.i{fill:#%06x}\n",
				    hue, shade, palette_hue_fill(hue, false, shade, dark),
				    hue, shade, palette_hue_fill(hue, true, shade, dark));
}

void palette_add_change_css(struct strbuf *sb, bool dark)
{
	static const char *const classes[] = { "n", "v", "d0", "m1", "m2", "m3", "m4", "m5", "m6",
					       "l1", "l2", "l3", "l4", "l5", "l6" };

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		strbuf_addf(sb, ".%s{fill:#%06x}\n", classes[i],
			    palette_change_fill(classes[i], dark));
	/* A dashed edge tells what is gone without colour, too; thin boxes, paths, go without. */
	strbuf_addf(sb, "rect.v{stroke:#%06x;stroke-width:.8;stroke-dasharray:3 2}\n",
		    dark ? 0xa9b6c4 : 0x4b5a6b);
}
