/*
 * Names for the kernel addresses that samples hit, from /proc/kallsyms as it was at
 * the start, read again when code has come since (modules, BPF programs).
 */
#ifndef BPF_SAMPLE_KSYMS_H
#define BPF_SAMPLE_KSYMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map64.h"
#include "capture/capture_writer.h"
#include "sideband.h"

struct kallsyms;

struct ksyms {
	struct capture_writer *writer;
	struct kallsyms *table;    /* NULL before the first hit, or if it cannot be read */
	uint64_t read_ns;          /* when it was last tried */
	bool warned;
	struct map64 written;      /* symbol addresses */
	struct map64 missing;      /* addresses without a symbol */
	/* code that appeared during the capture; BPF programs may be gone at its end */
	struct ksym_event *events;
	size_t nevents, events_cap;
	uint64_t events_low, events_high; /* the addresses between them */
	struct arena names;
};

void ksyms_init(struct ksyms *ks, struct capture_writer *writer);
void ksyms_release(struct ksyms *ks);

/* Remembers a SIDEBAND_KSYM. */
void ksyms_event(struct ksyms *ks, const struct sideband_event *e);

/*
 * Writes the KSYM record of the symbol at addr if it is not yet written. *note is set
 * once if the kernel hides its symbols.
 */
void ksyms_hit(struct ksyms *ks, uint64_t addr, struct strbuf *note);

#endif
