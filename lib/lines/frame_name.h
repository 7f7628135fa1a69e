/*
 * How functions are called where the names are not those of a symbol table: what all
 * writers of other formats spell the same.
 */
#ifndef LINES_FRAME_NAME_H
#define LINES_FRAME_NAME_H

#include "base/strbuf.h"
#include "lines/stackline.h"

/*
 * A JIT's "f->g->h" is g inlined in f, and h in that; the code of others may have "->" in
 * its names. Cuts such a name of a frame of this kind down to f, "g->h" is the *rest;
 * false if it is one function.
 */
bool frame_name_cut(enum stackline_kind kind, struct slice *name, struct slice *rest);

/* Of a JIT's name "Ljava/lang/Object;::m" without the L. Others' names hardly begin so. */
struct slice frame_name_java(struct slice name);

/*
 * Appends what an address without a symbol is called, "[libfoo.so]" for the module's path.
 * One that is no file brings its brackets along; without one it is "[unknown]".
 */
void frame_name_add_unknown(struct strbuf *sb, struct slice module);

#endif
