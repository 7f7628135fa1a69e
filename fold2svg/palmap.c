#include "palmap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/stream.h"

bool palmap_find(const struct palmap *p, struct slice name, uint32_t *rgb)
{
	uint32_t id;

	if (!intern_find_hashed(&p->names, name, hash_bytes(name.p, name.len), &id))
		return false;
	*rgb = p->rgb[id];
	return true;
}

void palmap_set(struct palmap *p, struct slice name, uint32_t rgb)
{
	size_t known = p->names.len;
	uint32_t id = intern_add(&p->names, name);

	if (id == known)
		p->rgb = grow(p->rgb, known, &p->cap, sizeof(*p->rgb));
	p->rgb[id] = rgb;
}

static bool take(struct slice *s, struct slice what)
{
	if (!slice_starts(*s, what))
		return false;
	*s = (struct slice){ s->p + what.len, s->len - what.len };
	return true;
}

/* A number up to 255 and what follows it. */
static bool take_channel(struct slice *s, struct slice behind, uint32_t *rgb)
{
	uint32_t v = 0;
	size_t i = 0;

	for (; i < s->len && i < 3 && s->p[i] >= '0' && s->p[i] <= '9'; i++)
		v = v * 10 + (uint32_t)(s->p[i] - '0');
	*s = (struct slice){ s->p + i, s->len - i };
	*rgb = *rgb << 8 | v;
	return i && v <= 255 && take(s, behind);
}

/* "NAME->rgb(1,2,3)"; the name may hold "->" (operator->), too. */
static bool parse_line(struct slice line, struct slice *name, uint32_t *rgb)
{
	size_t at = line.len;

	while (at && !slice_starts((struct slice){ line.p + at, line.len - at }, SLICE("->")))
		at--;
	*name = (struct slice){ line.p, at };
	line = (struct slice){ line.p + at, line.len - at };
	*rgb = 0;
	return take(&line, SLICE("->rgb(")) && take_channel(&line, SLICE(","), rgb) &&
	       take_channel(&line, SLICE(","), rgb) && take_channel(&line, SLICE(")"), rgb) &&
	       !line.len;
}

static int read_lines(struct palmap *p, int fd, const char *path, struct strbuf *err)
{
	unsigned long number = 0;
	struct slice line, name;
	struct input in;
	uint32_t rgb;
	int r;

	input_init(&in, fd, NULL);
	while ((r = input_line(&in, &line)) > 0) {
		number++;
		if (line.len && line.p[line.len - 1] == '\r')
			line.len--;
		if (!line.len)
			continue;
		if (!parse_line(line, &name, &rgb)) {
			r = fail(err, -EINVAL, "%s:%lu: not of the form NAME->rgb(R,G,B)", path,
				 number);
			break;
		}
		palmap_set(p, name, rgb);
	}
	if (r < 0 && in.error)
		fail(err, r, "%s: %s", path, strerror(-r));
	input_release(&in);
	return r;
}

int palmap_read(struct palmap *p, const char *path, struct strbuf *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), r;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return fail(err, -errno, "%s: %s", path, strerror(errno));
	r = read_lines(p, fd, path, err);
	close(fd);
	return r;
}

static int by_name(const void *a, const void *b, void *names)
{
	return slice_cmp(intern_get(names, *(const uint32_t *)a),
			 intern_get(names, *(const uint32_t *)b));
}

static int write_lines(const struct palmap *p, int fd)
{
	uint32_t *order = xreallocarray(NULL, p->names.len + 1, sizeof(*order));
	struct strbuf line = STRBUF_INIT;
	struct output out;

	for (uint32_t i = 0; i < p->names.len; i++)
		order[i] = i;
	qsort_r(order, p->names.len, sizeof(*order), by_name, (void *)&p->names);
	output_init(&out, fd);
	for (size_t i = 0; i < p->names.len; i++) {
		uint32_t rgb = p->rgb[order[i]];

		strbuf_reset(&line);
		strbuf_addslice(&line, intern_get(&p->names, order[i]));
		strbuf_addf(&line, "->rgb(%u,%u,%u)\n", rgb >> 16, rgb >> 8 & 0xff, rgb & 0xff);
		output_slice(&out, strbuf_slice(&line));
	}
	strbuf_release(&line);
	free(order);
	return output_close(&out);
}

int palmap_write(const struct palmap *p, const char *path, struct strbuf *err)
{
	struct strbuf temp = STRBUF_INIT;
	int fd, r;

	strbuf_addf(&temp, "%s.new", path);
	fd = open(temp.buf, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	r = fd < 0 ? -errno : write_lines(p, fd);
	if (!r && rename(temp.buf, path) < 0)
		r = -errno;
	if (r) {
		fail(err, r, "%s: %s", fd < 0 ? temp.buf : path, strerror(-r));
		if (fd >= 0)
			unlink(temp.buf);
	}
	strbuf_release(&temp);
	return r;
}

void palmap_release(struct palmap *p)
{
	intern_release(&p->names);
	free(p->rgb);
	*p = (struct palmap){ 0 };
}
