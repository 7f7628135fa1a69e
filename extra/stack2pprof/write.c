#include <errno.h>
#include <limits.h>
#include <zlib.h>

#include "base/protobuf.h"
#include "profile.h"

enum {
	SAMPLE_TYPE = 1, SAMPLE = 2, MAPPING = 3, LOCATION = 4, FUNCTION = 5, STRING_TABLE = 6,
	TIME_NANOS = 9, DURATION_NANOS = 10, PERIOD_TYPE = 11, PERIOD = 12,
	DEFAULT_SAMPLE_TYPE = 14,
};
enum { ID = 1 }; /* of mappings, locations and functions */
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2 };
enum { MAPPING_FUNCTIONS = 7, MAPPING_FILENAMES, MAPPING_LINE_NUMBERS, MAPPING_INLINE_FRAMES };
enum { TYPE = 1, UNIT = 2 };

enum { PIECE = 1 << 16 };

/* Fields of the whole, compressed by pieces. */
struct writer {
	z_stream z;
	struct output *out;
	struct strbuf fields; /* not compressed yet */
};

static void compress_fields(struct writer *w, int flush)
{
	unsigned char buf[PIECE];
	const char *at = strbuf_str(&w->fields);
	size_t left = w->fields.len;
	int r;

	do {
		size_t n = left < UINT_MAX ? left : UINT_MAX;

		w->z.next_in = (Bytef *)(uintptr_t)at;
		w->z.avail_in = (uInt)n;
		at += n;
		left -= n;
		do {
			w->z.next_out = buf;
			w->z.avail_out = sizeof(buf);
			r = deflate(&w->z, left ? Z_NO_FLUSH : flush);
			output_write(w->out, buf, sizeof(buf) - w->z.avail_out);
		} while (w->z.avail_out == 0);
	} while (left);
	(void)r; /* with room and a sound state it cannot fail */
	strbuf_reset(&w->fields);
}

static void add_field(struct writer *w, unsigned field, struct slice bytes)
{
	protobuf_add_bytes(&w->fields, field, bytes);
	if (w->fields.len >= PIECE)
		compress_fields(w, Z_NO_FLUSH);
}

static uint32_t type_id(struct profile *p, const struct column *c)
{
	return symbols_string(&p->symbols, c->type ? slice_str(c->type) :
					   intern_get(&p->event_names, c->event));
}

static void add_value_type(struct writer *w, unsigned field, struct strbuf *sb, uint32_t type,
			   uint32_t unit)
{
	strbuf_reset(sb);
	protobuf_add_u64(sb, TYPE, type);
	protobuf_add_u64(sb, UNIT, unit);
	add_field(w, field, strbuf_slice(sb));
}

static void add_columns(struct writer *w, struct profile *p, const struct columns *cols,
			struct strbuf *sb)
{
	for (size_t i = 0; i < cols->n; i++)
		add_value_type(w, SAMPLE_TYPE, sb, type_id(p, &cols->list[i]),
			       intern_add(&p->symbols.strings, slice_str(cols->list[i].unit)));
	protobuf_add_u64(&w->fields, DEFAULT_SAMPLE_TYPE, type_id(p, &cols->list[cols->first]));
	if (cols->period_ns) {
		add_value_type(w, PERIOD_TYPE, sb, intern_add(&p->symbols.strings, SLICE("cpu")),
			       intern_add(&p->symbols.strings, SLICE("nanoseconds")));
		protobuf_add_u64(&w->fields, PERIOD, cols->period_ns);
	}
}

static void add_times(struct writer *w, const struct profile_times *t)
{
	uint64_t start = t->has_untimed ? t->real_ns : t->first_ns;
	uint64_t duration = t->last_ns - t->first_ns;

	/* what the format cannot hold is nonsense */
	if (t->has_clock && start <= INT64_MAX)
		protobuf_add_u64(&w->fields, TIME_NANOS, start);
	if (!t->has_untimed && duration <= INT64_MAX)
		protobuf_add_u64(&w->fields, DURATION_NANOS, duration);
}

static void add_samples(struct writer *w, const struct profile *p, const struct columns *cols,
			struct strbuf *sb)
{
	struct strbuf values = STRBUF_INIT;

	for (uint32_t id = 0; id < p->samples.len; id++) {
		const struct profile_sample sample = profile_sample(p, id);
		const struct profile_sum *sum = &p->sums[id];

		strbuf_reset(&values);
		for (size_t i = 0; i < cols->n; i++) {
			const struct column *c = &cols->list[i];

			protobuf_add_varint(&values, c->event != sample.event ? 0 :
						     c->time ? sum->ns : sum->weight);
		}
		strbuf_reset(sb);
		protobuf_add_bytes(sb, SAMPLE_LOCATIONS, intern_get(&p->stacks, sample.stack));
		protobuf_add_bytes(sb, SAMPLE_VALUES, strbuf_slice(&values));
		strbuf_addslice(sb, intern_get(&p->labels, sample.labels));
		add_field(w, SAMPLE, strbuf_slice(sb));
	}
	strbuf_release(&values);
}

/* Messages that have an id, which they were kept without. */
static void add_table(struct writer *w, unsigned field, const struct intern *table,
		      const struct symbols_mapping *marks, struct strbuf *sb)
{
	for (uint32_t i = 0; i < table->len; i++) {
		strbuf_reset(sb);
		protobuf_add_u64(sb, ID, i + 1ull);
		strbuf_addslice(sb, intern_get(table, i));
		if (marks) {
			protobuf_add_u64(sb, MAPPING_FUNCTIONS, 1);
			protobuf_add_u64(sb, MAPPING_FILENAMES, marks[i].has_sources);
			protobuf_add_u64(sb, MAPPING_LINE_NUMBERS, marks[i].has_sources);
			protobuf_add_u64(sb, MAPPING_INLINE_FRAMES, marks[i].has_inlined);
		}
		add_field(w, field, strbuf_slice(sb));
	}
}

void profile_write(struct profile *p, const struct columns *cols, struct output *out)
{
	enum { GZIP = 16, MEM_LEVEL = 8 };
	struct writer w = { .out = out };
	struct strbuf sb = STRBUF_INIT;

	/* as go has its own profiles; the default makes 5 % less of it */
	if (deflateInit2(&w.z, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + GZIP, MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK) {
		out->error = out->error ? out->error : -ENOMEM;
		return;
	}
	add_columns(&w, p, cols, &sb);
	add_samples(&w, p, cols, &sb);
	add_times(&w, &p->times);
	add_table(&w, MAPPING, &p->symbols.mappings, p->symbols.marks, &sb);
	add_table(&w, LOCATION, &p->symbols.locations, NULL, &sb);
	add_table(&w, FUNCTION, &p->symbols.functions, NULL, &sb);
	for (uint32_t i = 0; i < p->symbols.strings.len; i++)
		add_field(&w, STRING_TABLE, intern_get(&p->symbols.strings, i));
	compress_fields(&w, Z_FINISH);
	deflateEnd(&w.z);
	strbuf_release(&sb);
	strbuf_release(&w.fields);
}
