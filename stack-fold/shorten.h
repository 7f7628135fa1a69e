/* Names without what tells instances of one function apart. */
#ifndef STACK_FOLD_SHORTEN_H
#define STACK_FOLD_SHORTEN_H

#include "base/strbuf.h"

/*
 * Appends the name without parameter lists and template arguments: "f<int>(char*)::g(int)"
 * becomes "f::g". What only looks like them stays: "operator()", "operator<<", "(anonymous
 * namespace)", Go's "(*T).m", Rust's "<T as U>::f". A bracket without its end stays, too, and
 * so do all of a name that would have nothing left, and what V8 calls a script's functions.
 */
void shorten_name(struct strbuf *sb, struct slice name);

#endif
