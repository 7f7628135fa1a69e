/* Which source names a frame, and the sets of symbols behind it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/alloc.h"
#include "sym/resolver.h"
#include "sym/symset.h"
#include "tap.h"

/* ---- sets of symbols, against a plain list */

enum { MODEL = 3000 };

static struct symset_entry model[MODEL];
static size_t model_n;

/* The last to start that covers addr; of one address the last added. */
static const struct symset_entry *model_find(uint64_t addr)
{
	const struct symset_entry *best = NULL;

	for (size_t i = 0; i < model_n; i++)
		if (addr - model[i].addr < model[i].size && (!best || model[i].addr >= best->addr))
			best = &model[i];
	return best;
}

static void check_symset(void)
{
	struct symset set = { 0 };
	unsigned wrong = 0, asked = 0;
	char name[16];

	srand(1);
	while (model_n < MODEL) {
		/* distinct addresses 64 apart, some symbols reach over their neighbours */
		struct symset_entry e = { .addr = (uint64_t)(rand() % 4096) * 64,
					  .size = (uint64_t)(rand() % 8 ? 40 : 200) };

		snprintf(name, sizeof(name), "f%zu", model_n);
		e.name = slice_str(name);
		symset_add(&set, &e);
		for (size_t i = 0; i < model_n; i++)
			if (model[i].addr == e.addr)
				model[i].size = 0;
		e.name.p = xmemdup0(name, e.name.len);
		model[model_n++] = e;
		for (int k = rand() % 4; k > 0; k--, asked++) {
			uint64_t addr = (uint64_t)(rand() % (4100 * 64));
			const struct symset_entry *want = model_find(addr);
			struct symset_entry got;
			bool found = symset_find(&set, addr, &got);

			wrong += found != (want != NULL) ||
				 (found && !slice_eq(got.name, want->name));
		}
	}
	ok(asked > 3000, "%u look-ups between additions", asked);
	is_u64(wrong, 0, "all as in a plain list");
	for (size_t i = 0; i < model_n; i++)
		free((char *)model[i].name.p);
	symset_release(&set);
	ok(!symset_find(&set, 0, &model[0]), "an empty set names nothing");
	symset_add(&set, &(struct symset_entry){ .addr = 100, .name = SLICE("unsized") });
	symset_add(&set, &(struct symset_entry){ .addr = 200, .size = 10, .name = SLICE("sized") });
	ok(symset_find(&set, 199, &model[0]) && model[0].addr == 100, "size 0 reaches the next");
	ok(!symset_find(&set, 210, &model[0]), "and not beyond it");
	symset_release(&set);
}

/* ---- frames */

static char warning[256];
static unsigned warnings;

static void keep_warning(void *ctx, const char *text)
{
	(void)ctx;
	warnings++;
	snprintf(warning, sizeof(warning), "%s", text);
}

static char *text_of(struct slice s)
{
	static char *copy;

	free(copy);
	return copy = xmemdup0(s.p, s.len);
}

static struct resolver *r;
static bool pending;

static const char *user(uint32_t image, uint64_t ip, bool exact, bool last)
{
	pending = false;
	return text_of(resolver_user(r, resolver_image(r, image), ip, exact, last, &pending));
}

static const char *kernel(uint64_t ip, bool exact)
{
	return text_of(resolver_kernel(r, ip, exact));
}

static void add_file(uint32_t id, uint32_t flags, const char *path)
{
	ok(resolver_file(r, &(struct capture_file){ .id = id, .flags = flags,
			 .path = slice_str(path) }, NULL) == 0, "file %s", path);
}

static void add_map(uint32_t image, uint32_t file, uint64_t start, uint64_t length, uint64_t offset)
{
	ok(resolver_map(r, &(struct capture_map){ image, file, start, length, offset }, NULL) == 0,
	   "mapping at %" PRIx64, start);
}

static void add_sym(uint32_t scope, uint32_t id, uint64_t addr, uint64_t size, const char *name)
{
	ok(resolver_sym(r, &(struct capture_sym){ scope, id, addr, size, slice_str(name) },
			NULL) == 0, "symbol %s", name);
}

