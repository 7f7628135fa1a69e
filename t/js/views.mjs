/* Data and views: against lists of stacks, on random trees with odd names. */
import { model } from "./model.mjs";
import { ODD_NAMES, faultOf, framesOf, namesTo, randoms, randomStacks, shapedPath, stacksOf,
	treeOf, viewOf } from "./stacks.mjs";
import { done, is, ok } from "./tap.mjs";

const { makeView } = model;

function* specs() {
	for (const callers of [false, true])
		for (const sort of ["name", "weight"])
			for (const collapse of [false, true])
				for (const hide of ["", "kernel", "user"])
					yield { callers, sort, collapse, hide };
}

/* The first spec whose view is wrong, or "". */
function viewFault(stacks, tree) {
	for (const spec of specs()) {
		const view = makeView(tree, spec);
		const fault = faultOf(view, spec.sort);
		if (fault)
			return `${JSON.stringify(spec)}: ${fault}`;
		const want = viewOf(stacks, spec);
		if (JSON.stringify([...stacksOf(view)], plain) !== JSON.stringify([...want], plain))
			return `${JSON.stringify(spec)}: other stacks`;
		if (BigInt(view.dropped) !== droppedOf(stacks, spec))
			return `${JSON.stringify(spec)}: dropped ${view.dropped}`;
	}
	return "";
}

const plain = (_, value) => typeof value === "bigint" ? `${value}` : value;

/* The widths of stacks that have no frame in a view; widths are those after, if any. */
function droppedOf(stacks, spec) {
	return stacks.filter(({ path }) => path.length && !shapedPath(path, spec).length)
		.reduce((sum, { counts }) => sum + (counts[1] || counts[0]), 0n);
}

const random = randoms(1);
for (const [number, depth] of [[1, 1], [3, 4], [20, 6], [200, 12], [400, 3]]) {
	let fault = "";
	for (let turn = 0; turn < 12 && !fault; turn++) {
		const stacks = randomStacks(random, { number, depth });
		const tree = treeOf(stacks);
		fault = faultOf(tree) || viewFault(stacks, tree);
	}
	is(fault, "", `views of ${number} stacks up to ${depth} deep`);
}
{
	const huge = randomStacks(random, { number: 60, depth: 5 })
		.map((stack, i) => ({ ...stack, counts: [BigInt(random(1 << 26)) * BigInt(random(1 << 30)) + 1n +
			(i ? 0n : 1n << 62n)] }));
	const tree = treeOf(huge);
	ok(tree.exact, "counts above 2^53 are exact");
	is(faultOf(tree) || viewFault(huge, tree), "", "views of huge counts");
	const small = treeOf([{ path: ["a"], counts: [9007199254740991n] }]);
	is([small.exact, small.total[0]], [null, 9007199254740991], "2^53 - 1 is a Number");
}

/* Kinds of frames. */
{
	const stacks = randomStacks(random, { number: 200, depth: 6 });
	const tree = treeOf(stacks);
	let wrong = 0;
	for (let i = 1; i < tree.n; i++)
		if (String.fromCharCode(tree.kind[i]) !== framesOf(namesTo(tree, i)).at(-1).kind)
			wrong++;
	is(wrong, 0, "each frame's kind, an inlined one's by its caller");
	ok(makeView(tree, {}) === tree && makeView(tree) === tree, "no change: the data itself");
}

/* Removal in any view, seen from any view. */
{
	let fault = "";
	const all = [...specs()];
	for (let turn = 0; turn < 150 && !fault; turn++) {
		const stacks = randomStacks(random, { number: 30, depth: 6, names: ODD_NAMES.slice(0, 9) });
		const tree = treeOf(stacks);
		const removed = [];
		for (let k = 0; k < 2; k++) {
			const view = makeView(tree, { ...all[random(all.length)], removed });
			if (view.n > 1)
				removed.push(model.removalOf(view, 1 + random(view.n - 1)));
		}
		const spec = { ...all[random(all.length)], removed };
		const view = makeView(tree, spec);
		fault = faultOf(view, spec.sort);
		if (JSON.stringify([...stacksOf(view)], plain) !==
			JSON.stringify([...viewOf(stacks, spec)], plain))
			fault = `other stacks: ${JSON.stringify(spec)}`;
	}
	is(fault, "", "subtrees removed in one view, seen in another");
	const tree = treeOf([{ path: ["a", "f_[k]"], counts: [3n] }, { path: ["a"], counts: [2n] }]);
	const by = (path) => makeView(tree, { removed: [{ callers: false, path }] }).total[0];
	is([by(["a", "f_[k]"]), by(["a", "f"]), by(["a"]), by(["b"])], [2, 2, 0, 5],
		"removed by whole name or by label");
	const data = treeOf([{ path: ["a", "f_[i]"], counts: [1n] },
		{ path: ["a_[k]", "f_[i]"], counts: [2n] }]);
	const view = makeView(data, { callers: true });
	is([1, 3].map((i) => makeView(data, { removed: [model.removalOf(view, i)] }).total[0]),
		[2, 1], "inlined frames of a name in code of two kinds are two");
}

