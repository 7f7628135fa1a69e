#include "palette.h"

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

static bool take_annotation(struct slice *name, char letter)
{
	const char want[] = { '_', '[', letter, ']' };

	if (name->len < sizeof(want) ||
	    memcmp(name->p + name->len - sizeof(want), want, sizeof(want)) != 0)
		return false;
	name->len -= sizeof(want);
	return true;
}

struct frame_look frame_look(struct slice name)
{
	struct frame_look look = { .kind = KIND_USER };

	if (take_annotation(&name, 'k'))
		look.kind = KIND_KERNEL;
	else if (take_annotation(&name, 'j'))
		look.kind = KIND_JIT;
	else
		look.inlined = take_annotation(&name, 'i');
	if (!look.inlined && name.len && name.p[0] == '[' && name.p[name.len - 1] == ']')
		look.kind = KIND_UNKNOWN;
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

uint32_t palette_fill(enum frame_kind kind, bool inlined, unsigned shade, bool dark)
{
	const struct ramp *r = dark ? &kinds[kind].dark : &kinds[kind].light;
	unsigned span = PALETTE_SHADES - 1;
	uint32_t rgb = shade * 2 < span ? mix(r->from, r->via, shade * 2, span)
					: mix(r->via, r->to, shade * 2 - span, span);

	return inlined ? mix(rgb, palette_page(dark), 9, 20) : rgb;
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
