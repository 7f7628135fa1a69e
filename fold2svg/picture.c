#include "picture.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "label.h"
#include "palette.h"

static const char script[] =
#include "fold2svg/script.inc"
	;
static const char style[] =
#include "fold2svg/style.inc"
	;

/*
 * Frame labels are in a fixed-width font, whose characters are 0.60 em wide in all
 * common ones: what fits is known without measuring.
 */
enum {
	PAD = 12,               /* beside the frames */
	TITLE_Y = 30,           /* baselines */
	SUBTITLE_Y = 50,
	LEGEND_DY = 24,         /* from the line above */
	HEADER_GAP = 14,        /* from the legend's baseline to the frames */
	FOOTER = 30,
	TEXT_PAD = 4,           /* between a box's edge and its label */
	FONT_MAX = 12,
	COLUMNS_MIN = 3,        /* a shorter label says nothing */
	TITLE_CHAR = 10,        /* proportional text is not measured: widths on the safe side */
	SMALL_CHAR = 7,
	METADATA_MAX = 1 << 20, /* bytes in one element */
};

struct geometry {
	uint64_t total;
	unsigned inner;   /* width of the root frame */
	double min_px;
	unsigned legend_y, top, font;
	uint32_t rows;    /* of drawn frames */
	uint64_t height;
	size_t hidden;    /* frames not drawn */
	bool has_kind[KIND_COUNT];
};

/* Walks the frames in preorder and knows each one's look, an inlined one's kind by its caller. */
struct walk {
	const struct flame *flame;
	struct frame_look *looks;  /* by name */
	enum frame_kind *kinds;    /* by depth, of the frames on the present path */
};

static void walk_init(struct walk *w, const struct flame *flame)
{
	uint32_t deepest = 0;

	for (size_t i = 0; i < flame->len; i++)
		if (flame->frames[i].depth > deepest)
			deepest = flame->frames[i].depth;
	w->flame = flame;
	w->kinds = xcalloc((size_t)deepest + 1, sizeof(*w->kinds));
	w->looks = xcalloc(flame->names_len + 1, sizeof(*w->looks));
	for (size_t i = 0; i < flame->names_len; i++)
		w->looks[i] = frame_look(flame->names[i]);
}

static void walk_release(struct walk *w)
{
	free(w->looks);
	free(w->kinds);
}

static struct frame_look walk_look(struct walk *w, const struct flame_frame *f)
{
	struct frame_look look;

	if (!f->depth)
		return (struct frame_look){ .label = SLICE("all"), .kind = KIND_UNKNOWN,
					    .shade = PALETTE_SHADES - 1 };
	look = w->looks[f->name];
	if (look.inlined)
		look.kind = w->kinds[f->depth - 1];
	/* Under the root, which is of no kind, an inlined frame is taken for a user's. */
	if (look.inlined && f->depth == 1)
		look.kind = KIND_USER;
	w->kinds[f->depth] = look.kind;
	return look;
}

/* The edge between two frames in hundredths of a px, exact for any count. */
static uint64_t edge(const struct geometry *g, uint64_t samples)
{
	return (uint64_t)((unsigned __int128)samples * g->inner * 100 / g->total);
}

static bool is_drawn(const struct geometry *g, const struct flame_frame *f)
{
	return !f->depth || (double)f->total * g->inner >= g->min_px * (double)g->total;
}

static struct geometry geometry_of(const struct picture *pic, struct walk *w)
{
	const struct flame_frame *frames = w->flame->frames;
	struct geometry g = { .total = frames[0].total, .inner = pic->width - 2 * PAD };

	g.min_px = pic->minwidth_percent ? pic->minwidth / 100 * g.inner : pic->minwidth;
	g.font = pic->frame_height * 11 / 16;
	if (g.font > FONT_MAX)
		g.font = FONT_MAX;
	if (!g.font)
		g.font = 1;
	for (size_t i = 0; i < w->flame->len; i++) {
		struct frame_look look = walk_look(w, &frames[i]);

		if (!is_drawn(&g, &frames[i])) {
			g.hidden++;
			continue;
		}
		if (i)
			g.has_kind[look.kind] = true;
		if (frames[i].depth >= g.rows)
			g.rows = frames[i].depth + 1;
	}
	g.legend_y = (pic->subtitle.len ? SUBTITLE_Y : TITLE_Y) + LEGEND_DY;
	g.top = g.legend_y + HEADER_GAP;
	g.height = g.top + (uint64_t)g.rows * pic->frame_height + FOOTER;
	return g;
}

