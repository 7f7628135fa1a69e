#include "data.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "label.h"

enum {
	ELEMENT_MAX = 1 << 20, /* bytes of text in one element, unless a line has more */
	LINES_MAX = 1 << 12,   /* bytes of lines that are written at once */
};

static void add_attribute(struct strbuf *sb, const char *name, struct slice text)
{
	strbuf_addf(sb, " data-%s=\"", name);
	label_add_xml(sb, text);
	strbuf_addch(sb, '"');
}

static void add_settings(struct strbuf *sb, const struct data *d)
{
	static const char *const colors[] = {
		[COLORS_KIND] = "kind", [COLORS_MODULE] = "module", [COLORS_CLASSIC] = "classic",
	};
	const struct picture *pic = d->pic;

	strbuf_addstr(sb, "<metadata class=\"settings\"");
	add_attribute(sb, "title", pic->title);
	add_attribute(sb, "subtitle", pic->subtitle);
	add_attribute(sb, "countname", pic->countname);
	add_attribute(sb, "nametype", pic->nametype);
	add_attribute(sb, "fonttype", d->fonttype);
	add_attribute(sb, "legend", d->legend);
	strbuf_addf(sb,
		    " data-fontsize=\"%g\" data-fontwidth=\"%g\" data-row=\"%u\" "
		    "data-minwidth=\"%g%s\" data-inverted=\"%d\" data-reversed=\"%d\" "
		    "data-chart=\"%d\" data-width=\"%u\" data-fluid=\"%d\" data-decimals=\"%u\" "
		    "data-diff=\"%d\" data-base=\"%s\" data-negate=\"%d\" data-colors=\"%s\"",
		    d->font_size, d->font_width, pic->frame_height,
		    pic->minwidth, pic->minwidth_percent ? "%" : "", pic->inverted, pic->reversed,
		    pic->chart, pic->width, pic->fluid, d->flame->decimals,
		    d->flame->changes != NULL, pic->base_before ? "before" : "after", pic->negate,
		    colors[pic->colors]);
	strbuf_addstr(sb, " data-factor=\"");
	decimal_add(sb, pic->factor);
	strbuf_addstr(sb, "\" data-total=\"");
	if (pic->total)
		strbuf_addu64(sb, pic->total);
	strbuf_addstr(sb, "\" data-bg=\"");
	if (pic->has_bgcolors)
		strbuf_addf(sb, "#%06x", pic->bgcolors[0]);
	if (pic->has_bgcolors && pic->bgcolors[1] != pic->bgcolors[0])
		strbuf_addf(sb, ",#%06x", pic->bgcolors[1]);
	strbuf_addstr(sb, "\"/>\n");
}

/* Lines in elements of ELEMENT_MAX. */
struct lines {
	struct document *doc;
	const char *class;
	size_t len; /* of the open element's text that is written; 0: none is open */
	struct strbuf lines, markup;
};

static void lines_flush(struct lines *l)
{
	if (l->len && l->len + l->lines.len > ELEMENT_MAX) {
		strbuf_addstr(&l->markup, "</metadata>\n");
		l->len = 0;
	}
	if (!l->len)
		strbuf_addf(&l->markup, "<metadata class=\"%s\">", l->class);
	document_write(l->doc, &l->markup);
	l->len += l->lines.len;
	document_write(l->doc, &l->lines);
}

/* Ends the line that was made at the end of l->lines. */
static void lines_add(struct lines *l)
{
	strbuf_addch(&l->lines, '\n');
	if (l->lines.len >= LINES_MAX)
		lines_flush(l);
}

static void lines_end(struct lines *l)
{
	if (l->lines.len)
		lines_flush(l);
	if (l->len) {
		strbuf_addstr(&l->markup, "</metadata>\n");
		document_write(l->doc, &l->markup);
	}
	strbuf_release(&l->lines);
	strbuf_release(&l->markup);
}

