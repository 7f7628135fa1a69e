/* How each frame of a flame looks: what its name says, and its colour in this picture. */
#ifndef FOLD2SVG_LOOK_H
#define FOLD2SVG_LOOK_H

#include "flametree.h"
#include "palette.h"
#include "picture.h"

/* That of a name. Of an inlined one the kind is its caller's, which the name does not tell. */
struct look {
	struct slice label;
	enum frame_kind kind;
	bool inlined;
	char side;       /* as in struct frame_look */
	bool has_rgb;    /* a fill instead of a class */
	uint32_t rgb;
	char shade[4];   /* as data.h has it */
	uint32_t module; /* in the looks' modules; LOOK_NO_MODULE */
};

#define LOOK_NO_MODULE UINT32_MAX

struct looks {
	struct look *of;       /* by name */
	struct intern modules; /* with COLORS_MODULE */
	enum frame_kind *path; /* by depth: the kinds of the frames above the one walked to */
};

void looks_init(struct looks *l, const struct picture *pic, const struct flame *flame);
void looks_release(struct looks *l);

/* The kind of a frame; to be called for each one in preorder. */
enum frame_kind looks_kind(struct looks *l, const struct flame_frame *f);

/* The class of its box in a picture that is no differential; not for a look that has_rgb. */
void look_add_class(struct strbuf *sb, const struct look *look, enum frame_kind kind);

#endif
