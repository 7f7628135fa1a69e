/* Numbers with decimals, exact: counts of the input and the factor of their texts. */
#ifndef FOLD2SVG_COUNT_H
#define FOLD2SVG_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

/* mantissa × 10^exponent; the mantissa is 0 or does not end in 0. */
struct decimal {
	uint64_t mantissa;
	int exponent;
	bool rounded; /* it was more exact once */
};

enum { DECIMAL_EXPONENT_MAX = 400 }; /* either way; more than a double has */

/*
 * Reads digits with at most one '.' among, before or behind them, and perhaps an exponent
 * ("25e-4"). Digits behind the '.' for which the mantissa has no room are cut off. 0; -EINVAL
 * if it is no such number; -ERANGE if there is no room for digits before it, or the exponent is
 * beyond the above.
 */
int decimal_parse(struct slice s, struct decimal *d);

/*
 * d in units of 10^-decimals. 0, or -ERANGE with *why (a literal) if it is no whole number
 * of them (then it has more decimals) or exceeds 64 bits.
 */
int decimal_scale(struct decimal d, unsigned decimals, uint64_t *n, const char **why);

/* d with so many decimals at most; a half is rounded up. */
struct decimal decimal_round(struct decimal d, unsigned decimals);

/* How many decimals d has. */
static inline unsigned decimal_places(struct decimal d)
{
	return d.exponent < 0 ? (unsigned)-d.exponent : 0;
}

/* "1", "25e-4": what decimal_parse reads. */
void decimal_add(struct strbuf *sb, struct decimal d);

/*
 * n × 10^-decimals × factor rounded to a whole number (halves to the even one, as
 * printf does), with a comma between thousands: "1,234". The product may have any size.
 */
void count_add(struct strbuf *sb, uint64_t n, unsigned decimals, struct decimal factor);

#endif
