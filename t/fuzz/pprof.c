/*
 * Stack lines into a profile, and what the format promises of it: fields by their types,
 * ids that count from 1, places in tables that exist, strings that are clean, as many
 * values as types, and the sums of the lines.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "../../extra/stack2pprof/profile.h"
#include "base/alloc.h"
#include "base/cursor.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen_profile {
	uint64_t types, samples, mappings, locations, functions, strings;
	uint64_t sums[COLUMNS_MAX];
};

static void check(bool holds)
{
	if (!holds)
		abort();
}

struct field {
	uint64_t number, value; /* of a varint */
	struct slice bytes;     /* of the other kind */
	bool is_bytes;
};

static bool next_field(struct cursor *c, struct field *f)
{
	uint64_t tag;

	if (!cursor_left(c))
		return false;
	tag = cursor_uleb(c);
	*f = (struct field){ .number = tag >> 3, .is_bytes = (tag & 7) == 2 };
	check((tag & 7) == 0 || f->is_bytes);
	f->value = cursor_uleb(c);
	if (f->is_bytes)
		f->bytes = cursor_slice(c, f->value);
	check(!c->bad && f->number);
	return true;
}

static struct cursor cursor_in(struct slice s)
{
	return cursor_of(s.p, s.len);
}

/* How many of each kind there are: they come in any order. */
static void count(struct slice all, struct seen_profile *p)
{
	struct cursor c = cursor_in(all);
	struct field f;

	while (next_field(&c, &f)) {
		p->types += f.number == 1;
		p->samples += f.number == 2;
		p->mappings += f.number == 3;
		p->locations += f.number == 4;
		p->functions += f.number == 5;
		if (f.number != 6)
			continue;
		check(f.is_bytes && utf8_is_clean(f.bytes));
		check(p->strings++ || !f.bytes.len);
	}
}

/* A message all of whose fields are numbers, below the limits by their number. */
static void check_numbers(struct slice s, const uint64_t *limits, uint64_t id)
{
	struct cursor c = cursor_in(s);
	struct field f;

	while (next_field(&c, &f)) {
		check(!f.is_bytes && f.number < 12 && f.value < limits[f.number]);
		check(f.number != 1 || !id || f.value == id);
	}
}

static void check_location(struct slice s, const struct seen_profile *p, uint64_t id)
{
	const uint64_t line[12] = { [1] = p->functions + 1, [2] = UINT64_MAX };
	struct cursor c = cursor_in(s);
	unsigned lines = 0;
	struct field f;

	while (next_field(&c, &f)) {
		check(f.is_bytes == (f.number == 4));
		check(f.number != 1 || f.value == id);
		check(f.number != 2 || f.value <= p->mappings);
		if (f.number != 4)
			continue;
		check_numbers(f.bytes, line, 0);
		lines++;
	}
	check(lines);
}

static void check_sample(struct slice s, struct seen_profile *p)
{
	const uint64_t label[12] = { [1] = p->strings, p->strings, UINT64_MAX, p->strings };
	struct cursor c = cursor_in(s), packed;
	uint64_t values = 0;
	struct field f;

	while (next_field(&c, &f)) {
		check(f.is_bytes && f.number <= 3);
		packed = cursor_in(f.bytes);
		if (f.number == 3)
			check_numbers(f.bytes, label, 0);
		while (f.number < 3 && cursor_left(&packed)) {
			uint64_t v = cursor_uleb(&packed);

			check(f.number == 2 ? v <= INT64_MAX : v && v <= p->locations);
			if (f.number == 2 && __builtin_add_overflow(p->sums[values], v,
								    &p->sums[values]))
				p->sums[values] = UINT64_MAX;
			values += f.number == 2;
		}
		check(!packed.bad);
	}
	check(values == p->types);
}

