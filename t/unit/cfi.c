/* CIEs and FDEs: every encoding, every augmentation, and what is refused. */
#include "unwind/cfi.h"

#include <errno.h>

#include "frames.h"
#include "tap.h"

enum { PLACE = 0x10000 };

static void pointer(const char *what, uint8_t encoding, uint64_t raw, size_t size, uint64_t want)
{
	struct frames f = { .vaddr = PLACE };
	struct cfi_section sec;
	struct cursor c;

	put(&f, 0, 1); /* so that the place is not that of the section */
	if (encoding == EH_PE_ALIGNED)
		put(&f, 0, 7);
	put(&f, raw, size);
	sec = frames_section(&f);
	c = cursor_of(sec.buf, sec.len);
	cursor_skip(&c, 1);
	is_u64(cfi_pointer(&sec, &c, encoding, 0x500), want, "%s", what);
	ok(!c.bad && !cursor_left(&c), "%s: read as far as it goes", what);
	c = cursor_of(sec.buf, sec.len - 1);
	cursor_skip(&c, 1);
	cfi_pointer(&sec, &c, encoding, 0x500);
	ok(c.bad, "%s: cut short", what);
	strbuf_release(&f.sb);
}

static void pointers(void)
{
	static const uint8_t refused[] = { EH_PE_OMIT, EH_PE_TEXTREL | EH_PE_SDATA4,
					   EH_PE_DATAREL | EH_PE_SDATA4,
					   EH_PE_INDIRECT | EH_PE_PCREL | EH_PE_SDATA4,
					   0x05, 0x0f, 0x60 };
	struct frames f = { .vaddr = PLACE };
	struct cfi_section sec;

	pointer("absptr", EH_PE_ABSPTR, 0x123456789abcull, 8, 0x123456789abcull);
	pointer("udata2", EH_PE_UDATA2, 0xfedc, 2, 0xfedc);
	pointer("udata4", EH_PE_UDATA4, 0xfedcba98, 4, 0xfedcba98);
	pointer("udata8", EH_PE_UDATA8, 7, 8, 7);
	pointer("sdata2", EH_PE_SDATA2, 0xfffe, 2, -2ull);
	pointer("sdata4", EH_PE_SDATA4, 0xfffffffe, 4, -2ull);
	pointer("sdata8", EH_PE_SDATA8, -2ull, 8, -2ull);
	pointer("signed", EH_PE_SIGNED, -2ull, 8, -2ull);
	pointer("uleb128", EH_PE_ULEB128, 0x0181, 2, 0x81);
	pointer("sleb128", EH_PE_SLEB128, 0x7f80, 2, -128ull);
	pointer("pcrel sdata4", EH_PE_PCREL | EH_PE_SDATA4, (uint32_t)-0x101, 4, PLACE - 0x100);
	pointer("pcrel udata2", EH_PE_PCREL | EH_PE_UDATA2, 0x10, 2, PLACE + 0x11);
	pointer("pcrel zero", EH_PE_PCREL | EH_PE_SDATA4, 0, 4, 0);
	pointer("funcrel", EH_PE_FUNCREL | EH_PE_UDATA4, 0x20, 4, 0x520);
	pointer("aligned", EH_PE_ALIGNED, 0x1234, 8, 0x1234);

	put(&f, 0x7777777777777777ull, 8);
	put(&f, 0, 8);
	sec = frames_section(&f);
	for (size_t i = 0; i < sizeof(refused); i++) {
		struct cursor c = cursor_of(sec.buf, sec.len);

		cfi_pointer(&sec, &c, refused[i], 0);
		ok(c.bad, "encoding 0x%x is refused", refused[i]);
	}
	strbuf_release(&f.sb);
}

static void leb(void)
{
	static const uint8_t nines[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					 0x01 };
	static const uint8_t padded[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
					  0x80, 0x00 };
	struct cursor c = cursor_of(nines, sizeof(nines));

	is_u64(cursor_uleb(&c), UINT64_MAX, "the largest uleb128");
	c = cursor_of(nines, sizeof(nines));
	is_u64((uint64_t)cursor_sleb(&c), UINT64_MAX, "a sleb128 of ten bytes");
	c = cursor_of(padded, sizeof(padded));
	cursor_uleb(&c);
	ok(c.bad, "eleven bytes are too many");
	c = cursor_of(padded, sizeof(padded));
	cursor_sleb(&c);
	ok(c.bad, "signed, too");
	c = cursor_of(padded, 3);
	cursor_uleb(&c);
	ok(c.bad, "one that does not end");
}

