#include "lines/folded.h"

#include <errno.h>

#include "base/number.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

int folded_parse(struct slice line, struct folded *out, const char **why)
{
	bool comment;
	size_t at;
	int r;

	if (line.len && line.p[line.len - 1] == '\r')
		line.len--;
	while (line.len && is_blank(line.p[line.len - 1]))
		line.len--;
	if (!line.len)
		return 0;
	comment = line.p[0] == '#';
	if (comment && (line.len == 1 || is_blank(line.p[1])))
		return 0;
	for (at = line.len; at && !is_blank(line.p[at - 1]); at--)
		;
	r = at ? number_u64((struct slice){ line.p + at, line.len - at }, &out->count) : -EINVAL;
	if (!r) {
		out->stack = (struct slice){ line.p, at - 1 };
		return 1;
	}
	if (comment)
		return 0;
	if (r == -ERANGE)
		*why = "the count is too large";
	else
		*why = "no count (a whole number behind the last blank)";
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
