#include "base/protobuf.h"

enum wire_type { WIRE_VARINT = 0, WIRE_BYTES = 2 };

void protobuf_add_varint(struct strbuf *sb, uint64_t v)
{
	char bytes[10];
	size_t n = 0;

	while (v >= 0x80) {
		bytes[n++] = (char)(v | 0x80);
		v >>= 7;
	}
	bytes[n++] = (char)v;
	strbuf_add(sb, bytes, n);
}

static void add_tag(struct strbuf *sb, unsigned field, enum wire_type type)
{
	protobuf_add_varint(sb, (uint64_t)field << 3 | type);
}

void protobuf_add_u64(struct strbuf *sb, unsigned field, uint64_t v)
{
	if (!v)
		return;
	add_tag(sb, field, WIRE_VARINT);
	protobuf_add_varint(sb, v);
}

void protobuf_add_bytes(struct strbuf *sb, unsigned field, struct slice bytes)
{
	add_tag(sb, field, WIRE_BYTES);
	protobuf_add_varint(sb, bytes.len);
	strbuf_addslice(sb, bytes);
}