static void add_px(struct strbuf *sb, uint64_t hundredths)
{
	strbuf_addu64(sb, hundredths / 100);
	hundredths %= 100;
	if (!hundredths)
		return;
	strbuf_addch(sb, '.');
	strbuf_addch(sb, (char)('0' + hundredths / 10));
	if (hundredths % 10)
		strbuf_addch(sb, (char)('0' + hundredths % 10));
}

/* In flamegraph.pl's words, which people's scripts read. */
static void add_details(struct strbuf *sb, const struct picture *pic, const struct geometry *g,
			const struct flame_frame *f, struct slice label)
{
	char percent[16] = "100";

	if (f->depth)
		snprintf(percent, sizeof(percent), "%.2f",
			 100 * ((double)f->total / (double)g->total));
	label_add_xml(sb, label);
	strbuf_addstr(sb, " (");
	label_add_count(sb, f->total);
	strbuf_addch(sb, ' ');
	label_add_xml(sb, pic->countname);
	strbuf_addf(sb, ", %s%%)", percent);
}

static void add_fitted(struct strbuf *sb, struct slice text, size_t columns)
{
	bool cut;

	label_add_xml(sb, label_fit(text, columns, &cut));
	if (cut)
		strbuf_addstr(sb, "..");
}

static void add_frame(struct strbuf *sb, const struct picture *pic, const struct geometry *g,
		      const struct flame_frame *f, const struct frame_look *look)
{
	uint64_t x = edge(g, f->start) + PAD * 100;
	uint64_t w = edge(g, f->start + f->total) + PAD * 100 - x;
	uint64_t row = pic->inverted ? f->depth : g->rows - 1 - f->depth;
	uint64_t y = g->top + row * pic->frame_height;
	double room = (double)w / 100 - 2 * TEXT_PAD;
	size_t columns = room > 0 ? (size_t)(room / (0.6 * g->font + 0.05)) : 0;

	strbuf_addstr(sb, "<g><title>");
	add_details(sb, pic, g, f, look->label);
	strbuf_addf(sb, "</title><rect class=\"%c%u%s\" x=\"", kind_letter(look->kind), look->shade,
		    look->inlined ? " i" : "");
	add_px(sb, x);
	strbuf_addstr(sb, "\" y=\"");
	strbuf_addu64(sb, y);
	strbuf_addstr(sb, "\" width=\"");
	/* A hairline of the page parts neighbours that are wide enough to spare it. */
	add_px(sb, w > 200 ? w - 50 : w);
	strbuf_addf(sb, "\" height=\"%u\"/>", pic->frame_height > 4 ? pic->frame_height - 1
								    : pic->frame_height);
	if (columns >= COLUMNS_MIN) {
		strbuf_addstr(sb, "<text x=\"");
		add_px(sb, x + TEXT_PAD * 100);
		strbuf_addstr(sb, "\" y=\"");
		add_px(sb, y * 100 + (pic->frame_height - 1) * 50 + g->font * 35);
		strbuf_addstr(sb, "\">");
		add_fitted(sb, look->label, columns);
		strbuf_addstr(sb, "</text>");
	}
	strbuf_addstr(sb, "</g>\n");
}

static void write_frames(struct output *out, const struct picture *pic, const struct geometry *g,
			 struct walk *w)
{
	const struct flame_frame *frames = w->flame->frames;
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "<g class=\"frames\" font-size=\"%u\">\n", g->font);
	for (size_t i = 0; i < w->flame->len; i++) {
		struct frame_look look = walk_look(w, &frames[i]);

		if (!is_drawn(g, &frames[i]))
			continue;
		add_frame(&sb, pic, g, &frames[i], &look);
		output_write(out, sb.buf, sb.len);
		strbuf_reset(&sb);
	}
	strbuf_addstr(&sb, "</g>\n");
	output_write(out, sb.buf, sb.len);
	strbuf_release(&sb);
}

