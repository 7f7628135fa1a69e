/* Counts, percentages, labels, folded lines. */
import { model } from "./model.mjs";
import { randoms, randomStacks, treeOf, viewOf } from "./stacks.mjs";
import { done, is } from "./tap.mjs";

const { countText, percentText, deltaText, fitLabel, changeClass } = model;
const random = randoms(4);

is([0, 7, 999, 1000, 1234567, 18446744073709551615n, -1234].map((n) => countText(n, {})),
	["0", "7", "999", "1,000", "1,234,567", "18,446,744,073,709,551,615", "-1,234"], "counts");
is([[25, 1], [20, 1], [5, 2], [123456789, 3], [0, 2], [-5, 1]].map(([n, decimals]) =>
	countText(n, { decimals })), ["2.5", "2", "0.05", "123,456.789", "0", "-0.5"], "with decimals");
is([["1000", 5], ["25e-4", 3], ["0.5", 3], ["1e3", 1234], ["1e-3", 5]].map(([factor, n]) =>
	countText(n, { factor })), ["5,000", "0.0075", "1.5", "1,234,000", "0.005"], "with a factor");
is(countText(15, { factor: "1000", decimals: 1 }), "1,500", "with both");

is([[567, 10000], [1, 3], [10, 10], [0, 5], [1, 800], [3, 800], [5, 800], [9999999, 10000000]]
	.map(([part, whole]) => percentText(part, whole)),
["5.67%", "33.33%", "100%", "0.00%", "0.12%", "0.38%", "0.62%", "100.00%"],
"percentages as printf rounds them");
is(percentText(1n << 62n, 1n << 63n), "50.00%", "of huge counts");
is([[1, 3], [-1, 3], [0, 3], [2n, 4n]].map(([d, whole]) => deltaText(d, whole)),
	["+33.33%", "-33.33%", "0.00%", "+50.00%"], "changes");

/* As label.c cuts, and its mirror image. */
function cut(characters, columns) {
	const widths = characters.map((c) => c.codePointAt(0) >= 0x1100 ? 2 : 1);
	const sum = (n) => widths.slice(0, n).reduce((a, b) => a + b, 0);
	if (sum(characters.length) <= columns)
		return characters;
	let keep = 0;
	while (sum(keep + 1) + 2 <= columns && keep < characters.length)
		keep++;
	return [...characters.slice(0, keep), "."].concat(".");
}
{
	let wrong = "";
	const pool = ["a", "b", "\u00e9", "\u4e2d", "\u{1f600}", "\ud800", ":", "\u0300"];
	for (let turn = 0; turn < 5000; turn++) {
		/* A lone surrogate must not meet its other half. */
		const text = Array.from({ length: random(12) }, () => pool[random(pool.length)]).join("");
		const columns = 2 + random(24);
		const characters = Array.from(text);
		if (fitLabel(text, columns) !== cut(characters, columns).join(""))
			wrong = JSON.stringify([text, columns]);
		if (fitLabel(text, columns, true) !==
			cut(characters.slice().reverse(), columns).reverse().join(""))
			wrong = `from the start: ${JSON.stringify([text, columns])}`;
	}
	is(wrong, "", "labels are cut between characters, at their end or their start");
}

is([[0, 5], [5, 0], [0, 0], [1000, 1004], [1000, 1100], [100, 200], [200, 100], [1, 1000]]
	.map(([before, after]) => changeClass(before, after)),
["n", "v", "d0", "d0", "m1", "m3", "l3", "m6"], "classes of changes");
is([[0, 5], [5, 0], [100, 200], [200, 100]].map(([before, after]) =>
	changeClass(before, after, true)), ["v", "n", "l3", "m3"], "and negated");

/* Folded lines. */
{
	const folded = (view) => [...view].map(([key, counts]) =>
		`${JSON.parse(key).join(";")} ${counts.join(" ")}`).sort();
	const lines = (tree, root) => model.foldedParts(tree, {}, root).join("").split("\n")
		.slice(0, -1).sort();
	for (const counts of [1, 2]) {
		const stacks = randomStacks(random, { number: 100, depth: 6, counts });
		const tree = treeOf(stacks);
		is(lines(tree), folded(viewOf(stacks, {})), `folded lines with ${counts} counts`);
		const spec = { callers: true, hide: "kernel" };
		is(lines(model.makeView(tree, spec)), folded(viewOf(stacks, spec)), "of a view");
	}
	const tree = treeOf([{ path: ["a", "f_[k]", "g_[i]"], counts: [15n] },
		{ path: ["b"], counts: [3n] }]);
	is(model.foldedParts(tree, { decimals: 1 }, 2).join(""), "a;f_[k];g_[i] 1.5\n",
		"under a frame, with decimals");
	is(model.stackText(tree, 3), "a;f_[k];g_[i]", "a stack");
	is(model.stackText(model.makeView(tree, { callers: true }), 4), "a;f_[k];g_[i]",
		"in a callers view, too, from its root");
	const long = treeOf(Array.from({ length: 3000 }, (_, i) =>
		({ path: ["x".repeat(1000), `f${i}`], counts: [1n] })));
	const parts = model.foldedParts(long, {});
	is([parts.length > 1, parts.join("").split("\n").length], [true, 3001], "in parts");
}
{
	const settings = model.parseSettings({ total: "20", diff: "0" });
	const tree = treeOf([{ path: ["a"], counts: [6n] }, { path: ["b"], counts: [4n] }]);
	is([model.wholeOf(tree, settings), model.wholeOf(tree, model.parseSettings({ total: "3" }))],
		[20, 10], "the whole is --total, if that is more");
	const removed = [model.removalOf(tree, 1)];
	is(model.wholeOf(model.makeView(tree, { removed }), settings), 4, "not of what is left");
	is(model.parseSettings({ total: "18446744073709551615" }).total, 18446744073709551615n,
		"settings are exact");
}
done();
