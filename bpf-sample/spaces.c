#include "spaces.h"

#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "base/alloc.h"

void spaces_init(struct spaces *sp, struct sampler_maps maps)
{
	*sp = (struct spaces){ .maps = maps };
}

void spaces_release(struct spaces *sp)
{
	struct map64_slot *slot;
	size_t pos = 0;

	while ((slot = map64_next(&sp->by_id, &pos)))
		free((struct space *)(uintptr_t)slot->value);
	map64_release(&sp->by_id);
}

struct space *spaces_get(struct spaces *sp, uint64_t id)
{
	uint64_t *at = map64_put(&sp->by_id, id, NULL);
	struct space *s = (struct space *)(uintptr_t)*at;

	if (!s) {
		s = xcalloc(1, sizeof(*s));
		s->spaces = sp;
		s->id = id;
		*at = (uintptr_t)s;
	}
	s->refs++;
	return s;
}

struct space *space_share(struct space *s)
{
	if (s)
		s->refs++;
	return s;
}

static void drop_chunks(const struct space *s, uint32_t version, uint32_t chunks)
{
	struct space_key key = { .space = s->id, .version = version };

	for (; key.chunk < chunks; key.chunk++)
		bpf_map_delete_elem(s->spaces->maps.space_chunks, &key);
}

void space_free(struct space *s)
{
	if (!s || --s->refs)
		return;
	if (s->version) {
		bpf_map_delete_elem(s->spaces->maps.spaces, &s->id);
		drop_chunks(s, s->version, s->chunks);
	}
	map64_delete(&s->spaces->by_id, s->id);
	free(s);
}

void space_own(struct space **sp, uint32_t pid, bool is_old)
{
	struct spaces *spaces = (*sp)->spaces;
	struct image_value v = { 0 };
	bool found;

	if ((*sp)->refs == 1)
		return;
	/* one from before the sampling has no entry; born 0 is what it has without one */
	found = !bpf_map_lookup_elem(spaces->maps.images, &pid, &v);
	if (!found && !is_old)
		return; /* it has ended */
	space_free(*sp);
	*sp = spaces_get(spaces, SPACE_OF_USER | ++spaces->last_own);
	v.space = (*sp)->id;
	bpf_map_update_elem(spaces->maps.images, &pid, &v, found ? BPF_EXIST : BPF_NOEXIST);
}

void space_write(struct space *s, const struct space_mapping *m, size_t n)
{
	struct space_value head = { .version = s->version + 1 };
	struct space_key key = { .space = s->id, .version = head.version };
	uint32_t old = s->chunks;

	if (n > SPACE_CHUNK * SPACE_CHUNKS)
		n = SPACE_CHUNK * SPACE_CHUNKS;
	head.n = (uint32_t)n;
	for (; key.chunk * SPACE_CHUNK < n; key.chunk++) {
		size_t first = key.chunk * SPACE_CHUNK;
		size_t here = n - first < SPACE_CHUNK ? n - first : SPACE_CHUNK;
		struct space_chunk chunk;

		memcpy(chunk.m, m + first, here * sizeof(*m));
		/* never found: nothing starts at or below an address there */
		for (size_t i = here; i < SPACE_CHUNK; i++)
			chunk.m[i] = (struct space_mapping){ .start = UINT64_MAX };
		head.first[key.chunk] = m[first].start;
		if (bpf_map_update_elem(s->spaces->maps.space_chunks, &key, &chunk, BPF_ANY))
			break;
	}
	/* what did not fit the maps stays unknown: its samples are unwound here */
	if (key.chunk * SPACE_CHUNK < n ||
	    bpf_map_update_elem(s->spaces->maps.spaces, &s->id, &head, BPF_ANY)) {
		drop_chunks(s, head.version, key.chunk);
		return;
	}
	if (s->version)
		drop_chunks(s, s->version, old);
	s->version = head.version;
	s->chunks = key.chunk;
}
