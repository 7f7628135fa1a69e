/* The frames of the static picture, each with its <title>. */
#ifndef FOLD2SVG_FRAMES_H
#define FOLD2SVG_FRAMES_H

#include "document.h"
#include "layout.h"

void frames_write(struct document *doc, const struct layout *l);

#endif
