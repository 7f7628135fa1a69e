/*
 * bpftrace -f json: an object a line, of which those of maps are read,
 *
 *	{"type": "map", "data": {"@NAME": {"KEY": COUNT, "KEY": COUNT}}}
 */
#include <string.h>

#include "bpftrace_maps.h"

enum { DEPTH_MAX = 64 };

struct json {
	const char *p, *end;
};

static void skip_blanks(struct json *j)
{
	while (j->p < j->end && (*j->p == ' ' || *j->p == '\t' || *j->p == '\r'))
		j->p++;
}

static bool take(struct json *j, char c)
{
	skip_blanks(j);
	if (j->p == j->end || *j->p != c)
		return false;
	j->p++;
	return true;
}

/* "\n", "\"", "\u001b": bytes below 128 are all that bpftrace escapes. */
static bool take_escape(struct json *j, struct strbuf *text)
{
	static const char letters[] = "nrtbf\"\\/", meant[] = "\n\r\t\b\f\"\\/";
	const char *at;
	unsigned code = 0;

	if (j->p == j->end)
		return false;
	at = *j->p ? strchr(letters, *j->p) : NULL;
	if (at) {
		strbuf_addch(text, meant[at - letters]);
		j->p++;
		return true;
	}
	if (*j->p++ != 'u' || j->end - j->p < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		const char *digits = "0123456789abcdef", *digit;
		char c = *j->p++;

		if (c >= 'A' && c <= 'F')
			c += 'a' - 'A';
		digit = c ? strchr(digits, c) : NULL;
		if (!digit)
			return false;
		code = code * 16 + (unsigned)(digit - digits);
	}
	/* others come as UTF-8; one that does not is no valid text, as it is not then */
	strbuf_addch(text, code < 0x80 ? (char)code : '\xff');
	return true;
}

static bool take_string(struct json *j, struct strbuf *text)
{
	strbuf_reset(text);
	if (!take(j, '"'))
		return false;
	while (j->p < j->end && *j->p != '"') {
		const char *from = j->p;

		while (j->p < j->end && *j->p != '"' && *j->p != '\\')
			j->p++;
		strbuf_add(text, from, (size_t)(j->p - from));
		if (j->p < j->end && *j->p == '\\') {
			j->p++;
			if (!take_escape(j, text))
				return false;
		}
	}
	return take(j, '"');
}

/* A number or a word. */
static struct slice take_word(struct json *j)
{
	const char *from;

	skip_blanks(j);
	from = j->p;
	while (j->p < j->end && !strchr(" \t\r,:{}[]\"", *j->p))
		j->p++;
	return (struct slice){ from, (size_t)(j->p - from) };
}

/* Passes over a value. */
static bool skip_value(struct json *j, struct strbuf *scratch)
{
	unsigned depth = 0;

	do {
		skip_blanks(j);
		if (j->p == j->end)
			return false;
		switch (*j->p) {
		case '{':
		case '[':
			j->p++;
			if (++depth > DEPTH_MAX)
				return false;
			break;
		case '}':
		case ']':
			j->p++;
			if (!depth--)
				return false;
			break;
		case ',':
		case ':':
			j->p++;
			if (!depth)
				return false;
			break;
		case '"':
			if (!take_string(j, scratch))
				return false;
			break;
		default:
			if (!take_word(j).len)
				return false;
		}
	} while (depth);
	return true;
}

/* The names and values of an object, one by one: false at its end, or where it is damaged. */
struct members {
	bool begun, damaged;
};

static bool next_member(struct json *j, struct members *m, struct strbuf *name)
{
	if (!m->begun ? !take(j, '{') : !take(j, ',')) {
		m->damaged = !m->begun || !take(j, '}');
		return false;
	}
	if (!m->begun && take(j, '}'))
		return false;
	m->begun = true;
	m->damaged = !take_string(j, name) || !take(j, ':');
	return !m->damaged;
}

/* What is done with names and texts of one line. */
struct json_line {
	struct bpftrace_maps *maps;
	struct json j;
	struct strbuf type, name, map, key, value;
	uint64_t number;  /* of the line */
	int stop;         /* what ends the run */
};

