#include "symbols.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/protobuf.h"
#include "base/utf8.h"
#include "lines/frame_name.h"
#include "sym/demangle.h"

enum { SEEN_MAX = 1 << 18 };

/* Fields' numbers in profile.proto. */
enum { MAPPING_FILENAME = 5, MAPPING_BUILD_ID = 6 };
enum { LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_NUMBER = 2 };
enum { FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILENAME = 4 };

void symbols_init(struct symbols *sy)
{
	*sy = (struct symbols){ 0 };
	intern_add(&sy->strings, SLICE(""));
	seen_init(&sy->seen);
}

void symbols_release(struct symbols *sy)
{
	struct intern *tables[] = { &sy->strings, &sy->functions, &sy->locations, &sy->mappings,
				    &sy->paths };
	struct strbuf *scratch[] = { &sy->message, &sy->part, &sy->line, &sy->name };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		intern_release(tables[i]);
	for (size_t i = 0; i < sizeof(scratch) / sizeof(scratch[0]); i++)
		strbuf_release(scratch[i]);
	free(sy->marks);
	free(sy->files);
	free(sy->stack);
	seen_release(&sy->seen);
}

uint32_t symbols_string(struct symbols *sy, struct slice s)
{
	struct strbuf clean = STRBUF_INIT;
	uint32_t id;

	if (!s.len)
		return 0;
	if (utf8_is_clean(s))
		return intern_add(&sy->strings, s);
	strbuf_addclean(&clean, s);
	id = intern_add(&sy->strings, strbuf_slice(&clean));
	strbuf_release(&clean);
	return id;
}

/* ---- mappings */

static struct symbols_file *file_of(struct symbols *sy, struct slice path, uint32_t *id)
{
	size_t known = sy->paths.len;

	*id = intern_add(&sy->paths, path);
	if (*id == known) {
		sy->files = grow(sy->files, *id, &sy->cap_files, sizeof(*sy->files));
		sy->files[*id] = (struct symbols_file){ 0 };
	}
	return &sy->files[*id];
}

/* What a file adds to the hashes of texts. */
static uint64_t file_hash(const struct symbols *sy, const struct symbols_file *file, uint32_t id)
{
	uint32_t both[] = { id, file->build_id };

	if (!file->used || file->build_id == file->first)
		return 0;
	return hash128_bytes(&sy->seen.key, both, sizeof(both)).a;
}

void symbols_define_file(struct symbols *sy, const struct stackline_file *def)
{
	uint32_t build_id = symbols_string(sy, def->build_id), id;
	struct symbols_file *file = file_of(sy, def->path, &id);

	if (file->build_id == build_id)
		return;
	sy->builds -= file_hash(sy, file, id);
	file->build_id = build_id;
	file->mapping = 0;
	sy->builds += file_hash(sy, file, id);
}

/* The id; 0 for what has no module. */
static uint32_t mapping_id(struct symbols *sy, struct slice module)
{
	size_t known = sy->mappings.len;
	struct symbols_file *file;
	uint32_t place, id;

	if (!module.len)
		return 0;
	file = file_of(sy, module, &id);
	if (file->mapping)
		return file->mapping;
	if (!file->used) {
		file->used = true;
		file->first = file->build_id;
	}
	strbuf_reset(&sy->message);
	protobuf_add_u64(&sy->message, MAPPING_FILENAME, symbols_string(sy, module));
	protobuf_add_u64(&sy->message, MAPPING_BUILD_ID, file->build_id);
	place = intern_add(&sy->mappings, strbuf_slice(&sy->message));
	if (place == known) {
		sy->marks = grow(sy->marks, place, &sy->cap_marks, sizeof(*sy->marks));
		sy->marks[place] = (struct symbols_mapping){ 0 };
	}
	file->mapping = place + 1;
	return file->mapping;
}

/* ---- functions */

