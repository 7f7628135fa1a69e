#include "layout.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "legend.h"

enum {
	LEGEND_DY = 24,  /* from the line above */
	HEADER_GAP = 14, /* from the legend's last baseline to the frames */
	FONT_MAX = 12,
	MODULES_MAX = 12, /* in the legend */
};

/* Characters of the common fixed-width fonts are 0.60 em wide: what fits needs no measuring. */
static const double font_width = 0.6;

static bool is_drawn(const struct layout *l, const struct flame_frame *f)
{
	double min = l->pic->minwidth;

	if (!f->depth)
		return true;
	if (l->pic->minwidth_percent)
		return (double)f->total * 100 >= min * (double)l->span;
	return (double)f->total * l->inner >= min * (double)l->span;
}

/* Sorts what was collected in preorder by depth; the order in a row stays. */
static void sort_rows(struct layout *l)
{
	const struct flame_frame *frames = l->flame->frames;
	size_t len = l->flame->len - l->hidden, *place;
	struct drawn *sorted = xreallocarray(NULL, len, sizeof(*sorted));

	l->rows = xcalloc((size_t)l->rows_len + 2, sizeof(*l->rows));
	place = l->rows + 1;
	for (size_t i = 0; i < len; i++)
		place[frames[l->drawn[i].frame].depth + 1]++;
	for (uint32_t depth = 0; depth < l->rows_len; depth++)
		place[depth + 1] += place[depth];
	for (size_t i = 0; i < len; i++)
		sorted[place[frames[l->drawn[i].frame].depth]++] = l->drawn[i];
	free(l->drawn);
	l->drawn = sorted;
}

static void collect(struct layout *l, struct looks *looks, uint64_t *module_weights)
{
	const struct flame *flame = l->flame;
	size_t len = 0, cap = 0;

	for (size_t i = 0; i < flame->len; i++) {
		const struct flame_frame *f = &flame->frames[i];
		enum frame_kind kind = looks_kind(looks, f);

		if (i) {
			uint32_t module = looks->of[f->name].module;

			l->has_kind[kind] = true;
			if (module != LOOK_NO_MODULE)
				module_weights[module] += f->self;
		}
		if (!is_drawn(l, f)) {
			l->hidden++;
			continue;
		}
		if (f->depth >= l->rows_len)
			l->rows_len = f->depth + 1;
		l->drawn = grow(l->drawn, len, &cap, sizeof(*l->drawn));
		l->drawn[len++] = (struct drawn){ (uint32_t)i, kind };
	}
}

/* The few that weigh most, by insertion; the first of equals first. */
static void choose_modules(struct layout *l, size_t len, const uint64_t *weights)
{
	l->modules = xcalloc(MODULES_MAX + 1, sizeof(*l->modules));
	for (uint32_t m = 0; m < len; m++) {
		size_t at = l->modules_len;

		for (; at && weights[l->modules[at - 1]] < weights[m]; at--)
			l->modules[at] = l->modules[at - 1];
		if (at < MODULES_MAX)
			l->modules[at] = m;
		if (l->modules_len < MODULES_MAX)
			l->modules_len++;
	}
}

static double font_of(const struct picture *pic)
{
	unsigned font = pic->frame_height * 11 / 16;

	if (pic->fontsize > 0)
		return pic->fontsize;
	return font > FONT_MAX ? FONT_MAX : font ? font : 1;
}

void layout_init(struct layout *l, const struct picture *pic, const struct flame *flame,
		 struct looks *looks)
{
	uint64_t *module_weights = xcalloc(looks->modules.len + 1, sizeof(*module_weights));

	*l = (struct layout){
		.pic = pic, .flame = flame, .looks = looks,
		.span = pic->total ? pic->total : flame->frames[0].total,
		.inner = pic->width - 2 * LAYOUT_PAD,
		.font = font_of(pic),
	};
	l->whole = l->span;
	if (flame->changes && !pic->total)
		l->whole = pic->base_before ? flame->changes[0].total_before
					    : flame->changes[0].total_after;
	l->column = (pic->fontwidth > 0 ? pic->fontwidth : font_width) * l->font;
	collect(l, looks, module_weights);
	sort_rows(l);
	choose_modules(l, looks->modules.len, module_weights);
	free(module_weights);
	l->legend_y = (pic->subtitle.len ? LAYOUT_SUBTITLE_Y : LAYOUT_TITLE_Y) + LEGEND_DY;
	l->top = l->legend_y + (legend_lines(l) - 1) * LEGEND_LINE + HEADER_GAP;
	l->height = l->top + (uint64_t)l->rows_len * pic->frame_height + LAYOUT_FOOTER;
}

void layout_release(struct layout *l)
{
	free(l->drawn);
	free(l->rows);
	free(l->modules);
}

uint64_t layout_edge(const struct layout *l, uint64_t start)
{
	return LAYOUT_PAD * 100 +
	       (uint64_t)((unsigned __int128)start * (l->inner * 100u) / l->span);
}

uint64_t layout_row_y(const struct layout *l, uint32_t depth)
{
	uint64_t row = l->pic->inverted ? depth : l->rows_len - 1 - depth;

	return l->top + row * l->pic->frame_height;
}

void layout_add_px(struct strbuf *sb, uint64_t hundredths)
{
	unsigned rest = hundredths % 100;

	if (hundredths >= 100 || !rest)
		strbuf_addu64(sb, hundredths / 100);
	if (!rest)
		return;
	strbuf_addch(sb, '.');
	strbuf_addch(sb, (char)('0' + rest / 10));
	if (rest % 10)
		strbuf_addch(sb, (char)('0' + rest % 10));
}
