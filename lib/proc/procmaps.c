#include "proc/procmaps.h"

#include <errno.h>

#include "base/number.h"

/* Takes the bytes up to `end`, which is passed over, off the front of *rest. */
static bool take(struct slice *rest, char end, struct slice *field)
{
	const char *p = rest->len ? memchr(rest->p, end, rest->len) : NULL;

	if (!p)
		return false;
	*field = (struct slice){ rest->p, (size_t)(p - rest->p) };
	rest->p += field->len + 1;
	rest->len -= field->len + 1;
	return true;
}

static bool take_hex(struct slice *rest, char end, uint64_t *v)
{
	struct slice field;

	return take(rest, end, &field) && number_hex(field, v) == 0;
}

static bool take_perms(struct slice *rest, bool *exec)
{
	struct slice field;

	if (!take(rest, ' ', &field) || field.len != 4)
		return false;
	*exec = field.p[2] == 'x';
	return (field.p[0] == 'r' || field.p[0] == '-') &&
	       (field.p[1] == 'w' || field.p[1] == '-') &&
	       (field.p[2] == 'x' || field.p[2] == '-') &&
	       (field.p[3] == 'p' || field.p[3] == 's');
}

/* The inode is followed by blanks and a path, or by nothing at all. */
static bool take_inode(struct slice *rest, uint64_t *inode)
{
	struct slice field;

	if (!take(rest, ' ', &field)) {
		field = *rest;
		rest->p += rest->len;
		rest->len = 0;
	}
	return number_u64(field, inode) == 0;
}

int procmaps_parse(struct slice line, struct procmaps_line *out)
{
	const struct slice deleted = SLICE(" (deleted)");
	struct slice rest = line;
	uint64_t major, minor;

	*out = (struct procmaps_line){ .path = SLICE("") };
	if (!take_hex(&rest, '-', &out->start) || !take_hex(&rest, ' ', &out->end) ||
	    !take_perms(&rest, &out->exec) || !take_hex(&rest, ' ', &out->offset) ||
	    !take_hex(&rest, ':', &major) || !take_hex(&rest, ' ', &minor) ||
	    !take_inode(&rest, &out->inode))
		return -EINVAL;
	if (out->start >= out->end || major > UINT32_MAX || minor > UINT32_MAX)
		return -EINVAL;
	out->dev_major = (uint32_t)major;
	out->dev_minor = (uint32_t)minor;
	while (rest.len && rest.p[0] == ' ') {
		rest.p++;
		rest.len--;
	}
	if (rest.len > deleted.len &&
	    slice_eq((struct slice){ rest.p + rest.len - deleted.len, deleted.len }, deleted)) {
		rest.len -= deleted.len;
		out->deleted = true;
	}
	if (rest.len)
		out->path = rest;
	return 0;
}

void procmaps_unescape(struct strbuf *sb, struct slice path)
{
	const char *end = path.p + path.len, *p = path.p;

	/*
	 * The kernel escapes LF and nothing else (seq_file_path(m, file, "\n")), a
	 * backslash neither: to undo other octal numbers would damage names that hold them.
	 */
	while (p < end) {
		const char *bs = memchr(p, '\\', (size_t)(end - p));

		if (!bs)
			bs = end;
		strbuf_add(sb, p, (size_t)(bs - p));
		if (end - bs >= 4 && memcmp(bs, "\\012", 4) == 0) {
			strbuf_addch(sb, '\n');
			p = bs + 4;
		} else if (bs < end) {
			strbuf_addch(sb, '\\');
			p = bs + 1;
		} else {
			p = end;
		}
	}
}
