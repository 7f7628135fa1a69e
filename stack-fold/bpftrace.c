/*
 * bpftrace's maps as text: "@NAME[KEY, KEY]: COUNT". A key that is a stack has a frame a
 * line, indented:
 *
 *	@[
 *	    do_sys_poll+1171
 *	,
 *	    __poll+79
 *	, bash]: 12
 */
#include <ctype.h>

#include "bpftrace_maps.h"

enum { KEY_MAX = 16 << 20 /* bytes of one key; a longer one is damage */ };

struct bpftrace_reader {
	struct bpftrace_maps maps;
	struct strbuf key;     /* lines of the key so far, from behind its '[' on */
	struct strbuf map;     /* its map's name */
	bool open;             /* the key goes on */
	uint64_t key_line;
	uint64_t lines;
};

/* "@NAME[" at the beginning of a line; what is behind it. */
static bool take_map(struct slice *line, struct slice *map)
{
	size_t i = 1;

	if (!line->len || *line->p != '@')
		return false;
	while (i < line->len && (line->p[i] == '_' || isalnum((unsigned char)line->p[i])))
		i++;
	if (i == line->len || line->p[i] != '[')
		return false;
	*map = (struct slice){ line->p, i };
	line->p += i + 1;
	line->len -= i + 1;
	return true;
}

/*
 * Cuts "]: VALUE" off the end of a line. The key may have "]: " in it, too: the last place
 * is taken with a value of some kind that is known, else the last.
 */
static bool take_value(struct slice *line, struct slice *value)
{
	bool found = false;
	size_t key_len = 0;

	for (size_t i = line->len; i-- > 1;) {
		struct slice v = { line->p + i + 1, line->len - i - 1 }, next, map;
		uint64_t count;

		if (line->p[i] != ':' || line->p[i - 1] != ']' || (v.len && *v.p != ' '))
			continue;
		v = next = slice_trim(v);
		if (!found) {
			*value = v;
			key_len = i - 1;
			found = true;
		}
		if (!v.len || bpftrace_value(v, &count) != MAP_OTHER || take_map(&next, &map)) {
			*value = v;
			key_len = i - 1;
			break;
		}
	}
	if (found)
		line->len = key_len;
	return found;
}

static void begin_key(struct bpftrace_reader *b, struct slice map)
{
	if (b->open)
		reading_damage(b->maps.r, b->key_line, "a map's key without an end");
	strbuf_reset(&b->key);
	strbuf_reset(&b->map);
	strbuf_addslice(&b->map, map);
	b->open = true;
	b->key_line = b->lines;
}

static int end_key(struct bpftrace_reader *b, struct slice value)
{
	uint64_t count;

	b->open = false;
	switch (bpftrace_value(value, &count)) {
	case MAP_COUNT:
		return bpftrace_maps_take(&b->maps, strbuf_slice(&b->map), strbuf_slice(&b->key),
					  count);
	case MAP_TOO_LARGE:
		reading_damage(b->maps.r, b->key_line, "the count does not fit into 64 bits");
		return 0;
	default:
		b->maps.r->fold->no_counts++;
		return 0;
	}
}

/* 0, or what ends the run. */
static int take_line(void *ctx, struct slice line)
{
	struct bpftrace_reader *b = ctx;
	struct slice map, value;
	bool begins, indented;
	int r;

	b->lines++;
	if (line.len && line.p[line.len - 1] == '\r')
		line.len--;
	begins = take_map(&line, &map);
	if (begins)
		begin_key(b, map);
	else if (!b->open) /* what the script prints, other values, the rows of a histogram */
		return 0;
	else
		strbuf_addch(&b->key, '\n');
	/* a frame ends no key, whatever it is called */
	indented = !begins && line.len && (*line.p == ' ' || *line.p == '\t');
	if (indented || !take_value(&line, &value)) {
		strbuf_addslice(&b->key, line);
		if (b->key.len > KEY_MAX) {
			b->open = false;
			reading_damage(b->maps.r, b->key_line, "a map's key that is too long");
		}
		return 0;
	}
	strbuf_addslice(&b->key, line);
	r = end_key(b, value);
	/* values that are stacks have no line break behind them */
	if (r == 0 && take_map(&value, &map)) {
		begin_key(b, map);
		strbuf_addslice(&b->key, value);
	}
	return r;
}

static int take_json_line(void *ctx, struct slice line)
{
	struct bpftrace_reader *b = ctx;

	return bpftrace_json_line(&b->maps, line, ++b->lines);
}

static int read_maps(struct reading *r, bool json)
{
	struct bpftrace_reader b = { .maps = { .r = r, .json = json } };
	int ret = reading_each_line(r, json ? take_json_line : take_line, &b);

	if (!ret && b.open)
		reading_damage(r, b.key_line, "a map's key without an end");
	if (!ret)
		ret = bpftrace_maps_finish(&b.maps);
	bpftrace_maps_release(&b.maps);
	strbuf_release(&b.key);
	strbuf_release(&b.map);
	return ret;
}

int bpftrace_read(struct reading *r)
{
	return read_maps(r, false);
}

int bpftrace_json_read(struct reading *r)
{
	return read_maps(r, true);
}

/* "@total: 5", which would do as a folded line, too */
static bool is_scalar(struct slice line)
{
	size_t i = 1;

	while (i < line.len && (line.p[i] == '_' || isalnum((unsigned char)line.p[i])))
		i++;
	return line.len > i && line.p[0] == '@' && line.p[i] == ':' &&
		(line.len == i + 1 || line.p[i + 1] == ' ') && !memchr(line.p, ';', line.len);
}

/* Takes a line off. */
static struct slice next_line(struct slice *head)
{
	const char *lf = head->len ? memchr(head->p, '\n', head->len) : NULL;
	size_t n = lf ? (size_t)(lf - head->p) : head->len;
	struct slice line = { head->p, n };

	head->p += n + (lf != NULL);
	head->len -= n + (lf != NULL);
	return slice_trim_end(line);
}

static bool begins_map(struct slice line)
{
	struct slice map, value;

	return take_map(&line, &map) &&
		(!line.len || line.p[line.len - 1] == ',' || take_value(&line, &value));
}

/* "Attaching 2 probes...", "Attached 2 probes" */
static bool is_greeting(struct slice line)
{
	return (slice_starts(line, SLICE("Attaching ")) ||
		slice_starts(line, SLICE("Attached "))) &&
		memmem(line.p, line.len, " probe", 6);
}

enum sniff bpftrace_sniff(struct slice head, bool whole)
{
	struct slice line = next_line(&head);

	if (begins_map(line) || is_scalar(line))
		return SNIFF_YES;
	if (!is_greeting(line))
		return SNIFF_NO;
	/* a script may print anything before the maps, and have none */
	while (head.len) {
		if (begins_map(next_line(&head)))
			return SNIFF_YES;
	}
	return whole ? SNIFF_NO : SNIFF_MORE;
}

enum sniff bpftrace_json_sniff(struct slice head, bool whole)
{
	(void)whole;
	return slice_starts(next_line(&head), SLICE("{\"type\":")) ? SNIFF_YES : SNIFF_NO;
}
