/*
 * Keeps the kernel's unwinder supplied, on demand: a sample whose process or file it
 * does not know comes here with a copy of its stack, is unwound from that by the same
 * step, and what was missing is loaded for those that follow.
 *
 * Tables are built once per file, shared by all processes and bounded: beyond the
 * budget those that no sample has used for longest are dropped, and built again if one
 * does.
 */
#ifndef BPF_SAMPLE_UNWINDER_H
#define BPF_SAMPLE_UNWINDER_H

#include <stdbool.h>
#include <stdint.h>

#include "batch.h"
#include "files.h"
#include "images.h"
#include "sampler.h"
#include "spaces.h"
#include "unwind/table.h"

struct unwind_file;

struct unwinder {
	struct sampler_maps maps;
	struct spaces spaces;
	struct images *images;
	struct files *files;
	struct unwind_rules rules;
	size_t rules_sent;
	struct unwind_file *files_by_id; /* by file id - 1 */
	size_t nfiles;
	struct intern identities;        /* of files: device, inode, size, time of change */
	struct map64 owners;             /* identity → file id */
	uint64_t budget, bytes;          /* of tables in the kernel */
	uint64_t clock;                  /* of use: one tick a drain */
	uint64_t changes;                /* to what there are tables for */
	uint32_t max_depth;
	bool quiet;                      /* no notes on stderr */
	void (*catch_up)(void *ctx);     /* reads the side-band events so far */
	void *ctx;
	struct space_mapping *list;      /* scratch */
	size_t list_cap;
	struct stack_deep stack;         /* scratch */
	/* for the summary */
	uint64_t late, tables_built, tables_dropped, rows;
};

void unwinder_init(struct unwinder *u, struct sampler *sampler, struct images *images,
		   struct files *files, uint64_t budget, uint32_t max_depth);
void unwinder_release(struct unwinder *u);

/* A sampler_late_fn with the unwinder as ctx. */
void unwinder_late(void *unwinder, struct batch *b, const struct sample_record *rec);

/* Tells the kernel of images that have changed. */
void unwinder_refresh(struct unwinder *u);

/* A sample hit code of this file. */
void unwinder_touch(struct unwinder *u, uint32_t file);

#endif
