#include "base/hash.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

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

void hash_key_draw(struct hash_key *key)
{
	struct timespec now;
	size_t got = 0;

	while (got < sizeof(*key)) {
		ssize_t n = getrandom((char *)key + got, sizeof(*key) - got, 0);

		if (n < 0)
			break;
		got += (size_t)n;
	}
	if (got == sizeof(*key))
		return;
	/* a sandbox that forbids the call: the time, then, so as not to be constant */
	clock_gettime(CLOCK_MONOTONIC, &now);
	for (size_t i = 0; i < 4; i++)
		key->k[i] = hash_u64((uint64_t)now.tv_nsec * 4 + i + 1);
}

/*
 * Two lanes that see each pair of words in another order. The words are masked by
 * the key before they are multiplied, so that none can be chosen to make a zero.
 */
struct hash128 hash128_bytes(const struct hash_key *key, const void *data, size_t len)
{
	const unsigned char *p = data;
	const uint64_t *k = key->k;
	uint64_t x = k[0] ^ len, y = k[1] ^ len, a, b;

	for (; len > 16; p += 16, len -= 16) {
		memcpy(&a, p, 8);
		memcpy(&b, p + 8, 8);
		x = mix(a ^ k[2], b ^ x);
		y = mix(b ^ k[3], a ^ y);
	}
	a = b = 0;
	if (len >= 8) {
		memcpy(&a, p, 8);
		memcpy(&b, p + len - 8, 8);
	} else if (len) {
		memcpy(&a, p, len);
	}
	x = mix(a ^ k[2], b ^ x);
	y = mix(b ^ k[3], a ^ y);
	return (struct hash128){ mix(x ^ k[1], k[2] ^ 0xa0761d6478bd642full),
				 mix(y ^ k[0], k[3] ^ 0xe7037ed1a0b428dbull) };
}
