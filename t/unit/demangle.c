#include "sym/demangle.h"

#include <stdlib.h>

#include "tap.h"

static struct strbuf shown = STRBUF_INIT;

static const char *demangled(struct slice name)
{
	strbuf_reset(&shown);
	demangle(&shown, name);
	return strbuf_str(&shown);
}

static void test_names(void)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "", "" },
		{ "_", "_" },
		{ "main", "main" },
		{ "_Zero", "_Zero" },
		{ "_Z", "_Z" },
		{ "_Z3fooi", "foo" },
		{ "_ZNKSt6vectorIiSaIiEE4sizeEv", "std::vector<int, std::allocator<int> >::size" },
		{ "_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()" },
		{ "_ZN12_GLOBAL__N_13barEv", "(anonymous namespace)::bar" },
		{ "_ZN3fooD0Ev", "foo::~foo" },
		{ "_ZThn8_N3foo3barEv", "non-virtual thunk to foo::bar()" },
		/* suffixes */
		{ "_Z3fooi.constprop.0", "foo.constprop.0" },
		{ "_Z3fooi.isra.0.cold", "foo.isra.0.cold" },
		{ "_Z3fooi.llvm.1234567890", "foo" },
		{ "_Zero.cold", "_Zero.cold" },
		{ "foo.part.0", "foo.part.0" },
		{ "foo.llvm.1234567890", "foo" },
		/* Rust, legacy and v0 */
		{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
		  "core::fmt::Write::write_fmt" },
		{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE.llvm.99",
		  "core::fmt::Write::write_fmt" },
		{ "_ZN4core3ptr85drop_in_place$LT$std..rt..lang_start$LT$$LP$$RP$$GT$..$u7b$$u7b$"
		  "closure$u7d$$u7d$$GT$17h0123456789abcdefE.cold",
		  "core::ptr::drop_in_place<std::rt::lang_start<()>::{{closure}}>.cold" },
		{ "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
		{ "_RNvCs1234_7mycrate3foo.llvm.5", "mycrate::foo" },
		{ "_RINvCs1234_7mycrate3maphE", "mycrate::map::<u8>" },
		/* D */
		{ "_D3foo3barFiZv", "foo.bar(int)" },
		{ "_Dmain", "D main" },
		{ "_D8demangle4testFAyaQdZv",
		  "demangle.test(immutable(char)[], immutable(char)[])" },
		{ "_Data", "_Data" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		is_str(demangled(slice_str(cases[i].in)), cases[i].out, "\"%s\"", cases[i].in);
	is_str(demangled((struct slice){ "_Z3fooiXYZ", 7 }), "foo", "the slice's end is the end");
	is_u64(strlen(demangled((struct slice){ "_Z3foo\0i", 8 })), 6, "a NUL is not passed over");
	is_u64(shown.len, 8, "nor the end taken for it");
	strbuf_reset(&shown);
	strbuf_addstr(&shown, "before ");
	demangle(&shown, slice_str("_Z3fooi"));
	is_str(strbuf_str(&shown), "before foo", "it appends");
}

/* Names that stand for far more than their length, or are made to use up the stack. */
static void test_bombs(void)
{
	struct strbuf name = STRBUF_INIT;

	/* b<a, a>, then b of the last one, twice: doubles 32 times. */
	strbuf_addstr(&name, "_Z1fI1a1bIS0_S0_E");
	for (int i = 2; i < 34; i++) {
		char id = (char)(i < 10 ? '0' + i : 'A' + i - 10);

		strbuf_addf(&name, "S1_IS%c_S%c_E", id, id);
	}
	strbuf_addstr(&name, "Evv");
	ok(slice_eq(slice_str(demangled(strbuf_slice(&name))), strbuf_slice(&name)),
	   "C++ substitutions");

	strbuf_reset(&name);
	strbuf_addstr(&name, "_D1fFHii");
	for (int i = 0; i < 40; i++)
		strbuf_addstr(&name, "HQdQf");
	strbuf_addstr(&name, "Zv");
	ok(slice_eq(slice_str(demangled(strbuf_slice(&name))), strbuf_slice(&name)),
	   "D back references");

	strbuf_reset(&name);
	strbuf_addstr(&name, "_D1f");
	for (int i = 0; i < 60; i++)
		strbuf_addstr(&name, "FC1aV");
	ok(slice_eq(slice_str(demangled(strbuf_slice(&name))), strbuf_slice(&name)),
	   "D function types, which take hours");

	strbuf_reset(&name);
	strbuf_addstr(&name, "_RINvC1a1fTTuuE");
	for (int i = 0; i < 40; i++)
		strbuf_addstr(&name, "TB8_B8_E");
	strbuf_addstr(&name, "EE");
	ok(*demangled(strbuf_slice(&name)) && shown.len <= 16384 + name.len,
	   "Rust back references");
	ok(slice_eq(slice_str(demangled(SLICE("_RMB_"))), SLICE("_RMB_")),
	   "one that leads in a circle");

	strbuf_reset(&name);
	strbuf_addstr(&name, "_Z1fI");
	for (int i = 0; i < 4000; i++)
		strbuf_addch(&name, 'P');
	strbuf_addstr(&name, "iEvv");
	ok(slice_eq(slice_str(demangled(strbuf_slice(&name))), strbuf_slice(&name)),
	   "4000 pointers");

	strbuf_reset(&name);
	strbuf_addstr(&name, "_ZN");
	for (int i = 0; i < 300; i++)
		strbuf_addstr(&name, "4abcd");
	strbuf_addstr(&name, "3fooEv");
	ok(slice_starts(slice_str(demangled(strbuf_slice(&name))), SLICE("abcd::abcd::")) &&
		   shown.len == 300 * 6 + 3,
	   "an honest name over 1 KB is shown");
	while (name.len < 100000)
		strbuf_addstr(&name, "4abcd");
	ok(slice_eq(slice_str(demangled(strbuf_slice(&name))), strbuf_slice(&name)),
	   "one of 100 KB is left alone");
	strbuf_release(&name);
}

int main(void)
{
	test_names();
	test_bombs();
	strbuf_release(&shown);
	return done_testing();
}
