#include "sym/perfmap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/spans.h"

#define BYTES_PER_LINE 32 /* a real line has 40 and more */

struct line {
	uint64_t start, end;
	uint32_t name, len; /* in text */
};

struct perfmap {
	char *text;
	struct line *lines; /* oldest first */
	size_t nlines, cap;
	struct spans spans; /* ids are places in `lines`: the newest has the highest */
	uint64_t bad;
	bool cut;
};

int perfmap_open(int dirfd, const char *name, uint32_t uid, struct strbuf *err)
{
	int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	int r = 0;

	if (uid == UINT32_MAX)
		uid = geteuid();
	if (fd < 0 && errno == ELOOP)
		return fail(err, -EPERM, "a symbolic link");
	if (fd < 0)
		return fail(err, -errno, "%s", strerror(errno));
	if (fstat(fd, &st))
		r = fail(err, -errno, "fstat: %s", strerror(errno));
	else if (!S_ISREG(st.st_mode))
		r = fail(err, -EPERM, "not a regular file");
	else if (st.st_uid != uid && st.st_uid != 0)
		r = fail(err, -EPERM, "belongs to user %u, neither the process's nor root",
			 st.st_uid);
	if (r) {
		close(fd);
		return r;
	}
	return fd;
}

/* Takes a number and the blanks after it off the front of *s. */
static bool take_hex(struct slice *s, uint64_t *v)
{
	const char *end = s->p + s->len, *p = memchr(s->p, ' ', s->len);

	if (!p || number_hex((struct slice){ s->p, (size_t)(p - s->p) }, v))
		return false;
	while (p < end && *p == ' ')
		p++;
	*s = (struct slice){ p, (size_t)(end - p) };
	return true;
}

int perfmap_line(struct slice s, struct symbol *out)
{
	if (!take_hex(&s, &out->addr) || !take_hex(&s, &out->size) || !s.len || !out->size ||
	    out->size > UINT64_MAX - out->addr)
		return -EINVAL;
	out->name = s;
	return 0;
}

static void add_line(struct perfmap *pm, struct slice s)
{
	struct symbol sym;

	if (perfmap_line(s, &sym)) {
		pm->bad++;
		return;
	}
	pm->lines = grow(pm->lines, pm->nlines, &pm->cap, sizeof(*pm->lines));
	pm->lines[pm->nlines++] = (struct line){
		.start = sym.addr,
		.end = sym.addr + sym.size,
		.name = (uint32_t)(sym.name.p - pm->text),
		.len = (uint32_t)sym.name.len,
	};
}

/* What is sorted for the spans: a line's place, with its start at hand. */
struct order {
	uint64_t start;
	uint32_t id;
};

static int order_cmp(const void *pa, const void *pb)
{
	const struct order *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static void arrange(struct perfmap *pm)
{
	struct order *order = xmalloc((pm->nlines + 1) * sizeof(*order));

	for (size_t i = 0; i < pm->nlines; i++)
		order[i] = (struct order){ pm->lines[i].start, (uint32_t)i };
	qsort(order, pm->nlines, sizeof(*order), order_cmp);
	for (size_t i = 0; i < pm->nlines; i++)
		spans_push(&pm->spans, order[i].start, pm->lines[order[i].id].end, order[i].id);
	spans_seal(&pm->spans);
	free(order);
}

struct perfmap *perfmap_parse(char *text, size_t len, size_t max_lines)
{
	struct perfmap *pm = xcalloc(1, sizeof(*pm));
	const char *end, *p;

	pm->text = text;
	/* Back from the end over the lines that count, then forward through them. */
	end = len ? memrchr(text, '\n', len) : NULL;
	p = end;
	for (size_t n = 0; p && n < max_lines; n++)
		p = p > text ? memrchr(text, '\n', (size_t)(p - text)) : NULL;
	pm->cut = p != NULL && end != NULL;
	for (p = p ? p + 1 : text; end && p <= end;) {
		const char *lf = memchr(p, '\n', (size_t)(end - p) + 1);

		add_line(pm, (struct slice){ p, (size_t)(lf - p) });
		p = lf + 1;
	}
	arrange(pm);
	return pm;
}

/* As many of `len` bytes at an offset as there are, or a negative errno. */
static ssize_t read_at(int fd, off_t offset, char *buf, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, buf + done, len - done, offset + (off_t)done);

		if (n == 0)
			break;
		if (n > 0)
			done += (size_t)n;
		else if (errno != EINTR)
			return -errno;
	}
	return (ssize_t)done;
}

int perfmap_read(struct perfmap **out, int fd, size_t max_bytes, struct strbuf *err)
{
	uint64_t from = 0;
	struct stat st;
	size_t len;
	ssize_t n;
	char *text, *lf;

	*out = NULL;
	if (max_bytes > UINT32_MAX)
		max_bytes = UINT32_MAX;
	if (fstat(fd, &st))
		return fail(err, -errno, "fstat: %s", strerror(errno));
	len = (size_t)st.st_size;
	if (len > max_bytes) {
		from = len - max_bytes;
		len = max_bytes;
	}
	text = xmalloc(len + 1);
	n = read_at(fd, (off_t)from, text, len);
	if (n < 0) {
		free(text);
		return fail(err, (int)n, "read: %s", strerror((int)-n));
	}
	len = (size_t)n;
	if (from) {
		/* The line that was cut in two. */
		lf = memchr(text, '\n', len);
		len -= lf ? (size_t)(lf + 1 - text) : len;
		if (lf)
			memmove(text, lf + 1, len);
	}
	*out = perfmap_parse(text, len, max_bytes / BYTES_PER_LINE);
	(*out)->cut |= from != 0;
	return 0;
}

void perfmap_free(struct perfmap *pm)
{
	if (!pm)
		return;
	free(pm->text);
	free(pm->lines);
	spans_release(&pm->spans);
	free(pm);
}

bool perfmap_find(const struct perfmap *pm, uint64_t addr, struct symbol *out)
{
	const struct line *l;
	uint32_t id;

	if (!spans_find(&pm->spans, addr, &id))
		return false;
	l = &pm->lines[id];
	*out = (struct symbol){ l->start, l->end - l->start, { pm->text + l->name, l->len } };
	return true;
}

size_t perfmap_count(const struct perfmap *pm)
{
	return pm->nlines;
}

uint64_t perfmap_bad(const struct perfmap *pm)
{
	return pm->bad;
}

bool perfmap_cut(const struct perfmap *pm)
{
	return pm->cut;
}
