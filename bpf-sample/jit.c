#include "jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/stream.h"
#include "rootfs.h"
#include "sym/perfmap.h"

/* Of a larger map the end counts, which holds the newest code. */
#define MAP_BYTES_MAX ((off_t)256 << 20)

struct jit {
	int tmp_fd;          /* the process's /tmp, -1 if it was out of reach */
	struct map64 addrs;  /* hit → 0 */
};

/* What a map says of an address that was hit: the last line that covers it. */
struct found {
	uint64_t addr;
	uint64_t start, size; /* size 0: nothing yet */
	uint32_t name;        /* offset in the names */
	uint32_t name_len;
};

void jit_hit(struct image *image, uint64_t addr, uint32_t own_mnt_ns)
{
	struct jit *jit = image->jit;

	if (!jit) {
		jit = image->jit = xcalloc(1, sizeof(*jit));
		jit->tmp_fd = rootfs_open(image->pid, "/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
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

static void take_line(struct found *list, size_t n, struct strbuf *names, struct slice line)
{
	struct symbol sym;
	size_t i;

	if (perfmap_line(line, &sym))
		return;
	i = lower(list, n, sym.addr);
	if (i == n || list[i].addr - sym.addr >= sym.size)
		return;
	if (sym.name.len > UINT16_MAX)
		sym.name.len = UINT16_MAX;
	for (; i < n && list[i].addr - sym.addr < sym.size; i++) {
		list[i].start = sym.addr;
		list[i].size = sym.size;
		list[i].name = (uint32_t)names->len;
		list[i].name_len = (uint32_t)sym.name.len;
	}
	strbuf_addslice(names, sym.name);
}

static void read_map(int fd, struct found *list, size_t n, struct strbuf *names)
{
	struct slice line;
	struct input in;
	struct stat st;

	input_init(&in, fd, NULL);
	if (!fstat(fd, &st) && st.st_size > MAP_BYTES_MAX) {
		lseek(fd, st.st_size - MAP_BYTES_MAX, SEEK_SET);
		input_line(&in, &line); /* the rest of a line */
	}
	/* its writer may go on writing: not beyond what a large map has */
	while (in.offset < (uint64_t)MAP_BYTES_MAX && input_line(&in, &line) > 0)
		take_line(list, n, names, line);
	input_release(&in);
}

static void write_found(const struct image *image, const struct found *list, size_t n,
			const struct strbuf *names, struct capture_writer *writer)
{
	struct capture_record rec = { .type = CAPTURE_SYM };

	for (size_t i = 0; i < n; i++) {
		const struct found *f = &list[i];

		if (!f->size || (i && f->start == list[i - 1].start && f->name == list[i - 1].name))
			continue;
		rec.sym = (struct capture_sym){
			.scope = CAPTURE_SYM_IMAGE,
			.id = image->id,
			.addr = f->start,
			.size = f->size,
			.name = { strbuf_str(names) + f->name, f->name_len },
		};
		capture_write(writer, &rec);
	}
}

void jit_write_symbols(struct image *image, struct capture_writer *writer, struct strbuf *note)
{
	struct jit *jit = image->jit;
	struct strbuf names = STRBUF_INIT, why = STRBUF_INIT;
	struct found *list;
	char name[32];
	size_t n;
	int fd;

	if (!jit || jit->tmp_fd < 0 || !jit->addrs.len)
		return;
	snprintf(name, sizeof(name), "perf-%u.map", image->ns_pid ? image->ns_pid : image->pid);
	fd = perfmap_open(jit->tmp_fd, name, image->uid, &why);
	if (fd >= 0) {
		list = collect(&jit->addrs, &n);
		read_map(fd, list, n, &names);
		write_found(image, list, n, &names, writer);
		free(list);
		close(fd);
	} else if (fd != -ENOENT) {
		fail(note, fd, "/tmp/%s of process %u is not used: %s", name, image->pid,
		     strbuf_str(&why));
	}
	map64_release(&jit->addrs);
	strbuf_release(&names);
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
