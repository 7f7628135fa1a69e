/* The Test Anything Protocol for tests under node. */
import { inspect } from "node:util";
import { isDeepStrictEqual } from "node:util";

let run = 0, failed = 0;

export function ok(condition, name) {
	run++;
	if (!condition)
		failed++;
	console.log(`${condition ? "ok" : "not ok"} ${run} - ${name.replaceAll("#", "")}`);
	return Boolean(condition);
}

export function is(got, want, name) {
	if (!ok(isDeepStrictEqual(got, want), name))
		console.error(`# ${name}\n#   got  ${inspect(got, { depth: 4, breakLength: Infinity })}` +
			`\n#   want ${inspect(want, { depth: 4, breakLength: Infinity })}`);
}

export function diag(text) {
	console.error(`#   ${text}`);
}

export function done() {
	console.log(`1..${run}`);
	process.exitCode = failed || !run ? 1 : 0;
}
