#include "report.h"

#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/strbuf.h"

void report_init(struct report *r, bool quiet, bool verbose)
{
	*r = (struct report){
		.quiet = quiet,
		.verbose = verbose,
		.progress = !quiet && isatty(STDERR_FILENO),
	};
}

void report_start(struct report *r, uint64_t now_ns)
{
	r->began = now_ns;
}

void report_stop(struct report *r, uint64_t now_ns)
{
	r->ended = now_ns;
}

void report_progress(struct report *r, uint64_t now_ns, const struct recorder *rec, uint64_t lost)
{
	if (!r->progress || r->ended)
		return;
	fprintf(stderr, "\r%.1f s  %" PRIu64 " samples  %" PRIu64 " stacks  %" PRIu64 " lost\033[K",
		(double)(now_ns - r->began) / 1e9, rec->weight, rec->distinct_stacks, lost);
	r->shown = true;
}

static void add_bytes(struct strbuf *sb, uint64_t bytes)
{
	if (bytes < 10000)
		strbuf_addf(sb, "%" PRIu64 " bytes", bytes);
	else if (bytes < 10000000)
		strbuf_addf(sb, "%.1f KB", (double)bytes / 1e3);
	else
		strbuf_addf(sb, "%.1f MB", (double)bytes / 1e6);
}

/* "; 12.3 % of user stacks incomplete (unreadable stack 100, broken frame chain 30)" */
static void add_incomplete(struct strbuf *sb, const struct recorder *rec)
{
	const unsigned kinds = sizeof(rec->ends) / sizeof(*rec->ends);
	const char *sep = " (";
	uint64_t all = 0, incomplete;

	for (unsigned i = 0; i < kinds; i++)
		all += rec->ends[i];
	incomplete = all - rec->ends[CAPTURE_END_COMPLETE];
	if (!incomplete)
		return;
	strbuf_addf(sb, "; %.1f %% of user stacks incomplete",
		    100.0 * (double)incomplete / (double)all);
	for (unsigned i = CAPTURE_END_COMPLETE + 1; i < kinds; i++) {
		if (!rec->ends[i])
			continue;
		strbuf_addf(sb, "%s%s %" PRIu64, sep, capture_end_text(i), rec->ends[i]);
		sep = ", ";
	}
	strbuf_addch(sb, ')');
}

static void add_lost(struct strbuf *sb, const uint64_t c[COUNTER_MAX], uint64_t lost_events)
{
	strbuf_addf(sb, ", %" PRIu64 " lost", c[COUNTER_LOST]);
	if (c[COUNTER_LOST])
		strbuf_addf(sb, " (%s: raise --max-stacks, or lower -F)",
			    capture_lost_text(CAPTURE_LOST_RING));
	if (lost_events)
		strbuf_addf(sb, ", %" PRIu64 " lost %s", lost_events,
			    capture_lost_text(CAPTURE_LOST_EVENTS));
}

void report_summary(struct report *r, const struct recorder *rec,
		    const uint64_t counters[COUNTER_MAX], uint64_t lost_events, uint64_t bytes,
		    uint64_t memory)
{
	static const char *const names[COUNTER_MAX] = {
		[COUNTER_FIRED] = "fired",
		[COUNTER_SKIPPED] = "ticks skipped",
		[COUNTER_FILTERED] = "filtered",
		[COUNTER_COUNTED] = "counted in the maps",
		[COUNTER_RINGED] = "sent through the overflow ring",
		[COUNTER_STACKS_FULL] = "no room for the stack",
		[COUNTER_COUNTS_FULL] = "no room for the count",
		[COUNTER_LATE] = "of them to be unwound late",
		[COUNTER_LOST] = "lost",
	};
	struct strbuf sb = STRBUF_INIT;

	if (r->shown)
		fputs("\r\033[K", stderr);
	if (r->quiet)
		return;
	strbuf_addf(&sb, "%.1f s, %" PRIu64 " samples, %" PRIu64 " distinct stacks",
		    (double)(r->ended - r->began) / 1e9, rec->weight, rec->distinct_stacks);
	add_lost(&sb, counters, lost_events);
	add_incomplete(&sb, rec);
	if (rec->unwinder->late)
		strbuf_addf(&sb, ", %" PRIu64 " unwound late", rec->unwinder->late);
	strbuf_addstr(&sb, "; ");
	add_bytes(&sb, bytes);
	strbuf_addstr(&sb, " written, maps ");
	add_bytes(&sb, memory);
	warnx("%s", strbuf_str(&sb));
	if (r->verbose) {
		strbuf_reset(&sb);
		strbuf_addf(&sb, "sampled for %.3f s", (double)(r->ended - r->began) / 1e9);
		for (unsigned i = 0; i < COUNTER_MAX; i++)
			if (names[i])
				strbuf_addf(&sb, ", %s %" PRIu64, names[i], counters[i]);
		strbuf_addf(&sb, "; unwind tables built %" PRIu64 ", dropped %" PRIu64
			    ", rows %" PRIu64 " of 4 bytes", rec->unwinder->tables_built,
			    rec->unwinder->tables_dropped, rec->unwinder->rows);
		warnx("%s", strbuf_str(&sb));
	}
	strbuf_release(&sb);
}
