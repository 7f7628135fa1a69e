/*
 * Makes a folded file as large programs have it: LINES stacks of about DEPTH frames, of
 * which NEW were not below the same callers before; names are as in C (short) or as in C++,
 * Rust, Go and Java (long). The same arguments make the same file. Not sorted.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 6000, NAME_MAX_LEN = 160, DEPTH_MAX = 256 };

static const char *const nouns[] = {
	"buffer", "cache", "client", "column", "cursor", "filter", "handler", "index", "journal",
	"message", "packet", "query", "record", "request", "session", "socket", "table", "worker",
};
static const char *const verbs[] = {
	"alloc", "append", "commit", "copy", "decode", "encode", "evict", "find", "flush", "insert",
	"lookup", "merge", "parse", "poll", "read", "send", "split", "update", "wait", "write",
};
static const char *const modules[] = {
	"net", "storage", "sql", "engine", "http", "json", "util", "auth", "stream", "sched", "mm",
	"fs", "crypto", "metrics", "render", "codec",
};

#define PICK(list, n) ((list)[(n) % (sizeof(list) / sizeof((list)[0]))])

/* The n-th name. */
static void make_name(char *name, unsigned n, int is_long)
{
	const char *module = PICK(modules, n / 3), *noun = PICK(nouns, n / 7);
	const char *other = PICK(nouns, n / 126), *verb = PICK(verbs, n);

	switch (is_long ? 1 + n % 5 : 0) {
	case 0:
		snprintf(name, NAME_MAX_LEN, "%s_%s_%s%s", module, verb, noun,
			 n % 5 == 0 ? "_[k]" : "");
		break;
	case 1:
		snprintf(name, NAME_MAX_LEN,
			 "%s::%s<%s::%s, std::less<int> >::%s(%s const&, int)", module, noun,
			 module, other, verb, noun);
		break;
	case 2:
		snprintf(name, NAME_MAX_LEN,
			 "std::__invoke_impl<void, %s::%s::%s(%s*)::{lambda()#%u}>", module, noun,
			 verb, other, 1 + n % 3);
		break;
	case 3:
		snprintf(name, NAME_MAX_LEN, "<%s::%s::%s as core::iter::Iterator>::%s", module,
			 noun, other, verb);
		break;
	case 4:
		snprintf(name, NAME_MAX_LEN, "github.com/example/%s/%s.(*%s).%s", module, noun,
			 other, verb);
		break;
	default:
		snprintf(name, NAME_MAX_LEN, "com/example/%s/%s/%s:::%s_[j]", module, noun, other,
			 verb);
	}
}

static unsigned below(unsigned n)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((state >> 33) % n);
}

int main(int argc, char **argv)
{
	static char names[NAMES][NAME_MAX_LEN];
	unsigned stack[DEPTH_MAX], depth = 0, next = 0;
	unsigned long lines;
	unsigned usual, fresh;

	if (argc != 5)
		errx(2, "usage: mkfolded LINES DEPTH NEW short|long");
	lines = strtoul(argv[1], NULL, 10);
	usual = (unsigned)strtoul(argv[2], NULL, 10);
	fresh = (unsigned)strtoul(argv[3], NULL, 10);
	if (usual < 2 || usual + usual / 2 + 2 * fresh > DEPTH_MAX || !fresh)
		errx(2, "DEPTH from 2, and not too deep; NEW from 1");
	for (unsigned n = 0; n < NAMES; n++)
		make_name(names[n], n, strcmp(argv[4], "long") == 0);
	for (unsigned long i = 0; i < lines; i++) {
		unsigned up = 1 + below(2 * fresh - 1), down = 1 + below(2 * fresh - 1);

		depth = depth > up ? depth - up : 0;
		if (depth < usual / 2)
			down = usual / 2;
		else if (depth > usual + usual / 2)
			down = 1;
		while (down--)
			stack[depth++] = next++ % NAMES;
		fputs("server", stdout);
		for (unsigned d = 0; d < depth; d++) {
			putchar_unlocked(';');
			fputs(names[stack[d]], stdout);
		}
		printf(" %u\n", 1 + below(100));
	}
	if (fflush(stdout) || ferror(stdout))
		err(1, "standard output");
	return 0;
}
