#include "sym/kallsyms.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/intern.h"
#include "base/number.h"
#include "elf/symbol.h"

#define SYMBOLS_MAX (8u << 20)
#define NAMES_MAX (256u << 20)
#define REACH_MAX (64u << 10)
#define NO_NAME UINT32_MAX

/* 16 bytes: there are a quarter of a million of them. */
struct entry {
	uint64_t addr;
	uint32_t name;   /* in names, NUL-terminated; NO_NAME for one that only bounds others */
	uint16_t module; /* id in modules */
	uint8_t bind;    /* enum symbol_binding */
};

struct kallsyms {
	struct entry *entries; /* sorted by address, one each */
	size_t len, cap;
	struct strbuf names;
	struct intern modules; /* id 0: "", the kernel proper */
	size_t count;
	uint64_t bad;
};

/* Whether a text symbol is named, and how preferable that is. */
static bool names_text(char type, enum symbol_binding *bind)
{
	switch (type) {
	case 'T':
		*bind = SYMBOL_GLOBAL;
		return true;
	case 'W':
	case 'w':
		*bind = SYMBOL_WEAK;
		return true;
	case 't':
		*bind = SYMBOL_LOCAL;
		return true;
	default:
		return false;
	}
}

/* Splits "ADDRESS TYPE NAME[<blank>[MODULE]]". */
static bool split(struct slice line, uint64_t *addr, char *type, struct slice *name,
		  struct slice *module)
{
	const char *end = line.p + line.len, *p = memchr(line.p, ' ', line.len), *q;

	if (!p || number_hex((struct slice){ line.p, (size_t)(p - line.p) }, addr))
		return false;
	if (end - p < 4 || p[2] != ' ')
		return false;
	*type = p[1];
	p += 3;
	if (memchr(p, '\0', (size_t)(end - p)))
		return false;
	for (q = p; q < end && *q != ' ' && *q != '\t'; q++)
		;
	*name = (struct slice){ p, (size_t)(q - p) };
	while (q < end && (*q == ' ' || *q == '\t'))
		q++;
	*module = (struct slice){ q, (size_t)(end - q) };
	if (module->len) {
		if (module->len < 3 || q[0] != '[' || end[-1] != ']')
			return false;
		module->p++;
		module->len -= 2;
	}
	return name->len > 0;
}

static int add_line(struct kallsyms *ks, struct slice line, uint64_t *hidden, struct strbuf *err)
{
	struct slice name, module;
	enum symbol_binding bind = SYMBOL_LOCAL;
	struct entry *e;
	uint32_t module_id;
	uint64_t addr;
	bool text;
	char type;

	if (!split(line, &addr, &type, &name, &module)) {
		ks->bad++;
		return 0;
	}
	text = names_text(type, &bind);
	if (addr == 0) {
		*hidden += text;
		return 0;
	}
	module_id = intern_add(&ks->modules, module);
	if (ks->len == SYMBOLS_MAX || name.len > NAMES_MAX - ks->names.len ||
	    module_id > UINT16_MAX)
		return fail(err, -E2BIG, "too many kernel symbols");
	ks->entries = grow(ks->entries, ks->len, &ks->cap, sizeof(*ks->entries));
	e = &ks->entries[ks->len++];
	*e = (struct entry){
		.addr = addr,
		.name = text ? (uint32_t)ks->names.len : NO_NAME,
		.module = (uint16_t)module_id,
		.bind = (uint8_t)bind,
	};
	if (text) {
		strbuf_addslice(&ks->names, name);
		strbuf_addch(&ks->names, '\0');
	}
	return 0;
}

