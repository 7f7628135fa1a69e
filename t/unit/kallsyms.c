#include "sym/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"

static int read_fd(struct kallsyms **ks, int fd, struct strbuf *err)
{
	struct input in;
	int r;

	input_init(&in, fd, NULL);
	r = kallsyms_read(ks, &in, err);
	input_release(&in);
	close(fd);
	return r;
}

static int read_text(struct kallsyms **ks, const char *text, struct strbuf *err)
{
	int fd = memfd_create("kallsyms", MFD_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) ||
	    lseek(fd, 0, SEEK_SET))
		return -errno;
	return read_fd(ks, fd, err);
}

/* "NAME[MODULE]+ADDR-ADDR", or "" when nothing is found. */
static const char *found(const struct kallsyms *ks, uint64_t addr)
{
	static char buf[256];
	struct ksymbol s;

	buf[0] = '\0';
	if (kallsyms_find(ks, addr, &s))
		snprintf(buf, sizeof(buf), "%.*s[%.*s] %#" PRIx64 "+%#" PRIx64, (int)s.name.len,
			 s.name.p, (int)s.module.len, s.module.p, s.addr, s.size);
	return buf;
}

static void test_text(void)
{
	static const char text[] =
		"0000000000000000 A fixed_percpu_data\n"
		"0000000000001000 A cpu_debug_store\n"
		"000000000002d000 A __per_cpu_end\n"
		"ffffffff81000000 T _stext\n"
		"ffffffff81000000 T startup_64\n"
		"ffffffff81000000 t local_one\n"
		"ffffffff81000000 W w\n"
		"ffffffff81000100 t lower\n"
		"ffffffff81000200 W weak\n"
		"ffffffff81000200 t a\n"
		"ffffffff81000300 D data\n"
		"ffffffff81000300 t beside_data\n"
		"ffffffff81000400 r rodata\n"
		"ffffffff81000500 T __x\n"
		"ffffffff81000500 T yyyy\n"
		"ffffffff81000500 T zzzz\n"
		"ffffffffc0100000 t mod_a\t[nf_tables]\n"
		"ffffffffc0200000 t bpf_prog_6deef7357e7b4530_x\t[bpf]\n"
		"ffffffffc0200040 t bpf_prog_2\t[bpf]\n"
		"not a line\n"
		"ffffffffc0000000 t\n"
		"ffffffffc0000000 t name [broken\n"
		"ffffffff80fff000 T out_of_order";
	struct kallsyms *ks;

	if (!ok(read_text(&ks, text, NULL) == 0, "read"))
		return;
	is_str(found(ks, 0), "", "address 0");
	is_str(found(ks, 0x1234), "", "a per-cpu offset is not an address");
	is_str(found(ks, 0xffffffff80ffe000), "", "below the first");
	is_str(found(ks, 0xffffffff80fff010), "out_of_order[] 0xffffffff80fff000+0x1000",
	       "lines need not be sorted, the last needs no LF");
	is_str(found(ks, 0xffffffff81000000), "startup_64[] 0xffffffff81000000+0x100",
	       "global before weak and local, no underscore before one");
	is_str(found(ks, 0xffffffff810000ff), "startup_64[] 0xffffffff81000000+0x100",
	       "its last byte");
	is_str(found(ks, 0xffffffff81000100), "lower[] 0xffffffff81000100+0x100", "the next one");
	is_str(found(ks, 0xffffffff81000250), "weak[] 0xffffffff81000200+0x100",
	       "weak before local");
	is_str(found(ks, 0xffffffff81000350), "beside_data[] 0xffffffff81000300+0x100",
	       "text before data at one address");
	is_str(found(ks, 0xffffffff81000450), "", "data names nothing");
	is_str(found(ks, 0xffffffff8100050f), "yyyy[] 0xffffffff81000500+0x10000",
	       "equals bytewise; the kernel's last reaches 64 KB");
	is_str(found(ks, 0xffffffff81010500), "", "and no further");
	is_str(found(ks, 0xffffffffc0100008), "mod_a[nf_tables] 0xffffffffc0100000+0x10000",
	       "a module's");
	is_str(found(ks, 0xffffffffc020003f),
	       "bpf_prog_6deef7357e7b4530_x[bpf] 0xffffffffc0200000+0x40", "a BPF program's");
	is_str(found(ks, UINT64_MAX), "", "the highest address");
	is_u64(kallsyms_bad(ks), 3, "malformed lines are counted");
	is_u64(kallsyms_count(ks), 9, "addresses with a name");
	kallsyms_free(ks);
}

static void test_errors(void)
{
	struct strbuf err = STRBUF_INIT;
	struct kallsyms *ks;

	ok(read_text(&ks, "0000000000000000 T _stext\n0000000000000000 A x\n", &err) == -EPERM &&
		   !ks,
	   "hidden addresses");
	ok(strstr(strbuf_str(&err), "kptr_restrict"), "say why: %s", strbuf_str(&err));
	ok(read_text(&ks, "", &err) == -EINVAL && !ks, "empty");
	ok(read_text(&ks, "0000000000000010 A x\n", &err) == -EINVAL && !ks, "no text symbol");
	ok(read_text(&ks, "<html>\n", &err) == -EINVAL && !ks, "another kind of file");
	ok(read_fd(&ks, open("/", O_RDONLY | O_CLOEXEC), &err) == -EISDIR && !ks, "a failed read");
	strbuf_release(&err);
}

/* The running kernel's own, where it shows them. */
static void test_live(void)
{
	struct strbuf err = STRBUF_INIT;
	struct kallsyms *ks;
	int r = read_fd(&ks, open("/proc/kallsyms", O_RDONLY | O_CLOEXEC), &err);

	if (r == -EPERM) {
		printf("ok %u - /proc/kallsyms # SKIP %s\n", ++tap_run, strbuf_str(&err));
	} else if (ok(r == 0, "/proc/kallsyms: %s", strbuf_str(&err))) {
		is_u64(kallsyms_bad(ks), 0, "every line is understood");
		ok(kallsyms_count(ks) > 1000, "%zu symbols", kallsyms_count(ks));
		ok(kallsyms_bytes(ks) < 64 * kallsyms_count(ks), "in %zu bytes",
		   kallsyms_bytes(ks));
	}
	kallsyms_free(ks);
	strbuf_release(&err);
}

int main(void)
{
	test_text();
	test_errors();
	test_live();
	return done_testing();
}
