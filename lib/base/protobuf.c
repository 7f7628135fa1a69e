#include "base/protobuf.h"

enum wire_type { WIRE_VARINT = 0, WIRE_BYTES = 2 };

void protobuf_add_varint(struct strbuf *sb, uint64_t v)
{
	char bytes[PROTOBUF_VARINT_MAX];

	strbuf_add(sb, bytes, (size_t)(protobuf_put_varint(bytes, v) - bytes));
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
