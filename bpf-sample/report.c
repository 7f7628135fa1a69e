#include "report.h"

#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/strbuf.h"

enum { SKIPPED_TELL = 100 }; /* one in so many is worth a word */

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
	const char *sep = " (";
	uint64_t all = 0, incomplete;

	for (unsigned i = 0; i < sizeof(rec->ends) / sizeof(*rec->ends); i++)
		all += rec->ends[i];
	incomplete = all - rec->ends[CAPTURE_END_COMPLETE];
	if (!incomplete)
		return;
	strbuf_addf(sb, "; %.1f %% of user stacks incomplete",
		    100.0 * (double)incomplete / (double)all);
	for (unsigned i = CAPTURE_END_COMPLETE + 1; i < sizeof(rec->ends) / sizeof(*rec->ends); i++) {
		if (!rec->ends[i])
			continue;
		strbuf_addf(sb, "%s%s %" PRIu64, sep, capture_end_text(i), rec->ends[i]);
		sep = ", ";
	}
	strbuf_addch(sb, ')');
}

void report_summary(struct report *r, const struct recorder *rec,
		    const uint64_t counters[COUNTER_MAX], uint64_t lost_events, uint64_t bytes,
		    uint64_t memory)
{
	struct strbuf sb = STRBUF_INIT;

	if (r->shown)
		fputs("\r\033[K", stderr);
	if (r->quiet)
		return;
	strbuf_addf(&sb, "%.1f s, %" PRIu64 " samples, %" PRIu64 " distinct stacks, %" PRIu64 " lost",
		    (double)(r->ended - r->began) / 1e9, rec->weight, rec->distinct_stacks,
		    counters[COUNTER_LOST]);
	if (counters[COUNTER_LOST])
		strbuf_addf(&sb, " (%s: raise --max-stacks, or lower -F)",
			    capture_lost_text(CAPTURE_LOST_RING));
	if (counters[COUNTER_SKIPPED] * SKIPPED_TELL > counters[COUNTER_FIRED])
		strbuf_addf(&sb, ", %.1f %% of clock ticks skipped (interrupts off, or the CPU taken "
				 "by a hypervisor)",
			    100.0 * (double)counters[COUNTER_SKIPPED] /
				    (double)(counters[COUNTER_FIRED] + counters[COUNTER_SKIPPED]));
	if (lost_events)
		strbuf_addf(&sb, ", %" PRIu64 " lost %s", lost_events,
			    capture_lost_text(CAPTURE_LOST_EVENTS));
	add_incomplete(&sb, rec);
	strbuf_addstr(&sb, "; ");
	add_bytes(&sb, bytes);
	strbuf_addstr(&sb, " written, maps ");
	add_bytes(&sb, memory);
	warnx("%s", strbuf_str(&sb));
	if (r->verbose)
		warnx("sampled for %.3f s: fired %" PRIu64 ", skipped %" PRIu64 ", filtered %" PRIu64 ", counted in maps %" PRIu64
		      ", through the overflow ring %" PRIu64 " (stacks full %" PRIu64
		      ", counts full %" PRIu64 "), lost %" PRIu64,
		      (double)(r->ended - r->began) / 1e9, counters[COUNTER_FIRED],
		      counters[COUNTER_SKIPPED], counters[COUNTER_FILTERED],
		      counters[COUNTER_COUNTED], counters[COUNTER_RINGED],
		      counters[COUNTER_STACKS_FULL], counters[COUNTER_COUNTS_FULL],
		      counters[COUNTER_LOST]);
	strbuf_release(&sb);
}
