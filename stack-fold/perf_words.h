/* Words and numbers of perf script's lines, for perf_header.c and perf_frame.c. */
#ifndef STACK_FOLD_PERF_WORDS_H
#define STACK_FOLD_PERF_WORDS_H

#include <stdbool.h>

#include "base/number.h"
#include "base/slice.h"

static inline bool perf_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Takes what is before the next blank off *s, and the blanks behind it. */
static inline struct slice perf_take_word(struct slice *s)
{
	struct slice word = { s->p, 0 };

	while (word.len < s->len && !perf_is_blank(s->p[word.len]))
		word.len++;
	s->p += word.len;
	s->len -= word.len;
	*s = slice_trim_start(*s);
	return word;
}

/* How many digits there are from the place `at` on. */
static inline size_t perf_digits(struct slice s, size_t at)
{
	size_t from = at;

	while (at < s.len && number_is_digit(s.p[at]))
		at++;
	return at - from;
}

/* How many hexadecimal digits it begins with. */
static inline size_t perf_hex_digits(struct slice s)
{
	size_t n = 0;

	while (n < s.len && (number_is_digit(s.p[n]) || (s.p[n] >= 'a' && s.p[n] <= 'f') ||
			     (s.p[n] >= 'A' && s.p[n] <= 'F')))
		n++;
	return n;
}

/*
 * Whether a line has an address in the place that `at` begins with: a TAB or a blank before
 * it and 16 columns, as perf writes it.
 */
static inline bool perf_is_address(struct slice line, struct slice at)
{
	struct slice rest = slice_trim_start(at);
	size_t n = perf_hex_digits(rest);
	const char *p = rest.p;

	if (!n || n > 16 || (n < rest.len && !strchr(" \r\n", rest.p[n])))
		return false;
	while (p > line.p && p[-1] == ' ')
		p--;
	if (p > line.p && p[-1] == '\t')
		return true;
	/* a large number alone may be a count */
	return (size_t)(rest.p - p) + n >= 17 && (n < rest.len || perf_digits(rest, 0) < n);
}

/* "[003]" */
static inline bool perf_is_cpu(struct slice word)
{
	return word.len > 2 && word.p[0] == '[' && perf_digits(word, 1) == word.len - 2 &&
		word.p[word.len - 1] == ']';
}

/* "1224.160952:" */
static inline bool perf_is_time(struct slice word)
{
	size_t whole = perf_digits(word, 0);

	return whole && whole + 2 < word.len && word.p[whole] == '.' &&
		perf_digits(word, whole + 1) == word.len - whole - 2 &&
		word.p[word.len - 1] == ':';
}

/* With the six digits behind the point, or nine, that perf has. */
static inline bool perf_is_exact_time(struct slice word)
{
	return perf_is_time(word) && perf_digits(word, perf_digits(word, 0) + 1) >= 6;
}

#endif
