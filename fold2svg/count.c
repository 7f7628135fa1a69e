#include "count.h"

#include <errno.h>

#include "base/number.h"

/* The exponent at s, "e" included; sets *exponent, which saturates. */
static int parse_exponent(struct slice s, int *exponent)
{
	size_t i = 1;
	bool negative = false;
	int v = 0;

	if (s.len > 1 && (s.p[1] == '-' || s.p[1] == '+'))
		negative = s.p[i++] == '-';
	if (i == s.len)
		return -EINVAL;
	for (; i < s.len; i++) {
		if (!number_is_digit(s.p[i]))
			return -EINVAL;
		v = v > 100000 ? v : v * 10 + (s.p[i] - '0');
	}
	*exponent += negative ? -v : v;
	return 0;
}

/* Appends `zeros` zeros and a digit. */
static bool mantissa_add(struct decimal *d, unsigned zeros, unsigned digit)
{
	uint64_t m = d->mantissa;

	for (unsigned i = 0; i <= zeros; i++)
		if (__builtin_mul_overflow(m, 10, &m))
			return false;
	if (__builtin_add_overflow(m, digit, &m))
		return false;
	d->mantissa = m;
	return true;
}

int decimal_parse(struct slice s, struct decimal *d)
{
	bool dot = false, digits = false;
	unsigned zeros = 0; /* at the end so far, which may become part of the exponent */
	size_t i;
	int r;

	*d = (struct decimal){ 0 };
	for (i = 0; i < s.len && (number_is_digit(s.p[i]) || (s.p[i] == '.' && !dot)); i++) {
		if (s.p[i] == '.') {
			dot = true;
			continue;
		}
		digits = true;
		if (dot)
			d->exponent--;
		if (s.p[i] == '0') {
			zeros += d->mantissa != 0;
			continue;
		}
		if (mantissa_add(d, zeros, (unsigned)(s.p[i] - '0'))) {
			zeros = 0;
			continue;
		}
		if (!dot)
			return -ERANGE;
		d->rounded = true;
		zeros++;
	}
	if (!digits || (i < s.len && s.p[i] != 'e' && s.p[i] != 'E'))
		return -EINVAL;
	if (i < s.len) {
		r = parse_exponent((struct slice){ s.p + i, s.len - i }, &d->exponent);
		if (r)
			return r;
	}
	d->exponent += (int)zeros;
	if (!d->mantissa)
		d->exponent = 0;
	return d->exponent > DECIMAL_EXPONENT_MAX || d->exponent < -DECIMAL_EXPONENT_MAX ?
	       -ERANGE : 0;
}

struct decimal decimal_round(struct decimal d, unsigned decimals)
{
	bool half = false;

	while (decimal_places(d) > decimals) {
		half = d.mantissa % 10 >= 5;
		d.mantissa /= 10;
		d.exponent++;
		d.rounded = true;
		if (!d.mantissa && !half)
			d.exponent = 0;
	}
	d.mantissa += half;
	while (d.mantissa && d.mantissa % 10 == 0) {
		d.mantissa /= 10;
		d.exponent++;
	}
	return d;
}

int decimal_scale(struct decimal d, unsigned decimals, uint64_t *n, const char **why)
{
	*n = d.mantissa;
	if (decimal_places(d) > decimals) {
		*why = "more decimals than can be kept";
		return -ERANGE;
	}
	for (int i = d.exponent + (int)decimals; i > 0 && *n; i--)
		if (__builtin_mul_overflow(*n, 10, n)) {
			*why = "the count is too large";
			return -ERANGE;
		}
	return 0;
}

void decimal_add(struct strbuf *sb, struct decimal d)
{
	strbuf_addu64(sb, d.mantissa);
	if (d.exponent)
		strbuf_addf(sb, "e%d", d.exponent);
}

/* Cuts the last `cut` of len digits off and rounds what is left. */
static size_t round_digits(char *digits, size_t len, size_t cut)
{
	size_t keep = len - cut, i;
	bool rest = false, up;

	for (i = keep + 1; i < len; i++)
		rest |= digits[i] != '0';
	/* beyond the half, or the half with an odd digit before it */
	up = digits[keep] > '5' ||
	     (digits[keep] == '5' && (rest || (keep && (digits[keep - 1] - '0') % 2)));
	for (i = keep; up && i > 0; i--) {
		up = digits[i - 1] == '9';
		digits[i - 1] = up ? '0' : (char)(digits[i - 1] + 1);
	}
	if (up) {
		memmove(digits + 1, digits, keep);
		digits[0] = '1';
		keep++;
	}
	return keep;
}

void count_add(struct strbuf *sb, uint64_t n, unsigned decimals, struct decimal factor)
{
	unsigned __int128 product = (unsigned __int128)n * factor.mantissa;
	int exponent = product ? factor.exponent - (int)decimals : 0;
	char digits[40]; /* 2^128 has 39 */
	size_t len = 0, zeros = exponent > 0 ? (size_t)exponent : 0;

	for (unsigned __int128 v = product; v || !len; v /= 10)
		digits[len++] = (char)('0' + (int)(v % 10));
	for (size_t i = 0; i < len / 2; i++) {
		char c = digits[i];

		digits[i] = digits[len - 1 - i];
		digits[len - 1 - i] = c;
	}
	if (exponent < 0)
		len = (size_t)-exponent > len ? 0 : round_digits(digits, len, (size_t)-exponent);
	if (!len)
		digits[len++] = '0';
	for (size_t i = 0; i < len + zeros; i++) {
		if (i && (len + zeros - i) % 3 == 0)
			strbuf_addch(sb, ',');
		strbuf_addch(sb, i < len ? digits[i] : '0');
	}
}