static void add_colour_rules(struct strbuf *sb, bool dark)
{
	strbuf_addf(sb, ".flame{background:#%06x;color:#%06x}.flame .page{fill:#%06x}"
		    ".flame text{fill:#%06x}\n",
		    palette_page(dark), palette_ink(dark), palette_page(dark), palette_ink(dark));
	palette_add_css(sb, dark);
}

static void add_open(struct strbuf *sb, const struct picture *pic, const struct geometry *g)
{
	strbuf_addf(sb,
		    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flame\" width=\"%u\" "
		    "height=\"%llu\" viewBox=\"0 0 %u %llu\">\n<title>",
		    pic->width, (unsigned long long)g->height, pic->width,
		    (unsigned long long)g->height);
	label_add_xml(sb, pic->title);
	strbuf_addstr(sb, "</title>\n<style>\n");
	add_colour_rules(sb, false);
	strbuf_addstr(sb, "@media (prefers-color-scheme: dark) {\n");
	add_colour_rules(sb, true);
	strbuf_addstr(sb, "}\n");
	strbuf_addstr(sb, style);
	strbuf_addstr(sb, "</style>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
}

/* A line that the script fits anew to another width. */
static void add_line(struct strbuf *sb, const char *class, unsigned y, struct slice text,
		     unsigned inner, unsigned char_width)
{
	strbuf_addf(sb, "<text class=\"%s\" x=\"%u\" y=\"%u\" data-char=\"%u\" data-text=\"",
		    class, PAD, y, char_width);
	label_add_xml(sb, text);
	strbuf_addstr(sb, "\">");
	add_fitted(sb, text, inner / char_width);
	strbuf_addstr(sb, "</text>\n");
}

static void add_header(struct strbuf *sb, const struct picture *pic, const struct geometry *g)
{
	struct strbuf sum = STRBUF_INIT;
	size_t x;

	/* Above the frames, also when the script keeps it in sight. */
	strbuf_addf(sb,
		    "<g class=\"header\">\n"
		    "<rect class=\"page\" width=\"100%%\" height=\"%u\"/>\n", g->top - 4);
	add_line(sb, "title", TITLE_Y, pic->title, g->inner, TITLE_CHAR);
	if (pic->subtitle.len)
		add_line(sb, "subtitle", SUBTITLE_Y, pic->subtitle, g->inner, SMALL_CHAR);
	label_add_count(&sum, g->total);
	strbuf_addch(&sum, ' ');
	strbuf_addslice(&sum, pic->countname);
	add_line(sb, "small", g->legend_y, strbuf_slice(&sum), g->inner, SMALL_CHAR);
	x = PAD + sum.len * SMALL_CHAR + 18;
	strbuf_release(&sum);
	for (int kind = 0; kind < KIND_COUNT; kind++) {
		const char *word = kind_word(kind);

		if (!g->has_kind[kind] || x + strlen(word) * SMALL_CHAR > g->inner)
			continue;
		strbuf_addf(sb,
			    "<rect class=\"%c2\" x=\"%zu\" y=\"%u\" width=\"10\" height=\"10\"/>"
			    "<text class=\"small\" x=\"%zu\" y=\"%u\">%s</text>\n",
			    kind_letter(kind), x, g->legend_y - 9, x + 15, g->legend_y, word);
		x += 15 + strlen(word) * SMALL_CHAR + 14;
	}
	strbuf_addstr(sb, "</g>\n");
}

static void add_footer(struct strbuf *sb, const struct picture *pic, const struct geometry *g)
{
	strbuf_addf(sb, "<text class=\"small note\" x=\"%u\" y=\"%llu\">", PAD,
		    (unsigned long long)g->height - 10);
	if (g->hidden) {
		label_add_count(sb, g->hidden);
		strbuf_addf(sb, " frame%s narrower than %g %s not drawn", g->hidden == 1 ? "" : "s",
			    pic->minwidth, pic->minwidth_percent ? "%" : "px");
	}
	strbuf_addstr(sb, "</text>\n");
}

/* What the script needs to know of how this was drawn. */
static void add_settings(struct strbuf *sb, const struct picture *pic, const struct geometry *g)
{
	strbuf_addf(sb,
		    "<metadata class=\"settings\" data-pad=\"%u\" data-top=\"%u\" "
		    "data-footer=\"%u\" data-row=\"%u\" data-font=\"%u\" "
		    "data-text-pad=\"%u\" data-columns-min=\"%u\" "
		    "data-minwidth=\"%g%s\" data-inverted=\"%d\" data-fluid=\"%d\" "
		    "data-countname=\"",
		    PAD, g->top, FOOTER, pic->frame_height, g->font, TEXT_PAD, COLUMNS_MIN,
		    pic->minwidth, pic->minwidth_percent ? "%" : "", pic->inverted,
		    pic->fluid);
	label_add_xml(sb, pic->countname);
	strbuf_addstr(sb, "\"/>\n");
}

/* Data in elements of METADATA_MAX; the strbuf is a line to be added. */
struct datawriter {
	struct output *out;
	const char *class;
	size_t len; /* of the open element, 0 none */
};

static void data_line(struct datawriter *d, struct strbuf *line)
{
	if (d->len && d->len + line->len > METADATA_MAX) {
		output_slice(d->out, SLICE("</metadata>\n"));
		d->len = 0;
	}
	if (!d->len) {
		output_slice(d->out, SLICE("<metadata class=\""));
		output_slice(d->out, slice_str(d->class));
		output_slice(d->out, SLICE("\">"));
	}
	strbuf_addch(line, '\n');
	output_write(d->out, line->buf, line->len);
	d->len += line->len;
	strbuf_reset(line);
}

static void data_end(struct datawriter *d)
{
	if (d->len)
		output_slice(d->out, SLICE("</metadata>\n"));
	d->len = 0;
}

static void write_names(struct output *out, const struct walk *w)
{
	struct datawriter d = { .out = out, .class = "names" };
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < w->flame->names_len; i++) {
		const struct frame_look *look = &w->looks[i];

		strbuf_addch(&line, look->inlined ? 'i' : kind_letter(look->kind));
		strbuf_addch(&line, (char)('0' + look->shade));
		strbuf_addch(&line, ' ');
		label_add_xml(&line, look->label);
		data_line(&d, &line);
	}
	data_end(&d);
	strbuf_release(&line);
}

