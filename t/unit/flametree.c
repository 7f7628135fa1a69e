#include "../../fold2svg/flametree.h"

#include <errno.h>
#include <stdlib.h>

#include "tap.h"

static void add(struct flametree *t, const char *stack, uint64_t count)
{
	const char *why = NULL;

	if (flametree_add(t, slice_str(stack), count, &why))
		ok(false, "'%s' is added: %s", stack, why);
}

/* The tree as text: "name:depth:start+total(self) …". */
static char *shown(struct flametree *t)
{
	struct strbuf sb = STRBUF_INIT;
	struct flame flame = flametree_finish(t);

	for (size_t i = 0; i < flame.len; i++) {
		const struct flame_frame *f = &flame.frames[i];
		struct slice name = i ? flame.names[f->name] : SLICE("all");

		strbuf_addf(&sb, "%s%.*s:%u:%llu+%llu(%llu)", i ? " " : "", (int)name.len, name.p,
			    f->depth, (unsigned long long)f->start, (unsigned long long)f->total,
			    (unsigned long long)f->self);
	}
	flame_release(&flame);
	flametree_release(t);
	return sb.buf;
}

static void is_tree(struct flametree *t, const char *want, const char *what)
{
	char *got = shown(t);

	is_str(got, want, "%s", what);
	free(got);
}

static void test_shapes(void)
{
	struct flametree t = { 0 };

	is_tree(&t, "all:0:0+0(0)", "no stack: the root alone");

	add(&t, "", 4);
	is_tree(&t, "all:0:0+4(4)", "an empty stack counts for the root");

	add(&t, "a;b", 3);
	add(&t, "a", 2);
	add(&t, "b;b", 1);
	is_tree(&t, "all:0:0+6(0) a:1:0+5(2) b:2:2+3(3) b:1:5+1(0) b:2:5+1(1)",
		"the same name under different callers stays apart");

	add(&t, "a;x", 1);
	add(&t, "b", 1);
	add(&t, "a;x", 1);
	add(&t, "a;c", 1);
	is_tree(&t, "all:0:0+4(0) a:1:0+3(0) c:2:0+1(1) x:2:1+2(2) b:1:3+1(1)",
		"stacks that are not neighbours are merged, callees sorted");

	add(&t, "b", 1);
	add(&t, "a", 0);
	is_tree(&t, "all:0:0+1(0) b:1:0+1(1)", "a count of 0 makes no frame");
}

/* Each pair follows on the other, so that the short cut for shared frames is taken. */
static void test_shared(void)
{
	struct flametree t = { 0 };

	add(&t, "a;bc", 1);
	add(&t, "a;b", 1);
	add(&t, "a;bcd;e", 1);
	add(&t, "a;bcd", 1);
	add(&t, "ab", 1);
	add(&t, "a", 1);
	is_tree(&t, "all:0:0+6(0) a:1:0+5(1) b:2:1+1(1) bc:2:2+1(1) bcd:2:3+2(1) e:3:4+1(1) "
		    "ab:1:5+1(1)", "a name that begins another");

	add(&t, ";b", 1);
	add(&t, ";c", 1);
	add(&t, "", 1);
	add(&t, "a;;b", 1);
	add(&t, "a;;c", 1);
	add(&t, "a;", 1);
	is_tree(&t, "all:0:0+6(1) :1:1+2(0) b:2:1+1(1) c:2:2+1(1) a:1:3+3(1) :2:4+2(0) "
		    "b:3:4+1(1) c:3:5+1(1)", "empty names");
}

static void test_names(void)
{
	struct flametree t = { 0 };

	add(&t, "a\x01", 1);
	add(&t, "a\xff", 2);
	is_tree(&t, "all:0:0+3(0) a\xef\xbf\xbd:1:0+3(3)", "names are cleaned, then merged");

	add(&t, "aaaaaaaab", 1);
	add(&t, "aaaaaaaa", 1);
	add(&t, "\xc3\xa4", 1);
	add(&t, "z", 1);
	is_tree(&t, "all:0:0+4(0) aaaaaaaa:1:0+1(1) aaaaaaaab:1:1+1(1) z:1:2+1(1) "
		    "\xc3\xa4:1:3+1(1)", "the order is that of the bytes, beyond the eighth, too");
}

static void test_overflow(void)
{
	struct flametree t = { 0 };
	const char *why = NULL;

	add(&t, "a", UINT64_MAX - 1);
	is_u64((uint64_t)-flametree_add(&t, SLICE("b"), 2, &why), ERANGE, "an overflow is told");
	ok(why && strstr(why, "overflow"), "with the reason");
	add(&t, "a;c", 1);
	is_tree(&t, "all:0:0+18446744073709551615(0) "
		    "a:1:0+18446744073709551615(18446744073709551614) "
		    "c:2:18446744073709551614+1(1)", "and changes nothing");
}

static void test_deep(void)
{
	struct flametree t = { 0 };
	struct strbuf stack = STRBUF_INIT;
	struct flame flame;

	for (int i = 0; i < 100000; i++)
		strbuf_addstr(&stack, "f;");
	add(&t, stack.buf, 1);
	add(&t, "f;g", 1);
	flame = flametree_finish(&t);
	is_u64(flame.len, 100002, "100,000 frames deep");
	is_u64(flame.frames[100000].depth, 100000, "the deepest");
	is_u64(flame.frames[100001].depth, 2, "and back");
	flame_release(&flame);
	flametree_release(&t);
	strbuf_release(&stack);
}

int main(void)
{
	test_shapes();
	test_shared();
	test_names();
	test_overflow();
	test_deep();
	return done_testing();
}
