#include "bpftrace_maps.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "perf_lines.h"

enum {
	PENDING_MAX = 1 << 20,
	STACKS_MAX = 8,       /* of a key that are told apart */
};

enum side { SIDE_UNKNOWN, SIDE_USER, SIDE_KERNEL };

/* Whose the stack in each place of a map's keys was found to be. */
struct map_roles {
	enum side sides[STACKS_MAX];
};

/* A key's stacks, empty ones among them: where each begins in the frames. */
struct key_stacks {
	size_t n;
	size_t from[STACKS_MAX + 1];
	enum side sides[STACKS_MAX];
};

/* ---- values */

/* "count 5, average 3, total 15", "{ .count = 5, .average = 3, .total = 15 }": the last. */
static bool cut_to_total(struct slice *text)
{
	static const struct slice word = SLICE("total");
	const char *at;

	if (!slice_starts(*text, SLICE("count ")) && !slice_starts(*text, SLICE("{ .count")))
		return false;
	slice_cut_end(text, SLICE(" }"));
	at = memmem(text->p, text->len, word.p, word.len);
	if (!at)
		return false;
	text->len -= (size_t)(at - text->p) + word.len;
	text->p = at + word.len;
	while (text->len && (*text->p == ' ' || *text->p == '=')) {
		text->p++;
		text->len--;
	}
	return true;
}

enum map_value bpftrace_value(struct slice text, uint64_t *count)
{
	text = slice_trim(text);
	cut_to_total(&text);
	switch (number_u64(text, count)) {
	case 0:
		return MAP_COUNT;
	case -ERANGE:
		return MAP_TOO_LARGE;
	default:
		return MAP_OTHER;
	}
}

/* ---- frames */

static bool is_one_of(struct slice name, const struct slice *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (slice_eq(name, names[i]))
			return true;
	}
	return false;
}

static bool starts_with_one(struct slice name, const struct slice *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (slice_starts(name, names[i]))
			return true;
	}
	return false;
}

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

/* By what a stack begins with at its root. */
static enum side side_of_root(struct slice name)
{
	static const struct slice kernel[] = {
		SLICE("entry_SYSCALL"), SLICE("entry_SYSENTER"), SLICE("entry_INT80"),
		SLICE("do_syscall_"), SLICE("ret_from_fork"), SLICE("ret_from_kernel_"),
		SLICE("ret_fast_syscall"), SLICE("ret_from_exception"), SLICE("asm_exc_"),
		SLICE("asm_sysvec_"), SLICE("asm_common_interrupt"), SLICE("asm_load_gs"),
		SLICE("common_interrupt"), SLICE("apic_timer_interrupt"), SLICE("irqentry_"),
		SLICE("page_fault"), SLICE("async_page_fault"), SLICE("secondary_startup"),
		SLICE("el0_"), SLICE("el0t_"), SLICE("el1_"), SLICE("el1h_"), SLICE("el1t_"),
		SLICE("system_call_common"), SLICE("system_call_vectored"), SLICE("ret_from_intr"),
	};
	static const struct slice kernel_whole[] = {
		SLICE("kthread"), SLICE("cpu_startup_entry"), SLICE("start_kernel"),
		SLICE("start_secondary"), SLICE("rest_init"), SLICE("system_call"),
		SLICE("handle_exception"), SLICE("worker_thread"), SLICE("smpboot_thread_fn"),
	};
	static const struct slice user[] = {
		SLICE("_start"), SLICE("main"), SLICE("start_thread"), SLICE("clone"),
		SLICE("clone3"), SLICE("__clone"), SLICE("__clone3"), SLICE("__GI___clone"),
		SLICE("__GI___clone3"), SLICE("thread_start"), SLICE("_dl_start_user"),
		SLICE("runtime.goexit"), SLICE("runtime.goexit.abi0"), SLICE("runtime.mstart"),
		SLICE("runtime.main"), SLICE("runtime.rt0_go"), SLICE("runtime.rt0_go.abi0"),
	};

	if (starts_with_one(name, kernel, COUNT_OF(kernel)) ||
	    is_one_of(name, kernel_whole, COUNT_OF(kernel_whole)))
		return SIDE_KERNEL;
	if (is_one_of(name, user, COUNT_OF(user)) || slice_starts(name, SLICE("__libc_start_")))
		return SIDE_USER;
	return SIDE_UNKNOWN;
}

