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

static void test_contrast(bool dark)
{
	double least = contrast(palette_ink(dark), palette_page(dark));

	for (int kind = 0; kind < KIND_COUNT; kind++) {
		for (unsigned i = 0; i < PALETTE_SHADES * 2; i++) {
			uint32_t fill = palette_fill(kind, i % 2, i / 2, dark);
			double c = contrast(palette_ink(dark), fill);

			if (c < 4.5)
				ok(false, "%s shade %u%s: #%06x has %.2f:1", kind_word(kind), i / 2,
				   i % 2 ? " inlined" : "", fill, c);
			if (c < least)
				least = c;
		}
	}
	ok(least >= 4.5, "%s: text has a contrast of %.2f:1 or more", dark ? "dark" : "light",
	   least);
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
	return done_testing();
}
