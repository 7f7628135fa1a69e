#!/bin/bash
# Processes and surroundings that are not as usual.
. t/tap.sh
. t/live.sh
cd "$TMP" || exit 1

# The leader ends, other threads go on: the process lives, and so do its names.
cat >leader.c <<'END'
#include <pthread.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline)) void spin_leaderless(void)
{
	time_t end = time(NULL) + 6;
	volatile long x = 0;

	while (time(NULL) < end)
		for (int i = 0; i < 100000; i++)
			x += i;
}
static void *run(void *arg)
{
	spin_leaderless();
	return arg;
}
int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	sleep(1);
	pthread_exit(NULL);
}
END
cc -O1 -fno-omit-frame-pointer -o leader leader.c -lpthread || exit 1
share() { # capture: of samples of `leader` in the function
	folded "$1" | awk '/^leader;/ { all += $NF } /^leader;.*spin_leaderless/ { n += $NF }
		END { print all ? n / all : 0 }'
}
./leader &
"$BIN/bpf-sample" -q -d 4 -F 199 -p $! -o leader.cap
ok "names after the leader's end" between 0.95 "$(share leader.cap)" 1
wait
./leader &
sleep 2
"$BIN/bpf-sample" -q -d 2 -F 199 -o late.cap
ok "names of a process whose leader had ended before" between 0.95 "$(share late.cap)" 1
wait

# A target that nobody waits for ends the sampling all the same.
python3 -c '
import os, time
pid = os.fork()
if pid == 0:
    end = time.time() + 2
    while time.time() < end:
        pass
    os._exit(0)
print(pid, flush=True)
time.sleep(60)' >zombie &
while [ ! -s zombie ]; do sleep 0.1; done
ok "a target that becomes a zombie" timeout 20 "$BIN/bpf-sample" -p "$(cat zombie)" -o z.cap
ok "a target that is one" timeout 20 "$BIN/bpf-sample" -p "$(cat zombie)" -o z.cap
kill $!

# Standard descriptors that are closed get nothing of ours.
"$BIN/bpf-sample" -d 0.2 -o closed.cap 2>&-
is "$?" 0 "stderr closed"
ok "and the capture has no message in it" lines closed.cap
"$BIN/bpf-sample" -d 0.2 >&- 2>err
is "$? $(tail -n 1 err)" "1 bpf-sample: standard output: Bad file descriptor" "stdout closed"
(ulimit -f 1 && "$BIN/bpf-sample" -d 1 -F 999 --idle -o limited.cap 2>err)
is "$?" 1 "a file beyond the size limit is a failed write"
ok "and is told as one" grep -q 'File too large' err

# A command is as it would be without us.
"$BIN/bpf-sample" -q -o c.cap -- sh -c 'yes | head -n 1; grep SigIgn /proc/self/status' >out 2>&1
sh -c 'yes | head -n 1; grep SigIgn /proc/self/status' >plain 2>&1
is "$(cat out)" "$(cat plain)" "a command's signals are as they would be without"
is "$("$BIN/bpf-sample" -q -o c.cap -- sh -c 'ulimit -Sn')" "$(ulimit -Sn)" \
	"nor are its limits raised"

# Two signals end even one whose reader does not read; nohup keeps SIGHUP away.
mkfifo pipe
# shellcheck disable=SC2217 # it only holds the pipe open
sleep 60 <pipe &
python3 "$OLDPWD/t/default_sigint.py" \
	"$BIN/bpf-sample" -q --idle -F 4999 -i 20 --max-stacks 1 >pipe &
p=$!
sleep 3
kill -INT $p
sleep 1
kill -INT $p 2>/dev/null
wait $p
ok "a second SIGINT ends what a stalled reader holds" between 129 "$?" 131
nohup "$BIN/bpf-sample" -q -d 2 -o nohup.cap >/dev/null 2>&1 &
p=$!
sleep 1
kill -HUP $p
start=$(date +%s%N)
wait $p
is "$?" 0 "under nohup SIGHUP"
ok "does not end it" between 0.3 "$(calc "($(date +%s%N) - $start) / 1e9")" 30

# A perf map of any size costs little: the end of it counts, in lines of sane length.
cat >jit.c <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
	/* 1: dec %edi; jnz 1b; ret */
	static const unsigned char code[] = { 0xff, 0xcf, 0x75, 0xfc, 0xc3 };
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	time_t end = time(NULL) + 3;
	char name[64];
	FILE *f;

	memcpy(p, code, sizeof(code));
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
	f = fopen(name, "w");
	ftruncate(fileno(f), 10ll << 30);
	fseek(f, 0, SEEK_END);
	fprintf(f, "\n%lx %x made_at_run_time\n", (long)p, 4096);
	fclose(f);
	while (time(NULL) < end)
		((void (*)(int))p)(100000000);
	return 0;
}
END
if [ "$(uname -m)" = x86_64 ] && cc -O1 -fno-omit-frame-pointer -o jit jit.c 2>cc.err; then
	python3 - "$BIN/bpf-sample" -F 199 -o big.cap -- ./jit >big.rss 2>big.err <<'END'
import os, subprocess, sys
p = subprocess.Popen(sys.argv[1:])
_, status, r = os.wait4(p.pid, 0)
print(r.ru_maxrss // 1024)
sys.exit(os.waitstatus_to_exitcode(status))
END
	is "$?" 0 "a perf map of 10 GB"
	ok "takes no memory" between 1 "$(cat big.rss)" 64
	ok "its end counts" grep -q 'made_at_run_time_\[j\]' <(folded big.cap)
	ok "and that is told" grep -q 'only the last 64 MB' big.err
	rm -f /tmp/perf-*.map
else
	skip "a perf map of 10 GB" "no x86_64 machine"
fi

# A file without build-id that is written anew: no name rather than a wrong one.
printf 'int main(void) { for (volatile long i = 0; i < 1500000000; i++); return 0; }\n' >first.c
printf 'void other(void) { for (volatile long i = 0; i < 9; i++); }
int pad[4096]; int main(void) { other(); return 0; }\n' >second.c
cc -O1 -Wl,--build-id=none -o first first.c && cc -static -O1 -Wl,--build-id=none -o second second.c
cp first victim
"$BIN/bpf-sample" -q -i 60000 -F 199 -o victim.cap -- sh -c './victim; cat second >victim'
is "$(lines victim.cap | grep -P '\tvictim\t' | grep -o 'victim`[a-zA-Z_][^	]*' | sort -u)" "" \
	"no name of a file that was overwritten"
done_testing