/* The kernel's half of the addresses begins with ffff. */
static enum side side_of_address(struct slice hex)
{
	if (slice_starts(hex, SLICE("0x")))
		hex = (struct slice){ hex.p + 2, hex.len - 2 };
	if (hex.len < 3)
		return SIDE_UNKNOWN;
	return hex.len == 16 && slice_starts(hex, SLICE("ffff")) ? SIDE_KERNEL : SIDE_USER;
}

/* Takes the decimal offset off a name, and "@FILE:LINE" behind it. */
static void take_offset(struct stackline_frame *f)
{
	struct slice name = f->name;
	size_t i = name.len;

	while (i && number_is_digit(name.p[i - 1]))
		i--;
	if (i < name.len && i && name.p[i - 1] == ':') {
		const char *at = memrchr(name.p, '@', i - 1);

		if (at && at > name.p && (number_is_digit(at[-1]) || f->inlined)) {
			name.len = (size_t)(at - name.p);
			f->name = name;
		}
		for (i = name.len; i && number_is_digit(name.p[i - 1]);)
			i--;
	}
	if (i < 2 || i == name.len || name.p[i - 1] != '+')
		return;
	f->offset = (struct slice){ name.p + i, name.len - i };
	f->name.len = i - 1;
}

/* "7f067762fa9c": nothing but an address, as the mode `raw` has it. */
static bool is_raw_address(struct slice text)
{
	bool digit = false;
	uint64_t address;

	for (size_t i = 0; i < text.len; i++)
		digit |= number_is_digit(text.p[i]);
	return text.len >= 3 && digit && number_hex(text, &address) == 0;
}

static struct slice with_0x(struct bpftrace_maps *m, struct slice hex)
{
	char text[32] = "0x";

	if (slice_starts(hex, SLICE("0x")) || hex.len > sizeof(text) - 2)
		return hex;
	memcpy(text + 2, hex.p, hex.len);
	return intern_get(&m->modules,
			  intern_add(&m->modules, (struct slice){ text, hex.len + 2 }));
}

/*
 * "do_sys_poll+1171", "0x7f06", as perf writes it "7f06 poll+79 (/usr/lib/libc.so.6)", raw
 * "7f06", with its source "[inlined] poll+79@/src/poll.c:12".
 */
static enum side add_frame(struct bpftrace_maps *m, struct slice line)
{
	struct stackline_frame f = { .module = { "", 0 }, .name = slice_trim(line),
				     .offset = { "", 0 }, .source = { "", 0 } };
	enum side side = SIDE_UNKNOWN;

	if (perf_looks_like_frame(line)) {
		uint64_t address;
		size_t n = 0;

		while (n < f.name.len && f.name.p[n] != ' ' && f.name.p[n] != '\t')
			n++;
		side = side_of_address((struct slice){ f.name.p, n });
		perf_frame_parse(line, &m->modules, &f);
		if (slice_starts(f.name, SLICE("0x")) && number_hex(f.name, &address) == 0)
			f.kind = STACKLINE_UNKNOWN;
		if (side == SIDE_UNKNOWN && f.in_kernel)
			side = SIDE_KERNEL;
	} else if (is_raw_address(f.name)) {
		f.kind = STACKLINE_UNKNOWN;
		side = side_of_address(f.name);
		f.name = with_0x(m, f.name);
	} else if (slice_starts(f.name, SLICE("[inlined] "))) {
		f.inlined = true;
		f.name = (struct slice){ f.name.p + 10, f.name.len - 10 };
	}
	if (slice_eq(f.name, SLICE("[unknown]")))
		f.name.len = 0;
	if (f.kind != STACKLINE_UNKNOWN) {
		take_offset(&f);
		if (side == SIDE_UNKNOWN && f.name.len && (memchr(f.name.p, '(', f.name.len) ||
							   memmem(f.name.p, f.name.len, "::", 2)))
			side = SIDE_USER;
	}
	stack_add(&m->frames, &f);
	return side;
}

/* ---- keys */

static void begin_stack(struct bpftrace_maps *m, struct key_stacks *k)
{
	if (k->n < STACKS_MAX) {
		k->from[k->n] = m->frames.n;
		k->sides[k->n++] = SIDE_UNKNOWN;
	}
}

/* The last stack has all its frames now: those at the root tell whose it is. */
static void end_stack(struct bpftrace_maps *m, struct key_stacks *k)
{
	enum side *side = &k->sides[k->n - 1];

	for (size_t i = m->frames.n, tries = 2; *side == SIDE_UNKNOWN && tries-- &&
	     i > k->from[k->n - 1];)
		*side = side_of_root(m->frames.frames[--i].name);
}