/* The CIE with what stands between its version and its instructions. */
static int parse_cie(const uint8_t *bytes, size_t len, bool debug_frame, struct cfi_cie *cie)
{
	struct frames f = { 0 };
	struct cfi_section sec;
	int rc;

	frames_open(&f);
	put(&f, debug_frame ? 0xffffffff : 0, 4);
	strbuf_add(&f.sb, bytes, len);
	frames_close(&f);
	sec = frames_section(&f);
	sec.debug_frame = debug_frame;
	rc = cfi_cie_parse(&sec, 0, cie);
	strbuf_release(&f.sb);
	return rc;
}

static void cies(void)
{
	struct cfi_cie cie;

	is_u64(parse_cie(PROGRAM(1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b), false, &cie), 0, "zR");
	ok(cie.encoding == 0x1b && cie.augmented && !cie.signal && cie.ra == 16 &&
	   cie.code_align == 1 && cie.data_align == -8 && cie.start == 17 && cie.end == 24,
	   "zR: all of it");
	is_u64(parse_cie(PROGRAM(1, 0, 4, 0x78, 16), false, &cie), 0, "without augmentation");
	ok(!cie.augmented && cie.encoding == EH_PE_ABSPTR && cie.code_align == 4,
	   "without augmentation: absolute addresses");
	is_u64(parse_cie(PROGRAM(1, 'z', 'P', 'L', 'R', 0, 1, 0x78, 16, 7, 0x9b, 1, 2, 3, 4, 0x1b,
				 0x03), false, &cie), 0, "zPLR");
	ok(cie.encoding == 0x03, "zPLR: passes over the personality, indirect as it is");
	is_u64(parse_cie(PROGRAM(1, 'z', 'P', 'R', 0, 1, 0x78, 16, 6, 0xbb, 1, 2, 3, 4, 0x1b),
			 false, &cie), 0, "a personality relative to data");
	is_u64(parse_cie(PROGRAM(1, 'z', 'R', 'S', 0, 1, 0x78, 16, 1, 0x1b), false, &cie), 0,
	       "zRS");
	ok(cie.signal, "zRS: a signal frame");
	is_u64(parse_cie(PROGRAM(1, 'z', 'R', 'B', 0, 1, 0x78, 30, 1, 0x1b), false, &cie), 0,
	       "zRB");
	is_u64(parse_cie(PROGRAM(3, 'z', 'R', 0, 1, 0x78, 0x80, 1, 1, 0x1b), false, &cie), 0,
	       "version 3");
	ok(cie.ra == 128, "version 3: the column is a uleb128");
	is_u64(parse_cie(PROGRAM(4, 0, 8, 0, 1, 0x78, 16), true, &cie), 0, "version 4");
	ok(cie.ra == 16, "version 4: all of it");

	ok(parse_cie(PROGRAM(1, 'e', 'h', 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x78, 16), false, &cie) < 0,
	   "\"eh\" is refused");
	ok(parse_cie(PROGRAM(1, 'z', 'X', 'R', 0, 1, 0x78, 16, 1, 0x1b), false, &cie) < 0,
	   "a letter not known is refused");
	ok(parse_cie(PROGRAM(2, 0, 1, 0x78, 16), false, &cie) < 0, "version 2 is refused");
	ok(parse_cie(PROGRAM(4, 0, 8, 0, 1, 0x78, 16), false, &cie) < 0,
	   "version 4 in .eh_frame is refused");
	ok(parse_cie(PROGRAM(4, 0, 4, 0, 1, 0x78, 16), true, &cie) < 0,
	   "addresses of 4 bytes, too");
	ok(parse_cie(PROGRAM(4, 0, 8, 2, 1, 0x78, 16), true, &cie) < 0, "and segments");
	ok(parse_cie(PROGRAM(1, 'z', 'R', 0, 1, 0x78, 16, 100, 0x1b), false, &cie) < 0,
	   "augmentation data beyond the entry");
	ok(parse_cie(PROGRAM(1, 'z', 'R', 0, 1, 0x78, 16, 0, 0x1b), false, &cie) < 0,
	   "augmentation data shorter than its letters say");
	ok(parse_cie(PROGRAM(1, 'z', 'R', 'R', 'R'), false, &cie) < 0, "letters without an end");
}

