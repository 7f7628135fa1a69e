/*
 * The Test Anything Protocol for unit tests: each check prints one line, a failed
 * one tells on stderr where and what. A test is one file that ends with
 * `return done_testing();`; it runs from the root of the repository.
 */
#ifndef TAP_H
#define TAP_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static unsigned tap_run, tap_failed;

/* These return whether the check passed, so that a test can guard what follows. */
#define ok(cond, ...) tap_ok((cond), #cond, __FILE__, __LINE__, __VA_ARGS__)
#define is_u64(got, want, ...) tap_u64((got), (want), __FILE__, __LINE__, __VA_ARGS__)
#define is_str(got, want, ...) tap_str((got), (want), __FILE__, __LINE__, __VA_ARGS__)

__attribute__((format(printf, 4, 0))) static inline bool
tap_line(bool pass, const char *file, int line, const char *fmt, va_list ap)
{
	printf("%sok %u - ", pass ? "" : "not ", ++tap_run);
	vprintf(fmt, ap);
	putchar('\n');
	fflush(stdout);
	if (!pass) {
		tap_failed++;
		fprintf(stderr, "#   at %s line %d\n", file, line);
	}
	return pass;
}

__attribute__((format(printf, 5, 6))) static inline bool
tap_ok(bool pass, const char *expr, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tap_line(pass, file, line, fmt, ap);
	va_end(ap);
	if (!pass)
		fprintf(stderr, "#   not true: %s\n", expr);
	return pass;
}

__attribute__((format(printf, 5, 6))) static inline bool
tap_u64(uint64_t got, uint64_t want, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tap_line(got == want, file, line, fmt, ap);
	va_end(ap);
	if (got != want) {
		fprintf(stderr, "#   got  %" PRIu64 " (0x%" PRIx64 ")\n", got, got);
		fprintf(stderr, "#   want %" PRIu64 " (0x%" PRIx64 ")\n", want, want);
	}
	return got == want;
}

/* One line of a value, with what would break the line or the protocol escaped. */
static inline void tap_show(const char *what, const char *s)
{
	fprintf(stderr, "#   %s ", what);
	if (!s) {
		fputs("NULL\n", stderr);
		return;
	}
	fputc('"', stderr);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < ' ' || c == 127)
			fprintf(stderr, "\\x%02x", c);
		else
			fputc(c, stderr);
	}
	fputs("\"\n", stderr);
}

__attribute__((format(printf, 5, 6))) static inline bool
tap_str(const char *got, const char *want, const char *file, int line, const char *fmt, ...)
{
	bool same = got && want ? strcmp(got, want) == 0 : got == want;
	va_list ap;

	va_start(ap, fmt);
	tap_line(same, file, line, fmt, ap);
	va_end(ap);
	if (!same) {
		tap_show("got ", got);
		tap_show("want", want);
	}
	return same;
}

/* Prints the plan; the exit status for main. A test without checks fails. */
static inline int done_testing(void)
{
	printf("1..%u\n", tap_run);
	return tap_failed || !tap_run;
}

#endif
