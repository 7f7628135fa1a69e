/*
 * Which build of a file its path stands for in what was written so far. Containers have
 * different files by one path, and captures may be years apart: a reader is told each time
 * that another file's frames come, and not each time that a frame comes.
 *
 *	file = builds_file(&b, path)            once for each file of a capture
 *	if (!builds_is_told(&b, &file))         for each frame of it
 *		builds_tell(&b, &file, id)
 */
#ifndef SYM_BUILDS_H
#define SYM_BUILDS_H

#include <stdbool.h>

#include "base/intern.h"

enum { BUILDS_MAX = 4 << 20 }; /* bytes, about, that are kept from one capture to the next */

/* Zero-initialized is empty and valid. */
struct builds {
	struct intern paths;
	struct build {
		uint64_t file;  /* whose frames came last; 0 none */
		uint64_t id;    /* hash of the build-id that was told; 0 none, or none is known */
	} *now;                 /* by path */
	size_t cap, bytes;
	uint64_t files;
	bool forgot;            /* paths that were told of */
};

struct builds_file {
	uint64_t number;        /* from 1, never again the same */
	uint32_t path;
};

struct builds_file builds_file(struct builds *b, struct slice path);

static inline bool builds_is_told(const struct builds *b, const struct builds_file *file)
{
	return b->now[file->path].file == file->number;
}

/* From now on the path is this file. True if a reader has to be told its build-id, or of none. */
bool builds_tell(struct builds *b, const struct builds_file *file, struct slice build_id);

/* A capture is over and all files of it are void: too many paths are forgotten. */
void builds_trim(struct builds *b);

void builds_release(struct builds *b);

#endif
