/*
 * The step: on stacks made here, and along the real stack of this process, through frames
 * of every kind, by the tables of the files it consists of.
 */
#include <stdint.h>
#include <string.h>

static int read_stack(void *ctx, uint64_t *dst, uint64_t addr);
#define UNWIND_READ(ctx, dst, addr) read_stack(ctx, (uint64_t *)(dst), addr)
#include "unwind/step.h"

#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include <unistd.h>

#include "tap.h"
#include "unwind/table.h"

/* ---- made stacks */

enum { BASE = 0x7000, WORDS = 32 };

static uint64_t words[WORDS]; /* at BASE */

static int read_stack(void *ctx, uint64_t *dst, uint64_t addr)
{
	if (ctx) { /* this process, within the limits that ctx gives */
		const uint64_t *limits = ctx;

		if (addr < limits[0] || addr > limits[1] - 8)
			return -EFAULT;
		memcpy(dst, (const void *)(uintptr_t)addr, 8);
		return 0;
	}
	if (addr < BASE || addr > BASE + sizeof(words) - 8)
		return -EFAULT;
	memcpy(dst, (const char *)words + (addr - BASE), 8);
	return 0;
}

static struct unwind_regs start(uint64_t ip)
{
	for (size_t i = 0; i < WORDS; i++)
		words[i] = 0x100000 + i;
	return (struct unwind_regs){ .ip = ip, .sp = BASE, .fp = BASE + 0x40 };
}

static void becomes(const char *what, struct unwind_rule rule, uint64_t ip, uint64_t want_ip,
		    uint64_t want_sp, uint64_t want_fp)
{
	struct unwind_regs r = start(ip);

	words[4] = BASE + 0x80; /* what is dereferenced */
	if (!ok(unwind_apply(&rule, &r, NULL) == UNWIND_CALLER, "%s", what))
		return;
	is_u64(r.ip, want_ip, "%s: ip", what);
	is_u64(r.sp, want_sp, "%s: sp", what);
	is_u64(r.fp, want_fp, "%s: fp", what);
}

static void ends(const char *what, struct unwind_rule rule, int want)
{
	struct unwind_regs r = start(0x1000), before = r;
	int got;

	words[3] = 0; /* a return address of 0 */
	got = unwind_apply(&rule, &r, NULL);
	ok(got == want && !memcmp(&r, &before, sizeof(r)), "%s: %d", what, got);
}

#define RULE(...) ((struct unwind_rule){ .ra = UNWIND_AT_CFA, .ra_off = -8, __VA_ARGS__ })

static void made_stacks(void)
{
	becomes("sp", RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 16), 0x1000, 0x100001, BASE + 16,
		BASE + 0x40);
	becomes("fp", RULE(.cfa = UNWIND_CFA_FP, .cfa_off = 16, .fp = UNWIND_AT_CFA, .fp_off = -16),
		0x1000, 0x100009, BASE + 0x50, 0x100008);
	becomes("*sp", RULE(.cfa = UNWIND_CFA_DEREF_SP, .cfa_off = 32, .cfa_add = 8), 0x1000,
		0x100010, BASE + 0x88, BASE + 0x40);
	becomes("*fp", RULE(.cfa = UNWIND_CFA_DEREF_FP, .cfa_off = -32, .fp = UNWIND_AT_FP,
			    .fp_off = 0), 0x1000, 0x10000f, BASE + 0x80, 0x100008);
	becomes("fp relative to sp", RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 16, .fp = UNWIND_AT_SP,
					  .fp_off = 40), 0x1000, 0x100001, BASE + 16, 0x100005);
	becomes("PLT before the push", RULE(.cfa = UNWIND_CFA_PLT, .cfa_off = 8, .cfa_add = 11),
		0x100a, 0x100000, BASE + 8, BASE + 0x40);
	becomes("PLT behind the push", RULE(.cfa = UNWIND_CFA_PLT, .cfa_off = 8, .cfa_add = 11),
		0x100b, 0x100001, BASE + 16, BASE + 0x40);
	becomes("a lost fp", RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 16, .fp = UNWIND_UNDEFINED),
		0x1000, 0x100001, BASE + 16, UNWIND_FP_LOST);
	becomes("a signal frame", (struct unwind_rule){
			.cfa = UNWIND_CFA_DEREF_SP, .cfa_off = 32, .fp = UNWIND_AT_SP, .fp_off = 48,
			.ra = UNWIND_AT_SP, .ra_off = 56, .flags = UNWIND_SIGNAL },
		0x1000, 0x100007, BASE + 0x80, 0x100006);
	becomes("a signal stack above", (struct unwind_rule){
			.cfa = UNWIND_CFA_SP, .cfa_off = -0x2000, .ra = UNWIND_AT_SP, .ra_off = 8,
			.flags = UNWIND_SIGNAL },
		0x1000, 0x100001, BASE - 0x2000, BASE + 0x40);
	becomes("a signed return address",
		RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 16, .flags = UNWIND_SIGNED), 0x1000, 0x100001,
		BASE + 16, BASE + 0x40);

	ends("no row", RULE(.cfa = UNWIND_CFA_NONE), CAPTURE_END_NO_ROW);
	ends("the root", RULE(.cfa = UNWIND_CFA_ROOT), CAPTURE_END_COMPLETE);
	ends("unsupported", RULE(.cfa = UNWIND_CFA_UNSUPPORTED), CAPTURE_END_UNSUPPORTED);
	ends("a rule of another version", RULE(.cfa = 77), CAPTURE_END_UNSUPPORTED);
	ends("a return address of 0", RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 32),
	     CAPTURE_END_COMPLETE);
	ends("no growth", RULE(.cfa = UNWIND_CFA_SP), CAPTURE_END_SANITY);
	ends("backwards", RULE(.cfa = UNWIND_CFA_SP, .cfa_off = -8), CAPTURE_END_SANITY);
	ends("a CFA that cannot be read", RULE(.cfa = UNWIND_CFA_DEREF_SP, .cfa_off = 0x7000),
	     CAPTURE_END_FAULT);
	ends("a return address that cannot be read", RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 0x7000),
	     CAPTURE_END_FAULT);
	ends("an fp that cannot be read", RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 16,
					       .fp = UNWIND_AT_SP, .fp_off = -8),
	     CAPTURE_END_FAULT);
	ends("a return address in a register that no longer has it", (struct unwind_rule){
			.cfa = UNWIND_CFA_SP, .cfa_off = 16 }, CAPTURE_END_SANITY);
}

