/* The lines of files, and what is wrong with them. */
#include "base/line_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/stream.h"
#include "tap.h"

static int take(void *ctx, struct slice line, const char **why)
{
	strbuf_addslice(ctx, line);
	strbuf_addch(ctx, '|');
	*why = "it is bad";
	return slice_starts(line, SLICE("bad")) ? -EINVAL : (int)line.len;
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	ok(f && fputs(text, f) >= 0 && fclose(f) == 0, "%s is written", path);
}

int main(void)
{
	struct strbuf seen = STRBUF_INIT, err = STRBUF_INIT;
	struct damage damage = { 0 }, other = { 0 };
	char dir[] = "/tmp/line_files.XXXXXX";
	char *files[4] = { 0 };

	ok(mkdtemp(dir) && chdir(dir) == 0, "a folder");
	write_file("one", "a\nbad\n\nbad too\n");
	write_file("t\two", "bad\nlast");
	files[0] = "one";
	files[1] = "t\two";
	is_u64((uint64_t)line_files_read(files, take, &seen, &damage, &err), 0, "both are read");
	is_str(strbuf_str(&seen), "a|bad||bad too|bad|last|", "each line once, in order");
	is_u64(damage.lines, 3, "three are damaged");
	is_str(damage.first.buf, "one:2: it is bad", "where, and why, of the first");

	damage_note(&other, "t\two", 7, "worse");
	is_str(other.first.buf, "t\xef\xbf\xbdwo:7: worse", "names are cleaned");
	damage_merge(&damage, &other);
	is_u64(damage.lines, 4, "damage adds up");
	is_str(damage.first.buf, "one:2: it is bad", "the first stays");
	damage_merge(&other, &damage);
	ok(other.lines == 4 && !damage.lines && !damage.first.len, "into none it moves");

	strbuf_reset(&seen);
	files[1] = "no\nsuch";
	files[2] = "t\two";
	is_u64((uint64_t)-line_files_read(files, take, &seen, &other, &err), ENOENT,
	       "a file that is not there");
	is_str(err.buf, "no\xef\xbf\xbdsuch: No such file or directory", "is told, cleaned");
	is_str(strbuf_str(&seen), "a|bad||bad too|", "and ends it");
	files[0] = "/";
	is_u64((uint64_t)-line_files_read(files, take, &seen, &other, &err), EISDIR, "a folder");
	is_str(input_name("-"), "standard input", "the name of the standard input");

	ok(unlink("one") == 0 && unlink("t\two") == 0 && rmdir(dir) == 0, "all is taken away");
	damage_release(&other);
	strbuf_release(&seen);
	strbuf_release(&err);
	return done_testing();
}
