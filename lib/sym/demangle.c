#include "sym/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>

#define NAME_LEN_MAX (4u << 10)
#define SHOWN_LEN_MAX (16u << 10)
#define DLANG_CHOICES_MAX 16

/*
 * libiberty refuses C++ names over 1 KB unless told not to limit its recursion; what
 * takes the limit's place is ours on the length, by which the depth of parsing is
 * bounded. (Its printing has a limit of its own, 1024 deep, that no option lifts.)
 * Not so for Rust, whose back references may lead in circles.
 */
#define CPLUS_OPTIONS DMGL_NO_RECURSE_LIMIT
#define RUST_OPTIONS DMGL_NO_OPTS

struct print {
	struct strbuf *out;
	size_t room;
	jmp_buf overflow;
};

/*
 * A few bytes of back references can stand for gigabytes of name, so what is printed
 * is counted, and the way out of the demangler is a jump: it has no other, and it
 * prints from its stack, owning nothing.
 */
static void print_some(const char *s, size_t len, void *opaque)
{
	struct print *p = opaque;

	if (len > p->room)
		longjmp(p->overflow, 1);
	p->room -= len;
	strbuf_add(p->out, s, len);
}

typedef int demangler(const char *, int, demangle_callbackref, void *);

static bool demangle_with(demangler *f, int options, struct strbuf *out, const char *name)
{
	struct print p = { .out = out, .room = SHOWN_LEN_MAX };
	size_t before = out->len;

	if (setjmp(p.overflow) == 0 && f(name, options, print_some, &p) && out->len > before)
		return true;
	out->len = before;
	return false;
}

/*
 * D's demangler returns a string and cannot be stopped, so what it may do is bounded
 * beforehand. It tries the letters of calling conventions and of symbol arguments one
 * way and then the other, each within the other: 170 bytes of them take hours.
 * And back references double the output: "Q" and a number in base 26 (upper case, the
 * last digit lower) repeat at most the text between the place that far back and here
 * (dlang.org/spec/abi.html#back_ref), which is reckoned up from above.
 */
static bool dlang_is_bounded(const char *name)
{
	uint32_t upto[NAME_LEN_MAX + 1]; /* the reckoned length of all before a place */
	unsigned choices = 0;

	upto[0] = 0;
	for (size_t i = 0; name[i]; i++) {
		size_t back = 0, k = i + 1;
		uint32_t weight = 1;

		if (name[i] == 'Q') {
			while (name[k] >= 'A' && name[k] <= 'Z' && back <= i)
				back = back * 26 + (size_t)(name[k++] - 'A');
			if (name[k] >= 'a' && name[k] <= 'z')
				back = back * 26 + (size_t)(name[k] - 'a');
			weight += back <= i ? upto[i] - upto[i - back] : 0;
		}
		choices += strchr("FRSUVWY", name[i]) != NULL;
		upto[i + 1] = upto[i] + weight;
		if (upto[i + 1] > SHOWN_LEN_MAX || choices > DLANG_CHOICES_MAX)
			return false;
	}
	return true;
}

static bool demangle_dlang(struct strbuf *out, const char *name)
{
	char *shown = dlang_is_bounded(name) ? dlang_demangle(name, 0) : NULL;

	if (shown)
		strbuf_addstr(out, shown);
	free(shown);
	return shown != NULL;
}

/* Where Rust's legacy "17h", 16 hexadecimal digits and "E" end, or 0. */
static size_t rust_hash_end(struct slice name)
{
	for (size_t i = 0; i + 20 <= name.len; i++) {
		const char *p = name.p + i;
		size_t n = 3;

		if (memcmp(p, "17h", 3) != 0)
			continue;
		while (n < 19 && strchr("0123456789abcdef", p[n]))
			n++;
		if (n == 19 && p[19] == 'E' && (i + 20 == name.len || p[20] == '.'))
			return i + 20;
	}
	return 0;
}

/* The length of a name before the suffixes that compilers put on it. */
static size_t base_len(struct slice name, size_t hash_end)
{
	/* Only legacy Rust has dots within a name, but those end in their hash. */
	const char *dot = hash_end ? NULL : memchr(name.p, '.', name.len);

	return hash_end ? hash_end : dot ? (size_t)(dot - name.p) : name.len;
}

/* The suffix without ThinLTO's ".llvm.HASH", which only makes the name unique. */
static struct slice shown_suffix(struct slice suffix)
{
	const char *llvm = memmem(suffix.p, suffix.len, ".llvm.", 6);

	if (llvm)
		suffix.len = (size_t)(llvm - suffix.p);
	return suffix;
}

void demangle(struct strbuf *out, struct slice name)
{
	size_t hash_end, len;
	char base[NAME_LEN_MAX + 1];
	struct slice suffix;
	bool done = false;

	if (name.len < 2 || name.p[0] != '_' || !strchr("ZRD", name.p[1]) ||
	    memchr(name.p, '\0', name.len)) {
		const char *llvm = memmem(name.p, name.len, ".llvm.", 6);

		strbuf_add(out, name.p, llvm ? (size_t)(llvm - name.p) : name.len);
		return;
	}
	hash_end = name.p[1] == 'Z' ? rust_hash_end(name) : 0;
	len = base_len(name, hash_end);
	suffix = shown_suffix((struct slice){ name.p + len, name.len - len });
	if (len <= NAME_LEN_MAX) {
		memcpy(base, name.p, len);
		base[len] = '\0';
		if (name.p[1] == 'R' || hash_end)
			done = demangle_with(rust_demangle_callback, RUST_OPTIONS, out, base);
		if (!done && name.p[1] == 'Z')
			done = demangle_with(cplus_demangle_v3_callback, CPLUS_OPTIONS, out, base);
		if (name.p[1] == 'D')
			done = demangle_dlang(out, base);
	}
	if (!done)
		strbuf_add(out, name.p, len);
	strbuf_addslice(out, suffix);
}
