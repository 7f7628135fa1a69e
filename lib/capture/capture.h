/*
 * The capture: what bpf-sample writes and stack-resolve reads. The format itself
 * is specified in capture.5; this header is its C shape, shared by the writer
 * (capture_writer.h) and the reader (capture_reader.h). Numbers are append-only.
 *
 * A record is { u16 type, u16 flags, u32 length } and a payload; `length` counts
 * the whole record, header and padding included, and is a multiple of 8. All
 * little-endian. A payload may be longer than a reader knows (later versions
 * append fields before the strings only by a new record type, after them freely).
 *
 * Ids (event, file, image, stack) belong to the segment that a HEADER opens, are
 * defined before they are used, and may be defined again: the later one holds.
 * 0 is never defined and means "none".
 *
 * An *image* is one process between two execs: pid and exec generation. A sample
 * names its image, so samples before and after an exec meet their own mappings.
 */
#ifndef CAPTURE_CAPTURE_H
#define CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "capture/stack_end.h"

#define CAPTURE_MAGIC "BPFCAP\r\n" /* 8 bytes; CR LF shows a text-mode copy */

enum {
	CAPTURE_VERSION = 1,
	CAPTURE_RECORD_HEADER = 8,
	CAPTURE_RECORD_MAX = 1 << 20, /* a longer record is malformed */
	CAPTURE_STACK_MAX = 4096,     /* addresses in one stack */
	CAPTURE_BUILD_ID_MAX = 20,
	CAPTURE_COMM = 16,
};

enum capture_type {
	CAPTURE_HEADER = 1,
	CAPTURE_EVENT = 2,
	CAPTURE_PROC = 3, /* a new image: found at the start, forked, or exec'd */
	CAPTURE_EXIT = 4, /* an image is over: no further sample names it */
	CAPTURE_FILE = 5,
	CAPTURE_MAP = 6,
	CAPTURE_KSYM = 7,
	CAPTURE_SYM = 8,
	CAPTURE_STACK = 9,
	CAPTURE_SAMPLE = 10,
	CAPTURE_LOST = 11,
	CAPTURE_END = 12,
};

enum capture_unit { CAPTURE_UNIT_SAMPLES = 0, CAPTURE_UNIT_NS = 1, CAPTURE_UNIT_BYTES = 2 };

/* How an image came to be. */
enum capture_origin {
	CAPTURE_ORIGIN_SCAN = 0, /* it was there when sampling began */
	CAPTURE_ORIGIN_FORK = 1,
	CAPTURE_ORIGIN_EXEC = 2,
	CAPTURE_ORIGIN_SEEN = 3, /* first known by a sample: its start was not seen */
};

enum capture_file_flags {
	CAPTURE_FILE_DELETED = 1 << 0, /* no longer at `path` when it was looked at */
	CAPTURE_FILE_OTHER_NS = 1 << 1, /* `path` is of another mount namespace */
	CAPTURE_FILE_VDSO = 1 << 2,
	CAPTURE_FILE_ANON = 1 << 3, /* no ELF file behind it: anonymous memory, memfd, JIT */
	CAPTURE_FILE_EMBEDDED = 1 << 4, /* its hit symbols are in the capture as SYM records */
};

enum capture_lost_cause {
	CAPTURE_LOST_RING = 1,    /* maps full and the overflow ring full, too */
	CAPTURE_LOST_EVENTS = 2,  /* mapping and process events; weight 0 */
	CAPTURE_LOST_STACKS = 3,  /* a sample whose stack never reached user space */
};

enum capture_sym_scope {
	CAPTURE_SYM_FILE = 0,  /* id is a file; addr is the symbol's offset in the file */
	CAPTURE_SYM_IMAGE = 1, /* id is an image; addr is an address of its memory (JIT) */
};

struct capture_header {
	uint32_t version;
	uint16_t machine;    /* ELF e_machine of the sampled system */
	uint16_t cpus;       /* CPUs sampled */
	uint32_t page_size;
	uint32_t boot_id;    /* capture_boot_id() of the sampled system; 0 unknown */
	uint64_t mono_ns;    /* CLOCK_MONOTONIC and … */
	uint64_t real_ns;    /* … CLOCK_REALTIME, read together */
	struct slice release; /* uname -r */
	struct slice command; /* bpf-sample's command line */
};

struct capture_event {
	uint32_t id;
	uint16_t unit;       /* enum capture_unit */
	uint64_t period_ns;  /* time that one sample stands for; 0 if none */
	struct slice name;
};

