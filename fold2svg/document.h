/*
 * The document's bytes on their way out. In an encoding other than UTF-8, which need only be
 * a superset of ASCII, each character beyond ASCII becomes a reference to it, so that the
 * document is true under any of them.
 */
#ifndef FOLD2SVG_DOCUMENT_H
#define FOLD2SVG_DOCUMENT_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "base/stream.h"

struct document {
	struct output *out;
	bool ascii; /* write nothing else */
};

/* Writes markup and empties the strbuf. */
void document_write(struct document *doc, struct strbuf *sb);

/* Markup that is not gathered first. */
void document_write_text(struct document *doc, struct slice text);

/* Likewise what stands in a CDATA section: JavaScript, with "\u00b7" for the middle dot. */
void document_write_script(struct document *doc, struct slice text);

#endif
