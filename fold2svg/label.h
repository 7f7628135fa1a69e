/* Text of the picture: cut to a width, and escaped. */
#ifndef FOLD2SVG_LABEL_H
#define FOLD2SVG_LABEL_H

#include "base/strbuf.h"

/*
 * Adds `text` as XML character data or attribute value. It is cleaned
 * (base/utf8.h) and U+FFFE and U+FFFF, which no XML may hold, are replaced, too.
 */
void label_add_xml(struct strbuf *sb, struct slice text);

/*
 * The part of `text` (valid UTF-8) that fits `columns` of a fixed-width font;
 * *cut tells whether ".." is to follow it, for which it then leaves room. Characters
 * from U+1100 on are taken to be two columns wide, which is never too little.
 */
struct slice label_fit(struct slice text, size_t columns, bool *cut);

/*
 * Text in the page's own font, which has no columns: its width in hundredths of an em, where
 * characters are as wide as those of DejaVu Sans, the widest of the common ones, are; and as
 * above what fits such a width.
 */
unsigned label_width(struct slice text);
struct slice label_fit_width(struct slice text, unsigned width, bool *cut);

#endif
