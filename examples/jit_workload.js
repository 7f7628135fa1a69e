// A function compiled at run time that takes nearly all of the time:
//
//	node --perf-basic-prof examples/jit_workload.js [SECONDS]     (10)
//
// Node writes /tmp/perf-PID.map, in which the optimized function is "*jitHotLoop".
'use strict';

const seconds = Number(process.argv[2] ?? 10);
if (!(seconds > 0)) {
	console.error('usage: jit_workload.js [SECONDS]');
	process.exit(2);
}
const end = Date.now() + seconds * 1000;
let sink = 0;

// Some 10 ms a call, from the event loop: it keeps its own frame, and node can end.
function jitHotLoop() {
	let x = sink | 1;
	for (let i = 0; i < 5000000; i++)
		x = (Math.imul(x, 1664525) + 1013904223) | 0;
	sink = x;
	if (Date.now() < end)
		setTimeout(jitHotLoop, 0);
}

jitHotLoop();
