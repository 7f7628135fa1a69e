#include "base/intern.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"

static void intern_rehash(struct intern *in)
{
	size_t n = in->nslots ? in->nslots * 2 : 64;

	free(in->slots);
	in->slots = xcalloc(n, sizeof(*in->slots));
	in->nslots = n;
	for (size_t id = 0; id < in->len; id++) {
		size_t i = in->hashes[id] & (n - 1);

		while (in->slots[i])
			i = (i + 1) & (n - 1);
		in->slots[i] = (uint32_t)id + 1;
	}
}

bool intern_find_hashed(const struct intern *in, struct slice s, uint64_t hash, uint32_t *id)
{
	if (!in->len)
		return false;
	for (size_t i = hash & (in->nslots - 1); in->slots[i]; i = (i + 1) & (in->nslots - 1)) {
		*id = in->slots[i] - 1;
		if (in->hashes[*id] == hash && slice_eq(in->strings[*id], s))
			return true;
	}
	return false;
}

uint32_t intern_add_hashed(struct intern *in, struct slice s, uint64_t hash)
{
	size_t i;

	if (in->len * 2 >= in->nslots)
		intern_rehash(in);
	for (i = hash & (in->nslots - 1); in->slots[i]; i = (i + 1) & (in->nslots - 1)) {
		uint32_t id = in->slots[i] - 1;

		if (in->hashes[id] == hash && slice_eq(in->strings[id], s))
			return id;
	}
	if (in->len == in->cap) {
		in->cap = in->cap ? in->cap * 2 : 64;
		in->strings = xreallocarray(in->strings, in->cap, sizeof(*in->strings));
		in->hashes = xreallocarray(in->hashes, in->cap, sizeof(*in->hashes));
	}
	in->strings[in->len] = (struct slice){ arena_dup(&in->arena, s.p, s.len), s.len };
	in->hashes[in->len] = hash;
	in->slots[i] = (uint32_t)++in->len;
	return (uint32_t)in->len - 1;
}

uint32_t intern_add(struct intern *in, struct slice s)
{
	return intern_add_hashed(in, s, hash_bytes(s.p, s.len));
}

void intern_release(struct intern *in)
{
	free(in->strings);
	free(in->hashes);
	free(in->slots);
	arena_release(&in->arena);
	*in = (struct intern){ 0 };
}