/* Takes "FILE:LINE" apart; the number is 0 if there is none. */
static uint64_t split_source(struct slice *source)
{
	const char *colon = source->len ? memrchr(source->p, ':', source->len) : NULL;
	struct slice digits;
	uint64_t number;

	if (!colon)
		return 0;
	digits = (struct slice){ colon + 1, source->len - (size_t)(colon + 1 - source->p) };
	if (number_u64(digits, &number) < 0 || number > INT64_MAX)
		return 0;
	source->len -= digits.len + 1;
	return number;
}

/*
 * Whether a name was made by a demangler, so that the symbol's own is not known. Given as
 * that, too, go's pprof would take parameters and template arguments off it.
 */
static bool is_made_up(struct slice name)
{
	for (size_t i = 0; i < name.len; i++) {
		if (memchr("<>[]", name.p[i], 4) ||
		    (name.p[i] == ':' && i + 1 < name.len && name.p[i + 1] == ':'))
			return true;
	}
	return false;
}

static uint32_t function_id(struct symbols *sy, const struct stackline_frame *f,
			    struct slice source)
{
	struct slice raw = f->name, name;
	uint32_t id;

	strbuf_reset(&sy->name);
	if (f->kind == STACKLINE_UNKNOWN || !f->name.len) {
		frame_name_add_unknown(&sy->name, f->module);
		raw = (struct slice){ "", 0 };
	} else if (f->kind == STACKLINE_USER || f->kind == STACKLINE_KERNEL) {
		demangle(&sy->name, f->name);
	} else {
		raw = f->kind == STACKLINE_JIT ? frame_name_java(raw) : raw;
		strbuf_addslice(&sy->name, raw);
	}
	name = strbuf_slice(&sy->name);
	id = symbols_string(sy, name);
	strbuf_reset(&sy->message);
	protobuf_add_u64(&sy->message, FUNCTION_NAME, id);
	if (!is_made_up(raw))
		protobuf_add_u64(&sy->message, FUNCTION_SYSTEM_NAME,
				 slice_eq(raw, name) ? id : symbols_string(sy, raw));
	protobuf_add_u64(&sy->message, FUNCTION_FILENAME, symbols_string(sy, source));
	return intern_add(&sy->functions, strbuf_slice(&sy->message)) + 1;
}

/* ---- locations */

static void add_line(struct symbols *sy, const struct stackline_frame *f)
{
	struct slice source = f->source;
	uint64_t number = split_source(&source);
	uint32_t function = function_id(sy, f, source);

	strbuf_reset(&sy->line);
	protobuf_add_u64(&sy->line, LINE_FUNCTION, function);
	protobuf_add_u64(&sy->line, LINE_NUMBER, number);
	protobuf_add_bytes(&sy->part, LOCATION_LINE, strbuf_slice(&sy->line));
}

static uint64_t address_of(const struct stackline_frame *f)
{
	struct slice hex = f->name;
	uint64_t address = 0;

	if (f->kind != STACKLINE_UNKNOWN)
		return 0;
	for (size_t i = 2; i < hex.len && i < 18; i++)
		address = address << 4 | (uint64_t)(hex.p[i] <= '9' ? hex.p[i] - '0' :
						    (hex.p[i] | 32) - 'a' + 10);
	return address;
}

/* The longest chain that is kept as one location. */
enum { CHAIN_MAX = 256 };

/* One address: a function, and those that were inlined into it, root first. */
struct chain {
	struct stackline_frame functions[CHAIN_MAX];
	size_t n;
};

static void add_location(struct symbols *sy, uint32_t id)
{
	if (sy->depth == sy->cap_stack)
		sy->stack = grow(sy->stack, sy->depth, &sy->cap_stack, sizeof(*sy->stack));
	sy->stack[sy->depth++] = id;
}

