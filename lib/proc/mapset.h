/*
 * The executable mappings of one address space at one time: sorted, never
 * overlapping. A newer mapping cuts what it covers out of older ones, as mmap
 * with MAP_FIXED or a dlclose and dlopen in its place does. A fork shares its
 * parent's set until either changes (copy on write).
 */
#ifndef PROC_MAPSET_H
#define PROC_MAPSET_H

#include <stddef.h>
#include <stdint.h>

struct mapping {
	uint64_t start, end; /* [start, end) */
	uint64_t offset;     /* in the file, of `start` */
	uint32_t file;       /* the owner's file id */
	uint32_t mark;       /* the owner's; 0 for a new mapping, kept by a cut, copied by a fork */
};

struct mapset;

struct mapset *mapset_new(void);

/* Another reference to the same set. */
struct mapset *mapset_share(struct mapset *set);

/* Drops a reference. */
void mapset_free(struct mapset *set);

/*
 * Puts a mapping in (start < end). *set is replaced by a private copy first if
 * it is shared.
 */
void mapset_insert(struct mapset **set, const struct mapping *m);

/* The mapping that holds addr, or NULL; valid until the next change. */
const struct mapping *mapset_find(const struct mapset *set, uint64_t addr);

/* All of them, sorted by address: *n of them. */
const struct mapping *mapset_all(const struct mapset *set, size_t *n);

/* Sets the mark of the mapping that holds addr (un-sharing the set); addr must be mapped. */
void mapset_mark(struct mapset **set, uint64_t addr, uint32_t mark);

#endif