static void check_sources(void)
{
	struct strbuf err = STRBUF_INIT;

	resolver_begin(r, &(struct capture_header){ .version = CAPTURE_VERSION });
	resolver_proc(r, &(struct capture_proc){ .image = 1, .pid = 10 }, NULL);
	add_file(1, CAPTURE_FILE_EMBEDDED, "/no/such/lib.so");
	add_file(2, CAPTURE_FILE_ANON, "[anon]");
	add_file(3, CAPTURE_FILE_VDSO, "[vdso]");
	add_map(1, 1, 0x10000, 0x1000, 0x3000);
	add_map(1, 2, 0x20000, 0x1000, 0);
	add_map(1, 3, 0x30000, 0x1000, 0);
	add_sym(CAPTURE_SYM_FILE, 1, 0x3100, 0x20, "_ZN3foo3barEi");
	add_sym(CAPTURE_SYM_FILE, 3, 0x800, 0x20, "__vdso_gettimeofday");

	is_str(user(1, 0x10104, true, false), "/no/such/lib.so`foo::bar+0x4", "embedded");
	is_str(user(1, 0x10120, false, false), "/no/such/lib.so`foo::bar+0x20",
	       "a return address at the end of a function is of that function");
	is_str(user(1, 0x10120, true, false), "/no/such/lib.so`0x3120",
	       "an executing one is not, and has its offset in the file");
	is_str(user(1, 0x11000, false, false), "/no/such/lib.so`0x4000",
	       "a call may end a mapping");
	is_str(user(1, 0x11000, true, false), "[unknown]`0x11000", "a leaf may not");
	is_str(user(1, 0x30808, true, false), "[vdso]`__vdso_gettimeofday+0x8", "vdso");
	is_str(user(7, 0x10104, true, false), "[unknown]`0x10104", "no process");
	is_str(user(1, 0, false, false), "[unknown]`0x0", "address 0");
	is_str(user(1, UINT64_MAX, true, false), "[unknown]`0xffffffffffffffff", "the highest");

	is_str(user(1, 0x20010, true, false), "[anon]`0x20010", "memory without a file");
	ok(pending, "may yet get a name");
	is_str(user(1, 0x20010, true, true), "[anon]`0x20010", "or not");
	ok(!pending, "and waits no longer");
	add_sym(CAPTURE_SYM_IMAGE, 1, 0x20000, 0x100, "LazyCompile:~_Z1fv /a b.js");
	is_str(user(1, 0x20010, true, false), "[jit]`LazyCompile:~_Z1fv /a b.js+0x10",
	       "JIT symbols come later, and are not demangled");
	ok(!pending, "and nothing is left to wait for");

	resolver_proc(r, &(struct capture_proc){ .image = 1, .pid = 10 }, NULL);
	is_str(user(1, 0x10104, true, false), "[unknown]`0x10104", "a new image has no mappings");
	ok(resolver_map(r, &(struct capture_map){ 5, 1, 1, 1, 1 }, &err) == -ENOENT,
	   "mapping without image: %s", strbuf_str(&err));
	ok(resolver_map(r, &(struct capture_map){ 1, 9, 0x5000, 0x1000, 0 }, &err) == -ENOENT,
	   "mapping without file: %s", strbuf_str(&err));
	is_str(user(1, 0x5010, true, false), "[unknown]`0x5010", "of which nothing is known");
	resolver_exit(r, 1);
	ok(!resolver_image(r, 1), "an image ends");
	strbuf_release(&err);
}

static void check_kernel(void)
{
	resolver_begin(r, &(struct capture_header){ .version = CAPTURE_VERSION });
	resolver_ksym(r, &(struct capture_ksym){ 0xffffffff81000000, 0x40, SLICE(""),
			 SLICE("do_it") }, NULL);
	resolver_ksym(r, &(struct capture_ksym){ 0xffffffffc0000000, 0x40, SLICE("bpf"),
			 SLICE("bpf_prog_1") }, NULL);
	is_str(kernel(0xffffffff81000010, true), "[kernel]`do_it+0x10", "kernel");
	is_str(kernel(0xffffffff81000040, false), "[kernel]`do_it+0x40", "return address");
	is_str(kernel(0xffffffffc0000001, true), "[kernel:bpf]`bpf_prog_1+0x1", "a BPF program");
	is_str(kernel(0xffffffff81000040, true), "[kernel]`0xffffffff81000040", "no symbol");
	resolver_begin(r, NULL);
	is_str(kernel(0xffffffff81000010, true), "[kernel]`0xffffffff81000010",
	       "of another capture");
}

