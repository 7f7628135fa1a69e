/* A font's name as a user gives it, made safe for a style sheet. */
#ifndef FOLD2SVG_FONT_H
#define FOLD2SVG_FONT_H

#include "base/strbuf.h"

/*
 * Adds a list of names, "Verdana, sans-serif", as the value of CSS font-family: names are
 * quoted but for the generic ones, and what could end the value is escaped.
 */
void font_add_family(struct strbuf *sb, struct slice names);

#endif
