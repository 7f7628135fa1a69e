#include "base/map64.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { FREE, USED, DELETED };

static size_t map64_find(const struct map64 *m, uint64_t key)
{
	size_t mask = m->cap - 1, i = hash_u64(key) & mask;

	while (m->state[i] != FREE && !(m->state[i] == USED && m->slots[i].key == key))
		i = (i + 1) & mask;
	return i;
}

uint64_t *map64_get(const struct map64 *m, uint64_t key)
{
	size_t i;

	if (!m->len)
		return NULL;
	i = map64_find(m, key);
	return m->state[i] == USED ? &m->slots[i].value : NULL;
}

static void map64_resize(struct map64 *m, size_t cap)
{
	struct map64 n = { .cap = cap, .len = m->len, .filled = m->len };

	n.slots = xreallocarray(NULL, cap, sizeof(*n.slots));
	n.state = xcalloc(cap, 1);
	for (size_t i = 0; i < m->cap; i++) {
		if (m->state[i] == USED) {
			size_t at = map64_find(&n, m->slots[i].key);

			n.slots[at] = m->slots[i];
			n.state[at] = USED;
		}
	}
	map64_release(m);
	*m = n;
}

uint64_t *map64_put(struct map64 *m, uint64_t key, bool *added)
{
	size_t i;

	/* at most 3/4 filled, deleted ones included, so that probing ends */
	if ((m->filled + 1) * 4 > m->cap * 3)
		map64_resize(m, m->len * 2 >= m->cap / 2 ? (m->cap ? m->cap * 2 : 16) : m->cap);
	i = map64_find(m, key);
	if (added)
		*added = m->state[i] != USED;
	if (m->state[i] != USED) {
		m->state[i] = USED;
		m->slots[i] = (struct map64_slot){ key, 0 };
		m->len++;
		m->filled++;
	}
	return &m->slots[i].value;
}

bool map64_delete(struct map64 *m, uint64_t key)
{
	size_t i;

	if (!m->len)
		return false;
	i = map64_find(m, key);
	if (m->state[i] != USED)
		return false;
	m->state[i] = DELETED;
	m->len--;
	return true;
}

struct map64_slot *map64_next(const struct map64 *m, size_t *pos)
{
	while (*pos < m->cap) {
		size_t i = (*pos)++;

		if (m->state[i] == USED)
			return &m->slots[i];
	}
	return NULL;
}

void map64_release(struct map64 *m)
{
	free(m->slots);
	free(m->state);
	*m = (struct map64){ 0 };
}