/* The length of what is before the next separator, and of that. */
static size_t to_separator(const struct bpftrace_maps *m, struct slice rest, size_t *separator)
{
	for (size_t i = 0; i < rest.len; i++) {
		if (rest.p[i] != ',')
			continue;
		if (i + 1 == rest.len || m->json || rest.p[i + 1] == ' ') {
			*separator = i + 1 < rest.len && rest.p[i + 1] == ' ' ? 2 : 1;
			return i;
		}
	}
	*separator = 0;
	return rest.len;
}

static void add_comm(struct bpftrace_maps *m, struct slice text)
{
	if (m->comm.len)
		strbuf_addstr(&m->comm, ", ");
	strbuf_addslice(&m->comm, text);
}

/*
 * A row of keys that are no stacks: "bash, ", ", bash", and an empty one where a stack is
 * empty. True if a stack begins on the next line, if there is one.
 */
static bool take_others(struct bpftrace_maps *m, struct key_stacks *k, struct slice row,
			bool last_line)
{
	size_t separator, n;

	do {
		n = to_separator(m, row, &separator);
		if (n)
			add_comm(m, (struct slice){ row.p, n });
		else if (separator || last_line)
			begin_stack(m, k);
		row.p += n + separator;
		row.len -= n + separator;
	} while (separator && row.len);
	if (separator && last_line)
		begin_stack(m, k);
	return separator || !n;
}

static bool is_indented(struct slice line)
{
	return line.len && (*line.p == ' ' || *line.p == '\t');
}

/* Fills m->comm and m->frames, and says which frames are a stack. */
static void read_key(struct bpftrace_maps *m, struct slice key, struct key_stacks *k)
{
	enum { FIRST, OTHERS, STACK_NEXT, STACK } at = FIRST;
	bool more = true;

	k->n = 0;
	strbuf_reset(&m->comm);
	stack_reset(&m->frames);
	while (more) {
		const char *lf = key.len ? memchr(key.p, '\n', key.len) : NULL;
		struct slice line = { key.p, lf ? (size_t)(lf - key.p) : key.len };

		more = lf != NULL;
		key.p += line.len + more;
		key.len -= line.len + more;
		line = slice_trim_end(line);
		if (at != FIRST && (at != OTHERS || is_indented(line)) &&
		    !(line.len && *line.p == ',')) {
			enum side side = SIDE_UNKNOWN;

			if (at != STACK)
				begin_stack(m, k);
			at = STACK;
			if (line.len)
				side = add_frame(m, line);
			if (side != SIDE_UNKNOWN && k->sides[k->n - 1] == SIDE_UNKNOWN)
				k->sides[k->n - 1] = side;
		} else if (at == OTHERS) {
			/* a text of two lines */
			strbuf_addch(&m->comm, '\n');
			strbuf_addslice(&m->comm, line);
		} else {
			if (at == STACK)
				end_stack(m, k);
			else if (at == STACK_NEXT)
				begin_stack(m, k);
			if (at != FIRST)
				line = slice_trim_start((struct slice){ line.p + 1, line.len - 1 });
			at = take_others(m, k, line, !more) ? STACK_NEXT : OTHERS;
		}
	}
	if (at == STACK)
		end_stack(m, k);
	k->from[k->n] = m->frames.n;
}

static bool is_told(const struct key_stacks *k)
{
	for (size_t i = 0; i < k->n; i++) {
		if (k->sides[i] != SIDE_UNKNOWN)
			return true;
	}
	return false;
}

/* Whose each stack is; what the key tells itself is known of the map from now on. */
static void decide_sides(struct map_roles *roles, struct key_stacks *k)
{
	for (size_t i = 0; i < k->n; i++) {
		if (k->sides[i] != SIDE_UNKNOWN)
			roles->sides[i] = k->sides[i];
		else
			k->sides[i] = roles->sides[i];
	}
	if (k->n < 2)
		return;
	for (size_t i = 0; i < 2 && k->n == 2; i++) {
		if (k->sides[i] == SIDE_UNKNOWN && k->sides[1 - i] != SIDE_UNKNOWN)
			k->sides[i] = k->sides[1 - i] == SIDE_USER ? SIDE_KERNEL : SIDE_USER;
	}
	for (size_t i = 0; i < k->n; i++) {
		if (k->sides[i] == SIDE_UNKNOWN)
			k->sides[i] = i ? SIDE_USER : SIDE_KERNEL;
	}
}

