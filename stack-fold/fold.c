#include "fold.h"

#include <errno.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "lines/folded.h"

/* As many texts as there are stacks are remembered, and always these. */
enum { SEEN_MIN = 1 << 16 };

void fold_init(struct fold *f)
{
	*f = (struct fold){ .style = STYLE_DEFAULT };
	seen_init(&f->seen);
}

/*
 * The part of a line that its folded stack is made of. The comm stands just before
 * the frames, so that with the usual roots it is a piece of the line itself.
 */
static struct slice key_of(struct fold *f, const struct stackline *line)
{
	const struct style *st = &f->style;
	const char *end = line->frames.p + line->frames.len;

	if (st->nby == 0)
		return line->frames;
	if (st->nby == 1 && st->by[0] == FIELD_COMM)
		return (struct slice){ line->comm.p, (size_t)(end - line->comm.p) };
	strbuf_reset(&f->key);
	for (int i = 0; i < st->nby; i++) {
		strbuf_addslice(&f->key, style_field(line, st->by[i]));
		strbuf_addch(&f->key, '\t');
	}
	strbuf_addslice(&f->key, line->frames);
	return strbuf_slice(&f->key);
}

static uint32_t stack_of(struct fold *f, const struct stackline *line)
{
	struct slice key = key_of(f, line), text;
	struct hash128 hash = hash128_bytes(&f->seen.key, key.p, key.len);
	size_t max;
	uint32_t id;

	if (seen_find(&f->seen, hash, &id))
		return id;
	id = FOLD_LEFT_OUT;
	if (style_fold(&f->style, line, &f->text)) {
		text = strbuf_slice(&f->text);
		id = sums_stack(&f->sums, text, hash_bytes(text.p, text.len));
	}
	for (int i = 0; i < f->style.nby; i++) {
		if (f->style.by[i] == FIELD_CPU && slice_eq(line->cpu, SLICE("-")))
			f->no_cpu = true;
	}
	max = f->sums.stacks.len;
	seen_put(&f->seen, hash, id, max > SEEN_MIN ? max : SEEN_MIN);
	return id;
}

int fold_stack_line(struct fold *f, struct slice line, struct strbuf *err)
{
	struct stackline_event def;
	struct stackline sample;
	bool saturated = false;
	const char *why;
	uint32_t stack;
	int r = stackline_parse(line, &sample, &why);

	if (r < 0)
		return fail(err, r, "%s", why);
	if (r == 0) {
		if (stackline_parse_event(line, &def))
			events_define(&f->events, &def);
		return 0;
	}
	r = events_convert(&f->events, sample.event, f->unit, &sample.weight, &saturated, err);
	if (r < 0)
		return r;
	f->samples++;
	f->sums.saturated += saturated;
	stack = stack_of(f, &sample);
	if (stack != FOLD_LEFT_OUT) {
		sums_add(&f->sums, stack, sample.weight);
	} else {
		f->left_out++;
		if (__builtin_add_overflow(f->left_out_weight, sample.weight,
					   &f->left_out_weight))
			f->left_out_weight = UINT64_MAX;
	}
	return 1;
}

int fold_folded_line(struct fold *f, struct slice line, struct strbuf *err)
{
	struct folded folded;
	const char *why;
	uint64_t hash;
	uint32_t id;
	int r = folded_parse(line, &folded, &why);

	if (r < 0)
		return fail(err, r, "%s", why);
	if (r == 0)
		return 0;
	if (f->for_samples)
		return fail(err, -ENOTSUP, "these are folded lines: --by, --unit, --user, "
			    "--kernel, --offsets, --modules and --no-annotate need stack lines");
	f->samples++;
	hash = hash_bytes(folded.stack.p, folded.stack.len);
	/* one that is there already is clean: only clean ones come in */
	if (!intern_find_hashed(&f->sums.stacks, folded.stack, hash, &id)) {
		if (!utf8_is_clean(folded.stack)) {
			strbuf_reset(&f->text);
			strbuf_addclean(&f->text, folded.stack);
			folded.stack = strbuf_slice(&f->text);
			hash = hash_bytes(folded.stack.p, folded.stack.len);
		}
		id = sums_stack(&f->sums, folded.stack, hash);
	}
	sums_add(&f->sums, id, folded.count);
	return 1;
}

void fold_release(struct fold *f)
{
	sums_release(&f->sums);
	events_release(&f->events);
	seen_release(&f->seen);
	strbuf_release(&f->key);
	strbuf_release(&f->text);
}
