/*
 * Entries of bpftrace's maps as stacks: what the text and the JSON have in common. A key is
 * a row of keys with ", " between them (in JSON ','); one that is a stack begins with a line
 * break and has a frame a line, leaf first, and nothing at all if it is empty:
 *
 *	"\n    do_sys_poll+1171\n, \n    __poll+79\n, bash"
 *
 * Which stack is the kernel's is told by addresses, by names that only one side has, such as
 * entry_SYSCALL_64_after_hwframe and _start, by what other entries of the map have in that
 * place, and else by the order: of two the first.
 */
#ifndef STACK_FOLD_BPFTRACE_MAPS_H
#define STACK_FOLD_BPFTRACE_MAPS_H

#include "base/intern.h"
#include "base/strbuf.h"
#include "reading.h"

enum map_value {
	MAP_COUNT,
	MAP_TOO_LARGE,  /* for 64 bits */
	MAP_OTHER,      /* histograms, strings, negative numbers */
};

struct bpftrace_maps {
	struct reading *r;
	bool json;
	struct intern names;     /* of maps; the id is the place in roles */
	struct map_roles *roles;
	size_t roles_cap;
	struct intern modules;   /* of frames; addresses, too */
	struct stack frames;     /* of the key being read, leaf first */
	struct strbuf comm;
	struct strbuf pending;   /* entries that wait for the first to tell its stacks apart */
	bool settled;            /* none waits any more */
	bool any_stack;          /* an entry with a stack waits: */
	size_t first_stack;      /* its place */
};

/* Before it all but r and json is zero. */
void bpftrace_maps_release(struct bpftrace_maps *m);

/* 0, or a negative errno that ends the run, as fold_input has it. */
int bpftrace_maps_take(struct bpftrace_maps *m, struct slice map, struct slice key,
		       uint64_t count);

/* At the end of the input: what waits is folded. */
int bpftrace_maps_finish(struct bpftrace_maps *m);

/* The text of a value: a number, or of statistics the total. */
enum map_value bpftrace_value(struct slice text, uint64_t *count);

/* The JSON form (bpftrace_json.c): a line is an object, of a map all entries. */
int bpftrace_json_line(struct bpftrace_maps *m, struct slice line, uint64_t line_number);

#endif
