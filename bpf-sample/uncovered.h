/*
 * Code that no compiler describes: what the unwind table of a file lacks, where what is
 * there can be known for certain, or is followed by frame pointers.
 */
#ifndef BPF_SAMPLE_UNCOVERED_H
#define BPF_SAMPLE_UNCOVERED_H

#include "unwind/table.h"

/* Adds rules for such code of the image to its table. */
void uncovered_describe(struct unwind_table *t, struct unwind_rules *rules,
			const struct elf_image *img);

#endif
