#include "legend.h"

#include "label.h"

enum {
	BOX = 10,       /* px, of a colour's sample */
	BOX_GAP = 5,    /* between it and its word */
	ENTRY_GAP = 14, /* between entries */
	STEP = 13,      /* px, of a step of the scale */
	SCALE_WORD = 50, /* px of "-100%", whose '%' is wider than a character of others */
	WORD_MAX = 30,  /* columns */
};

/* Adds to the line at *x, if there is room, and moves *x behind it. */
static void add_entry(struct strbuf *sb, const struct layout *l, unsigned *x, const char *class,
		      struct slice word)
{
	struct strbuf text = STRBUF_INIT;
	bool cut;
	struct slice fits = label_fit(word, WORD_MAX, &cut);
	unsigned width = BOX + BOX_GAP + (unsigned)(fits.len + 2 * cut) * LEGEND_CHAR;

	if (*x + width <= LAYOUT_PAD + l->inner) {
		label_add_xml(&text, fits);
		strbuf_addf(sb, "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%u\" "
			    "height=\"%u\" rx=\"2\"/><text class=\"small\" x=\"%u\" "
			    "y=\"%u\">%s%s</text>\n",
			    class, *x, l->legend_y - BOX + 1, BOX, BOX, *x + BOX + BOX_GAP,
			    l->legend_y, strbuf_str(&text), cut ? ".." : "");
		*x += width + ENTRY_GAP;
	}
	strbuf_release(&text);
}

static void add_word(struct strbuf *sb, const struct layout *l, unsigned *x, const char *word)
{
	strbuf_addf(sb, "<text class=\"small\" x=\"%u\" y=\"%u\">%s</text>", *x, l->legend_y, word);
	*x += SCALE_WORD;
}

/* From all that was there to all that is: "−100%", seven steps to each side, "+100%". */
static void add_scale(struct strbuf *sb, const struct layout *l, unsigned x)
{
	bool negate = l->pic->negate;
	char class[3] = "d0";

	if (x + 2 * SCALE_WORD + (2 * PALETTE_STEPS + 1) * STEP + 8 <= LAYOUT_PAD + l->inner) {
		add_word(sb, l, &x, "\xe2\x88\x92" "100%");
		x += 4;
		for (int step = -PALETTE_STEPS; step <= PALETTE_STEPS; step++) {
			if (step) {
				class[0] = (step > 0) != negate ? 'm' : 'l';
				class[1] = (char)('0' + (step < 0 ? -step : step));
			} else {
				memcpy(class, "d0", 2);
			}
			strbuf_addf(sb, "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%u\" "
				    "height=\"%u\"/>", class, x, l->legend_y - BOX + 1, STEP, BOX);
			x += STEP;
		}
		x += 4;
		add_word(sb, l, &x, "+100%");
		x += ENTRY_GAP;
	}
	add_entry(sb, l, &x, negate ? "v" : "n", SLICE("new"));
	add_entry(sb, l, &x, negate ? "n" : "v", SLICE("vanished"));
}

void legend_add(struct strbuf *sb, const struct layout *l, unsigned x)
{
	if (l->flame->changes) {
		add_scale(sb, l, x);
		return;
	}
	if (l->pic->colors == COLORS_CLASSIC)
		return;
	for (size_t i = 0; i < l->modules_len; i++) {
		struct slice module = intern_get(&l->looks->modules, l->modules[i]);
		char class[] = "h01";

		class[1] = "0123456789ab"[palette_hue(module)];
		add_entry(sb, l, &x, class, module);
	}
	for (int kind = 0; kind < KIND_COUNT; kind++) {
		char class[] = "u2";

		class[0] = kind_letter(kind);
		if (l->has_kind[kind])
			add_entry(sb, l, &x, class, slice_str(kind_word(kind)));
	}
}

void legend_add_kinds(struct strbuf *sb, const struct layout *l)
{
	for (int kind = 0; kind < KIND_COUNT; kind++) {
		if (!l->has_kind[kind])
			continue;
		if (sb->len)
			strbuf_addch(sb, ',');
		strbuf_addstr(sb, kind_word(kind));
	}
}
