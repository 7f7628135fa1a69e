/*
 * Samples that wait. A JIT symbol comes into a capture only when its process ends, so a
 * sample with an address in anonymous memory is held back until then, together with
 * its stacks, whose ids are recycled meanwhile. Equal samples are added up, unless they
 * have a time; equal stacks are kept once. Beyond HELD_MAX bytes the oldest has to go.
 */
#ifndef STACK_RESOLVE_HELD_H
#define STACK_RESOLVE_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map64.h"
#include "capture/capture.h"

enum { HELD_MAX = 32 << 20 };

/* A stack of the capture: n addresses, then the bitmap. */
struct stack {
	uint32_t refs;
	uint32_t held;  /* of them, by held samples */
	uint64_t hash;  /* 0: not yet computed */
	uint16_t n;
	uint8_t kind, end;
	uint64_t words[];
};

/* A copy with one reference. */
struct stack *stack_new(const struct capture_stack *s);
void stack_unref(struct stack *s);
size_t stack_bytes(const struct stack *s);

static inline bool stack_exact(const struct stack *s, unsigned i)
{
	return s->words[s->n + i / 64] >> (i % 64) & 1;
}

/* What makes a line, apart from the process. Stacks are NULL where there is none. */
struct waiting {
	uint32_t flags, event, image, tid, cpu; /* event: the replay's, not the capture's */
	uint64_t weight, time_ns;
	char comm[CAPTURE_COMM];
	uint8_t comm_len;
	bool kmissing, umissing; /* a stack was named but never defined */
	struct stack *kstack, *ustack;
};

struct held_sample;
struct held_image;

/* Zero-initialized is empty and valid. */
struct held {
	struct held_sample *first, *last; /* oldest first */
	struct map64 images; /* image id → struct held_image * */
	struct map64 same;   /* hash of an untimed sample → struct held_sample * */
	struct map64 stacks; /* hash of a stack → struct stack * */
	size_t bytes;
};

/* Takes references of its own to the stacks. */
void held_add(struct held *h, const struct waiting *w);

static inline bool held_full(const struct held *h)
{
	return h->bytes > HELD_MAX;
}

/*
 * Take out the oldest of all, or of an image; false if there is none. The caller drops
 * the references to the stacks.
 */
bool held_take(struct held *h, struct waiting *w);
bool held_take_image(struct held *h, uint32_t image, struct waiting *w);

/* Frees it all. */
void held_release(struct held *h);

#endif
