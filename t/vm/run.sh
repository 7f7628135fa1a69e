#!/bin/bash
# Runs the built programs under another kernel than this machine's: a virtual machine of a
# kernel, an initramfs that is made here, and nothing else.
#
#	t/vm/run.sh FOLDER
#
# leaves in FOLDER what guest.sh found (out/) and the machine's console (console). The kernel
# is Debian 12's, taken from its package and kept in $O/vm, or the bzImage that $VM_KERNEL
# names. The machine is emulated: neither KVM nor root is needed, and it is slow.
#
# Exit status: 0 the machine came to its end, 1 it did not, 77 it cannot be run here.
set -u

O=$(realpath -m "${O:-build}")
here=$(dirname "$0")
folder=${1:?usage: run.sh FOLDER}
cache=$O/vm
root=$folder/root

cannot() {
	echo "$*" >&2
	exit 77
}
failed() {
	echo "$*" >&2
	exit 1
}

[ "$(uname -m)" = x86_64 ] || cannot "the programs of $(uname -m) need a machine of its own kind"
qemu=$(command -v qemu-system-x86_64) || cannot "no qemu-system-x86_64"
busybox=$(command -v busybox) || cannot "no busybox"

# Debian's current 6.1 kernel into the cache.
fetch_kernel() {
	local package get=(apt-get -qq -o APT::Sandbox::User=root)

	command -v apt-get >/dev/null || cannot "no apt-get: name a kernel in VM_KERNEL"
	package=$(apt-cache depends --important linux-image-amd64 2>/dev/null |
		awk '$1 == "Depends:" { print $2; exit }')
	if [ -z "$package" ] && [ "$(id -u)" = 0 ]; then
		"${get[@]}" update
		package=$(apt-cache depends --important linux-image-amd64 2>/dev/null |
			awk '$1 == "Depends:" { print $2; exit }')
	fi
	case $package in
	linux-image-6.1.*) ;;
	*) cannot "the packages here are not Debian 12's: name a kernel in VM_KERNEL" ;;
	esac
	mkdir -p "$folder/package"
	(cd "$folder/package" && "${get[@]}" download "$package") ||
		cannot "cannot download $package"
	mkdir -p "$cache" || exit 1
	dpkg-deb --fsys-tarfile "$folder"/package/*.deb |
		tar -x -C "$folder/package" --wildcards './boot/vmlinuz-*' || exit 1
	mv "$folder"/package/boot/vmlinuz-* "$cache" || exit 1
	rm -rf "$folder/package"
}

newest_kernel() { find "$cache" -name 'vmlinuz-6.1.*' 2>/dev/null | sort -V | tail -n 1; }

mkdir -p "$root/bin" "$root/stock" || exit 1
kernel=${VM_KERNEL:-$(newest_kernel)}
if [ -z "$kernel" ]; then
	fetch_kernel
	kernel=$(newest_kernel)
fi

# Ours in /bin, some of this distribution in /stock, and the libraries they load where they are.
for program in burn cpu_bound; do
	"${CC:-cc}" -O2 -g -fomit-frame-pointer -o "$root/bin/$program-nofp" \
		"$here/../../examples/$program.c" || exit 1
done
cp "$O"/bin/{bpf-sample,stack-resolve} "$O"/examples/{burn,cpu_bound} "$root/bin/" &&
	cp "$busybox" "$root/bin/busybox" && ln -s busybox "$root/bin/sh" &&
	install -m 755 "$here/guest.sh" "$root/init" || exit 1
for program in bash dd gzip ls; do
	cp -L "$(command -v $program)" "$root/stock/" || exit 1
done
for program in "$root"/{bin,stock}/*; do
	ldd "$program" 2>/dev/null | grep -o '/[^ ]*'
done | sort -u | while read -r library; do
	cp -L --parents "$library" "$root" || exit 1
done || exit 1
(cd "$root" && find . | "$busybox" cpio -o -H newc 2>/dev/null) >"$folder/initramfs" || exit 1

timeout "${VM_SECONDS:-600}" "$qemu" -M pc -accel tcg,thread=multi -cpu max -smp 2 -m 512 \
	-nodefaults -no-reboot -display none \
	-serial "file:$folder/console" -serial "file:$folder/out.tar.gz" \
	-kernel "$kernel" -initrd "$folder/initramfs" -append 'console=ttyS0 quiet panic=-1' \
	</dev/null || failed "the machine did not end by itself: status $?"
rm -rf "$root" "$folder/initramfs"
mkdir -p "$folder/out"
tar -xzf "$folder/out.tar.gz" -C "$folder/out" ||
	failed "the machine did not come to its end: $(tail -n 5 "$folder/console")"
