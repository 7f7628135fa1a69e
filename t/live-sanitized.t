#!/bin/bash
# bpf-sample built with sanitizers (status 99 on a finding), where its life is hardest:
# processes and files that come and go, everything at once.
. t/tap.sh
. t/live.sh
[ -x "$SAN/bpf-sample" ] || skip_all "no sanitized build: make sanitized"

sampled() { # name args…
	"$SAN/bpf-sample" "${@:2}" 2>"$TMP/err"
	is "$?" 0 "$1" || diag "$(grep -m 20 -e ERROR -e 'runtime error' -e '^ *#[0-9]' "$TMP/err")"
}

cd "$TMP" || exit 1
printf 'int main(void) { for (volatile long i = 0; i < 100000000; i++); return 0; }\n' >loop.c
cc -O1 -o by-id loop.c && cc -O1 -Wl,--build-id=none -o by-inode loop.c
cat >churn.sh <<'END'
# Programs that are written over, replaced and deleted while, and after, they run.
for round in 1 2; do
	for kind in by-id by-inode; do
		cp $kind victim; ./victim; cat /bin/true >victim; sleep "${1:-0}"
		cp $kind victim2; ./victim2 & sleep 0.1; cp /bin/true new; mv new victim2; wait
		cp $kind victim3; ./victim3 & sleep 0.1; rm victim3; wait
		cp $kind victim4; chmod 711 victim4; ./victim4; rm victim4
	done
done
END
sampled "files that change, one interval" -i 60000 -F 499 -o a.cap -- sh churn.sh
sampled "files that change, many intervals" -i 20 -F 499 -o b.cap -- sh churn.sh
# the file is another by the time that its process, which has ended, is looked at
sampled "files that change, intervals between" -i 1500 -F 499 -o h.cap -- sh churn.sh 3
cd "$OLDPWD" || exit 1
sampled "a parallel build" -i 50 -F 997 -o "$TMP/c.cap" -- examples/compile_loop.sh 4
sampled "one with little room" -i 50 -F 997 --max-stacks 16 --unwind-mem 1 --stack-copy 4096 \
	-o "$TMP/d.cap" -- examples/compile_loop.sh 4
sampled "deep stacks" -i 100 -F 997 --max-depth 1023 -o "$TMP/e.cap" -- \
	"$EXAMPLES/cpu_bound" 2 900
sampled "frame pointers" -i 50 -F 997 --unwind fp -d 2 -o "$TMP/f.cap"
sampled "everything" -F 997 --idle -d 2 -o "$TMP/g.cap"
for cap in "$TMP"/*.cap; do
	ok "${cap##*/} is whole" "$SAN/stack-resolve" -q "$cap"
done
done_testing
