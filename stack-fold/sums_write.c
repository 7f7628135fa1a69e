#include "sums.h"

#include <endian.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "lines/folded.h"

/*
 * The order is that of the lines' bytes, as `LC_ALL=C sort` has it. Rows are sorted by eight
 * bytes of their lines at a time: a partition in three by the eight bytes at `at`, of which
 * the middle one goes on with the next eight. Stacks have long beginnings in common, and so
 * nobody compares them again and again, nor fetches a stack for each comparison.
 */
struct row {
	uint64_t key; /* the line's bytes from `at` on, the first one highest */
	struct slice stack;
	uint32_t id;
};

static uint64_t before_of(const struct sums *s, uint32_t id)
{
	return id < s->before_len ? s->before[id] : 0;
}

/* What is behind the stack in a row's line. */
static void set_tail(struct strbuf *sb, const struct sums *s, const struct row *r)
{
	strbuf_reset(sb);
	if (s->differential) {
		strbuf_addch(sb, ' ');
		strbuf_addu64(sb, before_of(s, r->id));
	}
	strbuf_addch(sb, ' ');
	strbuf_addu64(sb, s->counts[r->id]);
}

struct sort {
	const struct sums *sums;
	struct strbuf tail;
	uint64_t random;
};

/* Bytes behind the line's end are NUL, which is in no line. */
static uint64_t key_at(struct sort *so, const struct row *r, size_t at)
{
	unsigned char bytes[8] = { 0 };
	uint64_t key;

	if (at + sizeof(key) <= r->stack.len) {
		memcpy(&key, r->stack.p + at, sizeof(key));
		return be64toh(key);
	}
	set_tail(&so->tail, so->sums, r);
	for (size_t i = at; i < at + sizeof(key) && i < r->stack.len + so->tail.len; i++)
		bytes[i - at] = (unsigned char)(i < r->stack.len ? r->stack.p[i] :
						so->tail.buf[i - r->stack.len]);
	memcpy(&key, bytes, sizeof(key));
	return be64toh(key);
}

/* The number of bytes in which all stacks agree, known to be `at` at least. */
static size_t common(const struct row *rows, size_t n, size_t at)
{
	const struct slice first = rows[0].stack;
	size_t end = first.len;

	for (size_t i = 1; i < n && end > at; i++) {
		const struct slice s = rows[i].stack;
		size_t k = at;

		if (end > s.len)
			end = s.len;
		while (k + 8 <= end && memcmp(first.p + k, s.p + k, 8) == 0)
			k += 8;
		while (k < end && first.p[k] == s.p[k])
			k++;
		end = k;
	}
	return end;
}

/* True if a's line comes before b's; both agree up to `at`. */
static bool is_less(struct sort *so, const struct row *a, const struct row *b, size_t at)
{
	uint64_t x = a->key, y = b->key;

	while (x == y && x & 0xff) { /* which a line's end ends */
		at += sizeof(x);
		x = key_at(so, a, at);
		y = key_at(so, b, at);
	}
	return x < y;
}

static void sort_few(struct sort *so, struct row *rows, size_t n, size_t at)
{
	for (size_t i = 1; i < n; i++) {
		struct row r = rows[i];
		size_t k = i;

		for (; k && is_less(so, &r, &rows[k - 1], at); k--)
			rows[k] = rows[k - 1];
		rows[k] = r;
	}
}

static void swap_rows(struct row *a, struct row *b)
{
	struct row r = *a;

	*a = *b;
	*b = r;
}

/* A different one each time, so that no order of the rows is a bad one each time. */
static uint64_t pivot_of(const struct row *rows, size_t n, uint64_t *random)
{
	uint64_t k[3], low, high;

	for (int i = 0; i < 3; i++) {
		*random = *random * 6364136223846793005ull + 1442695040888963407ull;
		k[i] = rows[(*random >> 33) % n].key;
	}
	low = k[0] < k[1] ? k[0] : k[1];
	high = k[0] < k[1] ? k[1] : k[0];
	return k[2] < low ? low : k[2] > high ? high : k[2];
}

/* Rows that agree up to `at`, with their keys. */
struct part {
	struct row *rows;
	size_t n, at;
};

/* Those that agree in a key, too, get their next one. */
static void go_on(struct sort *so, struct part *p)
{
	size_t next = p->at + sizeof(p->rows->key);

	if (p->n < 2)
		return;
	p->at = common(p->rows, p->n, next);
	if (p->at < next)
		p->at = next;
	for (size_t i = 0; i < p->n; i++)
		p->rows[i].key = key_at(so, &p->rows[i], p->at);
}

/* The parts of p: below, at and above a pivot. */
static void split(struct sort *so, const struct part *p, struct part parts[3])
{
	uint64_t pivot = pivot_of(p->rows, p->n, &so->random);
	size_t low = 0, high = p->n, i = 0;
	struct row *rows = p->rows;

	while (i < high) {
		if (rows[i].key == pivot)
			i++;
		else if (rows[i].key < pivot)
			swap_rows(&rows[low++], &rows[i++]);
		else
			swap_rows(&rows[i], &rows[--high]);
	}
	parts[0] = (struct part){ rows, low, p->at };
	parts[1] = (struct part){ rows + low, high - low, p->at };
	parts[2] = (struct part){ rows + high, p->n - high, p->at };
	go_on(so, &parts[1]);
}

/* Calls itself for all parts but the largest, so not deeper than the number's logarithm. */
static void sort_part(struct sort *so, struct part p)
{
	enum { FEW = 12 };

	while (p.n > FEW) {
		struct part parts[3];
		int largest = 0;

		split(so, &p, parts);
		for (int i = 1; i < 3; i++) {
			if (parts[i].n > parts[largest].n)
				largest = i;
		}
		for (int i = 0; i < 3; i++) {
			if (i != largest)
				sort_part(so, parts[i]);
		}
		p = parts[largest];
	}
	sort_few(so, p.rows, p.n, p.at);
}

static void sort_rows(const struct sums *s, struct row *rows, size_t n)
{
	struct sort so = { .sums = s, .tail = STRBUF_INIT };
	struct part all = { rows, n, 0 };

	for (size_t i = 0; i < n; i++)
		rows[i].key = key_at(&so, &rows[i], 0);
	sort_part(&so, all);
	strbuf_release(&so.tail);
}

void sums_write(const struct sums *s, uint64_t min_count, struct output *out)
{
	struct row *rows = xreallocarray(NULL, s->stacks.len, sizeof(*rows));
	size_t n = 0;

	for (uint32_t id = 0; id < s->stacks.len; id++) {
		if (s->counts[id] >= min_count || before_of(s, id) >= min_count)
			rows[n++] = (struct row){ .stack = intern_get(&s->stacks, id), .id = id };
	}
	sort_rows(s, rows, n);
	for (const struct row *r = rows; r < rows + n && !out->error; r++) {
		uint64_t count = s->counts[r->id];

		if (s->differential)
			folded_write_differential(out, r->stack, before_of(s, r->id), count);
		else
			folded_write(out, r->stack, count);
	}
	free(rows);
}