/* {"count": 5, "average": 3, "total": 15} */
static bool take_total(struct json_line *l, enum map_value *kind, uint64_t *count)
{
	struct members m = { 0 };

	*kind = MAP_OTHER;
	while (next_member(&l->j, &m, &l->name)) {
		if (slice_eq(strbuf_slice(&l->name), SLICE("total")))
			*kind = bpftrace_value(take_word(&l->j), count);
		else if (!skip_value(&l->j, &l->value))
			return false;
	}
	return !m.damaged;
}

/* A map of statistics without keys has their names where others have keys. */
static bool is_name_of_total(const struct json_line *l)
{
	struct slice key = strbuf_slice(&l->key);

	return slice_eq(strbuf_slice(&l->type), SLICE("stats")) &&
		(slice_eq(key, SLICE("count")) || slice_eq(key, SLICE("average")) ||
		 slice_eq(key, SLICE("total")));
}

/* An entry's value, and with it the entry. */
static bool take_entry(struct json_line *l)
{
	enum map_value kind = MAP_OTHER;
	uint64_t count = 0;

	skip_blanks(&l->j);
	if (l->j.p == l->j.end)
		return false;
	if (*l->j.p == '{') {
		if (!take_total(l, &kind, &count))
			return false;
	} else if (*l->j.p == '"') {
		/* numbers that others would round */
		if (!take_string(&l->j, &l->value))
			return false;
		kind = bpftrace_value(strbuf_slice(&l->value), &count);
	} else if (*l->j.p == '[') {
		if (!skip_value(&l->j, &l->value))
			return false;
	} else {
		struct slice word = take_word(&l->j);

		if (!word.len)
			return false;
		if (is_name_of_total(l))
			return true;
		kind = bpftrace_value(word, &count);
	}
	if (kind == MAP_COUNT)
		l->stop = bpftrace_maps_take(l->maps, strbuf_slice(&l->map),
					     strbuf_slice(&l->key), count);
	else if (kind == MAP_TOO_LARGE)
		reading_damage(l->maps->r, l->number, "the count does not fit into 64 bits");
	else
		l->maps->r->fold->no_counts++;
	return true;
}

/* {"@NAME": {"KEY": VALUE, …}}; a map without keys has a value there. */
static bool take_maps(struct json_line *l)
{
	struct members maps = { 0 };

	while (next_member(&l->j, &maps, &l->map)) {
		struct members entries = { 0 };

		skip_blanks(&l->j);
		if (l->j.p == l->j.end)
			return false;
		if (*l->j.p != '{') {
			if (!skip_value(&l->j, &l->value))
				return false;
			continue;
		}
		while (next_member(&l->j, &entries, &l->key)) {
			if (!take_entry(l) || l->stop)
				return l->stop != 0;
		}
		if (entries.damaged)
			return false;
	}
	return !maps.damaged;
}

static bool is_map(struct slice type)
{
	return slice_eq(type, SLICE("map")) || slice_eq(type, SLICE("stats")) ||
		slice_eq(type, SLICE("hist"));
}

static bool take_object(struct json_line *l)
{
	struct members m = { 0 };

	while (next_member(&l->j, &m, &l->name)) {
		struct slice name = strbuf_slice(&l->name);
		bool ok;

		if (slice_eq(name, SLICE("type")))
			ok = take_string(&l->j, &l->type);
		else if (slice_eq(name, SLICE("data")) && is_map(strbuf_slice(&l->type)))
			ok = take_maps(l);
		else
			ok = skip_value(&l->j, &l->value);
		if (!ok || l->stop)
			return ok;
	}
	skip_blanks(&l->j);
	return !m.damaged && l->j.p == l->j.end;
}

int bpftrace_json_line(struct bpftrace_maps *m, struct slice line, uint64_t line_number)
{
	struct json_line l = { .maps = m, .j = { line.p, line.p + line.len },
			       .number = line_number };

	/* messages of bpftrace's lie in between */
	if (slice_trim_start(line).len && *slice_trim_start(line).p == '{' && !take_object(&l))
		reading_damage(m->r, line_number, "not JSON as bpftrace writes it");
	strbuf_release(&l.type);
	strbuf_release(&l.name);
	strbuf_release(&l.map);
	strbuf_release(&l.key);
	strbuf_release(&l.value);
	return l.stop;
}
