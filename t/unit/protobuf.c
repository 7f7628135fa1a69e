/* Protocol buffers: bytes worked out by hand after the encoding's description. */
#include "base/protobuf.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/cursor.h"
#include "tap.h"

static void is_hex(struct strbuf *sb, const char *want, const char *name)
{
	char hex[256] = "";

	for (size_t i = 0; i < sb->len && i < 100; i++)
		sprintf(hex + 2 * i, "%02x", (unsigned char)sb->buf[i]);
	is_str(hex, want, "%s", name);
	strbuf_release(sb);
}

int main(void)
{
	static const uint64_t values[] = {
		0, 1, 127, 128, 300, UINT32_MAX, 1ull << 63, UINT64_MAX,
	};
	struct strbuf sb = STRBUF_INIT, inner = STRBUF_INIT;

	protobuf_add_varint(&sb, 300);
	is_hex(&sb, "ac02", "a varint");
	protobuf_add_u64(&sb, 1, 150);
	is_hex(&sb, "089601", "a number's field");
	protobuf_add_u64(&sb, 1, 0);
	is_hex(&sb, "", "zero is left out");
	protobuf_add_u64(&sb, 16, (uint64_t)-1);
	is_hex(&sb, "8001ffffffffffffffffff01", "-1 in a field of two bytes");
	protobuf_add_bytes(&sb, 2, SLICE("testing"));
	is_hex(&sb, "120774657374696e67", "a string");
	protobuf_add_bytes(&sb, 2, SLICE(""));
	is_hex(&sb, "1200", "an empty string is written");
	protobuf_add_u64(&inner, 1, 150);
	protobuf_add_bytes(&sb, 3, strbuf_slice(&inner));
	is_hex(&sb, "1a03089601", "a message in a message");
	strbuf_release(&inner);

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct cursor c;

		protobuf_add_varint(&sb, values[i]);
		c = cursor_of(sb.buf, sb.len);
		is_u64(cursor_uleb(&c), values[i], "%" PRIu64 " is read as it was written",
		       values[i]);
		is_u64(cursor_left(&c), 0, "and nothing is behind it");
		strbuf_reset(&sb);
	}
	strbuf_release(&sb);
	return done_testing();
}
