#include "lines/folded.h"

#include <errno.h>

#include "base/number.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Cuts off a count and the blank before it. */
static bool take_count(struct slice *rest, struct slice *count)
{
	size_t end = rest->len, at = end;

	while (at && number_is_digit(rest->p[at - 1]))
		at--;
	if (at && rest->p[at - 1] == '.') {
		for (at--; at && number_is_digit(rest->p[at - 1]); at--)
			;
		if (rest->p[at] == '.')
			return false;
	}
	if (at == end || !at || !is_blank(rest->p[at - 1]))
		return false;
	*count = (struct slice){ rest->p + at, end - at };
	rest->len = at - 1;
	return true;
}

/* Why what stands behind the last blank is no count. */
static const char *fault(struct slice line)
{
	size_t at = line.len;

	while (at && !is_blank(line.p[at - 1]))
		at--;
	if (at && line.len - at > 1 && line.p[at] == '-' && number_is_digit(line.p[at + 1]))
		return "the count is negative";
	if (at && number_is_digit(line.p[at]))
		return "the count is no plain number";
	return "no count (a number behind the last blank)";
}

int folded_split(struct slice line, struct slice *stack, struct slice *count, const char **why)
{
	if (line.len && line.p[line.len - 1] == '\r')
		line.len--;
	while (line.len && is_blank(line.p[line.len - 1]))
		line.len--;
	if (!line.len)
		return 0;
	if (line.p[0] == '#' && (line.len == 1 || is_blank(line.p[1])))
		return 0;
	*stack = line;
	if (take_count(stack, count))
		return 1;
	if (line.p[0] == '#')
		return 0;
	*why = fault(line);
	return -EINVAL;
}

bool folded_split_before(struct slice *stack, struct slice *before)
{
	struct slice rest = *stack;

	while (rest.len && is_blank(rest.p[rest.len - 1]))
		rest.len--;
	if (!take_count(&rest, before))
		return false;
	*stack = rest;
	return true;
}

/* "3.00" and "3." are whole numbers, too. */
static struct slice whole_part(struct slice count)
{
	size_t len = count.len;

	while (len && count.p[len - 1] == '0')
		len--;
	if (len > 1 && count.p[len - 1] == '.')
		count.len = len - 1;
	return count;
}

int folded_parse(struct slice line, struct folded *out, const char **why)
{
	struct slice count;
	int r = folded_split(line, &out->stack, &count, why);

	if (r <= 0)
		return r;
	r = number_u64(count, &out->count);
	if (r == -EINVAL)
		r = number_u64(whole_part(count), &out->count);
	if (!r)
		return 1;
	*why = r == -ERANGE ? "the count is too large" : "the count is no whole number";
	return -EINVAL;
}

bool folded_next(struct slice *stack, struct slice *frame)
{
	const char *semi;

	if (!stack->len)
		return false;
	semi = memchr(stack->p, ';', stack->len);
	frame->p = stack->p;
	frame->len = semi ? (size_t)(semi - stack->p) : stack->len;
	stack->p += frame->len + (semi != NULL);
	stack->len -= frame->len + (semi != NULL);
	return true;
}
