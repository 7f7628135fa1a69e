/*
 * Overlapping address ranges flattened into disjoint ones, for look-ups by address:
 * where several cover an address, the one with the highest id has it.
 *
 * Zero-initialized is empty and valid. Push all in order of their starts, seal, find.
 */
#ifndef BASE_SPANS_H
#define BASE_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spans {
	uint64_t *starts; /* sorted; each reaches to the next one */
	uint32_t *ids;    /* SPANS_NONE for a hole */
	size_t len, starts_cap, ids_cap;
	/* Sealed: where in starts to look for an address, by what is above `shift` of it. */
	uint32_t *places;
	size_t nplaces;
	unsigned shift;
	/* While pushing: what was pushed and may still cover `pos`, a heap by id. */
	struct spans_open {
		uint64_t end;
		uint32_t id;
	} *open;
	size_t nopen, open_cap;
	uint64_t pos;
};

#define SPANS_NONE UINT32_MAX

/* Adds [start, end), not empty, under an id below SPANS_NONE; starts never go down. */
void spans_push(struct spans *s, uint64_t start, uint64_t end, uint32_t id);

/* Ends the pushing and frees what only that needed. */
void spans_seal(struct spans *s);

/* The id that has addr, of a sealed table; false if none. */
bool spans_find(const struct spans *s, uint64_t addr, uint32_t *id);

/* Bytes of memory. */
size_t spans_bytes(const struct spans *s);

void spans_release(struct spans *s);

#endif
