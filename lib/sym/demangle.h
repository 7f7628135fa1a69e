/*
 * Symbol names as an engineer writes them, by libiberty: C++ (Itanium), Rust (v0 and
 * legacy, without the hash) and D. Link with -liberty.
 */
#ifndef SYM_DEMANGLE_H
#define SYM_DEMANGLE_H

#include "base/strbuf.h"

/*
 * Appends the readable form of a name, or the name itself if it is not mangled, longer
 * than 4 KB, would become longer than 16 KB, or might exhaust the demangler (among D's
 * that is each name of many templates and function types).
 * C++ functions come without parameters and return types, as in perf.
 * GCC's clone suffixes stay as they are (".constprop.0", ".cold"), after the readable
 * name; the meaningless hash of ".llvm.HASH" goes.
 * Only for names of ELF and kernel symbols: names in perf maps are as their writer wants
 * them to be shown.
 */
void demangle(struct strbuf *out, struct slice name);

#endif
