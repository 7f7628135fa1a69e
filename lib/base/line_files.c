#include "base/line_files.h"

#include <unistd.h>

#include "base/stream.h"

static int read_lines(struct input *in, const char *name,
		      int (*take)(void *ctx, struct slice line, const char **why), void *ctx,
		      struct damage *damage)
{
	uint64_t number = 0;
	struct slice line;
	const char *why;
	int r;

	while ((r = input_line(in, &line)) > 0) {
		number++;
		if (take(ctx, line, &why) < 0)
			damage_note(damage, name, number, why);
	}
	return r;
}

int line_files_read(char *const *files,
		    int (*take)(void *ctx, struct slice line, const char **why), void *ctx,
		    struct damage *damage, struct strbuf *err)
{
	for (; *files; files++) {
		struct input in;
		int r = input_open(&in, *files);

		if (!r) {
			input_watch(&in, STDOUT_FILENO);
			r = read_lines(&in, input_name(*files), take, ctx, damage);
			input_close(&in);
		}
		if (r < 0) {
			input_failed(err, *files, r);
			return r;
		}
	}
	return 0;
}
