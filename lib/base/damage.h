/*
 * Lines of an input that could not be read: how many, and of the first of them where it
 * is and why. Zero-initialized is none.
 */
#ifndef BASE_DAMAGE_H
#define BASE_DAMAGE_H

#include <stdint.h>

#include "base/strbuf.h"

struct damage {
	uint64_t lines;
	struct strbuf first; /* "NAME:LINE: reason", the name cleaned; empty if there is none */
};

/* `name` is that of the input in messages, `line` counts from 1. */
void damage_note(struct damage *d, const char *name, uint64_t line, const char *why);

/* Adds that of a further input; `one` is empty then. */
void damage_merge(struct damage *all, struct damage *one);

/* Appends "NAME:LINE: reason". */
void damage_add_place(struct strbuf *sb, const char *name, uint64_t line, const char *why);

void damage_release(struct damage *d);

#endif