/* As in vfork: neither a frame nor a return address on the stack. */
static void in_register(void)
{
	struct unwind_rule rule = { .cfa = UNWIND_CFA_SP };
	struct unwind_regs r = start(0x1000);
	uint64_t sp = r.sp;

	r.lr = 0x2345;
	is_u64((uint64_t)(int64_t)unwind_apply(&rule, &r, NULL), (uint64_t)UNWIND_CALLER,
	       "a return address in a register");
	is_u64(r.ip, 0x2345, "is the caller's");
	is_u64(r.sp, sp, "whose stack begins at the same place");
	is_u64(r.lr, 0, "and has no such register");

	r = start(0x1000);
	r.fp = BASE + 0x10;
	words[2] = BASE + 0x40;
	words[3] = 0x3456;
	r.lr = 0x2345;
	is_u64((uint64_t)(int64_t)unwind_by_frame_pointer(&r, NULL), (uint64_t)UNWIND_CALLER,
	       "a step by frame pointer");
	is_u64(r.ip, 0x3456, "to the caller");
	is_u64(r.fp, BASE + 0x40, "and its frame");
	is_u64(r.lr, 0, "beyond the leaf no register has a return address");
}

#ifdef __x86_64__
/* ---- the real one */

enum { FILES_MAX = 16, DEPTH = 64 };

static struct file {
	uint64_t start, end, bias;
	struct unwind_table *table;
} files[FILES_MAX];
static size_t nfiles;
static struct unwind_rules rules;

static int add_file(struct dl_phdr_info *info, size_t size, void *unused)
{
	struct file *f = &files[nfiles];
	struct elf_image *img = NULL;
	struct strbuf err = STRBUF_INIT;
	const char *name = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	(void)size;
	(void)unused;
	*f = (struct file){ .start = UINT64_MAX, .bias = info->dlpi_addr };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t from = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD)
			continue;
		f->start = from < f->start ? from : f->start;
		f->end = from + p->p_memsz > f->end ? from + p->p_memsz : f->end;
	}
	if (nfiles < FILES_MAX && fd >= 0 && !elf_image_open(&img, fd, &err) &&
	    !unwind_table_build(&f->table, img, &rules, &err))
		nfiles++;
	elf_image_free(img);
	strbuf_release(&err);
	if (fd >= 0)
		close(fd);
	return 0;
}

static const struct unwind_rule *rule_of(uint64_t ip)
{
	for (size_t i = 0; i < nfiles; i++)
		if (ip >= files[i].start && ip < files[i].end)
			return unwind_table_find(files[i].table, &rules, ip - files[i].bias);
	return NULL;
}

/* The names of the frames from the interrupted one on, and how it ended. */
static struct trace {
	uint64_t ip[DEPTH];
	int n, end;
	bool seen_signal;
} trace;

