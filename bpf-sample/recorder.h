/*
 * Samples into the capture: the one place where the layout of maps and ring becomes
 * records. Sees to the capture's order: what a SAMPLE needs stands before it, each
 * thing once, and nothing that no sample touched.
 */
#ifndef BPF_SAMPLE_RECORDER_H
#define BPF_SAMPLE_RECORDER_H

#include <stdint.h>

#include "batch.h"
#include "capture/capture_writer.h"
#include "images.h"
#include "ksyms.h"
#include "unwinder.h"

struct recorder {
	struct capture_writer *writer;
	struct images *images;
	struct files *files;
	struct ksyms *ksyms;
	struct unwinder *unwinder;
	struct map64 stacks;       /* hash → id of the STACK records that hold */
	uint32_t last_stack, last_image;
	uint64_t prev_swap_ns;     /* the drain before this one */
	struct image **of_entry;   /* scratch: the image of each batch entry */
	size_t of_entry_cap;
	bool notes_quiet;          /* no notes on stderr */
	/* for the summary */
	uint64_t weight, distinct_stacks;
	uint64_t ends[8];          /* weight by how the user stack ended */
};

void recorder_init(struct recorder *r, struct capture_writer *writer, struct images *images,
		   struct files *files, struct ksyms *ksyms, struct unwinder *unwinder,
		   bool quiet);
void recorder_release(struct recorder *r);

/* HEADER and EVENT. `command` is the command line, `ncpus` how many are sampled. */
void recorder_begin(struct recorder *r, uint32_t hz, uint16_t ncpus, struct slice command);

/*
 * One interval: the side-band events up to now must be in the images. swap_ns is the
 * time up to which samples are in the batch; images that died an interval before it
 * get their last symbols and their EXIT.
 */
void recorder_batch(struct recorder *r, const struct batch *b, uint64_t swap_ns);

/* LOST, if count is not 0. */
void recorder_lost(struct recorder *r, uint32_t cause, uint64_t count, bool is_weight);

/* The last symbols of all that still live, and END. */
void recorder_end(struct recorder *r, const struct capture_totals *totals);

#endif
