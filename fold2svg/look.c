#include "look.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "module.h"

static struct look look_of(struct looks *l, const struct picture *pic, struct slice name)
{
	struct frame_look f = frame_look(name);
	struct look look = { .label = f.label, .kind = f.kind, .inlined = f.inlined,
			     .side = f.side, .module = LOOK_NO_MODULE };
	struct slice module = { 0 };

	if (pic->colors == COLORS_CLASSIC) {
		look.has_rgb = true;
		look.rgb = classic_rgb(pic->classic, name);
		return look;
	}
	if (pic->colors == COLORS_MODULE && f.kind != KIND_UNKNOWN)
		module = module_of(f.label);
	if (module.len) {
		look.module = intern_add(&l->modules, module);
		snprintf(look.shade, sizeof(look.shade), "h%x%u",
			 palette_hue(module) % PALETTE_HUES, f.shade % PALETTE_HUE_SHADES);
	} else {
		snprintf(look.shade, sizeof(look.shade), "%u", f.shade % PALETTE_SHADES);
	}
	return look;
}

void looks_init(struct looks *l, const struct picture *pic, const struct flame *flame)
{
	*l = (struct looks){ 0 };
	l->path = xcalloc((size_t)flame->deepest + 1, sizeof(*l->path));
	l->of = xreallocarray(NULL, flame->names_len + 1, sizeof(*l->of));
	for (size_t i = 0; i < flame->names_len; i++)
		l->of[i] = look_of(l, pic, flame->names[i]);
}

void looks_release(struct looks *l)
{
	free(l->of);
	free(l->path);
	intern_release(&l->modules);
}

enum frame_kind looks_kind(struct looks *l, const struct flame_frame *f)
{
	const struct look *look = &l->of[f->name];
	enum frame_kind kind = KIND_UNKNOWN;

	/* Under the root, which is of no kind, an inlined frame is taken for a user's. */
	if (f->depth)
		kind = !look->inlined ? look->kind
				      : f->depth == 1 ? KIND_USER : l->path[f->depth - 1];
	l->path[f->depth] = kind;
	return kind;
}

void look_add_class(struct strbuf *sb, const struct look *look, enum frame_kind kind)
{
	if (*look->shade != 'h')
		strbuf_addch(sb, kind_letter(kind));
	strbuf_addstr(sb, look->shade);
	if (look->inlined)
		strbuf_addstr(sb, " i");
}
