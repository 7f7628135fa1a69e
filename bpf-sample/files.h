/*
 * The files behind executable mappings, known by path and build-id (else device
 * and inode). When one is first hit by a sample it is looked at: its FILE record is
 * written, and if an ordinary user could not read it later (another mount
 * namespace, deleted, private), the symbols that samples hit go into the capture.
 */
#ifndef BPF_SAMPLE_FILES_H
#define BPF_SAMPLE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "capture/capture_writer.h"

struct file;

struct files {
	struct intern keys;   /* id - 1 */
	struct file **files;  /* by id - 1 */
	size_t cap;
	struct capture_writer *writer;
	uint32_t own_mnt_ns;
	uint64_t realtime_ns; /* CLOCK_REALTIME less CLOCK_MONOTONIC */
	struct file **dirty;  /* with addresses to look up */
	size_t ndirty, dirty_cap;
	size_t symtab_bytes;  /* kept for later intervals */
	int open_fds;
};

/* How a mapping names its file. */
struct file_key {
	struct slice path; /* as perf or /proc give it; " (deleted)" allowed */
	struct slice build_id;
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	uint64_t time; /* of the mapping, monotonic: a file changed since is not the one */
};

/* Whose mapping a sample hit: the ways to its file while the process lives. */
enum { FILE_HIT_PIDS = 8 };

struct file_hit {
	uint32_t pids[FILE_HIT_PIDS]; /* the process, then its ancestors, who may share its root */
	size_t npids;
	uint32_t mnt_ns;          /* 0 unknown */
	uint64_t start, end;      /* the mapping, as /proc/PID/map_files names it */
	uint64_t offset;          /* in the file, of the address looked up */
};

void files_init(struct files *fs, struct capture_writer *writer);
void files_release(struct files *fs);

/* The file's id, from 1. */
uint32_t files_id(struct files *fs, const struct file_key *key);

/*
 * An address in the file was sampled: the first time writes the FILE record. True if
 * the file is memory without an ELF file (JIT code perhaps), whose symbols must come
 * from elsewhere.
 */
bool files_hit(struct files *fs, uint32_t id, const struct file_hit *hit);

/* As the process saw it; untrusted. */
struct slice files_path(const struct files *fs, uint32_t id);

/* Whether there is no ELF file behind it (see files_hit). */
bool files_is_anonymous(const struct files *fs, uint32_t id);

/* An open file; close it with file_image_close, also if it could not be opened. */
struct file_image {
	struct elf_image *elf; /* NULL: it could not be opened, or is no ELF file */
	int fd;
};

struct file_image files_open(struct files *fs, uint32_t id, const struct file_hit *hit);
void file_image_close(struct file_image *f);

/* Writes SYM records for what was hit since the last call in files that need them. */
void files_write_symbols(struct files *fs);

#endif
