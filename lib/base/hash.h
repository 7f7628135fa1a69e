/*
 * Hashes for tables in memory. Not for untrusted peers who can time us, and not
 * stable across versions: nothing written to a file may depend on them.
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

#endif
