#include <errno.h>
#include <limits.h>
#include <zlib.h>

#include "base/protobuf.h"
#include "profile.h"

enum {
	SAMPLE_TYPE = 1, SAMPLE = 2, MAPPING = 3, LOCATION = 4, FUNCTION = 5, STRING_TABLE = 6,
	DURATION_NANOS = 10, PERIOD_TYPE = 11, PERIOD = 12, DEFAULT_SAMPLE_TYPE = 14,
};
enum { ID = 1 }; /* of mappings, locations and functions */
enum { SAMPLE_VALUES = 2 };
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
	return profile_string(p, c->type ? slice_str(c->type) :
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
			       intern_add(&p->strings, slice_str(cols->list[i].unit)));
	protobuf_add_u64(&w->fields, DEFAULT_SAMPLE_TYPE, type_id(p, &cols->list[cols->first]));
	if (cols->period_ns) {
		add_value_type(w, PERIOD_TYPE, sb, intern_add(&p->strings, SLICE("cpu")),
			       intern_add(&p->strings, SLICE("nanoseconds")));
		protobuf_add_u64(&w->fields, PERIOD, cols->period_ns);
	}
	if (!p->has_untimed)
		protobuf_add_u64(&w->fields, DURATION_NANOS, p->last_ns - p->first_ns);
}

static void add_samples(struct writer *w, const struct profile *p, const struct columns *cols,
			struct strbuf *sb)
{
	struct strbuf values = STRBUF_INIT;

	for (uint32_t id = 0; id < p->samples.len; id++) {
		const struct profile_sum *sum = &p->sums[id];

		strbuf_reset(&values);
		for (size_t i = 0; i < cols->n; i++) {
			const struct column *c = &cols->list[i];

			protobuf_add_varint(&values, c->event != sum->event ? 0 :
						     c->time ? sum->ns : sum->weight);
		}
		strbuf_reset(sb);
		strbuf_addslice(sb, intern_get(&p->samples, id));
		protobuf_add_bytes(sb, SAMPLE_VALUES, strbuf_slice(&values));
		add_field(w, SAMPLE, strbuf_slice(sb));
	}
	strbuf_release(&values);
}

/* Messages that have an id, which they were kept without. */
static void add_table(struct writer *w, unsigned field, const struct intern *table,
		      const struct profile_mapping *marks, struct strbuf *sb)
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

	if (deflateInit2(&w.z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK) {
		out->error = out->error ? out->error : -ENOMEM;
		return;
	}
	add_columns(&w, p, cols, &sb);
	add_samples(&w, p, cols, &sb);
	add_table(&w, MAPPING, &p->mappings, p->mapping_marks, &sb);
	add_table(&w, LOCATION, &p->locations, NULL, &sb);
	add_table(&w, FUNCTION, &p->functions, NULL, &sb);
	for (uint32_t i = 0; i < p->strings.len; i++)
		add_field(&w, STRING_TABLE, intern_get(&p->strings, i));
	compress_fields(&w, Z_FINISH);
	deflateEnd(&w.z);
	strbuf_release(&sb);
	strbuf_release(&w.fields);
}
