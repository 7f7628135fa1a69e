/*
 * Hashes for tables in memory. Not stable across versions: nothing written to a
 * file may depend on them. Unkeyed ones are not for untrusted peers who can time us.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t hash_u64(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	x ^= x >> 32;
	return x;
}

uint64_t hash_bytes(const void *data, size_t len);

/*
 * 128 bits under a key drawn anew in each process: enough to take equal hashes for
 * equal bytes, also where someone chose the bytes without knowing the key.
 */
struct hash_key {
	uint64_t k[4];
};

struct hash128 {
	uint64_t a, b;
};

void hash_key_draw(struct hash_key *key);
struct hash128 hash128_bytes(const struct hash_key *key, const void *data, size_t len);

#endif
