#include "held.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

struct held_sample {
	struct held_sample *prev, *next; /* among all */
	struct held_sample *image_next;  /* among those of its image */
	uint64_t key;                    /* in held.same; 0 if not there */
	struct waiting is;
};

struct held_image {
	struct held_sample *first, *last;
};

static size_t stack_words(const struct stack *s)
{
	return s->n + (s->n + 63u) / 64;
}

size_t stack_bytes(const struct stack *s)
{
	return sizeof(*s) + stack_words(s) * sizeof(*s->words) + 48;
}

struct stack *stack_new(const struct capture_stack *from)
{
	size_t words = from->n + (from->n + 63u) / 64;
	struct stack *s = xmalloc(sizeof(*s) + words * sizeof(*s->words));

	*s = (struct stack){ .refs = 1, .n = from->n, .kind = from->kind, .end = from->end };
	if (from->n) {
		memcpy(s->words, from->ip, from->n * sizeof(*s->words));
		memcpy(s->words + from->n, from->exact, (words - from->n) * sizeof(*s->words));
	}
	return s;
}

void stack_unref(struct stack *s)
{
	if (s && --s->refs == 0)
		free(s);
}

static bool stack_same(const struct stack *a, const struct stack *b)
{
	return a->n == b->n && a->kind == b->kind && a->end == b->end &&
	       memcmp(a->words, b->words, stack_words(a) * sizeof(*a->words)) == 0;
}

/* The held stack equal to s, s itself if there is none yet; counted as held once more. */
static struct stack *stack_hold(struct held *h, struct stack *s)
{
	uint64_t *slot;

	if (!s)
		return NULL;
	if (!s->hash)
		s->hash = hash_bytes(s->words, stack_words(s) * sizeof(*s->words)) | 1;
	slot = map64_put(&h->stacks, s->hash, NULL);
	if (!*slot)
		*slot = (uintptr_t)s;
	else if (stack_same((struct stack *)(uintptr_t)*slot, s))
		s = (struct stack *)(uintptr_t)*slot;
	s->refs++;
	if (s->held++ == 0)
		h->bytes += stack_bytes(s);
	return s;
}

/* The inverse; the reference stays. */
static void stack_unhold(struct held *h, struct stack *s)
{
	uint64_t *slot;

	if (!s || --s->held)
		return;
	h->bytes -= stack_bytes(s);
	slot = map64_get(&h->stacks, s->hash);
	if (slot && *slot == (uintptr_t)s)
		map64_delete(&h->stacks, s->hash);
}

static uint64_t waiting_hash(const struct waiting *w)
{
	uint64_t h = hash_bytes(w->comm, w->comm_len);

	h = hash_u64(h ^ ((uint64_t)w->image << 32 | w->tid));
	h = hash_u64(h ^ (uintptr_t)w->kstack);
	h = hash_u64(h + (uintptr_t)w->ustack);
	return hash_u64(h ^ w->event) | 1;
}

static bool waiting_same(const struct waiting *a, const struct waiting *b)
{
	return a->event == b->event && a->image == b->image && a->tid == b->tid &&
	       a->kstack == b->kstack && a->ustack == b->ustack && a->comm_len == b->comm_len &&
	       a->kmissing == b->kmissing && a->umissing == b->umissing &&
	       memcmp(a->comm, b->comm, a->comm_len) == 0;
}

enum { SAMPLE_BYTES = sizeof(struct held_sample) + 96 }; /* with its share of the tables */

void held_add(struct held *h, const struct waiting *w)
{
	struct held_sample *s;
	struct held_image *list;
	uint64_t key = 0, *slot, sum;
	struct waiting is = *w;
	bool added;

	is.kstack = stack_hold(h, w->kstack);
	is.ustack = stack_hold(h, w->ustack);
	if (!(w->flags & CAPTURE_SAMPLE_TIME)) {
		key = waiting_hash(&is);
		slot = map64_put(&h->same, key, &added);
		s = (struct held_sample *)(uintptr_t)*slot;
		if (s && waiting_same(&s->is, &is) &&
		    !__builtin_add_overflow(s->is.weight, is.weight, &sum)) {
			s->is.weight = sum;
			stack_unhold(h, is.kstack);
			stack_unhold(h, is.ustack);
			stack_unref(is.kstack);
			stack_unref(is.ustack);
			return;
		}
		if (!added)
			key = 0;
	}
	s = xmalloc(sizeof(*s));
	*s = (struct held_sample){ .prev = h->last, .key = key, .is = is };
	if (key)
		*slot = (uintptr_t)s;
	if (h->last)
		h->last->next = s;
	else
		h->first = s;
	h->last = s;
	slot = map64_put(&h->images, is.image, &added);
	if (added) {
		*slot = (uintptr_t)xcalloc(1, sizeof(*list));
		h->bytes += sizeof(*list);
	}
	list = (struct held_image *)(uintptr_t)*slot;
	if (list->last)
		list->last->image_next = s;
	else
		list->first = s;
	list->last = s;
	h->bytes += SAMPLE_BYTES;
}

bool held_take_image(struct held *h, uint32_t image, struct waiting *w)
{
	uint64_t *slot = map64_get(&h->images, image);
	struct held_image *list;
	struct held_sample *s;

	if (!slot)
		return false;
	list = (struct held_image *)(uintptr_t)*slot;
	s = list->first;
	list->first = s->image_next;
	if (!list->first) {
		free(list);
		h->bytes -= sizeof(*list);
		map64_delete(&h->images, image);
	}
	if (s->prev)
		s->prev->next = s->next;
	else
		h->first = s->next;
	if (s->next)
		s->next->prev = s->prev;
	else
		h->last = s->prev;
	if (s->key)
		map64_delete(&h->same, s->key);
	*w = s->is;
	stack_unhold(h, w->kstack);
	stack_unhold(h, w->ustack);
	h->bytes -= SAMPLE_BYTES;
	free(s);
	return true;
}

/* The oldest of all is also the oldest of its image. */
bool held_take(struct held *h, struct waiting *w)
{
	return h->first && held_take_image(h, h->first->is.image, w);
}

void held_release(struct held *h)
{
	struct waiting w;

	while (held_take(h, &w)) {
		stack_unref(w.kstack);
		stack_unref(w.ustack);
	}
	map64_release(&h->images);
	map64_release(&h->same);
	map64_release(&h->stacks);
	*h = (struct held){ 0 };
}
