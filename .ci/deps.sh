#!/bin/bash
# Installs what building (group "build"), testing ("test") and fuzzing ("fuzz") need and
# this system lacks; `--check` only says what that is.
#
#	.ci/deps.sh [--check] [GROUP…]        all but "fuzz" by default
#
# Exit status: 0 nothing is missing (any more), 1 something is, 2 usage.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
PATH=$PATH:/usr/sbin:/sbin:/usr/bin/core_perl # bpftool; prove on Arch

usage() {
	echo "usage: deps.sh [--check] [build] [test] [fuzz]" >&2
	exit 2
}

check_only=0 groups=
for arg in "$@"; do
	case $arg in
	--check) check_only=1 ;;
	build | test | fuzz) groups="$groups $arg" ;;
	*) usage ;;
	esac
done
groups=${groups:-build test}

manager=
for m in apt-get dnf pacman zypper apk; do
	if command -v "$m" >/dev/null; then
		manager=$m
		break
	fi
done

has_command() { command -v "$1" >/dev/null; }
has_header() { [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ]; }

# What compiles says more than where a file lies, which differs between systems.
has_multiarch_header() { echo "#include <$1>" | cc -E -x c - >/dev/null 2>&1; }
has_sanitizer() {
	echo 'int main(void) { return 0; }' |
		"$1" -fsanitize=address,undefined -x c -o /dev/null - >/dev/null 2>&1
}

missing=() packages=()

# need GROUP WHAT PROBE… -- the packages under apt, dnf, pacman, zypper and apk
need() {
	local group=$1 what=$2 probe=()
	shift 2
	case " $groups " in *" $group "*) ;; *) return ;; esac
	while [ "$1" != -- ]; do
		probe+=("$1")
		shift
	done
	shift
	"${probe[@]}" && return
	missing+=("$what")
	case $manager in
	apt-get) packages+=("$1") ;;
	dnf) packages+=("$2") ;;
	pacman) packages+=("$3") ;;
	zypper) packages+=("$4") ;;
	apk) packages+=("$5") ;;
	esac
}

# Ubuntu has no package of that name: the kernel's tools hold it.
bpftool_apt=bpftool
grep -qs '^ID=ubuntu' /etc/os-release && bpftool_apt='linux-tools-common linux-tools-generic'
perf_apt=linux-perf
grep -qs '^ID=ubuntu' /etc/os-release && perf_apt='linux-tools-common linux-tools-generic'

need build make has_command make -- make make make make make
need build 'C compiler' has_command cc -- gcc gcc gcc gcc gcc
need build 'C library headers' has_multiarch_header sys/types.h -- \
	libc6-dev glibc-devel glibc glibc-devel musl-dev
need build 'kernel headers' has_multiarch_header asm/types.h -- \
	linux-libc-dev kernel-headers linux-api-headers linux-glibc-devel linux-headers
need build 'clang (for BPF)' has_command clang -- clang clang clang clang clang
need build bpftool has_command bpftool -- "$bpftool_apt" bpftool bpf bpftool bpftool
need build libbpf has_header bpf/libbpf.h -- \
	libbpf-dev libbpf-devel libbpf libbpf-devel libbpf-dev
need build libelf has_header gelf.h -- \
	libelf-dev elfutils-libelf-devel libelf libelf-devel elfutils-dev
need build zlib has_header zlib.h -- zlib1g-dev zlib-devel zlib zlib-devel zlib-dev
need build libiberty has_header libiberty/demangle.h -- \
	libiberty-dev binutils-devel binutils binutils-devel binutils-dev

need test prove has_command prove -- perl perl-Test-Harness perl perl perl-utils
need test 'gcc sanitizers' has_sanitizer cc -- gcc 'libasan libubsan' gcc gcc gcc
need test shellcheck has_command shellcheck -- \
	shellcheck ShellCheck shellcheck ShellCheck shellcheck
need test mandoc has_command mandoc -- mandoc mandoc mandoc mandoc mandoc
need test xmllint has_command xmllint -- \
	libxml2-utils libxml2 libxml2 libxml2-tools libxml2-utils
