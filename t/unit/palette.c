#include "../../fold2svg/palette.h"

#include <math.h>

#include "tap.h"

static void is_look(const char *name, const char *label, enum frame_kind kind, bool inlined)
{
	struct frame_look look = frame_look(slice_str(name));
	char got[64];

	snprintf(got, sizeof(got), "%.*s", (int)look.label.len, look.label.p);
	is_str(got, label, "label of '%s'", name);
	is_str(kind_word(look.kind), kind_word(kind), "its kind");
	ok(look.inlined == inlined, "and whether it is inlined");
}

/* Relative luminance as WCAG 2 defines it. */
static double luminance(uint32_t rgb)
{
	static const double weight[] = { 0.2126, 0.7152, 0.0722 };
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		double c = (rgb >> (16 - 8 * i) & 0xff) / 255.0;

		sum += weight[i] * (c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
	}
	return sum;
}

static double contrast(uint32_t a, uint32_t b)
{
	double x = luminance(a), y = luminance(b);

	return x > y ? (x + 0.05) / (y + 0.05) : (y + 0.05) / (x + 0.05);
}

static double least;

static void is_readable(const char *what, uint32_t fill, bool dark)
{
	double c = contrast(palette_ink(dark), fill);

	if (c < 4.5)
		ok(false, "%s: #%06x has %.2f:1", what, fill, c);
	if (c < least)
		least = c;
}

static void test_contrast(bool dark)
{
	static const char *const changes[] = { "n", "v", "d0", "m1", "m2", "m3", "m4", "m5", "m6",
					       "l1", "l2", "l3", "l4", "l5", "l6" };
	const char *scheme = dark ? "dark" : "light";

	least = 21;
	is_readable("page", palette_page(dark), dark);
	for (int kind = 0; kind < KIND_COUNT; kind++)
		for (unsigned i = 0; i < PALETTE_SHADES * 2; i++)
			is_readable(kind_word(kind), palette_fill(kind, i % 2, i / 2, dark), dark);
	ok(least >= 4.5, "%s, kinds: text has a contrast of %.2f:1 or more", scheme, least);

	least = 21;
	for (unsigned i = 0; i < PALETTE_HUES * PALETTE_HUE_SHADES * 2; i++)
		is_readable("hue", palette_hue_fill(i / 2 % PALETTE_HUES, i % 2,
						    i / 2 / PALETTE_HUES, dark), dark);
	ok(least >= 4.5, "%s, modules: %.2f:1 or more", scheme, least);

	least = 21;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		uint32_t fill = palette_change_fill(changes[i], dark);

		is_readable(changes[i], fill, dark);
		ok(contrast(fill, palette_page(dark)) > 1.15, "%s: '%s' stands out from the page",
		   scheme, changes[i]);
	}
	ok(least >= 4.5, "%s, differentials: %.2f:1 or more", scheme, least);
}

/* Lightness and the two axes of colour in Björn Ottosson's OKLab, in hundredths. */
static void oklab(uint32_t rgb, double lab[3])
{
	static const double to_cone[3][3] = {
		{ 0.4122214708, 0.5363325363, 0.0514459929 },
		{ 0.2119034982, 0.6806995451, 0.1073969566 },
		{ 0.0883024619, 0.2817188376, 0.6299787005 },
	};
	static const double to_lab[3][3] = {
		{ 0.2104542553, 0.7936177850, -0.0040720468 },
		{ 1.9779984951, -2.4285922050, 0.4505937099 },
		{ 0.0259040371, 0.7827717662, -0.8086757660 },
	};
	double cone[3] = { 0 };

	for (int i = 0; i < 3; i++) {
		double c = (rgb >> (16 - 8 * i) & 0xff) / 255.0;

		c = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
		for (int k = 0; k < 3; k++)
			cone[k] += to_cone[k][i] * c;
	}
	for (int k = 0; k < 3; k++) {
		lab[k] = 0;
		for (int i = 0; i < 3; i++)
			lab[k] += 100 * to_lab[k][i] * cbrt(cone[i]);
	}
}

static double distance(uint32_t a, uint32_t b)
{
	double x[3], y[3];

	oklab(a, x);
	oklab(b, y);
	return sqrt(pow(x[0] - y[0], 2) + pow(x[1] - y[1], 2) + pow(x[2] - y[2], 2));
}

