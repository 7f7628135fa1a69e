#include "sym/perfmap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tap.h"

static struct perfmap *parse(const char *text, size_t max_lines)
{
	return perfmap_parse(xmemdup0(text, strlen(text)), strlen(text), max_lines);
}

/* "NAME ADDR+SIZE", or "" when nothing is found. */
static const char *found(const struct perfmap *pm, uint64_t addr)
{
	static char buf[256];
	struct symbol s;

	buf[0] = '\0';
	if (perfmap_find(pm, addr, &s))
		snprintf(buf, sizeof(buf), "%.*s %#" PRIx64 "+%#" PRIx64, (int)s.name.len, s.name.p,
			 s.addr, s.size);
	return buf;
}

static void test_lines(void)
{
	struct perfmap *pm = parse("1000 100 old\n"
				   "0x2000 0x10 LazyCompile:~f /a b.js:1\n"
				   "1000 40 new\n"
				   "1080 10 within\n"
				   "10f0 20 over the end\n"
				   "\n"
				   "3000\n"
				   "3000 10\n"
				   "3000 0 empty\n"
				   "3000 x name\n"
				   "ffffffffffffff00 101 wraps\n"
				   "fffffffffffffff0 f last\n"
				   "4000 10 being writ",
				   100);

	is_str(found(pm, 0xfff), "", "below the first");
	is_str(found(pm, 0x1000), "new 0x1000+0x40", "a later line wins");
	is_str(found(pm, 0x103f), "new 0x1000+0x40", "to its last byte");
	is_str(found(pm, 0x1040), "old 0x1000+0x100", "the older one has the rest");
	is_str(found(pm, 0x1088), "within 0x1080+0x10", "within another");
	is_str(found(pm, 0x1090), "old 0x1000+0x100", "after the one within");
	is_str(found(pm, 0x10ff), "over the end 0x10f0+0x20", "across the end");
	is_str(found(pm, 0x1110), "", "beyond it");
	is_str(found(pm, 0x2008), "LazyCompile:~f /a b.js:1 0x2000+0x10",
	       "0x, and a name with blanks");
	is_str(found(pm, 0xfffffffffffffffe), "last 0xfffffffffffffff0+0xf",
	       "at the end of memory");
	is_str(found(pm, 0x3000), "", "malformed lines name nothing");
	is_str(found(pm, 0x4000), "", "nor does one without LF");
	is_u64(perfmap_bad(pm), 6, "malformed lines are counted");
	is_u64(perfmap_count(pm), 6, "and the others");
	ok(!perfmap_cut(pm), "nothing was dropped");
	perfmap_free(pm);

	pm = parse("1000 10 a\n2000 10 b\n3000 10 c\n", 2);
	is_str(found(pm, 0x1000), "", "the oldest line is dropped");
	is_str(found(pm, 0x2000), "b 0x2000+0x10", "newer ones are not");
	ok(perfmap_cut(pm) && perfmap_count(pm) == 2, "and it is said");
	perfmap_free(pm);

	pm = parse("1000 10 a\n2000 10 b\n", 2);
	ok(!perfmap_cut(pm) && perfmap_count(pm) == 2, "as many lines as may be");
	perfmap_free(pm);
	pm = perfmap_parse(NULL, 0, 10);
	is_str(found(pm, 0), "", "an empty file");
	perfmap_free(pm);
}

