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

/* Of one lightness and chroma each, 30 degrees apart (OKLCH). */
static const struct {
	struct ramp light, dark;
} hues[PALETTE_HUES] = {
	{ { 0xe59a99, 0xf5a5a4, 0xffbab9 }, { 0x73393a, 0x7e4041, 0x884d4d } },
	{ { 0xe0a07d, 0xf0ac86, 0xffc09c }, { 0x703f21, 0x7a4627, 0x855235 } },
	{ { 0xcfab6d, 0xdeb775, 0xf0cb8c }, { 0x64470c, 0x6e4f11, 0x785b25 } },
	{ { 0xb4b672, 0xc1c37a, 0xd4d791 }, { 0x505113, 0x585918, 0x636429 } },
	{ { 0x93c089, 0x9dcd93, 0xb2e0a8 }, { 0x34582c, 0x3a6132, 0x476c3f } },
	{ { 0x73c4a8, 0x7bd2b4, 0x93e5c8 }, { 0x075b46, 0x0d644e, 0x256f59 } },
	{ { 0x63c3c8, 0x6bd0d6, 0x85e3e8 }, { 0x005a5e, 0x006368, 0x0b6e72 } },
	{ { 0x71bce0, 0x7ac9ef, 0x91ddff }, { 0x085570, 0x0e5d7b, 0x256985 } },
	{ { 0x90b2eb, 0x9abffb, 0xafd2ff }, { 0x324d79, 0x395584, 0x45618e } },
	{ { 0xb0a8e7, 0xbcb4f7, 0xd0c7ff }, { 0x4d4576, 0x554c81, 0x60588b } },
	{ { 0xcb9fd5, 0xd9aae4, 0xecbef6 }, { 0x603e68, 0x6a4572, 0x75517d } },
	{ { 0xdd9ab9, 0xeda5c6, 0xffb9d9 }, { 0x6d3953, 0x78405c, 0x834d67 } },
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
