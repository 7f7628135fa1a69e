#include "input.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "lines/folded.h"

/* A file whose lines are kept, from `start` on. */
struct lines_file {
	const char *name;
	size_t start;
};

/* Where a line is. */
struct place {
	const char *name;
	uint64_t number;
};

/*
 * A count in units of the tree's decimals, of which it may make more. Whole numbers, as
 * counts mostly are, take the short way.
 */
static int read_count(struct lines *l, struct slice text, uint64_t *n, const char **why)
{
	struct flametree *t = l->tree;
	struct decimal d;
	uint64_t whole;
	int r;

	if (!t->decimals && text.len < 20) {
		uint64_t v = 0;
		size_t i = 0;

		for (; i < text.len && text.p[i] != '.'; i++)
			v = v * 10 + (uint64_t)(text.p[i] - '0');
		if (i == text.len) {
			*n = v;
			return 0;
		}
	}
	r = decimal_parse(text, &d);
	if (r) {
		*why = "the count is too large";
		return r;
	}
	if (l->limited)
		d = decimal_round(d, l->decimals);
	l->rounded |= d.rounded;
	if (decimal_places(d) > l->places)
		l->places = decimal_places(d);
	if (decimal_scale(decimal_round(d, 0), 0, &whole, why) ||
	    __builtin_add_overflow(l->whole, whole, &l->whole))
		l->whole = UINT64_MAX;
	if (decimal_places(d) > t->decimals) {
		r = flametree_scale(t, decimal_places(d), why);
		if (r)
			return r;
	}
	return decimal_scale(d, t->decimals, n, why);
}

/* What flamegraph.pl does for its palette of that name: wakers stand behind "--". */
static struct slice mark_wakers(struct lines *l, struct slice stack)
{
	bool waker = false, first = true;
	struct slice frame;

	strbuf_reset(&l->stack);
	for (; folded_next(&stack, &frame); first = false) {
		bool parts = slice_eq(frame, SLICE("--"));

		if (!first)
			strbuf_addch(&l->stack, ';');
		strbuf_addslice(&l->stack, frame);
		if (waker && !parts)
			strbuf_addstr(&l->stack, "_[w]");
		waker |= parts;
	}
	return strbuf_slice(&l->stack);
}

/* Both counts are read before either is taken: the second may bring more decimals. */
static int add_change(struct lines *l, struct slice stack, struct slice before,
		      struct slice after, const char **why)
{
	struct flame_counts counts;
	int r = read_count(l, before, &counts.before, why);

	if (!r)
		r = read_count(l, after, &counts.after, why);
	if (!r)
		r = read_count(l, before, &counts.before, why);
	return r ? r : flametree_add_change(l->tree, stack, counts, why);
}

static int try_line(struct lines *l, struct slice line, const char **why)
{
	struct slice stack, before = { 0 }, text;
	uint64_t count;
	int r = folded_split(line, &stack, &text, why);

	if (r <= 0)
		return r;
	l->places = 0;
	l->whole = 0;
	if (l->tree->differential)
		folded_split_before(&stack, &before);
	if (l->chain)
		stack = mark_wakers(l, stack);
	if (l->tree->differential)
		return add_change(l, stack, before, text, why);
	r = read_count(l, text, &count, why);
	return r ? r : flametree_add(l->tree, stack, count, why);
}

/* One decimal less, for a line for which there was no room, if fewer would make any. */
static bool round_more(struct lines *l)
{
	unsigned decimals = l->places > l->tree->decimals ? l->places : l->tree->decimals;
	uint64_t sum = l->tree->total;

	for (unsigned i = 0; i < l->tree->decimals; i++)
		sum /= 10;
	if (l->tree->chart || !decimals || __builtin_add_overflow(sum, l->whole, &sum) ||
	    sum > UINT64_MAX - l->tree->len - 2)
		return false;
	l->decimals = decimals - 1;
	l->limited = l->rounded = true;
	flametree_coarsen(l->tree, l->decimals);
	return true;
}

static void add_line(struct lines *l, struct slice line, struct place at)
{
	const char *why;
	int r;

	do
		r = try_line(l, line, &why);
	while (r == -ERANGE && round_more(l));
	if (r < 0)
		damage_note(&l->damage, at.name, at.number, why);
}

static void add_kept(struct lines *l)
{
	for (size_t i = 0; i < l->files_len; i++) {
		size_t end = i + 1 < l->files_len ? l->files[i + 1].start : l->kept.len;
		struct slice rest = { strbuf_str(&l->kept) + l->files[i].start,
				      end - l->files[i].start };
		struct place at = { l->files[i].name, 0 };

		while (rest.len) {
			const char *lf = memchr(rest.p, '\n', rest.len);
			struct slice line = { rest.p, (size_t)(lf - rest.p) };

			at.number++;
			add_line(l, line, at);
			rest = (struct slice){ lf + 1, rest.len - line.len - 1 };
		}
	}
	strbuf_release(&l->kept);
	l->files_len = 0;
}

/* Whether it is a stack with one count only. */
static bool is_plain(struct slice line)
{
	struct slice stack, count, before;
	const char *why;

	return folded_split(line, &stack, &count, &why) > 0 &&
	       !folded_split_before(&stack, &before);
}

int lines_read(struct lines *l, struct input *in, const char *name)
{
	struct place at = { name, 0 };
	struct slice line;
	int r;

	if (!l->plain) {
		l->files = grow(l->files, l->files_len, &l->files_cap, sizeof(*l->files));
		l->files[l->files_len++] = (struct lines_file){ name, l->kept.len };
	}
	input_watch(in, STDOUT_FILENO);
	input_skip_byte_order_mark(in);
	while ((r = input_line(in, &line)) > 0) {
		at.number++;
		if (!l->plain) {
			if (!is_plain(line)) {
				strbuf_addslice(&l->kept, line);
				strbuf_addch(&l->kept, '\n');
				continue;
			}
			l->plain = true;
			add_kept(l);
		}
		add_line(l, line, at);
	}
	return r;
}

void lines_end(struct lines *l)
{
	/* Lines that are no stacks have no say. */
	l->tree->differential = !l->plain;
	add_kept(l);
}

void lines_release(struct lines *l)
{
	strbuf_release(&l->kept);
	strbuf_release(&l->stack);
	damage_release(&l->damage);
	free(l->files);
}
