#include "sym/builds.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"

struct builds_file builds_file(struct builds *b, struct slice path)
{
	size_t known = b->paths.len;
	uint32_t id = intern_add(&b->paths, path);

	if (id == known) {
		b->now = grow(b->now, id, &b->cap, sizeof(*b->now));
		b->now[id] = (struct build){ 0 };
		b->bytes += path.len + 64;
	}
	return (struct builds_file){ ++b->files, id };
}

bool builds_tell(struct builds *b, const struct builds_file *file, struct slice build_id)
{
	struct build *now = &b->now[file->path];
	uint64_t id = build_id.len ? hash_bytes(build_id.p, build_id.len) | 1 : 0;
	bool due = now->id != id || (b->forgot && !now->file);

	*now = (struct build){ file->number, id };
	return due;
}

void builds_trim(struct builds *b)
{
	if (b->bytes <= BUILDS_MAX)
		return;
	intern_release(&b->paths);
	b->bytes = 0;
	b->forgot = true;
}

void builds_release(struct builds *b)
{
	intern_release(&b->paths);
	free(b->now);
	*b = (struct builds){ 0 };
}