static void check_all(struct slice all, struct seen_profile *p)
{
	const uint64_t type[12] = { [1] = p->strings, p->strings };
	const uint64_t mapping[12] = { [1] = UINT64_MAX, [5] = p->strings, p->strings, 2, 2, 2, 2 };
	const uint64_t function[12] = { [1] = UINT64_MAX, p->strings, p->strings, p->strings };
	uint64_t ids[6] = { 0 };
	struct cursor c = cursor_in(all);
	struct field f;

	while (next_field(&c, &f)) {
		uint64_t id = f.number < 6 ? ++ids[f.number] : 0;

		switch (f.number) {
		case 1:
		case 11:
			check_numbers(f.bytes, type, 0);
			break;
		case 2:
			check_sample(f.bytes, p);
			break;
		case 3:
			check_numbers(f.bytes, mapping, id);
			break;
		case 4:
			check_location(f.bytes, p, id);
			break;
		case 5:
			check_numbers(f.bytes, function, id);
			break;
		case 6:
			break;
		case 14:
			check(!f.is_bytes && f.value < p->strings);
			break;
		default:
			check(!f.is_bytes && f.value <= INT64_MAX);
			check(f.number == 9 || f.number == 10 || f.number == 12);
		}
	}
}

/* What was written to the file, without gzip around it. */
static struct slice inflate_file(int fd)
{
	size_t size = (size_t)lseek(fd, 0, SEEK_END), cap = 1 << 16;
	z_stream z = { .avail_in = (uInt)size };
	unsigned char *in = xmalloc(size), *out = xmalloc(cap);
	int r = Z_OK;

	check(pread(fd, in, size, 0) == (ssize_t)size);
	z.next_in = in;
	check(inflateInit2(&z, MAX_WBITS + 16) == Z_OK);
	while (r == Z_OK) {
		if (z.total_out == cap)
			out = xrealloc(out, cap *= 2);
		z.next_out = out + z.total_out;
		z.avail_out = (uInt)(cap - z.total_out);
		r = inflate(&z, Z_NO_FLUSH);
	}
	check(r == Z_STREAM_END && !z.avail_in);
	inflateEnd(&z);
	free(in);
	return (struct slice){ (const char *)out, z.total_out };
}

static void write_and_check(struct profile *p, const uint64_t *weights)
{
	struct seen_profile seen = { 0 };
	int fd = memfd_create("profile", 0);
	struct columns cols;
	struct output out;
	struct slice all;

	check(fd >= 0);
	if (!p->lines || columns_choose(&cols, p) < 0) {
		close(fd);
		return;
	}
	output_init(&out, dup(fd));
	profile_write(p, &cols, &out);
	check(output_close(&out) == 0);
	all = inflate_file(fd);
	close(fd);
	count(all, &seen);
	check(seen.types == cols.n && seen.samples == p->samples.len);
	check_all(all, &seen);
	for (size_t i = 0; i < cols.n; i++)
		check(cols.list[i].time || p->saturated ||
		      seen.sums[i] == weights[cols.list[i].event]);
	free((void *)(uintptr_t)all.p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice rest = { (const char *)data, size };
	uint64_t *weights = xcalloc(size + 1, sizeof(*weights)); /* by event */
	struct profile p;

	profile_init(&p);
	while (rest.len) {
		const char *lf = memchr(rest.p, '\n', rest.len), *why = NULL;
		struct slice line = { rest.p, lf ? (size_t)(lf - rest.p) : rest.len };
		int r = profile_line(&p, line, &why);
		struct stackline s;
		uint32_t event;

		check(r >= 0 || why);
		if (r == 1) {
			check(stackline_parse(line, &s, &why) == 1);
			event = intern_add(&p.event_names, s.event);
			if (__builtin_add_overflow(weights[event], s.weight, &weights[event]))
				weights[event] = UINT64_MAX;
		}
		rest.p += line.len + (lf != NULL);
		rest.len -= line.len + (lf != NULL);
	}
	write_and_check(&p, weights);
	profile_release(&p);
	free(weights);
	return 0;
}
