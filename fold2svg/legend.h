/* How much the static picture shows, and what its colours mean; as many lines as that takes. */
#ifndef FOLD2SVG_LEGEND_H
#define FOLD2SVG_LEGEND_H

#include "base/strbuf.h"
#include "layout.h"

enum { LEGEND_LINE = 16 /* px from a line of it to the next */ };

/*
 * Adds the sum of all counts ("1,234 samples") and behind it the kinds, the modules, or the
 * scale of a differential; nothing more with COLORS_CLASSIC.
 */
void legend_add(struct strbuf *sb, const struct layout *l);

/* How many lines that is, at least 1; `top` and `height` of the layout need not be set. */
unsigned legend_lines(const struct layout *l);

/* The kinds that occur: "user,kernel". */
void legend_add_kinds(struct strbuf *sb, const struct layout *l);

#endif
