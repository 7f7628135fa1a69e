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

bool fold_seen(struct fold *f, const struct slice fields[FIELDS], struct slice text,
	       struct hash128 *hash, uint32_t *id)
{
	const struct style *st = &f->style;
	const struct hash_key *key = &f->seen.key;

	*hash = hash128_bytes(key, text.p, text.len);
	for (int i = 0; i < st->nby; i++) {
		struct slice field = fields[st->by[i]];
		struct hash128 h = hash128_bytes(key, field.p, field.len);

		/* not commutative: which field it is matters */
		hash->a = hash->a * 0x9e3779b97f4a7c15ull + h.b;
		hash->b = (hash->b ^ h.a) * 0xd6e8feb86659fd93ull;
	}
	return seen_find(&f->seen, *hash, id);
}

static bool lacks_cpu(const struct fold *f)
{
	struct slice cpu = f->stack.fields[FIELD_CPU];

	return style_has(&f->style, FIELD_CPU) && (!cpu.len || slice_eq(cpu, SLICE("-")));
}

uint32_t fold_stack(struct fold *f, const struct slice fields[FIELDS], bool no_comm,
		    struct hash128 hash)
{
	uint32_t id = FOLD_LEFT_OUT;
	struct slice text;
	size_t max;

	memcpy(f->stack.fields, fields, sizeof(f->stack.fields));
	f->stack.no_comm = no_comm;
	if (style_fold(&f->style, &f->stack, &f->text)) {
		text = strbuf_slice(&f->text);
		id = sums_stack(&f->sums, text, hash_bytes(text.p, text.len));
	}
	f->no_cpu |= lacks_cpu(f);
	max = f->sums.stacks.len;
	seen_put(&f->seen, hash, id, max > SEEN_MIN ? max : SEEN_MIN);
	return id;
}

void fold_add(struct fold *f, uint32_t id, uint64_t weight)
{
	f->samples++;
	if (id != FOLD_LEFT_OUT) {
		sums_add(&f->sums, id, weight);
		return;
	}
	f->left_out++;
	if (__builtin_add_overflow(f->left_out_weight, weight, &f->left_out_weight))
		f->left_out_weight = UINT64_MAX;
}

static void fill_stack(struct stack *s, struct slice frames)
{
	struct stackline_frame frame;
	struct slice text;

	stack_reset(s);
	while (stackline_next(&frames, &text)) {
		stackline_frame(text, &frame);
		stack_add(s, &frame);
	}
}

int fold_stack_line(struct fold *f, struct slice line, struct strbuf *err)
{
	struct stackline_event def;
	struct stackline sample;
	struct hash128 hash;
	bool saturated = false;
	const char *why;
	uint32_t id;
	int r = stackline_parse(line, &sample, &why);

	if (r < 0)
		return fail(err, r, "%s", why);
	if (r == 0) {
		if (stackline_parse_event(line, &def))
			events_define(&f->events, &def);
		return 0;
	}
	if (f->chosen.name.len && !chosen_takes(&f->chosen, sample.event))
		return 1;
	if (f->count)
		sample.weight = 1;
	r = events_convert(&f->events, sample.event, f->unit, &sample.weight, &saturated, err);
	if (r < 0)
		return r;
	f->sums.saturated += saturated;
	const struct slice fields[FIELDS] = {
		[FIELD_COMM] = sample.comm, [FIELD_PID] = sample.pid, [FIELD_TID] = sample.tid,
		[FIELD_CPU] = sample.cpu, [FIELD_EVENT] = sample.event,
	};
	if (!fold_seen(f, fields, sample.frames, &hash, &id)) {
		fill_stack(&f->stack, sample.frames);
		id = fold_stack(f, fields, false, hash);
		f->no_cpu_of_lines |= lacks_cpu(f);
	}
	fold_add(f, id, sample.weight);
	return 1;
}

int fold_convert_period(struct fold *f, struct slice event, uint64_t *weight, struct strbuf *err)
{
	struct slice name = event;
	const char *colon = event.len ? memchr(event.p, ':', event.len) : NULL;

	if (f->count || f->unit == UNIT_SAMPLES)
		*weight = 1;
	if (f->unit != UNIT_NS)
		return 0;
	if (colon)
		name.len = (size_t)(colon - event.p);
	if (slice_eq(name, SLICE("cpu-clock")) || slice_eq(name, SLICE("task-clock")))
		return 0;
	return fail(err, -ENODATA, "--unit ns: periods of this event are not times");
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
		return fail(err, -ENOTSUP, "these are folded lines: --by, --unit, --count, "
			    "--event, --offsets and --modules need samples");
	if (style_refolds(&f->style)) {
		if (!style_refold(&f->style, folded.stack, &f->stack, &f->text)) {
			fold_add(f, FOLD_LEFT_OUT, folded.count);
			return 1;
		}
		folded.stack = strbuf_slice(&f->text);
	}
	hash = hash_bytes(folded.stack.p, folded.stack.len);
	/* one that is there already is clean: only clean ones come in */
	if (!intern_find_hashed(&f->sums.stacks, folded.stack, hash, &id)) {
		if (!utf8_is_clean(folded.stack)) {
			strbuf_reset(&f->clean);
			strbuf_addclean(&f->clean, folded.stack);
			folded.stack = strbuf_slice(&f->clean);
			hash = hash_bytes(folded.stack.p, folded.stack.len);
		}
		id = sums_stack(&f->sums, folded.stack, hash);
	}
	fold_add(f, id, folded.count);
	return 1;
}

void fold_release(struct fold *f)
{
	sums_release(&f->sums);
	events_release(&f->events);
	chosen_release(&f->chosen);
	seen_release(&f->seen);
	stack_release(&f->stack);
	strbuf_release(&f->clean);
	strbuf_release(&f->text);
}
