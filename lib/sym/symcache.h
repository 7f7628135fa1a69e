/*
 * Symbol tables of files on disk, read when first asked for and kept by the file's
 * identity, so that a library that hundreds of processes map is read once. The least
 * recently used ones go when they exceed the budget.
 *
 * The names of the files come from a capture that anyone may have written, and the
 * files may have been replaced since: a table is handed out only for a file that is
 * the one the capture means.
 */
#ifndef SYM_SYMCACHE_H
#define SYM_SYMCACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "capture/capture.h"
#include "elf/elf_image.h"
#include "elf/symtab.h"

struct symcache;

/* One file's; the cache's, valid until the next symcache_get. */
struct symcache_table {
	struct elf_image *image; /* for elf_image_vaddr; not to be read from any more */
	struct symtab *symbols;
};

/* Remembers a table between look-ups. Zero-initialized: none yet. */
struct symcache_ref {
	uint32_t slot;
	uint32_t generation;
};

/* `budget` bytes of tables; the one last asked for is kept whatever its size. */
struct symcache *symcache_new(size_t budget);
void symcache_free(struct symcache *cache);

/*
 * The table for the file that the capture describes, by ref if it is still there, else
 * from its path (absolute; a regular file; opened without waiting). It is the same file
 * if the build-ids are equal; where the capture has none, if size and modification time
 * are, or else device and inode, and the path is of the capturing tool's own mount
 * namespace.
 * 0; -ESTALE another file is there now, or it cannot be told; or the negative errno of
 * the open or of elf_image_open, symtab_read. *err has the reason without the path.
 */
int symcache_get(struct symcache *cache, struct symcache_ref *ref, const struct capture_file *want,
		 const struct symcache_table **out, struct strbuf *err);

#endif
