/*
 * The part of a STACK record that the BPF programs fill in, too: this header is
 * compiled for both and includes nothing. Numbers are append-only (capture.5).
 */
#ifndef CAPTURE_STACK_END_H
#define CAPTURE_STACK_END_H

enum capture_stack_kind { CAPTURE_STACK_KERNEL = 0, CAPTURE_STACK_USER = 1 };

/* Why a walk ended. capture_end_text() has the words that users see. */
enum capture_end {
	CAPTURE_END_COMPLETE = 0,
	CAPTURE_END_DEPTH = 1,       /* as deep as was asked for */
	CAPTURE_END_NO_MAP = 2,      /* the process's mappings are not known yet */
	CAPTURE_END_NO_ROW = 3,      /* no unwind information for the address */
	CAPTURE_END_UNSUPPORTED = 4, /* a rule or a mode (32-bit) that is not followed */
	CAPTURE_END_FAULT = 5,       /* stack memory could not be read */
	CAPTURE_END_SANITY = 6,      /* the next frame did not lie above the last */
};

#endif
