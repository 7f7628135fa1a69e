/* 450,000 frames: the work is done right, and how long it takes is told. */
import { model } from "./model.mjs";
import { randoms } from "./stacks.mjs";
import { diag, done, is } from "./tap.mjs";

const FRAMES = 450000, NAMES = 30000;
const random = randoms(5);
const names = Array.from({ length: NAMES }, (_, i) =>
	`u${i % 8} std::ns_${String(i).padStart(6, "0")}::Class<int, Foo>::method(char const*)\n`).join("");
const lines = ["0"];
let sum = 0;
for (let i = 1, depth = 0; i < FRAMES; i++) {
	const up = depth < 15 ? Number(depth > 0 && random(4) === 0) :
		random(3) ? 0 : 1 + random(Math.min(depth, 20));
	const self = random(3) === 0 || depth > 40 ? 1 + random(20) : 0;
	depth += 1 - up;
	sum += self;
	lines.push(`${random(NAMES)} ${up} ${self}`);
}
const frames = `${lines.join("\n")}\n`;

function timed(what, work) {
	const times = [];
	let result;
	for (let turn = 0; turn < 3; turn++) {
		const from = performance.now();
		result = work();
		times.push(performance.now() - from);
	}
	diag(`${what}: ${Math.min(...times).toFixed(0)} ms`);
	return result;
}

const settings = model.parseSettings({});
const tree = timed("450,000 frames read", () => model.readTree(names, frames, settings));
is([tree.n, tree.total[0]], [FRAMES, sum], "all frames and samples read");
const search = model.compileSearch("ns_0000.*meth", { regex: true });
const { matched } = timed("searched", () => model.searchTree(tree, search));
for (const [what, spec] of [["by weight", { sort: "weight" }], ["callers", { callers: true }],
	["callers by weight", { callers: true, sort: "weight" }], ["collapsed", { collapse: true }]]) {
	const view = timed(`view ${what}`, () => model.makeView(tree, spec));
	is([view.total[0], model.searchTree(view, search).matched], [sum, matched],
		`view ${what}: as many samples, as many matched`);
}
const rows = timed("functions", () => model.functionTable(tree));
is(rows.reduce((n, { self }) => n + self, 0), sum, "functions' own counts add up");
const { hit } = model.searchTree(tree, model.compileSearch("nowhere"));
is(timed("a next match sought in vain", () => model.nextMatch(tree, hit, 0, 1)), -1, "no match");
const path = model.pathOf(tree, FRAMES - 1);
is(model.findPathPrefix(tree, path).length, path.length, "the last frame found by its path");
done();
