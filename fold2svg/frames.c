#include "frames.h"

#include <math.h>
#include <stdio.h>

#include "label.h"

/* Boxes of at least this width, in hundredths of a px, have round corners and gaps between. */
enum { WIDE = 200, GAP = 50 };

/* As printf's %.2f, which costs more than all else of a frame. */
static void add_hundredths(struct strbuf *sb, double percent)
{
	double hundredths = percent * 100;
	uint64_t whole = (uint64_t)(hundredths + 0.5);
	char digits[32];

	/* so near to a tie the product may be on the other side of it */
	if (fabs(hundredths - trunc(hundredths) - 0.5) < 1e-6) {
		snprintf(digits, sizeof(digits), "%.2f", percent);
		strbuf_addstr(sb, digits);
		return;
	}
	strbuf_addu64(sb, whole / 100);
	strbuf_addch(sb, '.');
	strbuf_addch(sb, (char)('0' + whole / 10 % 10));
	strbuf_addch(sb, (char)('0' + whole % 10));
}

static void add_percent(struct strbuf *sb, uint64_t part, uint64_t whole, const char *sign)
{
	strbuf_addstr(sb, sign);
	add_hundredths(sb, whole ? 100 * (double)part / (double)whole : 0);
	strbuf_addch(sb, '%');
}

/* In flamegraph.pl's words, which people's scripts read: "name (1,234 samples, 5.67%)". */
static void add_details(struct strbuf *sb, const struct layout *l, uint32_t i, struct slice label)
{
	const struct picture *pic = l->pic;
	uint64_t count = l->flame->frames[i].total;
	uint64_t before = 0, after = 0;

	if (l->flame->changes) {
		before = l->flame->changes[i].total_before;
		after = l->flame->changes[i].total_after;
		count = pic->base_before ? before : after;
	}
	label_add_xml(sb, label);
	strbuf_addstr(sb, " (");
	count_add(sb, i ? count : l->whole, l->flame->decimals, pic->factor);
	strbuf_addch(sb, ' ');
	label_add_xml(sb, pic->countname);
	strbuf_addstr(sb, ", ");
	if (i)
		add_percent(sb, count, l->whole, "");
	else
		strbuf_addstr(sb, "100%");
	if (i && before != after) {
		bool more = (after > before) != pic->negate;

		strbuf_addstr(sb, "; ");
		add_percent(sb, after > before ? after - before : before - after, l->whole,
			    more ? "+" : "-");
	} else if (i && l->flame->changes) {
		strbuf_addstr(sb, "; 0.00%");
	}
	strbuf_addch(sb, ')');
}

static void add_colour(struct strbuf *sb, const struct layout *l, struct drawn d)
{
	const struct look *look = &l->looks->of[l->flame->frames[d.frame].name];
	const struct flame_change *change = l->flame->changes ? &l->flame->changes[d.frame] : NULL;

	if (d.frame && !l->flame->changes && look->has_rgb) {
		strbuf_addf(sb, " fill=\"#%06x\"", look->rgb);
		return;
	}
	strbuf_addstr(sb, " class=\"");
	if (!d.frame)
		strbuf_addstr(sb, "x7");
	else if (change)
		strbuf_addstr(sb, palette_change(change->total_before, change->total_after,
						 l->pic->negate).text);
	else
		look_add_class(sb, look, d.kind);
	strbuf_addch(sb, '"');
}

/* The box; its element is left open for the title. Returns the element's name. */
static const char *add_box(struct strbuf *sb, const struct layout *l, struct drawn d)
{
	const struct flame_frame *f = &l->flame->frames[d.frame];
	uint64_t x = layout_edge(l, f->start);
	uint64_t width = layout_edge(l, f->start + (d.frame ? f->total : l->span)) - x;
	unsigned height = l->pic->frame_height;

	if (height > 4)
		height--;
	/* Most boxes are thin, and a path takes half of the text of a rectangle. */
	if (width <= WIDE) {
		strbuf_addstr(sb, "<path d=\"M");
		layout_add_px(sb, x);
		strbuf_addstr(sb, " 0h");
		layout_add_px(sb, width);
		strbuf_addch(sb, 'v');
		strbuf_addu64(sb, height);
		strbuf_addstr(sb, "h-");
		layout_add_px(sb, width);
		strbuf_addch(sb, '"');
		add_colour(sb, l, d);
		return "path";
	}
	/* A hairline of the page parts neighbours that are wide enough to spare it. */
	strbuf_addstr(sb, "<rect x=\"");
	layout_add_px(sb, x);
	strbuf_addstr(sb, "\" width=\"");
	layout_add_px(sb, width - GAP);
	strbuf_addstr(sb, "\" height=\"");
	strbuf_addu64(sb, height);
	strbuf_addstr(sb, "\" rx=\"2\"");
	add_colour(sb, l, d);
	return "rect";
}

