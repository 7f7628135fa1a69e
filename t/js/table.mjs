/* Functions, their callers and callees: against the list of stacks. */
import { framesOf, randoms, randomStacks, treeOf, viewOf } from "./stacks.mjs";
import { model } from "./model.mjs";
import { done, is } from "./tap.mjs";

const random = randoms(3);
const idOf = ({ kind, label }) => `${kind} ${label}`;
const plain = (map) => JSON.stringify([...map].filter(([, v]) => v.some(Boolean))
	.sort(([a], [b]) => a < b ? -1 : 1), (_, v) => typeof v === "bigint" ? `${v}` : v);

/* Counts by key, each stack once for each of the keys. */
function sums(stacks, keysOf) {
	const map = new Map();
	for (const { path, counts } of stacks)
		for (const key of new Set(keysOf(framesOf(path))))
			map.set(key, counts.map((count, c) => count + (map.get(key)?.[c] ?? 0n)));
	return map;
}

/* { total } and { self } of rows by function. */
function rowsOf(tree, rows, what) {
	return new Map(rows.map((row) => [idOf({ kind: row.kind, label: row.name }),
		(tree.diff ? [row[`${what}Before`], row[`${what}After`]] : [row[what]]).map(BigInt)]));
}

function fault(stacks, tree) {
	const table = model.functionTable(tree);
	if (plain(rowsOf(tree, table, "total")) !== plain(sums(stacks, (frames) => frames.map(idOf))))
		return "total";
	if (plain(rowsOf(tree, table, "self")) !==
		plain(sums(stacks, (frames) => frames.slice(-1).map(idOf))))
		return "self";
	for (const row of table) {
		const id = idOf({ kind: row.kind, label: row.name });
		const beside = (step) => (frames) => frames.flatMap((frame, i) =>
			idOf(frame) !== id || (step > 0 && i + 1 === frames.length) ? [] :
				idOf(frames[i + step] ?? { kind: "x", label: "all" }));
		if (plain(rowsOf(tree, model.callersOf(tree, row.key), "total")) !==
			plain(sums(stacks, beside(-1))))
			return `callers of ${id}`;
		if (plain(rowsOf(tree, model.calleesOf(tree, row.key), "total")) !==
			plain(sums(stacks, beside(1))))
			return `callees of ${id}`;
	}
	return "";
}

for (const [what, options] of [["counts", {}], ["a differential", { counts: 2 }],
	["counts above 2^53", { huge: true }]]) {
	let wrong = "";
	for (let turn = 0; turn < 15 && !wrong; turn++) {
		const random_ = randomStacks(random, { number: 60, depth: 6, ...options });
		if (options.huge)
			random_.forEach((stack) => stack.counts[0] += 1n << 56n);
		const merged = [...viewOf(random_, {})]
			.map(([key, counts]) => ({ path: JSON.parse(key), counts }));
		const tree = treeOf(merged);
		wrong = fault(merged, tree);
		const view = model.makeView(tree, { callers: true, sort: "weight" });
		wrong ||= fault(merged, view) && `callers view: ${fault(merged, view)}`;
	}
	is(wrong, "", `functions, callers and callees: ${what}`);
}
{
	const tree = treeOf([{ path: ["a", "f", "f_[i]", "f"], counts: [3n] },
		{ path: ["b", "f"], counts: [4n] }, { path: ["f_[k]"], counts: [5n] }]);
	const rows = model.functionTable(tree).filter(({ name }) => name === "f");
	is(rows.map(({ kind, self, total }) => [kind, self, total]), [["u", 7, 7], ["k", 5, 5]],
		"recursion counts once, an inlined frame is of its function, kinds are apart");
	const view = model.makeView(tree, { collapse: true });
	is(model.functionAt(view, view.n - 1), rows[1].key, "a function's key is the same in each view");
}
done();
