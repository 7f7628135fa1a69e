// Exceptions thrown through frames that have destructors, again and again: the unwinder
// of libgcc runs above them. thrower SECONDS
#include <chrono>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Guard {
	std::vector<std::string> held;
	explicit Guard(int n) : held(static_cast<size_t>(n % 5 + 1), std::to_string(n)) {}
};

[[gnu::noinline]] long descend(int n, std::map<int, std::string> &seen)
{
	Guard guard(n);

	if (n == 0)
		throw std::runtime_error("the bottom");
	seen[n % 17] += guard.held.front();
	if (seen[n % 17].size() > 100)
		seen.erase(n % 17);
	try {
		return descend(n - 1, seen) + static_cast<long>(guard.held.size());
	} catch (const std::logic_error &) {
		return 0;
	}
}

[[gnu::noinline]] long attempt(int n, std::map<int, std::string> &seen)
{
	try {
		return descend(n, seen);
	} catch (const std::exception &e) {
		return static_cast<long>(std::string(e.what()).size());
	}
}

} // namespace

int main(int argc, char **argv)
{
	const auto end = std::chrono::steady_clock::now() +
			 std::chrono::duration<double>(argc > 1 ? std::atof(argv[1]) : 10);
	std::map<int, std::string> seen;
	long sum = 0;

	while (std::chrono::steady_clock::now() < end)
		sum += attempt(20, seen);
	return sum == 0;
}