static void add_frames(const struct bpftrace_maps *m, size_t from, size_t to, bool kernel,
		       struct stack *stack)
{
	for (size_t i = to; i > from; i--) {
		struct stackline_frame f = m->frames.frames[i - 1];

		if (kernel) {
			f.in_kernel = true;
			if (f.kind == STACKLINE_USER && f.name.len)
				f.kind = STACKLINE_KERNEL;
			else if (!f.module.len)
				f.module = SLICE("[kernel]");
		}
		stack_add(stack, &f);
	}
}

/* Root first: user frames, then the kernel's; of two stacks of a side the later one calls. */
static void fill_stack(struct bpftrace_maps *m, const struct key_stacks *k)
{
	struct stack *stack = &m->r->fold->stack;

	stack_reset(stack);
	for (int kernel = 0; kernel < 2; kernel++) {
		for (size_t i = k->n; i-- > 0;) {
			if ((k->sides[i] == SIDE_KERNEL) == kernel)
				add_frames(m, k->from[i], k->from[i + 1], kernel, stack);
		}
	}
}

/* ---- entries */

static struct map_roles *roles_of(struct bpftrace_maps *m, struct slice map)
{
	size_t known = m->names.len;
	uint32_t id = intern_add(&m->names, map);

	if (id >= known) {
		m->roles = grow(m->roles, known, &m->roles_cap, sizeof(*m->roles));
		m->roles[id] = (struct map_roles){ 0 };
	}
	return &m->roles[id];
}

static int fold_entry(struct bpftrace_maps *m, struct slice map, struct slice key, uint64_t count)
{
	struct fold *f = m->r->fold;
	struct slice fields[FIELDS] = { [FIELD_EVENT] = map };
	struct key_stacks k;
	struct hash128 hash;
	uint32_t id;
	int r;

	if (!chosen_takes(&f->chosen, map))
		return 0;
	r = reading_convert_count(m->r);
	if (r < 0)
		return r;
	if (!fold_seen(f, fields, key, &hash, &id)) {
		read_key(m, key, &k);
		decide_sides(roles_of(m, map), &k);
		fill_stack(m, &k);
		fields[FIELD_COMM] = strbuf_slice(&m->comm);
		id = fold_stack(f, fields, !m->comm.len, hash);
	}
	fold_add(f, id, count);
	return 0;
}

/* An entry that waits, followed by the text of the map's name and of the key. */
struct entry {
	uint64_t count;
	size_t map_len, key_len;
};

static int fold_pending(struct bpftrace_maps *m, size_t at, size_t *next)
{
	struct entry e;
	const char *p = m->pending.buf + at;

	memcpy(&e, p, sizeof(e));
	p += sizeof(e);
	*next = at + sizeof(e) + e.map_len + e.key_len;
	return fold_entry(m, (struct slice){ p, e.map_len },
			  (struct slice){ p + e.map_len, e.key_len }, e.count);
}

/* The map that is folded if none is asked for is the first with a stack. */
static int settle(struct bpftrace_maps *m)
{
	size_t next, first = m->first_stack;
	int r = 0;

	m->settled = true;
	if (m->any_stack)
		r = fold_pending(m, first, &next);
	for (size_t at = 0; at < m->pending.len && r == 0; at = next) {
		if (m->any_stack && at == first) {
			struct entry e;

			memcpy(&e, m->pending.buf + at, sizeof(e));
			next = at + sizeof(e) + e.map_len + e.key_len;
		} else {
			r = fold_pending(m, at, &next);
		}
	}
	strbuf_release(&m->pending);
	return r;
}

int bpftrace_maps_take(struct bpftrace_maps *m, struct slice map, struct slice key,
		       uint64_t count)
{
	struct entry e = { .count = count, .map_len = map.len, .key_len = key.len };
	struct key_stacks k;
	bool told;

	if (m->settled)
		return fold_entry(m, map, key, count);
	read_key(m, key, &k);
	told = is_told(&k);
	decide_sides(roles_of(m, map), &k);
	if (m->frames.n && !m->any_stack) {
		m->any_stack = true;
		m->first_stack = m->pending.len;
	}
	strbuf_add(&m->pending, &e, sizeof(e));
	strbuf_addslice(&m->pending, map);
	strbuf_addslice(&m->pending, key);
	return told || m->pending.len > PENDING_MAX ? settle(m) : 0;
}

int bpftrace_maps_finish(struct bpftrace_maps *m)
{
	return m->settled ? 0 : settle(m);
}

void bpftrace_maps_release(struct bpftrace_maps *m)
{
	intern_release(&m->names);
	intern_release(&m->modules);
	free(m->roles);
	stack_release(&m->frames);
	strbuf_release(&m->comm);
	strbuf_release(&m->pending);
}
