/* The processes and threads that -p, -t and a command ask for. */
#ifndef BPF_SAMPLE_TARGETS_H
#define BPF_SAMPLE_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "images.h"
#include "sampler.h"

struct target {
	uint32_t pid;  /* of a thread: its process */
	uint32_t tid;  /* 0: the whole process */
	int pidfd;     /* of the process */
	bool ended;    /* and it was said */
};

struct targets {
	struct target *list;
	size_t len;
	struct sampler *sampler;
};

/* Checks that all exist. Negative errno, with which one does not. */
int targets_find(struct targets *t, const uint64_t *pids, size_t npids, const uint64_t *tids,
		 size_t ntids, struct strbuf *err);

/* A child of ours, which is there and is waited for elsewhere. */
void targets_add_process(struct targets *t, uint32_t pid);

/* Tells the sampler; asks it later whether any is left. */
int targets_sample(struct targets *t, struct sampler *sampler, struct strbuf *err);

/* Reads their mappings. */
int targets_scan(struct targets *t, struct images *images, struct strbuf *err);

/*
 * Says a line for each that has ended since the last call (not if quiet). True when
 * there were some and none is left, nor any of their children.
 */
bool targets_gone(struct targets *t, bool quiet);

void targets_release(struct targets *t);

#endif
