/*
 * lint.mjs PART… -- MODULE…: eslint over the flame graph's script, whose parts share
 * one scope, and over modules, each alone. Prints TAP, a test for each file.
 */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ESLint } from "eslint";

const here = dirname(fileURLToPath(import.meta.url));
const split = process.argv.indexOf("--");
const parts = process.argv.slice(2, split), modules = process.argv.slice(split + 1);
const eslint = new ESLint({
	cwd: resolve(here, "../.."), overrideConfigFile: resolve(here, "eslint.config.mjs"),
});
let tests = 0;
let failed = false;

function report(file, messages) {
	failed ||= messages.length > 0;
	console.log(`${messages.length ? "not ok" : "ok"} ${++tests} - ${file}`);
	for (const { line, column, message, ruleId } of messages)
		console.error(`#   ${file}:${line}:${column}: ${message} (${ruleId ?? "syntax"})`);
}

/* As picture.c wraps them; each message goes to the part that its line is in. */
const texts = parts.map((part) => readFileSync(part, "utf8"));
const script = `(function () {\n${texts.join("")}})();\n`;
const [{ messages }] = await eslint.lintText(script, { filePath: resolve(here, "flame.js") });
let from = 2;
for (const [i, part] of parts.entries()) {
	const end = from + texts[i].split("\n").length - 1;
	const first = from;
	report(part, messages.filter(({ line }) => line >= first && line < end)
		.map((message) => ({ ...message, line: message.line - first + 1 })));
	from = end;
}
for (const file of modules) {
	const [result] = await eslint.lintFiles([file]);
	report(file, result.messages);
}
console.log(`1..${tests}`);
process.exitCode = failed ? 1 : 0;
