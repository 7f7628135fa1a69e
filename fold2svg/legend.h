/* What the colours of the static picture mean, in one line. */
#ifndef FOLD2SVG_LEGEND_H
#define FOLD2SVG_LEGEND_H

#include "base/strbuf.h"
#include "layout.h"

enum { LEGEND_CHAR = 7 /* px of a character of its text, which is not measured, at most */ };

/*
 * Adds kinds, modules, or the scale of a differential from x on; what does not fit is
 * left out. Nothing with COLORS_CLASSIC.
 */
void legend_add(struct strbuf *sb, const struct layout *l, unsigned x);

/* The kinds that occur: "user,kernel". */
void legend_add_kinds(struct strbuf *sb, const struct layout *l);

#endif
