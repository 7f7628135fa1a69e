/* The lines of the files that a filter is given, one after the other. */
#ifndef BASE_LINE_FILES_H
#define BASE_LINE_FILES_H

#include "base/damage.h"
#include "base/slice.h"

/*
 * Calls take(ctx, line, &why) for each line of the files, "-" being the standard input;
 * `files` is NULL-terminated. Where that returns a negative number the line is noted as
 * damaged, and why. While waiting for input it watches the standard output (input_watch).
 * 0, or the negative errno of the first file that cannot be read, with "NAME: reason" in
 * *err, cleaned.
 */
int line_files_read(char *const *files,
		    int (*take)(void *ctx, struct slice line, const char **why), void *ctx,
		    struct damage *damage, struct strbuf *err);

#endif
