/* Numbers with decimals: exact, whatever their size. */
#include "../../fold2svg/count.h"

#include <errno.h>

#include "tap.h"

static void is_decimal(const char *text, const char *want)
{
	struct strbuf sb = STRBUF_INIT;
	struct decimal d;
	int r = decimal_parse(slice_str(text), &d);

	if (r)
		strbuf_addstr(&sb, r == -ERANGE ? "range" : r == -EINVAL ? "invalid" : "?");
	else
		decimal_add(&sb, d);
	is_str(strbuf_str(&sb), want, "'%s'", text);
	strbuf_release(&sb);
}

static void test_parse(void)
{
	is_decimal("0", "0");
	is_decimal("0.000", "0");
	is_decimal("1", "1");
	is_decimal("1000", "1e3");
	is_decimal("10.50", "105e-1");
	is_decimal("5.", "5");
	is_decimal(".5", "5e-1");
	is_decimal("0.001", "1e-3");
	is_decimal("1e-6", "1e-6");
	is_decimal("2.5E+3", "25e2");
	is_decimal("007", "7");
	is_decimal("18446744073709551615", "18446744073709551615");
	is_decimal("18446744073709551616", "range");
	is_decimal("18446744073709551615000", "18446744073709551615e3");
	is_decimal("0.30000000000000004", "30000000000000004e-17");
	is_decimal("123456.30000000000000004", "1234563e-1");
	is_decimal("0.12345678901234567890123", "1234567890123456789e-19");
	is_decimal("18446744073709551615.5", "18446744073709551615");
	is_decimal("18446744073709551616.5", "range");
	is_decimal("1e999", "range");
	is_decimal("1e99999999999999999999", "range");
	is_decimal("", "invalid");
	is_decimal(".", "invalid");
	is_decimal("1.2.3", "invalid");
	is_decimal("-1", "invalid");
	is_decimal("+1", "invalid");
	is_decimal("1e", "invalid");
	is_decimal("1e+", "invalid");
	is_decimal("e5", "invalid");
	is_decimal("1x", "invalid");
	is_decimal(" 1", "invalid");
	is_decimal("0x1", "invalid");
	is_decimal("inf", "invalid");
}

static void is_rounded(const char *text, unsigned decimals, const char *want, bool rounded)
{
	struct strbuf sb = STRBUF_INIT;
	struct decimal d = { 0 };

	decimal_parse(slice_str(text), &d);
	d = decimal_round(d, decimals);
	decimal_add(&sb, d);
	is_str(strbuf_str(&sb), want, "%s with %u decimals at most", text, decimals);
	ok(d.rounded == rounded, "%s than it was", rounded ? "less exact" : "no less exact");
	strbuf_release(&sb);
}

static void test_round(void)
{
	is_rounded("0", 0, "0", false);
	is_rounded("1.25", 2, "125e-2", false);
	is_rounded("1.25", 1, "13e-1", true);
	is_rounded("1.249", 1, "12e-1", true);
	is_rounded("9.96", 1, "1e1", true);
	is_rounded("0.5", 0, "1", true);
	is_rounded("0.49", 0, "0", true);
	is_rounded("0.06", 1, "1e-1", true);
	is_rounded("1e-300", 19, "0", true);
	is_rounded("12e30", 0, "12e30", false);
	is_rounded("1.00000000000000000000001", 30, "1", true);
}

static void is_scaled(const char *text, unsigned decimals, uint64_t want)
{
	struct decimal d;
	const char *why = NULL;
	uint64_t n;

	if (ok(!decimal_parse(slice_str(text), &d) && !decimal_scale(d, decimals, &n, &why),
	       "%s with %u decimals", text, decimals))
		is_u64(n, want, "in units of those");
}

static void test_scale(void)
{
	const char *why = NULL;
	uint64_t n;

	is_scaled("1.5", 1, 15);
	is_scaled("1.5", 4, 15000);
	is_scaled("1500", 0, 1500);
	is_scaled("0", 400, 0);
	is_scaled("18446744073709551615", 0, UINT64_MAX);
	ok(decimal_scale((struct decimal){ 15, -2, false }, 1, &n, &why) == -ERANGE && why,
	   "more decimals than the unit has");
	why = NULL;
	ok(decimal_scale((struct decimal){ 2, 19, false }, 0, &n, &why) == -ERANGE && why,
	   "more than 64 bits");
}

static void is_text(uint64_t n, unsigned decimals, struct decimal factor, const char *want)
{
	struct strbuf sb = STRBUF_INIT;

	count_add(&sb, n, decimals, factor);
	is_str(strbuf_str(&sb), want, "%llu e-%u times %llu e%d", (unsigned long long)n, decimals,
	       (unsigned long long)factor.mantissa, factor.exponent);
	strbuf_release(&sb);
}

static void test_text(void)
{
	const struct decimal one = { 1, 0, false };

	is_text(0, 0, one, "0");
	is_text(999, 0, one, "999");
	is_text(1000, 0, one, "1,000");
	is_text(1234567, 0, one, "1,234,567");
	is_text(UINT64_MAX, 0, one, "18,446,744,073,709,551,615");
	is_text(UINT64_MAX, 0, (struct decimal){ UINT64_MAX, 0, false },
		"340,282,366,920,938,463,426,481,119,284,349,108,225");
	is_text(12, 0, (struct decimal){ 1, 6, false }, "12,000,000");
	is_text(1499, 3, one, "1");
	is_text(1500, 3, one, "2");
	is_text(1501, 3, one, "2");
	is_text(2500, 3, one, "2");
	is_text(2501, 3, one, "3");
	is_text(500, 3, one, "0");
	is_text(501, 3, one, "1");
	is_text(9999, 1, one, "1,000");
	is_text(95, 1, one, "10");
	is_text(5, 0, (struct decimal){ 1, -30, false }, "0");
	is_text(UINT64_MAX, 0, (struct decimal){ 1, -20, false }, "0");
	is_text(UINT64_MAX, 0, (struct decimal){ 1, -19, false }, "2");
	is_text(0, 5, (struct decimal){ 7, 3, false }, "0");
}

int main(void)
{
	test_parse();
	test_round();
	test_scale();
	test_text();
	return done_testing();
}
