/* Random ranges against an array with one id a byte. */
#include "base/spans.h"

#include <stdlib.h>

#include "tap.h"

#define SPACE 96

struct range {
	uint64_t start, end;
};

static int by_start(const void *pa, const void *pb)
{
	const struct range *a = pa, *b = pb;

	return (a->start > b->start) - (a->start < b->start);
}

/* Whether n random ranges, pushed with ids in random order, are found as the model says. */
static bool round_agrees(unsigned n)
{
	struct range r[24];
	uint32_t ids[24], model[SPACE];
	struct spans s = { 0 };
	bool agree = true;

	for (unsigned i = 0; i < n; i++) {
		r[i].start = (uint64_t)rand() % (SPACE - 1);
		r[i].end = r[i].start + 1 + (uint64_t)rand() % (SPACE - 1 - r[i].start);
		ids[i] = i;
	}
	qsort(r, n, sizeof(r[0]), by_start);
	for (unsigned i = n; i > 1; i--) {
		unsigned k = (unsigned)rand() % i;
		uint32_t id = ids[k];

		ids[k] = ids[i - 1];
		ids[i - 1] = id;
	}
	for (unsigned a = 0; a < SPACE; a++) {
		model[a] = SPANS_NONE;
		for (unsigned i = 0; i < n; i++)
			if (r[i].start <= a && a < r[i].end &&
			    (model[a] == SPANS_NONE || ids[i] > model[a]))
				model[a] = ids[i];
	}
	for (unsigned i = 0; i < n; i++)
		spans_push(&s, r[i].start, r[i].end, ids[i]);
	spans_seal(&s);
	for (unsigned a = 0; a < SPACE; a++) {
		uint32_t id = SPANS_NONE;

		if (spans_find(&s, a, &id) != (model[a] != SPANS_NONE) ||
		    (model[a] != SPANS_NONE && id != model[a]))
			agree = false;
	}
	spans_release(&s);
	return agree;
}

/* Ranges that lie ever wider apart, [i^power, i^power + i): any distribution is looked up. */
static unsigned wide_wrong(unsigned power)
{
	struct spans s = { 0 };
	unsigned wrong = 0;

	for (unsigned i = 2; i < 500; i++) {
		uint64_t at = 1;

		for (unsigned k = 0; k < power; k++)
			at *= i;
		spans_push(&s, at, at + i, i);
	}
	spans_seal(&s);
	for (unsigned i = 2; i < 500; i++) {
		uint64_t at = 1;
		uint32_t id = 0;

		for (unsigned k = 0; k < power; k++)
			at *= i;
		wrong += !spans_find(&s, at, &id) || id != i;
		wrong += !spans_find(&s, at + i - 1, &id) || id != i;
		wrong += spans_find(&s, at - 1, &id);
		wrong += spans_find(&s, at + i, &id);
	}
	spans_release(&s);
	return wrong;
}

int main(void)
{
	struct spans s = { 0 };
	unsigned agreed = 0;
	uint32_t id;

	srand(1);
	for (unsigned i = 0; i < 5000; i++)
		agreed += round_agrees((unsigned)rand() % 25);
	is_u64(agreed, 5000, "random ranges agree with the model");

	for (unsigned power = 2; power <= 7; power++)
		is_u64(wide_wrong(power), 0, "ranges at the powers of %u", power);

	spans_seal(&s);
	ok(!spans_find(&s, 0, &id) && !spans_find(&s, UINT64_MAX, &id),
	   "nothing pushed, nothing found");
	spans_release(&s);

	spans_push(&s, 0, UINT64_MAX, 7);
	spans_push(&s, UINT64_MAX - 1, UINT64_MAX, 3);
	spans_seal(&s);
	ok(spans_find(&s, 0, &id) && id == 7, "the first address");
	ok(spans_find(&s, UINT64_MAX - 1, &id) && id == 7, "the last one of a range");
	ok(!spans_find(&s, UINT64_MAX, &id), "the end is not in the range");
	spans_release(&s);
	return done_testing();
}
