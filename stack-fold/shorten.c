#include "shorten.h"

#include <ctype.h>

/* A name that was cut has brackets without an end; each is looked for in all the rest. */
enum { UNCLOSED_MAX = 64 };

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

/* Whether `at` is in the name and such a byte stands there. */
static bool has(struct slice name, size_t at, char c)
{
	return at < name.len && name.p[at] == c;
}

static bool has_word(struct slice name, size_t at, struct slice word)
{
	return slice_starts((struct slice){ name.p + at, name.len - at }, word);
}

/*
 * The length of the operator at `at`, behind the word: "()", "<<", "->*"; 0 if it is one of
 * letters, or a type. "operator< <int>" is spelt with a blank by GNU's demangler; others
 * leave it away.
 */
static size_t symbol_len(struct slice name, size_t at)
{
	static const struct slice symbols[] = {
		SLICE("<=>"), SLICE("<<="), SLICE(">>="), SLICE("->*"), SLICE("()"), SLICE("[]"),
		SLICE("<<"), SLICE(">>"), SLICE("<="), SLICE(">="), SLICE("->"), SLICE("=="),
		SLICE("!="), SLICE("&&"), SLICE("||"), SLICE("++"), SLICE("--"), SLICE("+="),
		SLICE("-="), SLICE("*="), SLICE("/="), SLICE("%="), SLICE("^="), SLICE("&="),
		SLICE("|="),
	};

	if (at >= name.len)
		return 0;
	if (has_word(name, at, SLICE("<<")) && at + 2 < name.len &&
	    !strchr("=< (,)", name.p[at + 2]))
		return 1;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		if (has_word(name, at, symbols[i]))
			return symbols[i].len;
	}
	return strchr("+-*/%^&|~!=<>,", name.p[at]) != NULL;
}

/* How long "operator" and its symbol are at `at`; 0 if there is none. */
static size_t operator_len(struct slice name, size_t at)
{
	static const struct slice word = SLICE("operator");
	size_t symbol;

	if (name.p[at] != 'o' || !has_word(name, at, word) ||
	    (at && is_name_char(name.p[at - 1])))
		return 0;
	symbol = symbol_len(name, at + word.len);
	return symbol ? word.len + symbol : 0;
}

/* The place behind the parenthesis that ends the one at `at`; 0 if none does. */
static size_t behind_round(struct slice name, size_t at)
{
	size_t depth = 0;

	for (size_t i = at; i < name.len; i++) {
		if (name.p[i] == '(')
			depth++;
		else if (name.p[i] == ')' && --depth == 0)
			return i + 1;
	}
	return 0;
}

/* Whether a template's argument begins at `at`, not "void" before "()". */
static bool is_argument(struct slice name, size_t at)
{
	return name.p[at - 1] == '<' || (name.p[at - 1] == ' ' && name.p[at - 2] == ',');
}

/*
 * How much at `at` is an operator between two operands; 0 if a bracket is there. The right
 * operand, and mostly the left one too, is in parentheses, and so is all of a ">". ">>" is one
 * only where it may be a `shift`: it looks as the end of two templates does.
 */
static size_t comparison_len(struct slice name, size_t at, bool behind_round, bool shift)
{
	bool blank = name.p[at - 1] == ' ';

	if (has(name, at + 1, '='))
		return 2;
	if (name.p[at] == '<') {
		size_t n = 1 + has(name, at + 1, '<');

		return behind_round || (blank && has(name, at + n, ' ')) ? n : 0;
	}
	if (name.p[at - 1] == '-')
		return 1; /* "->" */
	if (!shift || !has(name, at + 1, '>'))
		return 0;
	return has(name, at + 2 + (blank && has(name, at + 2, ' ')), '(') ? 2 : 0;
}

