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

static void change(struct flametree *t, const char *stack, uint64_t before, uint64_t after)
{
	const char *why = NULL;

	if (flametree_add_change(t, slice_str(stack), (struct flame_counts){ before, after }, &why))
		ok(false, "'%s' is added: %s", stack, why);
}

/* The tree as text: "name:depth:start+total(self) …"; behind it before→after of a change. */
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
		if (flame.changes)
			strbuf_addf(&sb, "%llu>%llu(%llu>%llu)",
				    (unsigned long long)flame.changes[i].total_before,
				    (unsigned long long)flame.changes[i].total_after,
				    (unsigned long long)flame.changes[i].self_before,
				    (unsigned long long)flame.changes[i].self_after);
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

/* Sorted: found without a table, also where names that begin with another come between. */
static void test_sorted(void)
{
	static const char *const stacks[] = {
		"p;c", "p;c d", "p;c d;x", "p;c(int)", "p;c;e", "p;c;f", "p;cx", "p;d", "q", "q r",
		"q;s",
	};
	const size_t n = sizeof(stacks) / sizeof(stacks[0]);
	struct flametree sorted = { 0 }, other = { 0 };
	char *want;

	for (size_t i = 0; i < n; i++)
		add(&sorted, stacks[i], i + 1);
	ok(!sorted.slots, "a sorted file needs no table");
	for (size_t i = 0; i < n; i++)
		add(&other, stacks[i * 7 % n], i * 7 % n + 1);
	ok(other.slots != NULL, "another one does");
	want = shown(&other);
	is_tree(&sorted, want, "the tree is the same");
	free(want);
}

static void test_reverse(void)
{
	struct flametree t = { .reverse = true };

	add(&t, "a;b;c", 1);
	add(&t, "a;b;c;c", 2);
	add(&t, "x;c", 4);
	add(&t, "a;b", 8);
	is_tree(&t, "all:0:0+15(0) b:1:0+8(0) a:2:0+8(8) c:1:8+7(0) b:2:8+1(0) a:3:8+1(1) "
		    "c:2:9+2(0) b:3:9+2(0) a:4:9+2(2) x:2:11+4(4)",
		"in reverse: from the leaves, merged");
}

static void test_chart(void)
{
	struct flametree t = { .chart = true };

	add(&t, "b;x", 1);
	add(&t, "b;x;y", 2);
	add(&t, "b", 4);
	add(&t, "b;x", 8);
	add(&t, "a", 16);
	add(&t, "b", 32);
	is_tree(&t, "all:0:0+63(0) b:1:0+15(4) x:2:0+3(1) y:3:1+2(2) x:2:7+8(8) a:1:15+16(16) "
		    "b:1:31+32(32)", "a chart: in order of time, neighbours merged");
}

static void test_changes(void)
{
	struct flametree t = { .differential = true };

	change(&t, "a;b", 3, 5);
	change(&t, "a;gone", 2, 0);
	change(&t, "a;new", 0, 7);
	change(&t, "a;none", 0, 0);
	change(&t, "a;b", 1, 0);
	is_tree(&t, "all:0:0+14(0)6>12(0>0) a:1:0+14(0)6>12(0>0) b:2:0+5(5)4>5(4>5) "
		    "gone:2:5+2(2)2>0(2>0) new:2:7+7(7)0>7(0>7)",
		"widths are the counts after, or before where those are 0");
	t.differential = t.base_before = true;
	change(&t, "a;b", 3, 5);
	change(&t, "a;gone", 2, 0);
	change(&t, "a;new", 0, 7);
	is_tree(&t, "all:0:0+12(0)5>12(0>0) a:1:0+12(0)5>12(0>0) b:2:0+3(3)3>5(3>5) "
		    "gone:2:3+2(2)2>0(2>0) new:2:5+7(7)0>7(0>7)",
		"or the other way round");
}

static void test_scale(void)
{
	struct flametree t = { 0 };
	const char *why = NULL;

	add(&t, "a", 3);
	is_u64((uint64_t)flametree_scale(&t, 2, &why), 0, "two decimals");
	add(&t, "b", 25);
	ok(flametree_scale(&t, 20, &why) == -ERANGE && why, "20 are too many");
	is_u64(t.decimals, 2, "which changes nothing");
	is_tree(&t, "all:0:0+325(0) a:1:0+300(300) b:1:300+25(25)", "counts are in units of them");
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

static void test_coarsen(void)
{
	struct flametree t = { .decimals = 3 };
	struct flame f;

	add(&t, "a", 1500);
	add(&t, "a;b", 1449);
	add(&t, "a;c", 18446744073709548000ull);
	flametree_coarsen(&t, 1);
	is_u64(t.total, 15 + 14 + 184467440737095480ull, "the total is that of rounded counts");
	flametree_coarsen(&t, 2);
	is_u64(t.decimals, 1, "never more decimals");
	f = flametree_finish(&t);
	is_u64(f.decimals, 1, "the flame has them");
	is_u64(f.frames[1].self, 15, "a whole one");
	is_u64(f.frames[2].total, 14, "one rounded down");
	is_u64(f.frames[1].total, f.frames[0].total, "totals are sums");
	flame_release(&f);
	flametree_release(&t);

	t = (struct flametree){ .differential = true, .decimals = 1 };
	change(&t, "a", 15, 24);
	flametree_coarsen(&t, 0);
	is_u64(t.total, 2 + 2, "a differential's");
	is_u64(t.counts[1].before, 2, "a half is rounded up");
	flametree_release(&t);
}

int main(void)
{
	test_coarsen();
	test_shapes();
	test_shared();
	test_sorted();
	test_reverse();
	test_chart();
	test_changes();
	test_scale();
	test_names();
	test_overflow();
	test_deep();
	return done_testing();
}
