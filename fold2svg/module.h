/* Where a frame comes from, as far as its label says. */
#ifndef FOLD2SVG_MODULE_H
#define FOLD2SVG_MODULE_H

#include "base/slice.h"

/*
 * A part of `label` (without annotation), empty if it names none:
 *
 *	libc.so.6`malloc                        libc.so.6   what stands before a backtick
 *	std::vector<int>::push_back(int)        std         C++ and Rust: the outermost scope,
 *	<alloc::vec::Vec<T> as Drop>::drop      alloc       a return type left out
 *	java.util.HashMap.get, java/util/HashMap.get        Java: what stands before the class
 *	github.com/a/b.(*T).Run, runtime.mcall  github.com/a/b, runtime    Go: the package
 *
 * The suffixes that compilers put behind a '.' (f.cold, f.isra.0) are not taken for names.
 */
struct slice module_of(struct slice label);

#endif
