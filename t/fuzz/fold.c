/*
 * Folding any lines, as stack lines and as folded ones: the sums add up to the weights,
 * and each stack in the table reads the same from the line that it is written as.
 */
#include <errno.h>
#include <stdlib.h>

#include "../../stack-fold/fold.h"
#include "base/utf8.h"
#include "lines/folded.h"

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_sums(const struct sums *s)
{
	struct strbuf line = STRBUF_INIT;
	struct folded f;
	uint64_t total = 0;
	const char *why;

	for (uint32_t id = 0; id < s->stacks.len; id++) {
		struct slice stack = intern_get(&s->stacks, id);

		check(utf8_is_clean(stack));
		strbuf_reset(&line);
		strbuf_addslice(&line, stack);
		strbuf_addch(&line, ' ');
		strbuf_addu64(&line, s->counts[id]);
		check(folded_parse(strbuf_slice(&line), &f, &why) == 1);
		check(slice_eq(f.stack, stack) && f.count == s->counts[id]);
		total += f.count;
	}
	check(s->saturated || s->total == UINT64_MAX || total == s->total);
	strbuf_release(&line);
}

static void fold_all(struct fold *f, struct slice rest,
		     int (*fold)(struct fold *, struct slice, struct strbuf *))
{
	struct strbuf err = STRBUF_INIT;

	while (rest.len) {
		const char *lf = memchr(rest.p, '\n', rest.len);
		struct slice line = { rest.p, lf ? (size_t)(lf - rest.p) : rest.len };
		int r = fold(f, line, &err);

		check(r == 1 || r == 0 || ((r == -EINVAL || r == -ENODATA) && err.len));
		rest.p += line.len + (lf != NULL);
		rest.len -= line.len + (lf != NULL);
	}
	check_sums(&f->sums);
	strbuf_release(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* the first byte chooses the options */
	unsigned options = size ? data[0] : 0;
	struct slice text = { (const char *)data + (size > 0), size - (size > 0) };
	static const struct slice by[] = { SLICE("comm"), SLICE("none"), SLICE("event,cpu,comm") };
	struct fold f;

	fold_init(&f);
	f.style.annotate = options & 1;
	f.style.offsets = options & 2;
	f.style.modules = options & 4;
	f.style.only = (enum style_only)((options >> 3 & 3) % 3);
	f.unit = (enum events_unit)((options >> 5 & 3) % 3);
	check(style_set_by(&f.style, by[(options >> 6) % 3], NULL) == 0);
	fold_all(&f, text, fold_stack_line);
	fold_release(&f);

	fold_init(&f);
	fold_all(&f, text, fold_folded_line);
	fold_release(&f);
	return 0;
}