static void add_given(struct strbuf *sb, const char *key, struct slice value)
{
	if (!value.len)
		return;
	strbuf_addf(sb, "\t%s=", key);
	label_add_xml(sb, value);
}

/* KIND */
static char name_letter(const struct look *look)
{
	if (look->inlined)
		return 'i';
	if (look->kind == KIND_UNKNOWN && look->side)
		return look->side == 'k' ? 'K' : 'J';
	return kind_letter(look->kind);
}

static void write_names(struct document *doc, const struct data *d)
{
	struct lines l = { .doc = doc, .class = "names" };

	for (size_t i = 0; i < d->flame->names_len; i++) {
		const struct look *look = &d->looks->of[i];
		const struct attributes *given = NULL;

		strbuf_addch(&l.lines, name_letter(look));
		if (look->has_rgb)
			strbuf_addf(&l.lines, "#%06x", look->rgb);
		else
			strbuf_addstr(&l.lines, look->shade);
		strbuf_addch(&l.lines, ' ');
		label_add_xml(&l.lines, look->label);
		if (d->pic->attrs)
			given = nameattr_find(d->pic->attrs, d->flame->names[i]);
		if (given) {
			add_given(&l.lines, "title", given->title);
			add_given(&l.lines, "class", given->class);
			add_given(&l.lines, "style", given->style);
			add_given(&l.lines, "id", given->id);
			add_given(&l.lines, "href", given->href);
			add_given(&l.lines, "target", given->target);
		}
		lines_add(&l);
	}
	lines_end(&l);
}

/*
 * How much of its caller's own count lies before a frame and behind the callee before:
 * something in charts alone. ends: by depth, where the last frame there ended.
 */
static uint64_t gap_before(const struct flame *flame, size_t i, uint64_t *ends)
{
	const struct flame_frame *f = &flame->frames[i];
	uint64_t gap = i ? f->start - ends[f->depth] : 0;

	ends[f->depth] = f->start + f->total;
	if (f->depth < flame->deepest)
		ends[f->depth + 1] = f->start;
	return gap;
}

static void write_frames(struct document *doc, const struct flame *flame, bool chart)
{
	struct lines l = { .doc = doc, .class = "frames" };
	uint64_t *ends = NULL;

	if (chart && !flame->changes)
		ends = xcalloc((size_t)flame->deepest + 1, sizeof(*ends));
	for (size_t i = 0; i < flame->len; i++) {
		const struct flame_frame *f = &flame->frames[i];
		uint64_t fields[] = {
			i ? flame->frames[i - 1].depth + 1 - f->depth : 0,
			flame->changes ? flame->changes[i].self_after : f->self,
			flame->changes ? flame->changes[i].self_before :
			ends ? gap_before(flame, i, ends) : 0,
		};
		size_t n = 3;

		while (n && !fields[n - 1])
			n--;
		strbuf_addu64(&l.lines, i ? f->name : 0);
		for (size_t k = 0; k < n; k++) {
			strbuf_addch(&l.lines, ' ');
			strbuf_addu64(&l.lines, fields[k]);
		}
		lines_add(&l);
	}
	lines_end(&l);
	free(ends);
}

static void write_legend(struct document *doc, const struct data *d)
{
	struct lines l = { .doc = doc, .class = "legend" };

	for (size_t i = 0; i < d->modules_len; i++) {
		struct slice module = intern_get(&d->looks->modules, d->modules[i]);

		strbuf_addf(&l.lines, "h%x1 ", palette_hue(module));
		label_add_xml(&l.lines, module);
		lines_add(&l);
	}
	lines_end(&l);
}

void data_write(struct document *doc, const struct data *data)
{
	struct strbuf sb = STRBUF_INIT;

	add_settings(&sb, data);
	document_write(doc, &sb);
	strbuf_release(&sb);
	write_names(doc, data);
	write_frames(doc, data->flame, data->pic->chart);
	write_legend(doc, data);
}
