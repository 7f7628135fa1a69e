#include "proc/procmaps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/stream.h"
#include "tap.h"

static struct strbuf text = STRBUF_INIT;

static const char *str(struct slice s)
{
	strbuf_reset(&text);
	strbuf_addslice(&text, s);
	return strbuf_str(&text);
}

static int parse(const char *line, struct procmaps_line *out)
{
	return procmaps_parse(slice_str(line), out);
}

static void test_lines(void)
{
	struct procmaps_line l;

	ok(parse("7f1c8a000000-7f1c8a021000 r-xp 00001000 fd:01 1835012                    "
		 "/usr/lib/lib c.so",
		 &l) == 0,
	   "a file");
	is_u64(l.start, 0x7f1c8a000000, "start");
	is_u64(l.end, 0x7f1c8a021000, "end");
	is_u64(l.offset, 0x1000, "offset");
	is_u64(l.dev_major, 0xfd, "major");
	is_u64(l.dev_minor, 1, "minor");
	is_u64(l.inode, 1835012, "inode");
	ok(l.exec && !l.deleted, "executable, not deleted");
	is_str(str(l.path), "/usr/lib/lib c.so", "a path with a blank");

	ok(parse("1000-2000 rw-s 00000000 00:00 0 ", &l) == 0 && !l.exec && l.path.len == 0,
	   "anonymous memory with the blank that the kernel leaves");
	ok(parse("1000-2000 rw-s 00000000 00:00 0", &l) == 0 && l.path.len == 0,
	   "and without it");
	ok(parse("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0   [vsyscall]", &l) == 0 &&
		   l.exec,
	   "vsyscall");
	is_str(str(l.path), "[vsyscall]", "its name");
	ok(parse("1000-2000 r-xp 0 103:fffff 1  /a (deleted)", &l) == 0 && l.deleted, "deleted");
	is_str(str(l.path), "/a", "the mark is off the path");
	is_u64(l.dev_minor, 0xfffff, "a minor of five digits");
	ok(parse("1000-2000 r-xp 0 0:0 1 (deleted)", &l) == 0 && !l.deleted,
	   "the mark alone is a name");
}

static void test_malformed(void)
{
	static const char *const bad[] = {
		"",
		"1000",
		"1000-2000",
		"1000-2000 r-xp",
		"1000-2000 r-xp 0 00:00",
		"1000-2000 r-xp 0 00:00 ",
		"1000-2000 r-xp 0 00:00 x",
		"1000-2000 r-xp 0 0000 1 /a",
		"2000-1000 r-xp 0 00:00 1 /a",
		"1000-1000 r-xp 0 00:00 1 /a",
		"1000-2000 rwx 0 00:00 1 /a",
		"1000-2000 rwxpp 0 00:00 1 /a",
		"1000-2000 xxxx 0 00:00 1 /a",
		"g000-2000 r-xp 0 00:00 1 /a",
		"1000-10000000000000000 r-xp 0 00:00 1 /a",
		"1000-2000 r-xp 0 100000000:00 1 /a",
		"1000-2000 r-xp 0 00:00 99999999999999999999 /a",
		" 1000-2000 r-xp 0 00:00 1 /a",
	};
	struct procmaps_line l;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(parse(bad[i], &l) == -EINVAL, "malformed: \"%s\"", bad[i]);
}

static void test_unescape(void)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "/plain", "/plain" },       { "/a\\012b", "/a\nb" },
		{ "\\012\\012", "\n\n" },     { "/a\\x2db\\101", "/a\\x2db\\101" },
		{ "/end\\01", "/end\\01" },   { "/end\\", "/end\\" },
		{ "\\\\012", "\\\n" },        { "", "" },
	};
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		strbuf_reset(&sb);
		procmaps_unescape(&sb, slice_str(cases[i].in));
		is_str(strbuf_str(&sb), cases[i].out, "unescaped \"%s\"", cases[i].in);
	}
	strbuf_release(&sb);
}

/* The line of /proc/self/maps that holds addr; its path is left in `text`, unescaped. */
static bool find_self(const void *addr, struct procmaps_line *found)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	struct procmaps_line l;
	struct slice line;
	struct input in;
	bool hit = false;
	unsigned bad = 0;

	input_init(&in, fd, NULL);
	while (input_line(&in, &line) > 0) {
		if (procmaps_parse(line, &l))
			bad++;
		else if (l.start <= (uint64_t)addr && (uint64_t)addr < l.end) {
			*found = l;
			strbuf_reset(&text);
			procmaps_unescape(&text, l.path);
			hit = true;
		}
	}
	input_release(&in);
	close(fd);
	is_u64(bad, 0, "every line of /proc/self/maps is understood");
	return hit;
}

/* What the running kernel writes for a name that needs its escape, then for it deleted. */
static void test_kernel(void)
{
	char dir[] = "/tmp/procmaps.XXXXXX", path[64];
	struct procmaps_line l;
	void *p;
	int fd;

	if (!ok(mkdtemp(dir) != NULL, "a folder"))
		return;
	snprintf(path, sizeof(path), "%s/a\nb\\101 c", dir);
	fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	ok(fd >= 0 && ftruncate(fd, 8192) == 0, "a file");
	p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 4096);
	if (ok(p != MAP_FAILED && find_self(p, &l), "is mapped")) {
		is_str(strbuf_str(&text), path, "its path");
		is_u64(l.offset, 4096, "its offset");
		ok(!l.exec && !l.deleted, "neither executable nor deleted");
	}
	unlink(path);
	if (ok(find_self(p, &l) && l.deleted, "it is deleted"))
		is_str(strbuf_str(&text), path, "its path, still");
	munmap(p, 4096);
	close(fd);
	rmdir(dir);
	ok(find_self((void *)(uintptr_t)test_kernel, &l) && l.exec, "code is executable");
}

int main(void)
{
	test_lines();
	test_malformed();
	test_unescape();
	test_kernel();
	strbuf_release(&text);
	return done_testing();
}
