#include "legend.h"

#include "label.h"

enum {
	EM = 12,        /* px, in picture.css */
	BOX = 10,       /* px, of a colour's sample */
	BOX_GAP = 5,    /* between it and its word */
	SUM_GAP = 24,   /* behind the sum; letters of whole pixels are up to 8 % wider */
	ENTRY_GAP = 14, /* between entries */
	STEP = 13, STEP_MIN = 4, /* px, of a step of the scale */
	STEPS = 2 * PALETTE_STEPS + 1,
	SCALE_WORD = 50, /* px of "−100%" */
	SCALE_GAP = 4,
	WORD_MAX = 180, /* px */
};

/* Where the next entry is to stand. */
struct pen {
	struct strbuf *sb;
	const struct layout *l;
	unsigned x, line;
};

static unsigned pen_y(const struct pen *p)
{
	return p->l->legend_y + p->line * LEGEND_LINE;
}

/* Begins another line unless `width` fits this one. */
static void pen_make_room(struct pen *p, unsigned width)
{
	if (p->x == LAYOUT_PAD || p->x + width <= LAYOUT_PAD + p->l->inner)
		return;
	p->x = LAYOUT_PAD;
	p->line++;
}

static void add_text(struct pen *p, struct slice text, bool cut)
{
	strbuf_addf(p->sb, "<text class=\"small\" x=\"%u\" y=\"%u\">", p->x, pen_y(p));
	label_add_xml(p->sb, text);
	strbuf_addstr(p->sb, cut ? "..</text>\n" : "</text>\n");
}

static void add_box(struct pen *p, const char *class, unsigned width, unsigned radius)
{
	strbuf_addf(p->sb, "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" "
		    "rx=\"%u\"/>", class, p->x, pen_y(p) - BOX + 1, width, BOX, radius);
}

/* As much as `room` px take, and how many those are. */
static struct slice fit(struct slice text, unsigned room, bool *cut, unsigned *width)
{
	text = label_fit_width(text, room * 100 / EM, cut);
	*width = ((label_width(text) + (*cut ? label_width(SLICE("..")) : 0)) * EM + 99) / 100;
	return text;
}

static void add_entry(struct pen *p, const char *class, struct slice word)
{
	unsigned room = p->l->inner - BOX - BOX_GAP, width;
	bool cut;

	word = fit(word, room < WORD_MAX ? room : WORD_MAX, &cut, &width);
	pen_make_room(p, BOX + BOX_GAP + width);
	add_box(p, class, BOX, 2);
	p->x += BOX + BOX_GAP;
	add_text(p, word, cut);
	p->x += width + ENTRY_GAP;
}

/* "1,234 samples", in a differential "1,234 samples (before: 1,000)". */
static void add_sum(struct pen *p)
{
	const struct picture *pic = p->l->pic;
	const struct flame_change *change = p->l->flame->changes;
	unsigned decimals = p->l->flame->decimals;
	struct strbuf sum = STRBUF_INIT;
	struct slice fits;
	unsigned width;
	bool cut;

	count_add(&sum, p->l->whole, decimals, pic->factor);
	strbuf_addch(&sum, ' ');
	strbuf_addslice(&sum, pic->countname);
	if (change) {
		strbuf_addstr(&sum, pic->base_before ? " (after: " : " (before: ");
		count_add(&sum, pic->base_before ? change->total_after : change->total_before,
			  decimals, pic->factor);
		strbuf_addch(&sum, ')');
	}
	fits = fit(strbuf_slice(&sum), p->l->inner, &cut, &width);
	add_text(p, fits, cut);
	p->x += width + SUM_GAP;
	strbuf_release(&sum);
}

/* The class of a step: below 0 for less, 0 for the same, above for more. */
static const char *step_class(char *class, int step, bool negate)
{
	if (!step)
		return "d0";
	class[0] = (step > 0) != negate ? 'm' : 'l';
	class[1] = (char)('0' + (step < 0 ? -step : step));
	return class;
}

/* From all that was there to all that is: "−100%", six steps to each side, "+100%". */
static void add_scale(struct pen *p)
{
	const unsigned words = 2 * (SCALE_WORD + SCALE_GAP);
	bool negate = p->l->pic->negate;
	unsigned step = STEP;
	char class[3] = "";

	if (words + STEPS * step > p->l->inner)
		step = p->l->inner > words ? (p->l->inner - words) / STEPS : 0;
	if (step < STEP_MIN) {
		add_entry(p, step_class(class, -PALETTE_STEPS, negate), SLICE("less"));
		add_entry(p, step_class(class, PALETTE_STEPS, negate), SLICE("more"));
	} else {
		pen_make_room(p, words + STEPS * step);
		add_text(p, SLICE("\xe2\x88\x92" "100%"), false);
		p->x += SCALE_WORD + SCALE_GAP;
		for (int s = -PALETTE_STEPS; s <= PALETTE_STEPS; s++) {
			add_box(p, step_class(class, s, negate), step, 0);
			p->x += step;
		}
		p->x += SCALE_GAP;
		add_text(p, SLICE("+100%"), false);
		p->x += SCALE_WORD + ENTRY_GAP;
	}
	add_entry(p, negate ? "v" : "n", SLICE("new"));
	add_entry(p, negate ? "n" : "v", SLICE("vanished"));
}

static void add_modules(struct pen *p)
{
	const struct layout *l = p->l;

	for (size_t i = 0; i < l->modules_len; i++) {
		struct slice module = intern_get(&l->looks->modules, l->modules[i]);
		char class[] = "h01";

		class[1] = "0123456789ab"[palette_hue(module)];
		add_entry(p, class, module);
	}
}

static void add_kinds(struct pen *p)
{
	for (int kind = 0; kind < KIND_COUNT; kind++) {
		char class[] = "u2";

		class[0] = kind_letter(kind);
		if (p->l->has_kind[kind])
			add_entry(p, class, slice_str(kind_word(kind)));
	}
}

/* How many lines. */
static unsigned add_all(struct strbuf *sb, const struct layout *l)
{
	struct pen p = { .sb = sb, .l = l, .x = LAYOUT_PAD };

	add_sum(&p);
	if (l->flame->changes) {
		add_scale(&p);
	} else if (l->pic->colors != COLORS_CLASSIC) {
		add_modules(&p);
		add_kinds(&p);
	}
	return p.line + 1;
}

void legend_add(struct strbuf *sb, const struct layout *l)
{
	add_all(sb, l);
}

unsigned legend_lines(const struct layout *l)
{
	struct strbuf sb = STRBUF_INIT;
	unsigned lines = add_all(&sb, l);

	strbuf_release(&sb);
	return lines;
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
