#include "../../fold2svg/module.h"

#include "tap.h"

static void is_module(const char *label, const char *want)
{
	struct slice module = module_of(slice_str(label));
	char got[64];

	snprintf(got, sizeof(got), "%.*s", (int)module.len, module.p);
	is_str(got, want, "module of '%s'", label);
}

int main(void)
{
	is_module("libc.so.6`malloc", "libc.so.6");
	is_module("[kernel:nf_tables]`nft_do_chain", "[kernel:nf_tables]");
	is_module("`", "");
	is_module("", "");
	is_module("main", "");

	is_module("std::vector<int, std::allocator<int> >::push_back(int const&)", "std");
	is_module("void std::sort<a::b>(a::b, a::b)", "std");
	is_module("a::b<c::d> e::f<int>(g::h)", "a");
	is_module("vector<a::b>::size() const", "vector");
	is_module("f(std::string)", "");
	is_module("(anonymous namespace)::f()", "");
	is_module("llvm::(anonymous namespace)::f()", "llvm");
	is_module("<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop", "alloc");
	is_module("<&T as core::fmt::Debug>::fmt", "core");
	is_module("core::ptr::drop_in_place<alloc::string::String>", "core");
	is_module("operator<", "");
	is_module("::", "");
	is_module(">::f", "");
	is_module("f>>::g", "");

	is_module("java.util.HashMap.get", "java.util");
	is_module("java/util/HashMap.get", "java/util");
	is_module("java/util/HashMap::get", "java/util");
	is_module("Ljava/util/HashMap;::get", "java/util");
	is_module("HashMap.get", "");

	is_module("runtime.mcall", "runtime");
	is_module("runtime.(*mcache).refill", "runtime");
	is_module("github.com/a/b.(*T).Run", "github.com/a/b");
	is_module("net/http.HandlerFunc.ServeHTTP", "net/http");
	is_module("main.main.func1", "main");

	is_module("f.cold", "");
	is_module("f.isra.0", "");
	is_module("f.0", "");
	is_module("f.part.0.constprop.1", "");
	is_module("f.", "f");
	is_module(".", "");
	is_module("a/", "");
	is_module("/", "");
	is_module("read file.c", "");
	return done_testing();
}