static int entry_cmp(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

static struct slice entry_name(const struct kallsyms *ks, const struct entry *e)
{
	return slice_str(ks->names.buf + e->name);
}

static bool better(const struct kallsyms *ks, const struct entry *a, const struct entry *b)
{
	if (a->name == NO_NAME || b->name == NO_NAME)
		return b->name == NO_NAME && a->name != NO_NAME;
	return symbol_before(a->bind, entry_name(ks, a), b->bind, entry_name(ks, b));
}

/* Sorts, leaves one entry an address, and gives back what growing took beyond need. */
/*
 * The kernel proper comes sorted, and modules and BPF programs, which do not, lie above
 * it on most architectures: then only they need sorting.
 */
static void sort(struct entry *e, size_t n)
{
	size_t sorted = 1;

	while (sorted < n && entry_cmp(&e[sorted - 1], &e[sorted]) <= 0)
		sorted++;
	if (sorted >= n)
		return;
	qsort(e + sorted, n - sorted, sizeof(*e), entry_cmp);
	if (entry_cmp(&e[sorted - 1], &e[sorted]) > 0)
		qsort(e, n, sizeof(*e), entry_cmp);
}

static void arrange(struct kallsyms *ks)
{
	size_t kept = 0;

	sort(ks->entries, ks->len);
	for (size_t i = 0; i < ks->len; i++) {
		const struct entry *e = &ks->entries[i];

		if (!kept || ks->entries[kept - 1].addr != e->addr)
			ks->entries[kept++] = *e;
		else if (better(ks, e, &ks->entries[kept - 1]))
			ks->entries[kept - 1] = *e;
	}
	ks->len = ks->cap = kept;
	ks->entries = xreallocarray(ks->entries, kept, sizeof(*ks->entries));
	ks->names.cap = ks->names.len + 1;
	ks->names.buf = xrealloc(ks->names.buf, ks->names.cap);
	for (size_t i = 0; i < kept; i++)
		ks->count += ks->entries[i].name != NO_NAME;
}

int kallsyms_read(struct kallsyms **out, struct input *in, struct strbuf *err)
{
	struct kallsyms *ks = xcalloc(1, sizeof(*ks));
	uint64_t hidden = 0;
	struct slice line;
	int r;

	*out = NULL;
	intern_add(&ks->modules, SLICE(""));
	while ((r = input_line(in, &line)) > 0) {
		r = add_line(ks, line, &hidden, err);
		if (r)
			break;
	}
	if (r < 0 && in->error)
		fail(err, r, "read: %s", strerror(-r));
	if (r == 0 && ks->len)
		arrange(ks);
	if (r == 0 && ks->count == 0)
		r = hidden ? fail(err, -EPERM, "the kernel hides its addresses (kptr_restrict)")
			   : fail(err, -EINVAL, "no kernel symbols");
	if (r) {
		kallsyms_free(ks);
		return r;
	}
	*out = ks;
	return 0;
}

void kallsyms_free(struct kallsyms *ks)
{
	if (!ks)
		return;
	free(ks->entries);
	strbuf_release(&ks->names);
	intern_release(&ks->modules);
	free(ks);
}

bool kallsyms_find(const struct kallsyms *ks, uint64_t addr, struct ksymbol *out)
{
	size_t lo = 0, hi = ks->len; /* the first entry above addr lies in [lo, hi] */
	const struct entry *e;
	uint64_t size = REACH_MAX;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ks->entries[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return false;
	e = &ks->entries[lo - 1];
	if (lo < ks->len && (e[1].module == e->module || e[1].addr - e->addr < size))
		size = e[1].addr - e->addr;
	if (e->name == NO_NAME || addr - e->addr >= size)
		return false;
	*out = (struct ksymbol){ e->addr, size, intern_get(&ks->modules, e->module),
				 entry_name(ks, e) };
	return true;
}

size_t kallsyms_count(const struct kallsyms *ks)
{
	return ks->count;
}

uint64_t kallsyms_bad(const struct kallsyms *ks)
{
	return ks->bad;
}

size_t kallsyms_bytes(const struct kallsyms *ks)
{
	return sizeof(*ks) + ks->cap * sizeof(*ks->entries) + ks->names.cap +
	       ks->modules.arena.total;
}
