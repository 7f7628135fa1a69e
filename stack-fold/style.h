/*
 * How a sample's stack line becomes folded text: which root frames stand before
 * its stack, which frames are kept, and how a frame is spelt.
 */
#ifndef STACK_FOLD_STYLE_H
#define STACK_FOLD_STYLE_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "lines/stackline.h"

enum style_field { FIELD_COMM, FIELD_PID, FIELD_TID, FIELD_CPU, FIELD_EVENT, FIELDS };

enum style_only { ONLY_ANY, ONLY_USER, ONLY_KERNEL };

struct style {
	enum style_field by[FIELDS]; /* root frames, outermost first */
	int nby;
	enum style_only only;        /* frames of the other kind are left out */
	bool offsets;                /* NAME+0xOFF */
	bool modules;                /* MODULE`NAME */
	bool annotate;               /* _[k], _[j], _[i] */
};

/* Only the comm as root, annotated. */
#define STYLE_DEFAULT ((struct style){ .by = { FIELD_COMM }, .nby = 1, .annotate = true })

/* Sets the root frames from "comm,pid" or "none". 0, or -EINVAL with the reason in *err. */
int style_set_by(struct style *st, struct slice list, struct strbuf *err);

/* The field of a line that a root frame is made of. */
struct slice style_field(const struct stackline *line, enum style_field field);

/*
 * Replaces *text by the folded stack. False if no frame is of the kind asked for;
 * *text is then undefined.
 */
bool style_fold(const struct style *st, const struct stackline *line, struct strbuf *text);

#endif