/* Differentials. */
{
	let fault = "";
	const stacks = randomStacks(random, { number: 80, depth: 6, counts: 2, most: 4 });
	const merged = [...viewOf(stacks, {})].map(([key, counts]) => ({ path: JSON.parse(key), counts }));
	const tree = treeOf(merged);
	const widths = {
		after: ([before, after]) => after || before,
		before: ([before, after]) => before || after,
		both: ([before, after]) => before > after ? before : after,
	};
	for (const [base, width] of Object.entries(widths)) {
		const view = makeView(tree, { base });
		const want = merged.reduce((sum, { counts }) => sum + width(counts), 0n);
		if (BigInt(view.total[0]) !== want || view.base !== base)
			fault = `${base}: ${view.total[0]} is not ${want}`;
		const counted = merged.reduce((sum, { counts: [before, after] }) =>
			sum + { before, after, both: width([before, after]) }[base], 0n);
		if (BigInt(model.shownCounts(view).total[0]) !== counted)
			fault = `${base}: shows ${model.shownCounts(view).total[0]}, not ${counted}`;
		fault ||= faultOf(view);
	}
	is(fault, "", "widths by after, before, and both");
	is(viewFault(merged, tree), "", "views of a differential");
	const sum = (c) => Number(merged.reduce((n, { counts }) => n + counts[c], 0n));
	is([tree.diff.totalBefore[0], tree.diff.totalAfter[0]], [sum(0), sum(1)], "both totals");
}

/* Charts: order is time. */
{
	const names = ["f", "g", "f"];
	const tree = treeOf(names.map((name) => ({ path: ["a", name], counts: [1n] })), { chart: true });
	const order = (view) => Array.from({ length: view.n }, (_, i) => namesTo(view, i).join(";"));
	is(order(tree), ["", "a", "a;f", "a;g", "a;f"], "a chart keeps the order");
	is(order(makeView(tree, { callers: true })), ["", "f", "f;a", "g", "g;a", "f", "f;a"],
		"and so does its callers view");
	const view = makeView(tree, { removed: [model.removalOf(tree, 3)] });
	is([view.total[0], order(view).includes("a;g")], [2, false], "a frame removed");
}

/* A chart's own counts lie where they were in time, also between callees. */
{
	const lines = [["a;b", 1], ["a", 2], ["a;b", 1], ["a;b;c_[k]", 2], ["d", 1], ["a;b", 3],
		["a", 4], ["a;a", 1]];
	/* Names are numbered a, b, c_[k], d. A frame: name, levels up, own count, gap. */
	const tree = model.readTree("u0 a\nu0 b\nk0 c\nu0 d\n", `0
0 0 2
1 0 1
1 1 1 2
2 0 2 1
3 3 1
0 1 4
1 0 3
0 1 1 4
`, model.parseSettings({ chart: "1" }));
	const boxes = (view) => Array.from({ length: view.n }, (_, i) =>
		[view.names[view.name[i]], view.depth[i], view.start[i], view.total[i]].join(" "));
	const all = ["all 0 0 15", "a 1 0 6", "b 2 0 1", "b 2 3 3", "c 3 4 2", "d 1 6 1", "a 1 7 8",
		"b 2 7 3", "a 2 14 1"];
	is(boxes(tree), all, "a chart with gaps");
	is(boxes(makeView(tree, { hide: "kernel" })), all.filter((box) => box[0] !== "c"),
		"without its kernel frames");
	is(boxes(makeView(tree, { collapse: true })), all.slice(0, -1), "without recursion");
	is(model.foldedParts(tree, {}).join(""), lines.map((line) => `${line.join(" ")}\n`).join(""),
		"its lines are those it was made of");
	const removed = [{ callers: false, path: ["d"] }];
	is(boxes(makeView(tree, { removed })).filter((box) => box.startsWith("a 1")),
		["a 1 0 6", "a 1 6 8"], "a part of the time taken away");
}

/* Depth, and bounds. */
{
	const path = Array.from({ length: 100000 }, (_, i) => `f${i % 3}`);
	const tree = treeOf([{ path, counts: [7n] }, { path: path.slice(0, 5000), counts: [2n] }]);
	const callers = makeView(tree, { callers: true });
	is([tree.maxDepth, callers.maxDepth, callers.total[0]], [100000, 100000, 9], "100,000 deep");
	const flat = treeOf([{ path: Array(100000).fill("f"), counts: [5n] }]);
	is([makeView(flat, { collapse: true }).n, makeView(flat, { callers: true }).n,
		makeView(flat, { sort: "weight" }).total[100000]], [2, 100001, 5], "a deep recursion");
	const one = treeOf([{ path: [], counts: [5n] }]);
	is([one.n, one.total[0], makeView(one, { callers: true }).total[0]], [1, 5, 5],
		"the root alone");

	const stacks = randomStacks(random, { number: 500, depth: 9 });
	const full = makeView(treeOf(stacks), { callers: true });
	const cut = makeView(treeOf(stacks), { callers: true, limit: 200 });
	ok(cut.n <= 201 && cut.n > 20 && cut.cut === full.n - cut.n,
		"a callers view is cut to a limit, and tells by how much");
	is([faultOf(cut), cut.total[0]], ["", full.total[0]], "no weight is lost by that");
	const lightest = Math.min(...cut.total.subarray(1));
	const kept = full.total.filter((total) => total >= cut.cutWeight).length;
	ok(lightest >= cut.cutWeight && kept === cut.n, "the narrowest frames are cut");
	is(shapedPath(["a", "f_[k]"], { hide: "kernel" }), ["a"], "the oracle hides");
}
done();
