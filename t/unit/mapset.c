/* Random mmaps, forks and marks against an array with one mapping a byte. */
#include "proc/mapset.h"

#include <stdlib.h>

#include "tap.h"

#define SPACE 64
#define SETS 4

struct cell {
	uint64_t offset;
	uint32_t file, mark; /* file 0: nothing mapped */
};

struct model {
	struct cell cells[SPACE];
};

static bool same(const struct mapset *set, const struct model *m)
{
	uint64_t end = 0;
	size_t n;
	const struct mapping *all = mapset_all(set, &n);

	for (size_t i = 0; i < n; i++) {
		if (all[i].start < end || all[i].start >= all[i].end)
			return false;
		end = all[i].end;
	}
	for (uint64_t a = 0; a < SPACE; a++) {
		const struct cell *c = &m->cells[a];
		const struct mapping *got = mapset_find(set, a);

		if ((got != NULL) != (c->file != 0))
			return false;
		if (got && (got->file != c->file || got->mark != c->mark ||
			    got->offset + (a - got->start) != c->offset))
			return false;
	}
	return true;
}

static void insert(struct mapset **set, struct model *m, uint32_t file)
{
	uint64_t start = (uint64_t)rand() % SPACE;
	uint64_t end = start + 1 + (uint64_t)rand() % (SPACE - start);
	struct mapping map = { .start = start, .end = end, .offset = (uint64_t)rand() % 4096 * 64,
			       .file = file };

	mapset_insert(set, &map);
	for (uint64_t a = start; a < end; a++)
		m->cells[a] = (struct cell){ map.offset + (a - start), file, 0 };
}

/* A mark is a whole mapping's: in the model, of the cells that belong to it. */
static void mark(struct mapset **set, struct model *m, uint32_t value)
{
	uint64_t a = (uint64_t)rand() % SPACE;
	const struct mapping *got = mapset_find(*set, a);

	if (!got)
		return;
	for (uint64_t b = got->start; b < got->end; b++)
		m->cells[b].mark = value;
	mapset_mark(set, a, value);
}

int main(void)
{
	struct mapset *sets[SETS];
	struct model models[SETS] = { 0 };
	unsigned wrong = 0;

	srand(2);
	for (int i = 0; i < SETS; i++)
		sets[i] = mapset_new();
	ok(!mapset_find(sets[0], 0), "an empty set maps nothing");
	for (uint32_t step = 1; step < 20000; step++) {
		int i = rand() % SETS, k = rand() % SETS;

		switch (rand() % 8) {
		case 0: /* a fork */
			if (i == k)
				break;
			mapset_free(sets[i]);
			sets[i] = mapset_share(sets[k]);
			models[i] = models[k];
			break;
		case 1: /* an exec */
			mapset_free(sets[i]);
			sets[i] = mapset_new();
			models[i] = (struct model){ 0 };
			break;
		case 2:
			mark(&sets[i], &models[i], step);
			break;
		default:
			insert(&sets[i], &models[i], step);
		}
		for (k = 0; k < SETS; k++)
			wrong += !same(sets[k], &models[k]);
	}
	is_u64(wrong, 0, "sets agree with the model after each of 20000 steps");
	for (int i = 0; i < SETS; i++)
		mapset_free(sets[i]);
	return done_testing();
}