static void chains(void)
{
	struct frames f = { .vaddr = PLACE };
	struct cfi_section sec;
	struct cfi_entry e;
	struct cfi_cie cie;
	struct cfi_fde fde;
	size_t pos = 0;

	frames_cie(&f, "zR", EH_PE_PCREL | EH_PE_SDATA4, 16, USUAL);
	frames_fde(&f, 0x4000, 0x20, PROGRAM(CFA_NOP));
	put(&f, 0, 4); /* what one object file had ends; another one's follows */
	put(&f, 0, 4);
	frames_fde(&f, 0x5000, 0x30, PROGRAM(CFA_NOP));
	/* A 64-bit length. */
	put(&f, 0xffffffff, 4);
	put(&f, 4 + 4 + 4 + 1 + 3, 8);
	put(&f, f.sb.len - f.cie, 4);
	put(&f, 0x6000 - (f.vaddr + f.sb.len), 4);
	put(&f, 0x40, 4);
	put(&f, 0, 4);
	/* A pointer to no CIE. */
	frames_open(&f);
	put(&f, 0x7fffffff, 4);
	frames_close(&f);
	/* Too short for a pointer. */
	put(&f, 2, 4);
	put(&f, 0xffff, 2);

	sec = frames_section(&f);
	ok(cfi_next(&sec, &pos, &e) == 1 && e.is_cie && e.offset == 0, "a CIE");
	is_u64(cfi_cie_parse(&sec, e.offset, &cie), 0, "is parsed");
	ok(cfi_next(&sec, &pos, &e) == 1 && !e.is_cie && e.cie == 0, "its FDE");
	ok(!cfi_fde_parse(&sec, &e, &cie, &fde) && fde.vaddr == 0x4000 && fde.size == 0x20,
	   "is parsed");
	ok(cfi_cie_parse(&sec, e.offset, &cie) < 0, "an FDE is no CIE");
	cfi_cie_parse(&sec, 0, &cie);
	ok(cfi_next(&sec, &pos, &e) == 1 && !cfi_fde_parse(&sec, &e, &cie, &fde) &&
	   fde.vaddr == 0x5000, "an FDE beyond zero terminators");
	ok(cfi_next(&sec, &pos, &e) == 1 && e.cie == 0 && !cfi_fde_parse(&sec, &e, &cie, &fde) &&
	   fde.vaddr == 0x6000 && fde.size == 0x40, "an FDE with a 64-bit length");
	ok(cfi_next(&sec, &pos, &e) == 1 && e.cie == SIZE_MAX, "a pointer to before the section");
	ok(cfi_next(&sec, &pos, &e) == 1 && !e.is_cie && e.cie == SIZE_MAX, "a short entry");
	is_u64(cfi_next(&sec, &pos, &e), 0, "the end");

	sec.terminated = true;
	pos = 0;
	ok(cfi_next(&sec, &pos, &e) == 1 && cfi_next(&sec, &pos, &e) == 1 &&
	   cfi_next(&sec, &pos, &e) == 0, "a terminator ends what has no other end");
	strbuf_release(&f.sb);
}

static void lengths(void)
{
	static const struct {
		const char *what;
		uint64_t word;
		size_t size;
	} bad[] = {
		{ "a length beyond the section", 100, 8 },
		{ "a reserved length", 0xfffffff1, 8 },
		{ "a length cut short", 5, 2 },
		{ "a 64-bit length cut short", 0xffffffff, 8 },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct frames f = { 0 };
		struct cfi_section sec;
		struct cfi_entry e;
		size_t pos = 0;

		put(&f, bad[i].word, bad[i].size);
		sec = frames_section(&f);
		ok(cfi_next(&sec, &pos, &e) == -EINVAL, "%s", bad[i].what);
		strbuf_release(&f.sb);
	}
}

static void debug_frame(void)
{
	struct frames f = { 0 };
	struct cfi_section sec;
	struct cfi_entry e;
	struct cfi_cie cie;
	struct cfi_fde fde;
	size_t pos = 0;

	frames_fde(&f, 0, 0, PROGRAM(CFA_NOP)); /* so that the CIE is not at 0 */
	f.cie = f.sb.len;
	frames_open(&f);
	put(&f, 0xffffffff, 4);
	strbuf_add(&f.sb, PROGRAM(3, 0, 1, 0x78, 16));
	frames_close(&f);
	frames_open(&f);
	put(&f, f.cie, 4);
	put(&f, 0x401000, 8);
	put(&f, 0x50, 8);
	frames_close(&f);
	sec = frames_section(&f);
	sec.debug_frame = true;
	cfi_next(&sec, &pos, &e);
	ok(cfi_next(&sec, &pos, &e) == 1 && e.is_cie, ".debug_frame: a CIE has the id -1");
	ok(cfi_next(&sec, &pos, &e) == 1 && e.cie == f.cie, "an FDE has its CIE's offset");
	ok(!cfi_cie_parse(&sec, e.cie, &cie) && !cfi_fde_parse(&sec, &e, &cie, &fde) &&
	   fde.vaddr == 0x401000 && fde.size == 0x50, "addresses are absolute");
	/* A function at the top of the address space. */
	memset(f.sb.buf + e.body, 0xff, 16);
	ok(cfi_fde_parse(&sec, &e, &cie, &fde) == -EINVAL, "a range that wraps is malformed");
	strbuf_release(&f.sb);
}

int main(void)
{
	pointers();
	leb();
	cies();
	chains();
	lengths();
	debug_frame();
	return done_testing();
}
