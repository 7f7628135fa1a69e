#!/bin/sh
# The first process of the virtual machine (run.sh): samples programs with a known answer,
# sends what came of it through the second serial line, and turns the machine off. It
# judges nothing; who started the machine does.
# shellcheck disable=SC3043 # its shell is busybox's, which has `local`
export PATH=/bin LC_ALL=C
out=/out

seconds_up() { cut -d ' ' -f 1 /proc/uptime; }

# For bash: processes of some ms each, for so many seconds.
# shellcheck disable=SC2016 # its own variables
short_lived='while [ $SECONDS -lt $0 ]; do
	/stock/gzip </stock/ls >/dev/null
	/stock/ls -lR /proc/self >/dev/null 2>&1
done'

# sample NAME ARGUMENT… -- COMMAND…: NAME.cap, .err, .status and its stack lines, NAME.lines
sample() {
	local name="$1"
	shift
	echo "vm: $(seconds_up) $name"
	bpf-sample -o $out/"$name".cap "$@" 2>$out/"$name".err
	echo $? >$out/"$name".status
	stack-resolve -q $out/"$name".cap >$out/"$name".lines
}

# "status seconds arguments": do the programs load with these, and in what time?
load() {
	local began status

	began=$(seconds_up)
	bpf-sample -q -d 0.01 -o /dev/null "$@" 2>>$out/loads.err
	status=$?
	echo "$status $(seconds_up) $began $*" | awk '{
		printf "%d %.2f", $1, $2 - $3
		for (i = 4; i <= NF; i++)
			printf " %s", $i
		print ""
	}' >>$out/loads
}

# The most instructions that the verifier followed for a program of a running bpf-sample.
verified() { # OPTION…
	local pid

	bpf-sample -q -o /dev/null "$@" &
	pid=$!
	sleep 3
	echo "$(cat /proc/$pid/fdinfo/* 2>/dev/null |
		awk '$1 == "verified_insns:" && $2 > max { max = $2 } END { print max + 0 }') $*" \
		>>$out/verified
	kill -INT $pid
	wait $pid
}

/bin/busybox --install -s /bin
mkdir -p $out /tmp /proc /sys /dev
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t cgroup2 cgroup /sys/fs/cgroup

uname -r >$out/release
wc -c </sys/kernel/btf/vmlinux >$out/btf
echo "vm: $(seconds_up) Linux $(uname -r)"

mkdir /sys/fs/cgroup/some
for unwind in tables fp; do
	load --unwind=$unwind
	load --unwind=$unwind -p 1
	load --unwind=$unwind -t 1
	load --unwind=$unwind -p 1 -t 1 -C 1 --idle
	load --unwind=$unwind --cgroup /sys/fs/cgroup/some
	load --unwind=$unwind --max-depth 1023 -u
	load --unwind=$unwind --stack-copy 0 --max-stacks 16 -k
	verified --unwind=$unwind
done

sample burn-auto -F 199 -- burn 6
sample burn-fp -F 199 --unwind=fp -- burn 6
sample nofp -F 199 --unwind=tables -- burn-nofp 6
sample chain-auto -F 199 -- cpu_bound 3 64
sample chain-fp -F 199 --unwind=fp -- cpu_bound 3 64
sample chain-nofp -F 199 -- cpu_bound-nofp 3 64
sample deep -F 199 --max-depth 1023 -- cpu_bound-nofp 3 500
sample kernel -F 199 -- timeout 3 /stock/dd if=/dev/urandom of=/dev/null bs=64k
sample short -F 499 -i 250 --idle -- /stock/bash -c "$short_lived" 5
sample crowded -F 499 --max-stacks 8 -- /stock/bash -c "$short_lived" 3

echo "vm: $(seconds_up) done"
stty -F /dev/ttyS1 raw -echo
tar -cz -C $out . >/dev/ttyS1
echo "vm: $(seconds_up) sent"
poweroff -f
