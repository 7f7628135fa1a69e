/* Names without parameters and template arguments. */
#include "../../stack-fold/shorten.h"

#include "tap.h"

static void is_short(const char *name, const char *want)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addstr(&sb, "before;");
	shorten_name(&sb, slice_str(name));
	is_str(sb.buf + 7, want, "'%s'", name);
	strbuf_release(&sb);
}

static void test_plain(void)
{
	is_short("main", "main");
	is_short("f(int)", "f");
	is_short("f<int>(char*)::g(int)", "f::g");
	is_short("std::sort<int*>(int*, int*)", "std::sort");
	is_short("A<B<C<int> > >::m() const", "A::m");
	is_short("A<B<C<int>>>::m(D<E>)", "A::m");
	is_short("A< B< int > >::m()", "A::m");
	is_short("std::function<int (int)>::operator()(int) const", "std::function::operator()");
	is_short("A<std::function<void ()>>(int)", "A");
	is_short("f(int) [clone .cold]", "f [clone .cold]");
	is_short("f(int) (.cold)", "f");
	is_short("(anonymous namespace)::f(int)", "(anonymous namespace)::f");
	is_short("void (anonymous namespace)::f<int>(int)", "void (anonymous namespace)::f");
	is_short("(anonymous class)::f(int)", "(anonymous class)::f");
	is_short("A::(anonymous struct)::f(int)", "A::(anonymous struct)::f");
	is_short("B<A<(lambda at a.cc:1:2)>>(int)", "B");
	is_short("f(int)::{lambda(A<B>)#1}::operator()<C>(C) const", "f::{lambda#1}::operator()");
}

static void test_operators(void)
{
	is_short("A::operator<(A const&) const", "A::operator<");
	is_short("A::operator>(A const&)", "A::operator>");
	is_short("A::operator->() const", "A::operator->");
	is_short("A::operator->*(int)", "A::operator->*");
	is_short("operator<=>(A, B)", "operator<=>");
	is_short("operator<< <char>(int)", "operator<<");
	is_short("std::operator<<(std::ostream&, char)", "std::operator<<");
	is_short("operator< <int>(int)", "operator<");
	is_short("bool operator<<int>(A<int>)", "bool operator<");
	is_short("operator>><char, B<char> >(int)", "operator>>");
	is_short("operator-><int>(int)", "operator->");
	is_short("operator==<int>(A<int>)", "operator==");
	is_short("operator*<int>(A<int>)", "operator*");
	is_short("operator&&<int>(A<int>)", "operator&&");
	is_short("operator,<int>(A<int>)", "operator,");
	is_short("A::operator()(int)", "A::operator()");
	is_short("A::operator()<int>(int) const", "A::operator()");
	is_short("A::operator[](int)", "A::operator[]");
	is_short("A::operator B<int>*()", "A::operator B*");
	is_short("operator new[](unsigned long)", "operator new[]");
	is_short("S<&A::operator()<int> >::f(int)", "S::f");
	is_short("S<&A::operator> >::f(int)", "S::f");
	is_short("S<&(A::operator>(int))>::f(int)", "S::f");
	is_short("my_operator<int>(int)", "my_operator");
}

/* As nm -C has them of what g++ 12 makes, and with blanks as LLVM's demangler. */
static void test_expressions(void)
{
	is_short("std::enable_if<((5)>(2)), int>::type g<5>(int)", "std::enable_if::type g");
	is_short("std::enable_if<((5) > (2)), int>::type g<5>(int)", "std::enable_if::type g");
	is_short("S<(8)>>(1), (((8)>>(1))>(3))> h<8>(int)", "S h");
	is_short("S<(8) >> (1), 3> h<8>(int)", "S h");
	is_short("S<V<char>::value>>(8), (V<char>::value<<(1))<(8)> h<8>(int)", "S h");
	is_short("f::<Vec<u8>>(int)", "f::<Vec>");
	is_short("S<(8)<<(1)> h<8>(int)", "S h");
	is_short("S<(8) << (1)> h<8>(int)", "S h");
	is_short("S<(8)<(1), int> h<8>(int)", "S h");
	is_short("S<(8) < (1), int> h<8>(int)", "S h");
	is_short("S<(8)<=(1), (8)>=(1)> h<8>(int)", "S h");
	is_short("A<(x>3)>::m(int)", "A::m");
	is_short("A<(B<int>::value<(3))>::m(int)", "A::m");
	is_short("decltype (({parm#1}>{parm#1})) k<int>(int)", "decltype k");
	is_short("decltype (({parm#1})->m()) k<int>(int)", "decltype k");
}

static void test_others(void)
{
	is_short("main.(*T).m", "main.(*T).m");
	is_short("<T as U<V>>::f", "<T as U<V>>::f");
	is_short("core::ptr::drop_in_place::<Vec<u8>>", "core::ptr::drop_in_place::<Vec>");
	is_short("Vec<<T as U>::V>::f", "Vec::f");
	is_short("java/lang/Object::<init>(I)V", "java/lang/Object::<init>V");
	is_short("a.B.<init>(int)", "a.B.<init>");
	is_short("JS:*foo (a b).js:1:2", "JS:*foo (a b).js:1:2");
	is_short("JS:~f /home/a (b)/x.ts:1:2", "JS:~f /home/a (b)/x.ts:1:2");
	is_short("*foo /x(1)/a.mjs:1:2", "*foo /x(1)/a.mjs:1:2");
	is_short("RegExp:(a|b)<c>", "RegExp:(a|b)<c>");
	is_short("JS::Value<int>::f(int)", "JS::Value::f");
}

static void test_odd(void)
{
	is_short("", "");
	is_short("()", "()");
	is_short("(int)", "(int)");
	is_short("<>", "<>");
	is_short("operator", "operator");
	is_short("operator<", "operator<");
	is_short("A<B<int>::f(int", "A<B::f(int");
	is_short("f(g(int)", "f(g");
	is_short("f<(", "f<(");
	is_short(")>", ")>");
}

/* Brackets without an end cost no more than the name is long, many times. */
static void test_long(void)
{
	struct strbuf name = STRBUF_INIT, sb = STRBUF_INIT;

	for (int i = 0; i < 1 << 19; i++)
		strbuf_addstr(&name, i & 1 ? "a<(" : "(");
	shorten_name(&sb, strbuf_slice(&name));
	is_u64(sb.len, name.len, "a million brackets without an end");
	strbuf_release(&name);
	strbuf_release(&sb);
}

int main(void)
{
	test_plain();
	test_operators();
	test_expressions();
	test_others();
	test_odd();
	test_long();
	return done_testing();
}
