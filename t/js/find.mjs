/* Paths, places in the picture, and search: against plain walks over all frames. */
import { model } from "./model.mjs";
import { namesTo, randoms, randomStacks, treeOf } from "./stacks.mjs";
import { done, is, ok } from "./tap.mjs";

const { compileSearch, findPathPrefix, frameAt, makeView, matchIndex, nextMatch, pathOf,
	rowOf, searchTree, wideFrames } = model;

const random = randoms(7);
const SPECS = [{}, { callers: true }, { hide: "kernel" }, { collapse: true, sort: "weight" },
	{ callers: true, hide: "user", sort: "weight" }];

/* Trees and views of them, small enough to look at each frame from each other. */
function* trees() {
	for (let turn = 0; turn < 12; turn++) {
		const chart = turn % 3 === 2;
		const tree = treeOf(randomStacks(random, { number: 1 + 8 * turn, depth: 5 }), { chart });
		for (const spec of SPECS)
			yield makeView(tree, spec);
	}
}

/* "" or which frame is not found by the path it is said to have. */
function pathFault(tree) {
	for (let i = 0; i < tree.n; i++) {
		const path = pathOf(tree, i);
		const { frame, length } = findPathPrefix(tree, path);
		if (frame !== i || length !== path.length)
			return `${JSON.stringify(path)} is ${frame}, not ${i}`;
	}
	return "";
}

/* The frames drawn of each zoom, by depth and place, as filters of all frames. */
function placeFault(tree) {
	const all = Array.from({ length: tree.n }, (_, i) => i);
	const { start, total } = tree.exact ?? tree;
	const { end, depth, maxDepth } = tree;
	for (const under of all) {
		const least = random(4) ? random(Number(total[under]) + 2) : 0;
		const wide = wideFrames(tree, under, least);
		const want = all.filter((i) => i > under && i < end[under] && total[i] >= least);
		if (wide.hidden !== end[under] - under - 1 - want.length)
			return `${wide.hidden} hidden under ${under}`;
		if (wide.depths !== Math.max(...[under, ...want].map((i) => depth[i])) + 1)
			return `${wide.depths} rows of ${under}`;
		for (let d = 0; d <= maxDepth; d++) {
			const row = want.filter((i) => depth[i] === d);
			if (String([...rowOf(wide, d)]) !== String(row))
				return `row ${d} under ${under}`;
			const at = random(Number(total[under]) + 2);
			const there = row.find((i) => start[i] - start[under] <= at &&
				at < start[i] - start[under] + total[i]) ?? -1;
			if (frameAt(tree, rowOf(wide, d), under, at) !== there)
				return `${at} from ${under} on, depth ${d}: not ${there}`;
		}
	}
	return "";
}

/* Search: each frame that is or lies under a match, by the names on its path. */
function searchFault(tree, text, options) {
	const matcher = compileSearch(text, options);
	const { hit, matched, count } = searchTree(tree, matcher);
	const matches = (i) => {
		const label = tree.names[tree.name[i]], whole = namesTo(tree, i).at(-1);
		return i > 0 && (matcher.test(label) || matcher.test(whole));
	};
	const found = [];
	let weight = 0;
	for (let i = 0; i < tree.n; i++) {
		let covered = false;
		for (let at = i; at; at = tree.caller[at])
			covered ||= matches(at);
		weight += covered ? tree.self[i] : 0;
		if (matches(i))
			found.push(i);
	}
	if (matched !== weight || count !== found.length)
		return `${text}: ${matched} in ${count} frames, not ${weight} in ${found.length}`;

	const root = random(tree.n);
	const within = found.filter((i) => i >= root && i < tree.end[root]);
	for (let i = root; i < tree.end[root]; i++) {
		const index = within.indexOf(i) + 1;
		if (String(Object.values(matchIndex(tree, hit, i, root))) !== String([index, within.length]))
			return `${text}: index of ${i}`;
		const later = within.find((j) => j > i) ?? within[0] ?? -1;
		const before = within.findLast((j) => j < i) ?? within.at(-1) ?? -1;
		if (nextMatch(tree, hit, i, 1, root) !== later || nextMatch(tree, hit, i, -1, root) !== before)
			return `${text}: next to ${i} under ${root}`;
	}
	if (root > 0 && nextMatch(tree, hit, root - 1, 1, root) !== (within[0] ?? -1))
		return `${text}: the first one from elsewhere`;
	return "";
}

const faults = { path: "", place: "", search: "" };
for (const tree of trees()) {
	faults.path ||= pathFault(tree);
	faults.place ||= placeFault(tree);
	for (const [text, options] of [["f"], ["F", { matchCase: true }], ["_[k]"], ["o"], ["nothing"],
		["^[fg]$", { regex: true }], ["\u{1f600}"], ["all"], ["", {}], ["T", { regex: true }]])
		faults.search ||= searchFault(tree, text, options);
}
is(faults, { path: "", place: "", search: "" }, "frames by path, by place, by name");

{
	const tree = treeOf([{ path: ["a", "b"], counts: [1n] }, { path: ["a", "b_[k]"], counts: [1n] }]);
	is(findPathPrefix(tree, ["a", "c", "d"]), { frame: 1, length: 1 }, "the deepest that is there");
	is(findPathPrefix(tree, ["x"]), { frame: 0, length: 0 }, "nothing of the path");
	is([2, 3].map((i) => pathOf(tree, i)[1]), ["b", "b_[k]"], "the whole name where need be");
}
{
	const names = ["f", "g", "f", "f #2", "f"];
	const tree = treeOf(names.map((name) => ({ path: [name], counts: [1n] })), { chart: true });
	is(pathFault(tree), "", "frames with a number, and one that is called so");
}

/* What users type. */
const test = (label, text, options) => compileSearch(text, options).test(label);
ok(test("operator()", "R()"), "plain: letters of either case");
ok(!test("operator()", "R()", { matchCase: true }), "or of that case alone");
ok(test("a.b*c", ".b*") && !test("abbc", ".b*"), "plain text is no expression");
ok(test("vfs_read", "^vfs_(read|write)$", { regex: true }), "an expression");
ok(/./.test(compileSearch("(", { regex: true }).error), "an expression that is none, told");
is([test("a", ""), test("", "", { regex: true })], [false, false], "nothing typed, nothing found");
ok(test("\\^$.*+?()[]{}|/-", "\\^$.*+?()[]{}|/-"), "all characters that mean something");
{
	const most = 1n << 62n;
	const tree = treeOf([{ path: ["f", "f"], counts: [most] }, { path: ["g"], counts: [3n] },
		{ path: ["h", "f"], counts: [1n] }]);
	is(searchTree(tree, compileSearch("f")).matched, most + 1n, "an exact count above 2^53");
	const row = rowOf(wideFrames(tree, 0, 1), 1);
	is([frameAt(tree, row, 0, 0), frameAt(tree, row, 0, 2 ** 62 + 4096)], [1, -1],
		"frames of such a width");
}
done();
