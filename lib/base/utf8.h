/*
 * Names come from files and processes that anyone may have made. Before one goes
 * into a line, a picture or a message, what could break a line, colour a terminal
 * or inject markup becomes U+FFFD: control characters (C0, DEL, C1), the line and
 * paragraph separators U+2028/2029, bidirectional overrides (U+202A–202E,
 * U+2066–2069), and each byte that is not part of valid UTF-8 (RFC 3629).
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/strbuf.h"

/*
 * The length of the valid UTF-8 sequence at p (1–4, at most len), its code point
 * in *cp; 0 if there is none.
 */
size_t utf8_decode(const char *p, size_t len, uint32_t *cp);

/* Whether s would pass through strbuf_addclean unchanged. */
bool utf8_is_clean(struct slice s);

/* Adds s with the above replaced. */
void strbuf_addclean(struct strbuf *sb, struct slice s);

#endif
