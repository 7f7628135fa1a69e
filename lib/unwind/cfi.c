#include "unwind/cfi.h"

#include <errno.h>

#include "base/slice.h"
#include "unwind/dwarf_cfi.h"

enum {
	AUGMENTATION_MAX = 16, /* letters; "zPLRSB" are all there are */
	ADDRESS_SIZE = 8,
	ESCAPE_64 = 0xffffffff, /* in place of a length: a 64-bit one follows */
	RESERVED_LENGTH = 0xfffffff0,
};

int cfi_next(const struct cfi_section *sec, size_t *pos, struct cfi_entry *entry)
{
	struct cursor c = cursor_of(sec->buf, sec->len);
	uint64_t length, id, base;
	bool is64;

	cursor_seek(&c, *pos);
	do {
		if (!cursor_left(&c))
			return c.bad ? -EINVAL : 0;
		entry->offset = c.pos;
		length = cursor_u32(&c);
		if (!length && sec->terminated)
			return c.bad ? -EINVAL : 0;
	} while (!length && !c.bad);
	is64 = length == ESCAPE_64;
	if (is64)
		length = cursor_u64(&c);
	else if (length >= RESERVED_LENGTH)
		return -EINVAL;
	if (length > cursor_left(&c) || c.bad)
		return -EINVAL;
	entry->end = c.pos + length;
	*pos = entry->end;

	c.len = entry->end;
	base = c.pos;
	if (sec->debug_frame) {
		id = is64 ? cursor_u64(&c) : cursor_u32(&c);
		entry->is_cie = id == (is64 ? ~0ull : 0xffffffffull);
		entry->cie = id < sec->len ? id : SIZE_MAX;
	} else {
		/* LSB: 4 bytes with lengths of either kind. */
		id = cursor_u32(&c);
		entry->is_cie = !id;
		entry->cie = id <= base ? base - id : SIZE_MAX;
	}
	entry->body = c.pos;
	if (c.bad) {
		/* Too short to be anything; where the next one is is known. */
		entry->body = entry->end;
		entry->is_cie = false;
		entry->cie = SIZE_MAX;
	}
	return 1;
}

uint64_t cfi_pointer(const struct cfi_section *sec, struct cursor *c, uint8_t encoding,
		     uint64_t function)
{
	uint64_t place = sec->vaddr + c->pos;
	uint64_t v = 0;

	if (encoding == EH_PE_ALIGNED) {
		cursor_skip(c, -place & (ADDRESS_SIZE - 1));
		return cursor_u64(c);
	}
	switch (encoding & 0x0f) {
	case EH_PE_ABSPTR:
	case EH_PE_UDATA8:
	case EH_PE_SDATA8:
	case EH_PE_SIGNED:
		v = cursor_u64(c);
		break;
	case EH_PE_UDATA4:
		v = cursor_u32(c);
		break;
	case EH_PE_SDATA4:
		v = (uint64_t)(int64_t)(int32_t)cursor_u32(c);
		break;
	case EH_PE_UDATA2:
		v = cursor_u16(c);
		break;
	case EH_PE_SDATA2:
		v = (uint64_t)(int64_t)(int16_t)cursor_u16(c);
		break;
	case EH_PE_ULEB128:
		v = cursor_uleb(c);
		break;
	case EH_PE_SLEB128:
		v = (uint64_t)cursor_sleb(c);
		break;
	default:
		c->bad = true;
	}
	switch (encoding & 0xf0) { /* with the bit for indirect */
	case EH_PE_ABSPTR:
		break;
	case EH_PE_PCREL:
		v += v ? place : 0;
		break;
	case EH_PE_FUNCREL:
		v += v ? function : 0;
		break;
	default:
		c->bad = true;
	}
	return c->bad ? 0 : v;
}

/* What the letters behind 'z' announce. */
static void read_augmentation(const struct cfi_section *sec, struct cursor *c, struct slice letters,
			      struct cfi_cie *cie)
{
	uint64_t len = cursor_uleb(c);
	struct cursor data = *c;
	uint8_t encoding;

	cursor_skip(c, len);
	if (c->bad)
		return;
	data.len = c->pos;
	for (size_t i = 1; i < letters.len; i++) {
		switch (letters.p[i]) {
		case 'R':
			cie->encoding = cursor_u8(&data);
			break;
		case 'P':
			/* Not followed: only its size matters, not what it is relative to. */
			encoding = cursor_u8(&data);
			if ((encoding & ~EH_PE_INDIRECT) == EH_PE_ALIGNED)
				cfi_pointer(sec, &data, EH_PE_ALIGNED, 0);
			else if (encoding != EH_PE_OMIT)
				cfi_pointer(sec, &data, encoding & 0x0f, 0);
			break;
		case 'L':
			cursor_skip(&data, 1);
			break;
		case 'S':
			cie->signal = true;
			break;
		case 'B': /* arm64: the other key of pointer authentication */
		case 'G': /* arm64: memory tagging */
			break;
		default:
			c->bad = true;
		}
	}
	c->bad |= data.bad;
}

int cfi_cie_parse(const struct cfi_section *sec, size_t offset, struct cfi_cie *cie)
{
	struct cfi_entry entry;
	struct cursor c;
	struct slice letters;
	uint8_t version;
	size_t pos = offset;

	if (cfi_next(sec, &pos, &entry) != 1 || !entry.is_cie || entry.offset != offset)
		return -EINVAL;
	*cie = (struct cfi_cie){ .offset = entry.offset, .end = entry.end };
	c = cursor_of(sec->buf, entry.end);
	cursor_seek(&c, entry.body);

	version = cursor_u8(&c);
	if (version != 1 && version != 3 && !(version == 4 && sec->debug_frame))
		return -EINVAL;
	letters = cursor_cstr(&c);
	if (letters.len > AUGMENTATION_MAX)
		return -EINVAL;
	/* v4 has the sizes of an address and of a segment selector. */
	if (version == 4 && (cursor_u8(&c) != ADDRESS_SIZE || cursor_u8(&c) != 0))
		return -EINVAL;
	cie->code_align = cursor_uleb(&c);
	cie->data_align = cursor_sleb(&c);
	cie->ra = version == 1 ? cursor_u8(&c) : cursor_uleb(&c);
	if (letters.len && letters.p[0] == 'z') {
		cie->augmented = true;
		read_augmentation(sec, &c, letters, cie);
	} else if (letters.len) {
		return -EINVAL; /* "eh" of old, or what has a layout that is not known */
	}
	cie->start = c.pos;
	return c.bad ? -EINVAL : 0;
}

int cfi_fde_parse(const struct cfi_section *sec, const struct cfi_entry *entry,
		  const struct cfi_cie *cie, struct cfi_fde *fde)
{
	struct cursor c = cursor_of(sec->buf, entry->end);

	cursor_seek(&c, entry->body);
	fde->vaddr = cfi_pointer(sec, &c, cie->encoding, 0);
	/* A length is relative to nothing. */
	fde->size = cie->encoding == EH_PE_ALIGNED ? cursor_u64(&c) :
			  cfi_pointer(sec, &c, cie->encoding & 0x0f, 0);
	if (cie->augmented)
		cursor_skip(&c, cursor_uleb(&c));
	fde->start = c.pos;
	fde->end = entry->end;
	if (c.bad || fde->vaddr + fde->size < fde->vaddr)
		return -EINVAL;
	return 0;
}