static void write_tree(struct output *out, const struct flame *flame)
{
	const struct flame_frame *frames = flame->frames;
	struct datawriter d = { .out = out, .class = "frames" };
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < flame->len; i++) {
		const struct flame_frame *f = &frames[i];
		uint32_t up = i ? frames[i - 1].depth + 1 - f->depth : 0;

		strbuf_addu64(&line, i ? f->name : 0);
		if (up || f->self) {
			strbuf_addch(&line, ' ');
			strbuf_addu64(&line, up);
		}
		if (f->self) {
			strbuf_addch(&line, ' ');
			strbuf_addu64(&line, f->self);
		}
		data_line(&d, &line);
	}
	data_end(&d);
	strbuf_release(&line);
}

static void write_text(struct output *out, struct strbuf *sb)
{
	output_write(out, sb->buf, sb->len);
	strbuf_reset(sb);
}

void picture_write(struct output *out, const struct picture *pic, const struct flame *flame)
{
	struct strbuf sb = STRBUF_INIT;
	struct geometry g;
	struct walk w;

	walk_init(&w, flame);
	g = geometry_of(pic, &w);

	add_open(&sb, pic, &g);
	write_text(out, &sb);
	write_frames(out, pic, &g, &w);
	add_footer(&sb, pic, &g);
	add_header(&sb, pic, &g);
	add_settings(&sb, pic, &g);
	write_text(out, &sb);
	write_names(out, &w);
	write_tree(out, flame);
	strbuf_addf(&sb, "<script><![CDATA[\n(function () {\n%s})();\n]]></script>\n</svg>\n",
		    script);
	write_text(out, &sb);

	strbuf_release(&sb);
	walk_release(&w);
}