need test rsvg-convert has_command rsvg-convert -- \
	librsvg2-bin librsvg2-tools librsvg rsvg-convert rsvg-convert
need test python3 has_command python3 -- python3 python3 python python3 python3
need test node has_command node -- nodejs nodejs nodejs nodejs nodejs
need test npm has_command npm -- npm npm npm npm npm
need test chromium has_command chromium -- chromium chromium chromium chromium chromium
need test perf has_command perf -- "$perf_apt" perf perf perf perf
need test bpftrace has_command bpftrace -- bpftrace bpftrace bpftrace bpftrace bpftrace
need test script has_command script -- bsdutils util-linux util-linux util-linux util-linux-misc
need test 'libdw (to compare with)' has_header elfutils/libdw.h -- \
	libdw-dev elfutils-devel libelf libdw-devel elfutils-dev
need test 'C++ compiler (to sample)' has_command c++ -- g++ gcc-c++ gcc gcc-c++ g++
need test git has_command git -- git git git git git
need test xz has_command xz -- xz-utils xz xz xz xz
need test sqlite3 has_command sqlite3 -- sqlite3 sqlite sqlite sqlite3 sqlite
need test gdb has_command gdb -- gdb gdb gdb gdb gdb
need test ps has_command ps -- procps procps-ng procps-ng procps procps
need test 'go (its pprof)' has_command go -- golang-go golang go go go
need test curl has_command curl -- curl curl curl curl curl
# The machine that is emulated is of this kind.
if [ "$(uname -m)" = x86_64 ]; then
	need test qemu has_command qemu-system-x86_64 -- \
		qemu-system-x86 qemu-system-x86-core qemu-system-x86 qemu-x86 qemu-system-x86_64
	need test busybox has_command busybox -- \
		busybox-static busybox busybox busybox-static busybox-static
fi

need fuzz 'clang sanitizers and libFuzzer' has_sanitizer clang -- \
	libclang-rt-dev compiler-rt compiler-rt clang compiler-rt

# Packages that the browser test takes from npm, pinned in its package.json.
browser=
case " $groups " in
*" test "*)
	if [ -e "$root/t/browser/package.json" ] && [ ! -d "$root/t/browser/node_modules" ]; then
		missing+=("t/browser/node_modules")
		browser=1
	fi
	;;
esac

[ ${#missing[@]} = 0 ] && exit 0

list=$(printf ', %s' "${missing[@]}")
echo "deps: missing: ${list:2}" >&2
[ $check_only = 1 ] && exit 1

if [ ${#packages[@]} != 0 ]; then
	# Some entries name two packages; npm may come twice.
	read -ra packages <<<"$(printf '%s\n' "${packages[@]}" | tr ' ' '\n' | sort -u | xargs)"
	case $manager in
	apt-get) install=(apt-get install -y --no-install-recommends) ;;
	dnf) install=(dnf install -y) ;;
	pacman) install=(pacman -S --needed --noconfirm) ;;
	zypper) install=(zypper --non-interactive install) ;;
	apk) install=(apk add) ;;
	*)
		echo "deps: neither apt, dnf, pacman, zypper nor apk is here;" \
			"install the above by hand" >&2
		exit 1
		;;
	esac
	if [ "$(id -u)" != 0 ]; then
		echo "deps: to install it: sudo ${install[*]} ${packages[*]}" >&2
		exit 1
	fi
	echo "deps: ${install[*]} ${packages[*]}" >&2
	export DEBIAN_FRONTEND=noninteractive
	if [ $manager = apt-get ]; then
		apt-get update -qq </dev/null || exit 1
	fi
	"${install[@]}" "${packages[@]}" </dev/null || {
		echo "deps: the installation failed" >&2
		exit 1
	}
fi

if [ -n "$browser" ]; then
	echo "deps: npm ci in t/browser" >&2
	(cd "$root/t/browser" && npm ci --no-audit --no-fund --loglevel=error </dev/null) || exit 1
fi

# What was installed must be what was missing.
read -ra groups_again <<<"$groups"
exec "$0" --check "${groups_again[@]}"
