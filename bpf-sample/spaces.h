/*
 * Address spaces as the kernel's unwinder knows them (bpf/spaces.h): which table is for
 * which addresses. Processes share one until one of them changes it.
 */
#ifndef BPF_SAMPLE_SPACES_H
#define BPF_SAMPLE_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../bpf/spaces.h"
#include "base/map64.h"
#include "sampler.h"

struct spaces {
	struct sampler_maps maps;
	struct map64 by_id;      /* id → struct space * */
	uint64_t last_own;       /* ids given to processes that left a shared one */
};

struct space {
	struct spaces *spaces;
	uint64_t id;
	uint32_t refs;
	uint32_t version;        /* in the kernel; 0: not there */
	uint32_t chunks;
};

void spaces_init(struct spaces *sp, struct sampler_maps maps);
void spaces_release(struct spaces *sp);

/* A reference to the space of that id, which is made if it is new. */
struct space *spaces_get(struct spaces *sp, uint64_t id);

/* Another reference; NULL gives NULL. */
struct space *space_share(struct space *s);

/* Drops one; the last takes the space out of the kernel. NULL is passed over. */
void space_free(struct space *s);

/*
 * A process is about to change: if it shares its space, it gets one of its own, in the
 * kernel, too. Replaces *s. is_old: the process is from before the sampling.
 */
void space_own(struct space **s, uint32_t pid, bool is_old);

/* Makes these the space's mappings, sorted by address; beyond what fits they are left out. */
void space_write(struct space *s, const struct space_mapping *m, size_t n);

#endif
