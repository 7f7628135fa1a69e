/*
 * What frames are in a profile: strings, mappings, functions and locations, each once.
 * Messages that refer to each other are kept encoded, without their ids: equal bytes are
 * one, and an id is the place in its table, plus one. So the tables are as large as what
 * is distinct in them, and come out in the order of the input.
 */
#ifndef STACK2PPROF_SYMBOLS_H
#define STACK2PPROF_SYMBOLS_H

#include "base/intern.h"
#include "base/seen.h"
#include "lines/stackline.h"

/* A file as the comments tell it; a mapping is one of these and its build-id. */
struct symbols_file {
	uint32_t build_id;   /* a string; 0: unknown */
	uint32_t first;      /* the one that its first frame met; 0 also before that */
	bool used;           /* a frame was in it */
	uint32_t mapping;    /* its id; 0: not known yet */
};

/* What go's pprof calls HasFilenames, HasLineNumbers and HasInlineFrames. */
struct symbols_mapping {
	bool has_sources, has_inlined;
};

struct symbols {
	struct intern strings;   /* the string table; "" is 0 */
	struct intern functions, locations, mappings; /* encoded, by id - 1 */
	struct symbols_mapping *marks; /* by mapping */
	struct intern paths;
	struct symbols_file *files;
	size_t cap_marks, cap_files;

	struct seen seen;        /* locations, by the text of a frame and those inlined in it */
	/*
	 * Texts do not mean the same any more where a file became another one: this is
	 * added to their hashes. The same again when it becomes what it was.
	 */
	uint64_t builds;

	/* scratch */
	struct strbuf message, part, line, name;
	uint32_t *stack; /* locations, root first */
	size_t depth, cap_stack;
};

void symbols_init(struct symbols *sy);
void symbols_release(struct symbols *sy);

/* The place of a string; cleaned, as the format wants UTF-8, whoever wrote the line. */
uint32_t symbols_string(struct symbols *sy, struct slice s);

void symbols_define_file(struct symbols *sy, const struct stackline_file *def);

/* The ids of the locations of a row of frames, leaf first, replace *packed. */
void symbols_stack(struct symbols *sy, struct slice frames, struct strbuf *packed);

#endif