static void chain_end(struct symbols *sy, struct chain *c)
{
	const struct stackline_frame *first = &c->functions[0];
	bool inlined = false, sources = false;
	uint32_t mapping;

	if (!c->n)
		return;
	mapping = mapping_id(sy, first->module);
	strbuf_reset(&sy->part);
	protobuf_add_u64(&sy->part, LOCATION_MAPPING, mapping);
	protobuf_add_u64(&sy->part, LOCATION_ADDRESS, address_of(first));
	for (size_t i = c->n; i-- > 0;) {
		add_line(sy, &c->functions[i]);
		inlined |= c->functions[i].inlined;
		sources |= c->functions[i].source.len != 0;
	}
	if (mapping) {
		sy->marks[mapping - 1].has_sources |= sources;
		sy->marks[mapping - 1].has_inlined |= inlined;
	}
	add_location(sy, intern_add(&sy->locations, strbuf_slice(&sy->part)) + 1);
	c->n = 0;
}

/* A frame; it may be a chain by itself, as JITs write them. */
static void chain_add(struct symbols *sy, struct chain *c, struct stackline_frame f)
{
	struct slice rest;
	bool more;

	if (!f.inlined || (c->n && (c->functions[0].kind == STACKLINE_REMARK ||
				    !slice_eq(c->functions[0].module, f.module))))
		chain_end(sy, c);
	do {
		more = frame_name_cut(f.kind, &f.name, &rest);
		if (c->n == CHAIN_MAX)
			chain_end(sy, c);
		c->functions[c->n++] = f;
		f.name = rest;
		f.inlined = true;
	} while (more);
}

/* ---- stacks */

static bool is_inlined(struct slice text)
{
	return slice_cut_end(&text, SLICE(" (inlined)"));
}

/* A frame, and those that were inlined into it. */
static void read_group(struct symbols *sy, struct slice group)
{
	struct chain chain;
	struct stackline_frame f;
	struct slice text = group;

	chain.n = 0;
	/* a frame may be empty */
	for (bool any = group.len == 0 || stackline_next(&group, &text); any;
	     any = stackline_next(&group, &text)) {
		stackline_frame(text, &f);
		chain_add(sy, &chain, f);
	}
	chain_end(sy, &chain);
}

/*
 * The hash of a group's text. A location has no offset, and many addresses are of one
 * function: that of "m`f+0x8" is left out.
 */
static struct hash128 group_hash(const struct symbols *sy, struct slice text)
{
	size_t i = number_hex_tail(text);
	struct hash128 hash;
	bool cut;

	cut = i < text.len && i > 4 && memcmp(text.p + i - 3, "+0x", 3) == 0 &&
	      text.p[i - 4] != '`' && memchr(text.p, '`', i - 4);
	if (cut)
		text.len = i;
	hash = hash128_bytes(&sy->seen.key, text.p, text.len);
	hash.a += sy->builds + cut;
	return hash;
}

static void add_group(struct symbols *sy, struct slice group)
{
	struct hash128 hash = group_hash(sy, group);
	size_t depth = sy->depth;
	uint32_t id;

	if (seen_find(&sy->seen, hash, &id)) {
		add_location(sy, id);
		return;
	}
	read_group(sy, group);
	if (sy->depth == depth + 1)
		seen_put(&sy->seen, hash, sy->stack[depth], SEEN_MAX);
}

static void pack_stack(const struct symbols *sy, struct strbuf *packed)
{
	char *p;

	strbuf_reset(packed);
	strbuf_reserve(packed, sy->depth * PROTOBUF_VARINT_MAX);
	p = packed->buf;
	for (size_t i = sy->depth; i-- > 0;)
		p = protobuf_put_varint(p, sy->stack[i]);
	*p = '\0';
	packed->len = (size_t)(p - packed->buf);
}

void symbols_stack(struct symbols *sy, struct slice frames, struct strbuf *packed)
{
	struct slice text, group;
	bool more = stackline_next(&frames, &text);

	sy->depth = 0;
	while (more) {
		group = text;
		while ((more = stackline_next(&frames, &text)) && is_inlined(text))
			group.len = (size_t)(text.p + text.len - group.p);
		add_group(sy, group);
	}
	pack_stack(sy, packed);
}