static void add_label(struct strbuf *sb, const struct layout *l, struct drawn d, struct slice label)
{
	const struct flame_frame *f = &l->flame->frames[d.frame];
	const struct look *look = &l->looks->of[f->name];
	uint64_t x = layout_edge(l, f->start);
	uint64_t width = layout_edge(l, f->start + (d.frame ? f->total : l->span)) - x;
	double room = (double)width / 100 - 2 * LAYOUT_TEXT_PAD;
	bool cut;

	if (room < LAYOUT_COLUMNS_MIN * l->column)
		return;
	strbuf_addstr(sb, "<text x=\"");
	layout_add_px(sb, x + LAYOUT_TEXT_PAD * 100);
	strbuf_addstr(sb, "\" y=\"");
	layout_add_px(sb, (l->pic->frame_height - 1) * 50 + (uint64_t)(l->font * 35));
	if (d.frame && !l->flame->changes && look->has_rgb)
		strbuf_addstr(sb, palette_ink_on(look->rgb) ? "\" class=\"iw" : "\" class=\"ib");
	strbuf_addstr(sb, "\">");
	label_add_xml(sb, label_fit(label, (size_t)(room / l->column + 1e-6), &cut));
	strbuf_addstr(sb, cut ? "..</text>" : "</text>");
}

static void add_given(struct strbuf *sb, const char *key, struct slice value)
{
	if (!value.len)
		return;
	strbuf_addf(sb, " %s=\"", key);
	label_add_xml(sb, value);
	strbuf_addch(sb, '"');
}

static void open_given(struct strbuf *sb, const struct attributes *given)
{
	strbuf_addstr(sb, "<g");
	add_given(sb, "class", given->class);
	add_given(sb, "style", given->style);
	add_given(sb, "id", given->id);
	strbuf_addch(sb, '>');
	if (given->href.len) {
		strbuf_addstr(sb, "<a");
		add_given(sb, "href", given->href);
		add_given(sb, "target", given->target.len ? given->target : SLICE("_top"));
		strbuf_addch(sb, '>');
	}
}

static void close_given(struct strbuf *sb, const struct attributes *given)
{
	strbuf_addstr(sb, given->href.len ? "</a></g>" : "</g>");
}

/* A label as flamegraph.pl shows it: no kind tells of wakers, so the data keeps their _[w]. */
static struct slice shown_label(struct slice label)
{
	slice_cut_end(&label, SLICE("_[w]"));
	return label;
}

static void add_frame(struct strbuf *sb, const struct layout *l, struct drawn d)
{
	const struct flame_frame *f = &l->flame->frames[d.frame];
	struct slice label = d.frame ? shown_label(l->looks->of[f->name].label) : SLICE("all");
	const struct attributes *given = NULL;
	const char *element;

	if (l->pic->attrs && d.frame)
		given = nameattr_find(l->pic->attrs, l->flame->names[f->name]);
	if (given)
		open_given(sb, given);
	element = add_box(sb, l, d);
	strbuf_addstr(sb, "><title>");
	if (given && given->title.len)
		label_add_xml(sb, given->title);
	else
		add_details(sb, l, d.frame, label);
	strbuf_addf(sb, "</title></%s>", element);
	add_label(sb, l, d, label);
	if (given)
		close_given(sb, given);
	strbuf_addch(sb, '\n');
}

void frames_write(struct document *doc, const struct layout *l)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "<g class=\"frames\" font-size=\"%g\">\n", l->font);
	for (uint32_t depth = 0; depth < l->rows_len; depth++) {
		strbuf_addf(&sb, "<g transform=\"translate(0 %llu)\">\n",
			    (unsigned long long)layout_row_y(l, depth));
		for (size_t i = l->rows[depth]; i < l->rows[depth + 1]; i++) {
			add_frame(&sb, l, l->drawn[i]);
			document_write(doc, &sb);
		}
		strbuf_addstr(&sb, "</g>\n");
	}
	strbuf_addstr(&sb, "</g>\n");
	document_write(doc, &sb);
	strbuf_release(&sb);
}
