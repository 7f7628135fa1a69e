#include "frames.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/arena.h"
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

/* Texts that come again and again, as XML. */
struct texts {
	struct slice *labels; /* by name; p is NULL until it is asked for */
	struct arena arena;
	struct strbuf buf;
	struct slice countname;
};

static struct slice texts_add(struct texts *t, struct slice text)
{
	strbuf_reset(&t->buf);
	label_add_xml(&t->buf, text);
	return (struct slice){ arena_dup(&t->arena, strbuf_str(&t->buf), t->buf.len), t->buf.len };
}

static void texts_init(struct texts *t, const struct layout *l)
{
	*t = (struct texts){
		.labels = xcalloc(l->flame->names_len + 1, sizeof(*t->labels)),
	};
	t->countname = texts_add(t, l->pic->countname);
}

static void texts_release(struct texts *t)
{
	free(t->labels);
	arena_release(&t->arena);
	strbuf_release(&t->buf);
}

/* A label as flamegraph.pl shows it: no kind tells of wakers, so the data keeps their _[w]. */
static struct slice shown_label(struct slice label)
{
	slice_cut_end(&label, SLICE("_[w]"));
	return label;
}

static struct slice texts_label(struct texts *t, const struct looks *looks, uint32_t name)
{
	if (!t->labels[name].p)
		t->labels[name] = texts_add(t, shown_label(looks->of[name].label));
	return t->labels[name];
}

/* In flamegraph.pl's words, which people's scripts read: "name (1,234 samples, 5.67%)". */
static void add_details(struct strbuf *sb, const struct layout *l, struct texts *texts, uint32_t i)
{
	const struct picture *pic = l->pic;
	uint64_t count = l->flame->frames[i].total;
	uint64_t before = 0, after = 0;

	if (l->flame->changes) {
		before = l->flame->changes[i].total_before;
		after = l->flame->changes[i].total_after;
		count = pic->base_before ? before : after;
	}
	strbuf_addslice(sb, i ? texts_label(texts, l->looks, l->flame->frames[i].name)
			      : SLICE("all"));
	strbuf_addstr(sb, " (");
	count_add(sb, i ? count : l->whole, l->flame->decimals, pic->factor);
	strbuf_addch(sb, ' ');
	strbuf_addslice(sb, texts->countname);
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

/* In hundredths of a px. */
struct extent {
	uint64_t x, width;
};

static struct extent extent_of(const struct layout *l, struct drawn d)
{
	const struct flame_frame *f = &l->flame->frames[d.frame];
	uint64_t x = layout_edge(l, f->start);

	return (struct extent){
		x, layout_edge(l, f->start + (d.frame ? f->total : l->span)) - x
	};
}

/* Most boxes are thin, and a path takes half of the text of a rectangle. */
static bool is_path(struct extent e)
{
	return e.width <= WIDE;
}

/* The box; its element is left open for the title. */
static void add_box(struct strbuf *sb, const struct layout *l, struct drawn d, struct extent e)
{
	unsigned height = l->pic->frame_height;

	if (height > 4)
		height--;
	if (is_path(e)) {
		strbuf_addstr(sb, "<path d=\"M");
		layout_add_px(sb, e.x);
		strbuf_addstr(sb, " 0h");
		layout_add_px(sb, e.width);
		strbuf_addch(sb, 'v');
		strbuf_addu64(sb, height);
		strbuf_addstr(sb, "h-");
		layout_add_px(sb, e.width);
		strbuf_addch(sb, '"');
		add_colour(sb, l, d);
		return;
	}
	/* A hairline of the page parts neighbours that are wide enough to spare it. */
	strbuf_addstr(sb, "<rect x=\"");
	layout_add_px(sb, e.x);
	strbuf_addstr(sb, "\" width=\"");
	layout_add_px(sb, e.width - GAP);
	strbuf_addstr(sb, "\" height=\"");
	strbuf_addu64(sb, height);
	strbuf_addstr(sb, "\" rx=\"2\"");
	add_colour(sb, l, d);
}

static void add_label(struct strbuf *sb, const struct layout *l, struct drawn d, struct extent e)
{
	const struct look *look = &l->looks->of[l->flame->frames[d.frame].name];
	double room = (double)e.width / 100 - 2 * LAYOUT_TEXT_PAD;
	struct slice label = d.frame ? shown_label(look->label) : SLICE("all");
	bool cut;

	if (room < LAYOUT_COLUMNS_MIN * l->column)
		return;
	strbuf_addstr(sb, "<text x=\"");
	layout_add_px(sb, e.x + LAYOUT_TEXT_PAD * 100);
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

static void add_frame(struct strbuf *sb, const struct layout *l, struct texts *texts,
		      struct drawn d)
{
	const struct attributes *given = NULL;
	struct extent e = extent_of(l, d);

	if (l->pic->attrs && d.frame)
		given = nameattr_find(l->pic->attrs,
				      l->flame->names[l->flame->frames[d.frame].name]);
	if (given)
		open_given(sb, given);
	add_box(sb, l, d, e);
	strbuf_addstr(sb, "><title>");
	if (given && given->title.len)
		label_add_xml(sb, given->title);
	else
		add_details(sb, l, texts, d.frame);
	strbuf_addstr(sb, is_path(e) ? "</title></path>" : "</title></rect>");
	add_label(sb, l, d, e);
	if (given)
		close_given(sb, given);
	strbuf_addch(sb, '\n');
}

void frames_write(struct document *doc, const struct layout *l)
{
	struct strbuf sb = STRBUF_INIT;
	struct texts texts;

	texts_init(&texts, l);
	strbuf_addf(&sb, "<g class=\"frames\" font-size=\"%g\">\n", l->font);
	for (uint32_t depth = 0; depth < l->rows_len; depth++) {
		strbuf_addf(&sb, "<g transform=\"translate(0 %llu)\">\n",
			    (unsigned long long)layout_row_y(l, depth));
		for (size_t i = l->rows[depth]; i < l->rows[depth + 1]; i++) {
			add_frame(&sb, l, &texts, l->drawn[i]);
			document_write(doc, &sb);
		}
		strbuf_addstr(&sb, "</g>\n");
	}
	strbuf_addstr(&sb, "</g>\n");
	document_write(doc, &sb);
	strbuf_release(&sb);
	texts_release(&texts);
}
