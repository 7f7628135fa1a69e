/*
 * Reads a capture, or several one after the other (`cat a.cap b.cap`), from an
 * input. Never trusts it: every field is checked against the record, every record
 * against the limits of capture.h. What it does not check is meaning: an id that
 * was never defined is for the caller to notice.
 *
 * A capture that was cut (its writer was killed, the disk was full) may have another
 * behind it. Where framing is lost, the reader goes on at the next HEADER; and since
 * the cut record's length may reach into what follows, a HEADER inside a record, which
 * no writer makes (capture.5), counts as one, and the record as cut.
 */
#ifndef CAPTURE_CAPTURE_READER_H
#define CAPTURE_CAPTURE_READER_H

#include "base/stream.h"
#include "base/strbuf.h"
#include "capture/capture.h"

struct capture_reader {
	struct input *in;
	bool started;  /* a HEADER was read */
	bool ended;    /* the last record was an END, or its lack was reported */
	size_t last;   /* length of the record handed out, not yet passed over */
	uint64_t *ips; /* an aligned copy of the stack handed out */
	size_t ips_cap;
};

void capture_reader_init(struct capture_reader *r, struct input *in);
void capture_reader_release(struct capture_reader *r);

/*
 * The next record of a known type; others are passed over. What *rec points to
 * is valid until the next call.
 *  1         *rec is set
 *  0         the end, after an END record
 * -EBADMSG   something here is malformed and was passed over: a record, what lies
 *            before the next HEADER, or the END record that should precede a HEADER;
 *            call again
 * -ENODATA   the input ends without an END record, or within a record: truncated;
 *            all before it was delivered; call no more
 * -EPROTO    not a capture, a version this cannot read, or framing that is lost with
 *            no HEADER behind it; call no more
 *  other     the read failed
 * *err has the reason with the byte offset for each negative return.
 */
int capture_reader_next(struct capture_reader *r, struct capture_record *rec, struct strbuf *err);

/*
 * Decodes one whole record at buf, 8-byte header included. 1, 0 for a type that
 * is not known, -EBADMSG with the reason. `buf` need not be aligned except for a
 * STACK record, which must be 8-byte aligned.
 */
int capture_decode(const void *buf, size_t len, struct capture_record *rec, struct strbuf *err);

#endif
