/*
 * Protocol buffers, written without a schema: the caller knows the numbers of fields and
 * their types (protobuf.dev/programming-guides/encoding). A message is the bytes that its
 * fields were appended to, in any order; one within another is built first, apart, and
 * then added as bytes. As in proto3, a field that is left out is 0, or empty.
 */
#ifndef BASE_PROTOBUF_H
#define BASE_PROTOBUF_H

#include <stdint.h>

#include "base/strbuf.h"

/* A number as it stands in a packed field: 7 bits a byte, the lowest first. */
void protobuf_add_varint(struct strbuf *sb, uint64_t v);

enum { PROTOBUF_VARINT_MAX = 10 };

/* The same at p, where there is room for PROTOBUF_VARINT_MAX bytes; its end. */
static inline char *protobuf_put_varint(char *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (char)(v | 0x80);
	*p++ = (char)v;
	return p;
}

/* Types uint64, int64 (as two's complement), bool; `field` is 1 to 2^29 - 1. 0 is left out. */
void protobuf_add_u64(struct strbuf *sb, unsigned field, uint64_t v);

/* Types string, bytes, a message, packed numbers; written also where empty. */
void protobuf_add_bytes(struct strbuf *sb, unsigned field, struct slice bytes);

#endif
