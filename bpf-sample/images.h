/*
 * Process images by pid and time: one process between two execs, its mappings as
 * they are now. Made from a scan of /proc and kept up by side-band events; the
 * programs mark each sample with the time its process was forked or last exec'd
 * ("born"), which is at or a little after the image's begin here.
 */
#ifndef BPF_SAMPLE_IMAGES_H
#define BPF_SAMPLE_IMAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map64.h"
#include "capture/capture.h"
#include "../bpf/layout.h"
#include "files.h"
#include "proc/mapset.h"
#include "sideband.h"

struct jit;
struct space;

struct image {
	uint32_t id;          /* in the capture; 0 while no sample named it */
	uint32_t pid;
	uint32_t ppid;        /* 0 unknown */
	uint32_t parent_id;   /* the capture's id of where it came from, 0 none */
	uint16_t origin;      /* enum capture_origin */
	uint64_t begin;       /* monotonic; 0: before the sampling */
	uint64_t scanned;     /* when /proc was read, 0 never: older events are in that */
	/* when its first thread exited, 0 not yet; UINT64_MAX: others were seen to go on */
	uint64_t leader_ended;
	uint64_t dead;        /* when it exited or exec'd, 0 while it lives */
	char comm[CAPTURE_COMM];
	struct mapset *maps;
	struct image *older;  /* earlier image of the same pid, dead */
	/* from its latest sample; tid: a thread that lived then, whose /proc shows its memory */
	uint32_t tid, uid, ns_pid, mnt_ns;
	struct jit *jit;      /* NULL until code without a file is hit */
	/* the unwinder's: NULL until it is told of the process */
	struct space *space;
	bool space_stale;     /* the mappings have changed since the kernel has them */
};

struct images {
	struct map64 by_pid;  /* pid → newest struct image * */
	struct files *files;
	struct image **changed;
	size_t nchanged, changed_cap;
	bool only_known;      /* follow the descendants of scanned processes only */
	uint64_t lost;        /* events that did not reach us */
	/* symbols of kernel code that appeared meanwhile are handed to this */
	void (*on_ksym)(void *ctx, const struct sideband_event *e);
	void *ctx;
};

void images_init(struct images *im, struct files *files, bool only_known);
void images_release(struct images *im);

/* An image whose space_stale is set, of those with a space; NULL when there is none. */
struct image *images_next_changed(struct images *im);

/* All processes, or one, as /proc has them now. -ESRCH if that one is not there. */
int images_scan_all(struct images *im, struct strbuf *err);
int images_scan(struct images *im, uint32_t pid);

/* A sideband_fn with the images as ctx. */
void images_event(void *images, const struct sideband_event *e);

/*
 * The image that a sample belongs to; never NULL: one that is not known is made from
 * /proc if the process still lives, else empty.
 */
struct image *images_find(struct images *im, uint32_t pid, uint64_t born);

/* Takes what a sample tells of its process: who it is may change. */
void images_sampled(struct image *image, uint32_t tid, const struct sample_info *info);

/* How to get at the file behind an address of mapping m. */
struct file_hit images_hit(const struct images *im, const struct image *image,
			   const struct mapping *m, uint64_t addr);

/* Takes an image that died before `before` out of the table; NULL if there is none. */
struct image *images_take_dead(struct images *im, uint64_t before, size_t *pos);
void image_free(struct image *image);

#endif