/* A module is taken neither for a kind, whatever the shades, nor for another module. */
static void test_hues_apart(bool dark)
{
	double kinds = 100, hues = 100;

	for (unsigned i = 0; i < PALETTE_HUES * PALETTE_HUE_SHADES; i++) {
		unsigned hue = i % PALETTE_HUES, shade = i / PALETTE_HUES;
		uint32_t fill = palette_hue_fill(hue, false, shade, dark);

		for (int k = 0; k < KIND_COUNT * PALETTE_SHADES; k++)
			kinds = fmin(kinds, distance(fill, palette_fill(k % KIND_COUNT, false,
									k / KIND_COUNT, dark)));
		for (unsigned h = 0; h < hue; h++)
			hues = fmin(hues, distance(fill, palette_hue_fill(h, false, shade, dark)));
	}
	ok(kinds > 3.5, "%s: modules differ from kinds by %.1f or more", dark ? "dark" : "light",
	   kinds);
	ok(hues > 3, "and from one another by %.1f or more", hues);
}

/* Whatever a named palette or a file of colours says. */
static void test_ink_on(void)
{
	double worst = 21;

	for (uint32_t i = 0; i < 1 << 18; i++) {
		uint32_t rgb = (i >> 12) * 4 << 16 | (i >> 6 & 63) * 4 << 8 | (i & 63) * 4;
		double c = contrast(palette_ink_on(rgb), rgb);

		if (c < worst)
			worst = c;
	}
	ok(worst >= 4.5, "black or white has a contrast of %.2f:1 or more to any colour", worst);
}

static void is_change(uint64_t before, uint64_t after, const char *want, const char *negated)
{
	is_str(palette_change(before, after, false).text, want, "%llu to %llu",
	       (unsigned long long)before, (unsigned long long)after);
	is_str(palette_change(before, after, true).text, negated, "the same, negated");
}

static void test_change(void)
{
	is_change(0, 1, "n", "v");
	is_change(UINT64_MAX, 0, "v", "n");
	is_change(0, 0, "d0", "d0");
	is_change(7, 7, "d0", "d0");
	is_change(1000, 996, "d0", "d0");
	is_change(1000, 995, "l1", "m1");
	is_change(995, 1000, "m1", "l1");
	is_change(5, 6, "m1", "l1");
	is_change(499, 600, "m2", "l2");
	is_change(1, 2, "m3", "l3");
	is_change(1, 1000000, "m6", "l6");
	is_change(UINT64_MAX, 1, "l6", "m6");
	is_change(UINT64_MAX, UINT64_MAX / 2 + 1, "l3", "m3");
}

int main(void)
{
	unsigned seen = 0;

	is_look("main", "main", KIND_USER, false);
	is_look("do_sys_open_[k]", "do_sys_open", KIND_KERNEL, false);
	is_look("Foo::bar_[j]", "Foo::bar", KIND_JIT, false);
	is_look("helper_[i]", "helper", KIND_USER, true);
	is_look("[unknown]", "[unknown]", KIND_UNKNOWN, false);
	is_look("[libc.so.6]", "[libc.so.6]", KIND_UNKNOWN, false);
	is_look("[unknown]_[k]", "[unknown]", KIND_UNKNOWN, false);
	is_look("[truncated: no unwind info]", "[truncated: no unwind info]", KIND_UNKNOWN, false);
	is_look("operator[]", "operator[]", KIND_USER, false);
	is_look("f_[x]", "f_[x]", KIND_USER, false);
	is_look("_[k]", "", KIND_KERNEL, false);
	is_look("", "", KIND_USER, false);

	ok(frame_look(SLICE("f_[k]")).shade == frame_look(SLICE("f")).shade,
	   "the shade is that of the label");
	for (char name[] = "a"; name[0] <= 'z'; name[0]++)
		seen |= 1u << frame_look(slice_str(name)).shade;
	is_u64(seen, (1u << PALETTE_SHADES) - 1, "26 names use all shades");

	test_contrast(false);
	test_contrast(true);
	test_hues_apart(false);
	test_hues_apart(true);
	test_ink_on();
	test_change();
	return done_testing();
}
