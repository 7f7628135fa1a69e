/*
 * From an address in a capture to the text of a frame. Takes in what the capture says
 * of processes, files, mappings and symbols, and for each frame picks the source that
 * knows best:
 *
 *   kernel   KSYM records, then a kallsyms table
 *   file     SYM records of the file, then the file on disk if it is still the same
 *   memory   SYM records of the process (JIT), then /tmp/perf-PID.map
 *
 * A non-exact address is a return address: the symbol is that of the call before it,
 * the offset shown that of the address itself.
 *
 * Everything a capture can make grow is bounded, by RESOLVER_* below; what is beyond the
 * bounds is refused with -ENOSPC and the frames concerned show addresses.
 */
#ifndef SYM_RESOLVER_H
#define SYM_RESOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "capture/capture.h"
#include "sym/kallsyms.h"

enum {
	RESOLVER_STATE_MAX = 64 << 20,   /* processes, files, mappings, symbols of the capture */
	RESOLVER_TABLES_MAX = 80 << 20,  /* symbol tables of files on disk */
	RESOLVER_PERFMAP_MAX = 8 << 20,  /* what is read of one perf map; one is kept */
	RESOLVER_MAPPINGS_MAX = 16384,   /* of one process */
};

/* What became of one file of a capture. */
struct resolver_file_stats {
	struct slice path;
	const char *source;      /* ".symtab", ".dynsym", "capture", "" none */
	const char *problem;     /* why the file on disk was not used, or "" */
	uint64_t symbols;        /* in the table on disk, and of the capture */
	uint64_t table_bytes;
	uint64_t addresses;      /* looked up, again if that was long ago, and … */
	uint64_t named;          /* … of them, named */
};

struct resolver_options {
	bool no_offsets, no_demangle;
	bool perf; /* texts of frames as those of perf script, lines/perfscript.h */
	const struct kallsyms *kallsyms; /* the caller's; may be NULL */
	/* A file on disk that is another one now: once a path. May be NULL. */
	void (*warn)(void *ctx, const char *text);
	/* Each file that was looked up, when its capture is over. May be NULL. */
	void (*file_done)(void *ctx, const struct resolver_file_stats *stats);
	void *ctx;
};

struct resolver;
struct resolver_image;

struct resolver *resolver_new(const struct resolver_options *opt);
void resolver_free(struct resolver *r);

/*
 * From now on `tell` is called, from resolver_user, when a frame's module stands for
 * another build of a file than it did before, or for the first one: with the build-id's
 * bytes, empty where that is not known, and the path. Not of the vdso or memory.
 */
void resolver_tell_builds(struct resolver *r,
			  void (*tell)(void *ctx, struct slice build_id, struct slice module),
			  void *ctx);

/* A HEADER: another capture begins, the ids of the last one are void. NULL: just ends it. */
void resolver_begin(struct resolver *r, const struct capture_header *h);

/*
 * What the records say. 0; -ENOSPC beyond the bounds; -ENOENT for an image or a file
 * that is not defined (a mapping of an undefined file is kept as unknown); *err has
 * the reason.
 */
int resolver_proc(struct resolver *r, const struct capture_proc *p, struct strbuf *err);
int resolver_file(struct resolver *r, const struct capture_file *f, struct strbuf *err);
int resolver_map(struct resolver *r, const struct capture_map *m, struct strbuf *err);
int resolver_ksym(struct resolver *r, const struct capture_ksym *k, struct strbuf *err);
int resolver_sym(struct resolver *r, const struct capture_sym *s, struct strbuf *err);

/* The image of that id, NULL if it is not defined; valid until its EXIT or redefinition. */
struct resolver_image *resolver_image(const struct resolver *r, uint32_t id);
uint32_t resolver_image_pid(const struct resolver_image *image);

/* Forgets an image; its pointer is void. */
void resolver_exit(struct resolver *r, uint32_t id);

/*
 * A frame's text (stack-lines.5, or as `perf` has it), valid until the next call for this
 * resolver. `image` may be NULL. Without `last`, *pending is set where a JIT symbol may yet
 * come with a later record; with it, the perf map on disk is tried and nothing is pending.
 */
struct slice resolver_user(struct resolver *r, struct resolver_image *image, uint64_t ip,
			   bool exact, bool last, bool *pending);
struct slice resolver_kernel(struct resolver *r, uint64_t ip, bool exact);

/* Files on disk that could not be used, warned of or not. */
uint64_t resolver_unreadable(const struct resolver *r);

#endif
