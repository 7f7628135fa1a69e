// The table of functions: self and total, callers and callees, filter, order.
import { bare, is, ok, open, press, quiet, readFolded, runTests, settle,
	text } from "./harness.mjs";

// By function, each sample once; annotations tell kernel and JIT functions from others.
function functionsWanted(stacks) {
	const functions = new Map();
	const keyOf = (name) => name.replace(/_\[i\]$/, "");
	const at = (name) => {
		if (!functions.has(keyOf(name)))
			functions.set(keyOf(name), { self: 0, total: 0, callers: new Map(),
				callees: new Map() });
		return functions.get(keyOf(name));
	};
	const add = (map, key, count) => map.set(key, (map.get(key) ?? 0) + count);
	for (const { frames, count } of stacks) {
		at(frames.at(-1)).self += count;
		for (const name of new Set(frames))
			at(name).total += count;
		const pairs = new Set(frames.slice(1).map((f, k) => `${frames[k]};${f}`));
		for (const pair of pairs) {
			const [caller, callee] = pair.split(";");
			add(at(callee).callers, keyOf(caller), count);
			add(at(caller).callees, keyOf(callee), count);
		}
	}
	return functions;
}

const count = (n) => n.toLocaleString("en-US");

async function rows(page, label) {
	return page.$$eval(`[role=group][aria-label="${label}"] tr.row`, (all) =>
		all.map((tr) => [...tr.children].map((td) => td.textContent)));
}

async function testTable() {
	const page = await open("rich.svg", { viewport: { width: 1200, height: 900 } });
	await page.click("button:has-text('Table')");
	await settle(page);
	const wanted = functionsWanted(readFolded("rich.folded"));
	const lines = [...wanted].map(([name, f]) =>
		`${bare(name)} ${count(f.self)} ${count(f.total)}`);
	const shown = await rows(page, "Functions");
	is(shown.map(([name, self, , total]) => `${name} ${self} ${total}`).sort().join("\n"),
		lines.sort().join("\n"), "each function's self and total, every sample once");
	const selves = shown.map(([, self]) => Number(self.replaceAll(",", "")));
	ok(selves.every((n, k) => !k || n <= selves[k - 1]), "sorted by self");
	await page.click("th button:has-text('Total')");
	await settle(page);
	const totals = (await rows(page, "Functions")).map(([, , , total]) =>
		Number(total.replaceAll(",", "")));
	ok(totals.every((n, k) => !k || n <= totals[k - 1]), "by total, if asked");
	is(await page.$$eval(".function-list th[aria-sort=descending]", (all) => all.length), 1,
		"which column it is is told");

	await page.fill(".filter", "^f1$");
	await settle(page);
	ok((await rows(page, "Functions")).every(([name]) => name === "f1"),
		"the filter leaves what matches");
	await page.fill(".filter", "");
	await settle(page);
	const at = (await rows(page, "Functions")).findIndex(([name, self]) =>
		name === "f1" && self === count(wanted.get("f1").self));
	const first = "f1";
	await page.click(`.function-list tr.row >> nth=${at}`);
	await settle(page);
	const f = wanted.get(first);
	const pairs = (map) => [...map].map(([name, n]) =>
		`${bare(name)} ${count(n)}`).sort().join("\n");
	for (const [label, map] of [["Callees", f.callees], ["Callers", f.callers]])
		is((await rows(page, label)).filter(([name]) => name !== "all")
			.map(([name, n]) => `${name} ${n}`).sort().join("\n"), pairs(map),
				`${label} of ${first}`);
	ok((await text(page, ".side-name")) === first, "the chosen function is told");
	const other = (await rows(page, "Callees")).findIndex(([name]) => name !== first);
	await page.click(`[role=group][aria-label="Callees"] tr.row >> nth=${other}`);
	await settle(page);
	ok((await text(page, ".side-name")) !== first, "a click on a callee goes on to it");
	await page.goBack();
	await settle(page);
	is(await text(page, ".side-name"), first, "Back returns");
	await page.click("button:has-text('Show in the graph')");
	await settle(page);
	ok((await page.$$(".hit")).length > 0, "it can be shown in the graph");
	is(await page.$eval(".search", (e) => e.value), `^${first}$`, "as a search");
	await press(page, "t");
	await page.focus("[role=group][aria-label='Functions']");
	await press(page, "ArrowDown");
	ok((await text(page, ".side-name")) !== first, "arrows choose the next row");
	await quiet(page, "table");
}

async function testLong() {
	const page = await open("many.svg");
	await press(page, "t");
	const elements = await page.$$eval("tr.row", (all) => all.length);
	ok(elements < 120, "of 120,000 functions only rows in sight are elements", elements);
	await page.$eval("[role=group][aria-label='Functions']", (e) => e.scrollTo(0, 1e6));
	await settle(page);
	const seen = await page.$$eval("tr.row", (all) => all.filter((e) => {
		const { y } = e.getBoundingClientRect();
		return y > 150 && y < 600;
	}).length);
	ok(seen > 15, "scrolled to, they are there", seen);
	await quiet(page, "long table");
}

runTests([testTable, testLong]);
