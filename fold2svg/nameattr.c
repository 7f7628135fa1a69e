#include "nameattr.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/stream.h"
#include "base/utf8.h"

struct nameattr {
	struct intern names;
	struct attributes *of; /* by name */
	size_t cap;
	struct arena values;
};

static bool is_letter(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* Any text; it is escaped where it is written. */
static const char *check_text(struct slice value)
{
	return utf8_is_clean(value) ? NULL : "control characters or invalid UTF-8";
}

static const char *check_word(struct slice value)
{
	for (size_t i = 0; i < value.len; i++)
		if (!is_letter(value.p[i]) && !strchr("0123456789_-", value.p[i]))
			return "not a plain word";
	return NULL;
}

/* What names another resource, or could be made to by an escape. */
static const char *check_style(struct slice value)
{
	static const char *const parts[] = {
		"\\", "@", "url", "src", "image", "cross-fade", "expression", "behavior",
		"binding", "script",
	};
	struct strbuf text = STRBUF_INIT;
	const char *why = check_text(value);

	strbuf_addslice(&text, value);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strcasestr(strbuf_str(&text), parts[i]))
			why = "a style that could fetch something";
	strbuf_release(&text);
	return why;
}

static const char *check_href(struct slice value)
{
	size_t scheme = 0;

	for (size_t i = 0; i < value.len; i++)
		if ((unsigned char)value.p[i] <= ' ' || value.p[i] == '\\')
			return "blanks, control characters or '\\' in an address";
	if (check_text(value))
		return check_text(value);
	while (scheme < value.len && !strchr(":/?#", value.p[scheme]))
		scheme++;
	if (scheme == value.len || value.p[scheme] != ':')
		return NULL;
	if ((scheme == 4 && strncasecmp(value.p, "http", 4) == 0) ||
	    (scheme == 5 && strncasecmp(value.p, "https", 5) == 0))
		return NULL;
	return "an address that is neither http, https nor relative";
}

static const struct {
	const char *key;
	size_t offset;
	const char *(*check)(struct slice value); /* NULL, or why not */
} keys[] = {
	{ "title", offsetof(struct attributes, title), check_text },
	{ "class", offsetof(struct attributes, class), check_text },
	{ "style", offsetof(struct attributes, style), check_style },
	{ "id", offsetof(struct attributes, id), check_word },
	{ "href", offsetof(struct attributes, href), check_href },
	{ "target", offsetof(struct attributes, target), check_word },
};

/* "key=value" into *at. */
static int add_item(struct nameattr *na, struct attributes *at, struct slice item,
		    struct strbuf *why)
{
	const char *equals = memchr(item.p, '=', item.len);
	struct slice key = { item.p, equals ? (size_t)(equals - item.p) : item.len };
	struct slice value;

	if (!equals)
		return fail(why, -EINVAL, "no '=' in an attribute");
	value = (struct slice){ equals + 1, item.len - key.len - 1 };
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *fault;

		if (!slice_eq(key, slice_str(keys[i].key)))
			continue;
		fault = keys[i].check(value);
		if (fault)
			return fail(why, -EINVAL, "%s: %s", keys[i].key, fault);
		*(struct slice *)((char *)at + keys[i].offset) = (struct slice){
			arena_dup(&na->values, value.p, value.len), value.len };
		return 0;
	}
	fail(why, -EINVAL, "no attribute for use here: ");
	strbuf_addclean(why, key);
	return -EINVAL;
}

/* A later line of a name takes the place of an earlier one. */
static int add_line(struct nameattr *na, struct slice line, struct strbuf *why)
{
	const char *tab = memchr(line.p, '\t', line.len);
	struct slice name = { line.p, tab ? (size_t)(tab - line.p) : line.len };
	size_t known = na->names.len;
	uint32_t id;

	if (!tab)
		return fail(why, -EINVAL, "no TAB behind the name");
	id = intern_add(&na->names, name);
	if (id == known)
		na->of = grow(na->of, known, &na->cap, sizeof(*na->of));
	na->of[id] = (struct attributes){ 0 };
	while (tab) {
		struct slice item = { tab + 1, line.len - (size_t)(tab + 1 - line.p) };
		int r;

		tab = memchr(item.p, '\t', item.len);
		if (tab)
			item.len = (size_t)(tab - item.p);
		r = add_item(na, &na->of[id], item, why);
		if (r)
			return r;
	}
	return 0;
}

static int read_lines(struct nameattr *na, int fd, const char *path, struct strbuf *err)
{
	struct strbuf why = STRBUF_INIT;
	unsigned long number = 0;
	struct slice line;
	struct input in;
	int r;

	input_init(&in, fd, NULL);
	while ((r = input_line(&in, &line)) > 0) {
		number++;
		if (line.len && line.p[line.len - 1] == '\r')
			line.len--;
		if (line.len && add_line(na, line, &why)) {
			r = fail(err, -EINVAL, "%s:%lu: %s", path, number, strbuf_str(&why));
			break;
		}
	}
	if (r < 0 && in.error)
		fail(err, r, "%s: %s", path, strerror(-r));
	input_release(&in);
	strbuf_release(&why);
	return r;
}

struct nameattr *nameattr_read(const char *path, struct strbuf *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), r;
	struct nameattr *na;

	if (fd < 0) {
		fail(err, -errno, "%s: %s", path, strerror(errno));
		return NULL;
	}
	na = xcalloc(1, sizeof(*na));
	r = read_lines(na, fd, path, err);
	close(fd);
	if (r) {
		nameattr_free(na);
		return NULL;
	}
	return na;
}

void nameattr_free(struct nameattr *na)
{
	if (!na)
		return;
	intern_release(&na->names);
	arena_release(&na->values);
	free(na->of);
	free(na);
}

const struct attributes *nameattr_find(const struct nameattr *na, struct slice name)
{
	uint32_t id;

	if (!intern_find_hashed(&na->names, name, hash_bytes(name.p, name.len), &id))
		return NULL;
	return &na->of[id];
}
