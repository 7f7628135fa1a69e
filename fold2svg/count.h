/* Numbers with decimals, exact: counts of the input and the factor of their texts. */
#ifndef FOLD2SVG_COUNT_H
#define FOLD2SVG_COUNT_H

#include <stdint.h>

#include "base/strbuf.h"

/* mantissa × 10^exponent */
struct decimal {
	uint64_t mantissa;
	int exponent;
};

/*
 * n × 10^-decimals × factor rounded to a whole number (halves to the even one, as
 * printf does), with a comma between thousands: "1,234". The product may have any size.
 */
void count_add(struct strbuf *sb, uint64_t n, unsigned decimals, struct decimal factor);

#endif