/* This program itself, whose mapping of main() is found by its offset in the file. */
static void check_disk(void)
{
	struct stat st;
	char path[4096], line[8192];
	uint64_t start = 0, end = 0, offset = 0, ip = (uint64_t)(uintptr_t)check_symset;
	struct capture_file f = { .id = 1 };
	FILE *maps = fopen("/proc/self/maps", "r");
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (!ok(n > 0 && maps, "/proc/self"))
		return;
	path[n] = '\0';
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end,
			   &offset) == 3 && start <= ip && ip < end)
			break;
	}
	fclose(maps);
	ok(stat(path, &st) == 0 && start, "%s maps this code", path);
	f.path = slice_str(path);
	f.size = (uint64_t)st.st_size;
	f.mtime_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;

#define TRY(what, wanted, code)                                                               \
	do {                                                                                  \
		resolver_begin(r, &(struct capture_header){ .version = CAPTURE_VERSION });     \
		resolver_proc(r, &(struct capture_proc){ .image = 1, .pid = 10 }, NULL);      \
		code;                                                                         \
		resolver_file(r, &f, NULL);                                                   \
		add_map(1, 1, start, end - start, offset);                                    \
		text = user(1, ip + 1, true, false);                                          \
		ok((strstr(text, "`check_symset+0x1") != NULL) == wanted, "%s: %s", what, text); \
	} while (0)
	const char *text;

	warnings = 0;
	TRY("same size and time", true, );
	is_u64(warnings, 0, "no warning");
	TRY("another build-id", false, f.build_id = SLICE("01234567890123456789"));
	is_u64(warnings, 1, "a warning: %s", warning);
	TRY("the same again", false, );
	is_u64(warnings, 1, "once a path");
	f.build_id.len = 0;
	TRY("another size", false, f.size++);
	f.size = f.mtime_ns = 0;
	f.inode = st.st_ino;
	f.dev_major = major(st.st_dev);
	f.dev_minor = minor(st.st_dev);
	TRY("same device and inode", true, );
	TRY("another inode", false, f.inode++);
	TRY("nothing to tell it by", false, f.inode = 0);
	f.inode = st.st_ino;
	TRY("another mount namespace", false, f.flags = CAPTURE_FILE_OTHER_NS);
	f.flags = 0;
	f.path = slice_str(path + 1);
	TRY("a relative path", false, );
	f.path = SLICE("/dev/null");
	TRY("a device", false, );
#undef TRY
}

static void check_limits(void)
{
	struct strbuf err = STRBUF_INIT;
	char name[1000];
	uint64_t i;
	int ret = 0;

	memset(name, 'x', sizeof(name));
	resolver_begin(r, &(struct capture_header){ .version = CAPTURE_VERSION });
	for (i = 0; ret == 0 && i < 1000000; i++)
		ret = resolver_ksym(r, &(struct capture_ksym){ i, 1, SLICE(""),
				    { name, sizeof(name) } }, &err);
	ok(ret == -ENOSPC && i > 10000, "%" PRIu64 " symbols of 1000 bytes: %s", i,
	   strbuf_str(&err));
	is_str(kernel(5, true) + 1000, "xxxxxxxxx+0x0", "those before the limit are there");
	resolver_begin(r, &(struct capture_header){ .version = CAPTURE_VERSION });
	resolver_proc(r, &(struct capture_proc){ .image = 1, .pid = 10 }, NULL);
	add_file(1, 0, "/x");
	for (i = 0, ret = 0; ret == 0 && i < 1000000; i++)
		ret = resolver_map(r, &(struct capture_map){ 1, 1, i * 2, 1, 0 }, &err);
	is_u64(i, RESOLVER_MAPPINGS_MAX + 1, "mappings of a process: %s", strbuf_str(&err));
	strbuf_release(&err);
}

int main(void)
{
	r = resolver_new(&(struct resolver_options){ .warn = keep_warning });
	check_symset();
	check_sources();
	check_kernel();
	check_disk();
	check_limits();
	resolver_free(r);
	text_of(SLICE(""));
	return done_testing();
}
