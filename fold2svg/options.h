/* The command line: flamegraph.pl's options as it takes them, and ours. */
#ifndef FOLD2SVG_OPTIONS_H
#define FOLD2SVG_OPTIONS_H

#include "classic.h"
#include "count.h"
#include "picture.h"

enum { DONE = 0, FAILED = 1, USAGE = 2, PARTLY = 3 };

struct options {
	struct picture pic;       /* but for total, attrs and the palette map */
	struct classic classic;
	bool colors_given;
	bool cp;                  /* read and write a palette map */
	const char *nameattr;     /* a file; NULL none */
	struct decimal total;     /* 0: none */
	const char *total_text;   /* as it was given */
	char **files;             /* NULL-terminated; none: stdin */
};

/*
 * Fills in *o, which must not move from then on. Ends the program for --help and
 * --version, and with a message and USAGE if anything is wrong.
 */
void options_parse(struct options *o, int argc, char **argv);

#endif