/* The place behind the '>' that ends the '<' at `at`; 0 if none does. */
static size_t behind_angle(struct slice name, size_t at, bool shifts)
{
	size_t depth = 1, i = at + 1, n;
	size_t round = 0;      /* the place behind the last parenthesis */
	bool argument = false; /* which is the beginning of an argument, no function's type */

	while (i < name.len) {
		char c = name.p[i];

		n = operator_len(name, i);
		if (n) {
			i += n;
			/* its own arguments, not a comparison */
			if (has(name, i, '<')) {
				depth++;
				i++;
			}
		} else if (c == '(') {
			/* a '>' in there ends nothing out here */
			round = behind_round(name, i);
			if (!round)
				return 0;
			argument = is_argument(name, i);
			i = round;
		} else if (c == '<' || c == '>') {
			/* and of two templates there is no end where one is open */
			n = comparison_len(name, i, round == i, shifts &&
					   (depth == 1 || (argument && i - round <= 1)));
			if (!n && c == '<')
				depth++;
			else if (!n && --depth == 0)
				return i + 1;
			i += n ? n : 1;
		} else {
			i++;
		}
	}
	return 0;
}

static size_t behind(struct slice name, size_t at)
{
	size_t end;

	if (name.p[at] == '(')
		return behind_round(name, at);
	end = behind_angle(name, at, true);
	return end ? end : behind_angle(name, at, false);
}

/* Whether what the bracket at `at` begins is no list of arguments. */
static bool is_of_name(struct slice name, size_t at)
{
	if (!at)
		return true;
	if (name.p[at] == '(')
		/* "(anonymous namespace)", "(anonymous class)"; "(*T).m" */
		return has_word(name, at, SLICE("(anonymous ")) || has(name, at + 1, '*') ||
			name.p[at - 1] == ':';
	/* "<T as Trait>", "<init>" */
	return strchr(": (,&*[{./", name.p[at - 1]) != NULL;
}

/*
 * What V8 calls the code it makes: a kind, a function and where it is in its file, whose path
 * may have any brackets; or a regular expression. "JS::f" is a function of C++.
 */
static bool is_script(struct slice name)
{
	static const struct slice kinds[] = {
		SLICE("JS:"), SLICE("LazyCompile:"), SLICE("Function:"), SLICE("Script:"),
		SLICE("Eval:"), SLICE("RegExp:"),
	};
	static const struct slice ends[] = { SLICE(".js:"), SLICE(".mjs:"), SLICE(".cjs:") };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (slice_starts(name, kinds[i]) && !has(name, kinds[i].len, ':'))
			return true;
	}
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (memmem(name.p, name.len, ends[i].p, ends[i].len))
			return true;
	}
	return false;
}

static bool cut_end(struct strbuf *sb, size_t from, struct slice end)
{
	struct slice text = { sb->buf + from, sb->len - from };

	if (text.len <= end.len || !slice_cut_end(&text, end))
		return false;
	sb->len = from + text.len;
	sb->buf[sb->len] = '\0';
	return true;
}

static void add_shortened(struct strbuf *sb, struct slice name)
{
	size_t from = sb->len, at = 0, unclosed = 0, end;

	while (at < name.len) {
		size_t n = operator_len(name, at);

		if (n) {
			strbuf_add(sb, name.p + at, n);
			at += n;
			/* "operator<< <char>": a blank keeps them apart */
			end = at + has(name, at, ' ');
			if (has(name, end, '<'))
				end = behind(name, end);
			else
				end = 0;
			at = end ? end : at;
			continue;
		}
		end = 0;
		if ((name.p[at] == '(' || name.p[at] == '<') && unclosed < UNCLOSED_MAX) {
			end = behind(name, at);
			unclosed += !end;
		}
		if (!end) {
			strbuf_addch(sb, name.p[at++]);
		} else if (!is_of_name(name, at)) {
			at = end;
			/* one blank for the two around it */
			at += has(name, at, ' ') && sb->len > from && sb->buf[sb->len - 1] == ' ';
		} else {
			/* whatever is in it; of "f::<Vec<u8>>" that is shortened, too */
			n = at == 0 || name.p[at] == '(' ? end - at : 1;
			strbuf_add(sb, name.p + at, n);
			at += n;
		}
	}
	if (sb->len - from == name.len)
		return;
	/* " const" and the like stood behind the parameters */
	cut_end(sb, from, SLICE(" "));
	cut_end(sb, from, SLICE(" const"));
}

void shorten_name(struct strbuf *sb, struct slice name)
{
	size_t from = sb->len;

	if (name.len && !is_script(name))
		add_shortened(sb, name);
	if (sb->len == from)
		strbuf_addslice(sb, name);
}
