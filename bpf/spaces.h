/*
 * Where the unwinder finds the rule of an address: the mappings of an address space,
 * and the rows of the file behind one. Shared by the programs and bpf-sample.
 *
 * A space's mappings lie in chunks of a hash; its header holds the first address of
 * each chunk, so that a look-up is a binary search there and one within a chunk. They
 * are written under a new version, then the header, so that no walk meets a half of
 * each. (Maps of maps would make the writer wait for all programs at each change, and
 * an LPM trie takes some ten nodes a mapping.)
 */
#ifndef BPF_SPACES_H
#define BPF_SPACES_H

#include <linux/types.h>

enum {
	SPACE_CHUNK = 16,   /* mappings in a chunk */
	SPACE_CHUNKS = 128, /* chunks of a space */
};

struct space_value {
	__u32 version;
	__u32 n; /* mappings */
	__u64 first[SPACE_CHUNKS];
};

struct space_key {
	__u64 space;
	__u32 version;
	__u32 chunk;
};

/* table: what to unwind by in [start, end); an address less `bias` is the file's own. */
struct space_mapping {
	__u64 start, end;
	__u64 bias;
	__u32 table;
	__u32 pad;
};

enum {
	TABLE_UNKNOWN = 0,       /* not looked at yet: the sample goes to user space */
	TABLE_FRAME_POINTER = 1, /* code without unwind information: JIT, hand-written */
	TABLE_FIRST = 2,         /* ids of tables */
};

struct space_chunk {
	struct space_mapping m[SPACE_CHUNK];
};

/*
 * A table is an array of blocks of 64 bytes: a header, then the page index, 16 entries
 * a block, then rows, 16 a block. Row numbers count from the first row.
 */
enum { TABLE_BLOCK = 16 };

struct table_header {
	__u64 first_page;
	__u32 npages;
	__u32 rows_block; /* the block that row 0 lies in */
};

struct table_block {
	union {
		struct table_header header;
		__u32 words[TABLE_BLOCK];
	};
};

#endif