static int memfd(const char *text)
{
	int fd = memfd_create("perfmap", MFD_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return -1;
	return fd;
}

static void test_read(void)
{
	struct strbuf err = STRBUF_INIT, text = STRBUF_INIT;
	struct perfmap *pm;
	int fd;

	for (unsigned i = 0; i < 1000; i++)
		strbuf_addf(&text, "%x 10 a_function_with_a_long_name_%u\n", 0x10000 + i * 16, i);
	fd = memfd(strbuf_str(&text));
	ok(perfmap_read(&pm, fd, 1 << 20, &err) == 0 && perfmap_count(pm) == 1000, "a whole file");
	ok(!perfmap_cut(pm), "is not cut");
	perfmap_free(pm);
	ok(perfmap_read(&pm, fd, 1000, &err) == 0 && perfmap_cut(pm), "the end of one");
	is_u64(perfmap_bad(pm), 0, "without the line that was cut in two");
	is_u64(perfmap_count(pm), 24, "its lines");
	is_str(found(pm, 0x10000 + 999 * 16), "a_function_with_a_long_name_999 0x13e70+0x10",
	       "the newest is there");
	perfmap_free(pm);
	ok(perfmap_read(&pm, fd, 0, &err) == 0 && perfmap_count(pm) == 0, "no room at all");
	perfmap_free(pm);
	/* A hole of a terabyte, as anyone may make. */
	ok(ftruncate(fd, (off_t)1 << 40) == 0 && perfmap_read(&pm, fd, 1 << 20, &err) == 0 &&
		   perfmap_count(pm) == 0,
	   "a sparse terabyte");
	perfmap_free(pm);
	close(fd);
	fd = open("/", O_RDONLY | O_CLOEXEC);
	ok(perfmap_read(&pm, fd, 1000, &err) == -EISDIR && !pm, "a failed read: %s",
	   strbuf_str(&err));
	close(fd);
	strbuf_release(&text);
	strbuf_release(&err);
}

static void test_open(void)
{
	char dir[] = "/tmp/perfmap.XXXXXX";
	struct strbuf err = STRBUF_INIT;
	uint32_t me = geteuid();
	int dirfd, fd;

	dirfd = mkdtemp(dir) ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (!ok(dirfd >= 0, "a folder"))
		return;
	close(openat(dirfd, "map", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	if (symlinkat("map", dirfd, "link") || mkfifoat(dirfd, "fifo", 0600) ||
	    mkdirat(dirfd, "dir", 0700))
		ok(false, "a link, a FIFO and a folder");

	ok(perfmap_open(dirfd, "none", me, &err) == -ENOENT, "none");
	fd = perfmap_open(dirfd, "map", me, &err);
	ok(fd >= 0, "the process's user's own");
	ok(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC, "is not inherited");
	close(fd);
	fd = perfmap_open(dirfd, "map", UINT32_MAX, &err);
	ok(fd >= 0, "the caller's own, the process's user not being known");
	close(fd);
	ok(perfmap_open(dirfd, "link", me, &err) == -EPERM, "a link: %s", strbuf_str(&err));
	ok(perfmap_open(dirfd, "fifo", me, &err) == -EPERM, "a FIFO: %s", strbuf_str(&err));
	ok(perfmap_open(dirfd, "dir", me, &err) == -EPERM, "a folder: %s", strbuf_str(&err));
	if (me == 0) {
		fd = perfmap_open(dirfd, "map", 1234, &err);
		ok(fd >= 0, "root's, for another user's process");
		close(fd);
		ok(fchownat(dirfd, "map", 4321, (gid_t)-1, 0) == 0 &&
			   perfmap_open(dirfd, "map", 1234, &err) == -EPERM,
		   "a third user's: %s", strbuf_str(&err));
		ok(perfmap_open(dirfd, "map", UINT32_MAX, &err) == -EPERM,
		   "another user's, the process's user not being known");
	} else {
		ok(perfmap_open(dirfd, "map", me + 1, &err) == -EPERM,
		   "ours, for another user's process: %s", strbuf_str(&err));
	}
	unlinkat(dirfd, "map", 0);
	unlinkat(dirfd, "link", 0);
	unlinkat(dirfd, "fifo", 0);
	unlinkat(dirfd, "dir", AT_REMOVEDIR);
	close(dirfd);
	rmdir(dir);
	strbuf_release(&err);
}

int main(void)
{
	test_lines();
	test_read();
	test_open();
	return done_testing();
}
