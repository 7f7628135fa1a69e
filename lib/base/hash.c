#include "base/hash.h"

#include <string.h>

static uint64_t mix(uint64_t a, uint64_t b)
{
	__uint128_t m = (__uint128_t)a * b;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

uint64_t hash_bytes(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t h = 0x9e3779b97f4a7c15ull ^ len, a, b;

	for (; len > 16; p += 16, len -= 16) {
		memcpy(&a, p, 8);
		memcpy(&b, p + 8, 8);
		h = mix(a ^ 0xa0761d6478bd642full, b ^ h);
	}
	a = b = 0;
	if (len >= 8) {
		memcpy(&a, p, 8);
		memcpy(&b, p + len - 8, 8);
	} else if (len) {
		memcpy(&a, p, len);
	}
	return mix(0xe7037ed1a0b428dbull ^ h, mix(a ^ 0x8ebc6af09c88c6e3ull, b ^ h));
}