struct capture_proc {
	uint32_t image;
	uint32_t parent;     /* image it was forked from or that exec'd; 0 unknown */
	uint32_t pid;
	uint32_t ns_pid;     /* in its innermost pid namespace; 0 unknown */
	uint32_t uid;        /* effective; UINT32_MAX unknown */
	uint16_t origin;     /* enum capture_origin */
	uint64_t start_ns;   /* monotonic; 0 before the capture */
	struct slice comm;
};

struct capture_exit {
	uint32_t image;
	uint64_t time_ns;
};

struct capture_file {
	uint32_t id;
	uint32_t flags;      /* enum capture_file_flags */
	uint32_t dev_major, dev_minor;
	uint64_t inode;      /* 0 unknown */
	uint64_t size;       /* bytes, 0 unknown */
	uint64_t mtime_ns;   /* 0 unknown */
	struct slice build_id; /* empty unknown or none; at most CAPTURE_BUILD_ID_MAX */
	struct slice path;   /* as the process saw it; "[vdso]", "[anon]", "[heap]" … */
};

/* Overlapping an earlier mapping of the image, it replaces what it covers. */
struct capture_map {
	uint32_t image;
	uint32_t file;
	uint64_t start, length;
	uint64_t offset;     /* in the file, of `start` */
};

struct capture_ksym {
	uint64_t addr;
	uint64_t size;       /* to the next symbol; 0 unknown */
	struct slice module; /* empty for the kernel itself; "bpf" for BPF programs */
	struct slice name;
};

struct capture_sym {
	uint32_t scope;      /* enum capture_sym_scope */
	uint32_t id;
	uint64_t addr;
	uint64_t size;
	struct slice name;   /* not demangled */
};

/*
 * Leaf first. Bit i of `exact` is set where ip[i] was executing (a leaf, a frame
 * interrupted by a signal); clear where it is a return address, to be looked up
 * at ip - 1. Unaligned in the reader's buffer: use capture_stack_ip/_exact.
 */
struct capture_stack {
	uint32_t id;
	uint8_t kind;        /* enum capture_stack_kind */
	uint8_t end;         /* enum capture_end */
	uint16_t n;
	const uint64_t *ip;
	const uint64_t *exact; /* (n + 63) / 64 words */
};

static inline bool capture_stack_exact(const struct capture_stack *s, unsigned i)
{
	return s->exact[i / 64] >> (i % 64) & 1;
}

enum capture_sample_flags {
	CAPTURE_SAMPLE_TIME = 1 << 0, /* time_ns and cpu are set: one firing, not a sum */
};

struct capture_sample {
	uint32_t flags;
	uint32_t event;
	uint32_t image;      /* 0: the process is not known; see tid, comm */
	uint32_t tid;
	uint32_t kstack, ustack; /* 0: none */
	uint32_t cpu;
	uint64_t weight;     /* above 0, in the event's unit */
	uint64_t time_ns;
	struct slice comm;   /* of the thread, at most CAPTURE_COMM - 1 bytes */
};

struct capture_lost {
	uint32_t cause;      /* enum capture_lost_cause */
	uint32_t event;      /* 0: not samples of one event */
	uint64_t count;
	uint64_t weight;     /* what is missing from the event's sum */
};

struct capture_totals {
	uint64_t fired;      /* times that the events fired */
	uint64_t filtered;   /* of them, not asked for: idle, other processes */
	uint64_t weight;     /* written in SAMPLE records, in firings */
	uint64_t lost;       /* fired = filtered + weight + lost */
	uint64_t skipped;    /* ticks of a clock that passed without firing: interrupts
				were off, or a hypervisor had the CPU */
};

/* One decoded record; slices and pointers lie in the buffer it was decoded from. */
struct capture_record {
	uint16_t type;
	uint64_t offset; /* of the record in the stream, for messages */
	union {
		struct capture_header header;
		struct capture_event event;
		struct capture_proc proc;
		struct capture_exit exit;
		struct capture_file file;
		struct capture_map map;
		struct capture_ksym ksym;
		struct capture_sym sym;
		struct capture_stack stack;
		struct capture_sample sample;
		struct capture_lost lost;
		struct capture_totals end;
	};
};

/* "no unwind info", "depth limit" …; never NULL. */
const char *capture_end_text(unsigned end);

/* "sample ring full" …; never NULL. */
const char *capture_lost_text(unsigned cause);

/* "samples", "ns", "bytes"; never NULL. */
const char *capture_unit_text(unsigned unit);

/*
 * This boot of this machine: the first eight hexadecimal digits of the random UUID in
 * /proc/sys/kernel/random/boot_id (random(4)); 0 if it cannot be read.
 */
uint32_t capture_boot_id(void);

#endif
