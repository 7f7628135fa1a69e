/* Numbers out of text, strictly: the whole of it, no sign, no blanks, no overflow. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

static inline bool number_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Where the lower-case hexadecimal digits at the end of s begin; its length without any. */
static inline size_t number_hex_tail(struct slice s)
{
	size_t i = s.len;

	while (i && (number_is_digit(s.p[i - 1]) || (s.p[i - 1] >= 'a' && s.p[i - 1] <= 'f')))
		i--;
	return i;
}

/* Decimal digits. 0, -EINVAL (empty or another byte), -ERANGE. */
int number_u64(struct slice s, uint64_t *out);

/* Hexadecimal digits of either case, an optional 0x before them. As above. */
int number_hex(struct slice s, uint64_t *out);

/*
 * Seconds with an optional fraction ("2", "0.25") as nanoseconds; digits beyond
 * the ninth are dropped. As above.
 */
int number_seconds(struct slice s, uint64_t *ns);

/*
 * "0-3,7" as a list of numbers, each at most `max`, ascending ranges only.
 * On success *list (freed by the caller) holds *n of them, in the order given.
 * 0, -EINVAL, -ERANGE.
 */
int number_list(struct slice s, uint64_t max, uint64_t **list, size_t *n);

#endif
