#include "jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "rootfs.h"
#include "sym/perfmap.h"

enum {
	MAP_BYTES_MAX = 64 << 20, /* of a larger map the end counts, which has the newest code */
	LINE_MAX_BYTES = 1 << 16, /* a longer one names nothing */
	NAME_MAX_BYTES = 4096,
};

struct jit {
	int tmp_fd;          /* the process's /tmp, -1 if it was out of reach */
	struct map64 addrs;  /* hit → 0 */
};

/* What a map says of an address that was hit: the last line that covers it. */
struct found {
	uint64_t addr;
	uint64_t start, size; /* size 0: nothing yet */
	off_t name;           /* where in the file */
	uint32_t name_len;
};

void jit_hit(struct image *image, uint64_t addr, uint32_t own_mnt_ns)
{
	struct jit *jit = image->jit;

	if (!jit) {
		jit = image->jit = xcalloc(1, sizeof(*jit));
		jit->tmp_fd = rootfs_open(image->tid ? image->tid : image->pid, "/tmp",
					  O_PATH | O_DIRECTORY | O_CLOEXEC);
		/* too late for its own view; ours is the same unless it is in a container */
		if (jit->tmp_fd < 0 && (!image->mnt_ns || image->mnt_ns == own_mnt_ns))
			jit->tmp_fd = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	map64_put(&jit->addrs, addr, NULL);
}

static int by_addr(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static struct found *collect(const struct map64 *addrs, size_t *n)
{
	struct found *list = xcalloc(addrs->len, sizeof(*list));
	struct map64_slot *slot;
	size_t pos = 0;

	*n = 0;
	while ((slot = map64_next(addrs, &pos)))
		list[(*n)++].addr = slot->key;
	qsort(list, *n, sizeof(*list), by_addr);
	return list;
}

/* The first address at or above addr. */
static size_t lower(const struct found *list, size_t n, uint64_t addr)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (list[mid].addr >= addr)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* A line that begins `at` bytes into the file. */
static void take_line(struct found *list, size_t n, struct slice line, off_t at)
{
	struct symbol sym;
	size_t i;

	if (perfmap_line(line, &sym))
		return;
	for (i = lower(list, n, sym.addr); i < n && list[i].addr - sym.addr < sym.size; i++) {
		list[i].start = sym.addr;
		list[i].size = sym.size;
		list[i].name = at + (sym.name.p - line.p);
		list[i].name_len = (uint32_t)(sym.name.len < NAME_MAX_BYTES ? sym.name.len
									    : NAME_MAX_BYTES);
	}
}

/*
 * Whole lines of the file from `at` on, in a window of fixed size: its writer may be
 * hostile, and may go on writing.
 */
static void read_map(int fd, off_t at, struct found *list, size_t n)
{
	char *buf = xmalloc(LINE_MAX_BYTES);
	off_t end = at + MAP_BYTES_MAX;
	size_t have = 0;
	bool skipping = at > 0; /* the rest of a line */

	while (at < end) {
		ssize_t got = pread(fd, buf + have, LINE_MAX_BYTES - have, at + (off_t)have);
		size_t from = 0;
		char *lf;

		if (got <= 0)
			break;
		have += (size_t)got;
		while ((lf = memchr(buf + from, '\n', have - from))) {
			size_t len = (size_t)(lf - buf) - from;

			if (!skipping)
				take_line(list, n, (struct slice){ buf + from, len },
					  at + (off_t)from);
			skipping = false;
			from += len + 1;
		}
		if (!from && have == LINE_MAX_BYTES) {
			skipping = true;
			from = have;
		}
		memmove(buf, buf + from, have - from);
		have -= from;
		at += (off_t)from;
	}
	free(buf);
}

static void write_found(const struct image *image, int fd, const struct found *list, size_t n,
			struct capture_writer *writer)
{
	struct capture_record rec = { .type = CAPTURE_SYM };
	char name[NAME_MAX_BYTES];

	for (size_t i = 0; i < n; i++) {
		const struct found *f = &list[i];
		ssize_t len;

		if (!f->size || (i && f->start == list[i - 1].start && f->name == list[i - 1].name))
			continue;
		len = pread(fd, name, f->name_len, f->name);
		if (len <= 0)
			continue;
		rec.sym = (struct capture_sym){
			.scope = CAPTURE_SYM_IMAGE,
			.id = image->id,
			.addr = f->start,
			.size = f->size,
			.name = { name, (size_t)len },
		};
		capture_write(writer, &rec);
	}
}

void jit_write_symbols(struct image *image, struct capture_writer *writer, struct strbuf *note)
{
	struct jit *jit = image->jit;
	struct strbuf why = STRBUF_INIT;
	struct found *list;
	struct stat st;
	off_t from = 0;
	char name[32];
	size_t n;
	int fd;

	if (!jit || jit->tmp_fd < 0 || !jit->addrs.len)
		return;
	snprintf(name, sizeof(name), "perf-%u.map", image->ns_pid ? image->ns_pid : image->pid);
	fd = perfmap_open(jit->tmp_fd, name, image->uid, &why);
	if (fd >= 0) {
		if (!fstat(fd, &st) && st.st_size > MAP_BYTES_MAX) {
			from = st.st_size - MAP_BYTES_MAX;
			fail(note, -EFBIG, "/tmp/%s of process %u: only the last %d MB are read",
			     name, image->pid, MAP_BYTES_MAX >> 20);
		}
		list = collect(&jit->addrs, &n);
		read_map(fd, from, list, n);
		write_found(image, fd, list, n, writer);
		free(list);
		close(fd);
	} else if (fd != -ENOENT) {
		fail(note, fd, "/tmp/%s of process %u is not used: %s", name, image->pid,
		     strbuf_str(&why));
	}
	map64_release(&jit->addrs);
	strbuf_release(&why);
}

void jit_free(struct jit *jit)
{
	if (!jit)
		return;
	if (jit->tmp_fd >= 0)
		close(jit->tmp_fd);
	map64_release(&jit->addrs);
	free(jit);
}