static void walk(struct unwind_regs r, uint64_t limits[2])
{
	bool is_exact = true;

	trace = (struct trace){ .end = CAPTURE_END_DEPTH };
	while (trace.n < DEPTH) {
		const struct unwind_rule *rule = rule_of(r.ip - !is_exact);

		trace.ip[trace.n++] = r.ip - !is_exact;
		if (!rule) {
			trace.end = CAPTURE_END_NO_MAP;
			return;
		}
		is_exact = rule->flags & UNWIND_SIGNAL;
		trace.seen_signal |= is_exact;
		trace.end = unwind_apply(rule, &r, limits);
		if (trace.end != UNWIND_CALLER)
			return;
	}
}

static uint64_t stack_limits[2];

static void on_signal(int sig, siginfo_t *info, void *context)
{
	const greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)sig;
	(void)info;
	walk((struct unwind_regs){ .ip = g[REG_RIP], .sp = g[REG_RSP], .fp = g[REG_RBP] },
	     stack_limits);
}

/* From within a handler, so that the walk goes through its frame. */
static void on_signal_from_here(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	raise(SIGUSR2);
}

static volatile int sink;

static __attribute__((noinline)) void innermost(int sig)
{
	raise(sig);
	sink++;
}

static __attribute__((noinline)) int by_alloca(size_t n, int sig)
{
	volatile char *p = alloca(n);

	p[0] = 1;
	innermost(sig);
	return p[0];
}

static int compare(const void *a, const void *b)
{
	if (!sink)
		by_alloca(100, SIGUSR2);
	return *(const int *)a - *(const int *)b;
}

/* Realigns its stack, which on x86_64 makes its CFA an expression. */
static __attribute__((noinline)) int realigned(size_t n, int sig)
{
	volatile char block[64] __attribute__((aligned(64)));
	volatile char *p = alloca(n);

	block[0] = p[0] = 1;
	return by_alloca(n, sig) + block[0];
}

static bool passes(void *function, uint64_t size)
{
	for (int i = 0; i < trace.n; i++)
		if (trace.ip[i] - (uint64_t)(uintptr_t)function < size)
			return true;
	return false;
}

/* Up to the C library's start of a program, whose caller is undefined. */
static void whole(const char *what)
{
	ok(trace.end == CAPTURE_END_COMPLETE, "%s: ends with %d after %d frames", what, trace.end,
	   trace.n);
}

/* The kernel's own image in each process, which is in no file. */
static void vdso(void)
{
	const uint8_t *image = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	struct unwind_table *table = NULL;
	struct strbuf err = STRBUF_INIT;
	struct elf_image *img = NULL;
	struct unwind_rules own = { 0 };
	const ElfW(Ehdr) *ehdr = (const void *)image;

	if (!image)
		return;
	/* Its section headers are the last there is of it. */
	ok(!elf_image_memory(&img, image, ehdr->e_shoff + ehdr->e_shnum * ehdr->e_shentsize,
			     &err) &&
	   !unwind_table_build(&table, img, &own, &err) && table->nfdes > 0 && !table->nbad,
	   "the vdso has a table%s%s", err.len ? ": " : "", strbuf_str(&err));
	unwind_table_free(table);
	elf_image_free(img);
	unwind_rules_release(&own);
	strbuf_release(&err);
}

/* An upper bound of a function's size here. */
enum { FUNCTION = 0x200 };

static void real_stack(void)
{
	struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	int numbers[] = { 3, 1, 2 };

	/* Read no further than the environment's place above the stack. */
	stack_limits[0] = (uint64_t)(uintptr_t)&sa - (1 << 16);
	stack_limits[1] = (uint64_t)(uintptr_t)getauxval(AT_EXECFN);
	dl_iterate_phdr(add_file, NULL);
	vdso();
	sigaction(SIGUSR2, &sa, NULL);
	sa.sa_sigaction = on_signal_from_here;
	sigaction(SIGUSR1, &sa, NULL);

	innermost(SIGUSR2);
	whole("a plain call");
	ok(passes(innermost, FUNCTION), "passes innermost()");
	realigned(100, SIGUSR2);
	whole("alloca and a realigned stack");
	ok(passes(realigned, FUNCTION) && passes(by_alloca, FUNCTION), "passes both");
	sink = 0;
	qsort(numbers, 3, sizeof(*numbers), compare);
	whole("called back by qsort");
	ok(passes(compare, FUNCTION) && passes(by_alloca, FUNCTION), "passes compare()");
	realigned(100, SIGUSR1);
	whole("a signal handler");
	ok(trace.seen_signal && passes(on_signal_from_here, FUNCTION) &&
	   passes(innermost, FUNCTION) && passes(realigned, FUNCTION),
	   "passes the handler and what it interrupted");
	for (size_t i = 0; i < nfiles; i++)
		unwind_table_free(files[i].table);
	unwind_rules_release(&rules);
}
#endif

int main(void)
{
	made_stacks();
	in_register();
#ifdef __x86_64__
	real_stack();
#endif
	return done_testing();
}
