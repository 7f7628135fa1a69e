// The flame graph in a real browser. Arguments: the folder of pictures that t/browser.t has
// made, the browser. What is expected is computed here from the folded files, not from the SVG.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [folder, browserPath] = process.argv.slice(2);
let run = 0, failed = 0;

function ok(pass, name, detail = "") {
	console.log(`${pass ? "ok" : "not ok"} ${++run} - ${name}`);
	if (!pass) {
		failed++;
		console.error(`#   failed: ${name} ${detail}`);
	}
}

function is(got, want, name) {
	ok(got === want, name, `\n#   got  ${JSON.stringify(got)}\n#   want ${JSON.stringify(want)}`);
}

function url(file) {
	return pathToFileURL(`${folder}/${file}`).href;
}

const browser = await chromium.launch({
	executablePath: browserPath,
	args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

// A page that keeps what it said, and asked for, beside what it shows.
async function open(file, options = {}) {
	const context = await browser.newContext({ viewport: { width: 1000, height: 700 }, ...options });
	const page = await context.newPage();
	page.said = [];
	page.asked = [];
	page.on("console", (message) => page.said.push(message.text()));
	page.on("pageerror", (error) => page.said.push(String(error)));
	page.on("dialog", (dialog) => {
		page.said.push(`dialog ${dialog.message()}`);
		dialog.dismiss();
	});
	page.on("request", (request) => page.asked.push(request.url()));
	await page.goto(url(file));
	return page;
}

// Waits for the work that the script puts off to the next screen refresh.
function settle(page) {
	return page.evaluate(() => new Promise((done) =>
		requestAnimationFrame(() => requestAnimationFrame(done))));
}

function labels(page) {
	return page.$$eval(".frames text", (all) => all.map((e) => e.textContent));
}

// The box on the screen of the frame that shows this label.
async function boxOf(page, label) {
	return page.$$eval(".frames text", (all, want) => {
		const text = all.find((e) => e.textContent === want);
		if (!text)
			return null;
		const r = text.previousElementSibling;
		const { x, y, width, height } = r.getBoundingClientRect();
		return { x, y, width, height, className: r.getAttribute("class") };
	}, label);
}

async function clickFrame(page, label) {
	const box = await boxOf(page, label);
	await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
	await settle(page);
}

async function search(page, text) {
	await page.keyboard.press("Control+f");
	await page.keyboard.insertText(text);
	await settle(page);
	return page.$eval(".matched", (e) => e.textContent);
}

function readFolded(file) {
	return readFileSync(`${folder}/${file}`, "utf8").trimEnd().split("\n").map((line) => {
		const at = line.lastIndexOf(" ");
		return {
			frames: line.slice(0, at).split(";").map((f) => f.replace(/_\[[kij]\]$/, "")),
			count: Number(line.slice(at + 1)),
		};
	});
}

function matchedWanted(file, regex) {
	let all = 0, hit = 0;
	for (const { frames, count } of readFolded(file)) {
		all += count;
		if (frames.some((f) => regex.test(f)))
			hit += count;
	}
	return `Matched: ${(100 * hit / all).toFixed(2)}%`;
}

async function quiet(page, name) {
	is(page.said.join("; "), "", `${name}: nothing on the console, no dialog`);
	is(page.asked.length, 1, `${name}: nothing is fetched`);
	await page.context().close();
}

async function testZoom() {
	const page = await open("mix.svg");
	const before = await page.$eval(".frames", (e) => e.innerHTML);
	const root = await boxOf(page, "all");
	is(root.width, 1000 - 24 - 0.5, "the root is as wide as the window allows");

	const long = "a_function_with_a_rather_long_name_that_is_cut";
	const cut = (await labels(page)).find((l) => l.endsWith("..") && long.startsWith(l.slice(0, -2)));
	ok(cut, "a long label is cut to its frame");
	await clickFrame(page, cut);
	const zoomed = await boxOf(page, long);
	is(zoomed?.width, root.width, "a click zooms: the frame fills the width");
	ok(zoomed, "and its label is fitted anew");
	ok((await boxOf(page, "main")).className.includes("faded"), "ancestors stay, faded");
	is(await boxOf(page, "do_syscall_64"), null, "what is beside it goes");

	await page.keyboard.press("Escape");
	await settle(page);
	is(await page.$eval(".frames", (e) => e.innerHTML), before, "Escape restores the picture");
	ok(await page.$eval(".reset", (e) => e.hidden), "and there is nothing to reset");

	await clickFrame(page, cut);
	await page.click(".reset");
	await settle(page);
	is(await page.$eval(".frames", (e) => e.innerHTML), before, "so does Reset zoom");

	await clickFrame(page, "main");
	await clickFrame(page, "all");
	is(await page.$eval(".frames", (e) => e.innerHTML), before, "so does a click on the root");

	const narrow = "seen";
	ok((await page.textContent(".note")).startsWith("1 frame narrower"), "one is not drawn");
	const beside = await boxOf(page, "syscall"); // its neighbour, one pixel wide, holds that one
	await page.mouse.click(beside.x - 0.6, beside.y + 5);
	await settle(page);
	ok((await labels(page)).includes(narrow), "it is when there is room");
	is(await page.textContent(".note"), "", "and no longer counted as missing");
	await quiet(page, "zoom");
}

async function testSearch() {
	const page = await open("mix.svg");
	for (const regex of ["^do_", "alloc", "main|vfs", "long_name", "^[[]", "no such thing"]) {
		is(await search(page, regex), matchedWanted("mix.folded", new RegExp(regex)),
			`search ${regex}: the percentage counts each sample once`);
		await page.keyboard.press("Escape");
		await settle(page);
	}
	is(await page.$eval(".matched", (e) => e.textContent), "", "Escape clears the search");
	is((await page.$$(".hit")).length, 0, "and its marks");

	await search(page, "^alloc");
	const marks = await page.$$eval(".hit + text", (all) => all.map((e) => e.textContent));
	ok(marks.length > 1 && marks.every((m) => m.startsWith("al")), "matches are marked", marks.join());
	await clickFrame(page, "main");
	ok((await page.$$(".hit")).length > 0, "they stay marked in a zoom");
	await page.click(".search");
	await page.keyboard.press("Escape");
	await search(page, "(");
	ok((await page.$eval(".matched", (e) => e.textContent)).includes("Not a regular expression"),
		"what is no regular expression is called so");
	await quiet(page, "search");
}

async function testDetails() {
	const page = await open("mix.svg");
	const total = readFolded("mix.folded").reduce((sum, { count }) => sum + count, 0);
	const kernel = readFolded("mix.folded").filter(({ frames }) => frames.includes("do_syscall_64"))
		.reduce((sum, { count }) => sum + count, 0);
	const box = await boxOf(page, "do_syscall_64");
	await page.mouse.move(box.x + 5, box.y + 5);
	const tip = await page.$eval(".tooltip", (e) => e.innerText ?? e.textContent);
	ok(await page.$eval(".tooltip", (e) => e.getAttribute("visibility") === "visible"),
		"the mouse brings up the details");
	for (const part of ["do_syscall_64", `${kernel.toLocaleString("en-US")} samples`,
		`${(100 * kernel / total).toFixed(2)}%`, "kernel"])
		ok(tip.includes(part), `they tell ${part}`, tip);
	await page.mouse.move(5, 5);
	ok(await page.$eval(".tooltip", (e) => e.getAttribute("visibility") === "hidden"),
		"and leave with it");
	await quiet(page, "details");
}

async function testHostile() {
	const page = await open("hostile.svg", { viewport: { width: 4000, height: 700 } });
	is(await page.evaluate(() => window.pwned), undefined, "no script of a name has run");
	is(await page.$$eval("script", (all) => all.length), 1, "there is no script but ours");
	const shown = await labels(page);
	for (const { frames } of readFolded("hostile.folded"))
		ok(shown.includes(frames[0]), `drawn as text: ${frames[0].slice(0, 40)}`, shown.join("\n"));
	is(await search(page, "^__proto__$"), matchedWanted("hostile.folded", /^__proto__$/),
		"__proto__ is a name like others");
	const box = await boxOf(page, "<img src=x onerror=pwned=1>");
	await page.mouse.move(box.x + 5, box.y + 5);
	ok((await page.$eval(".tooltip", (e) => e.textContent)).includes("<img src=x onerror=pwned=1>"),
		"markup is text in the details, too");
	is(await page.evaluate(() => window.pwned), undefined, "and still no script has run");
	await quiet(page, "hostile names");
}

async function testHuge() {
	const page = await open("huge.svg");
	const box = await boxOf(page, "most");
	await page.mouse.move(box.x + 5, box.y + 5);
	const tip = await page.$eval(".tooltip", (e) => e.textContent);
	ok(tip.includes("9,223,372,036,854,775,807 samples"), "counts beyond 2^53 are exact", tip);
	is(await search(page, "rest"), "Matched: 0.00%", "and can be searched");
	await quiet(page, "huge counts");
}

async function testWindow() {
	const page = await open("deep.svg");
	const visible = await page.$eval(".frames rect:first-child",
		(e) => e.getBoundingClientRect().bottom <= window.innerHeight);
	ok(visible, "a graph taller than the window begins at its root");
	await page.evaluate(() => window.scrollTo(0, 20000));
	await settle(page);
	ok(await page.$eval(".search", (e) => Math.abs(e.getBoundingClientRect().y - 9) < 2),
		"the search stays in sight");
	await page.setViewportSize({ width: 600, height: 700 });
	await settle(page);
	await settle(page);
	const width = await page.$eval(".frames rect:first-child", (e) => Number(e.getAttribute("width")));
	ok(width > 500 && width <= 600 - 24, "the graph follows the window's width", String(width));
	await quiet(page, "window");

	const tower = await open("tower.svg", { viewport: { width: 600, height: 500 } });
	const bottom = await tower.evaluate(() => window.scrollY);
	await clickFrame(tower, "broad");
	await tower.waitForTimeout(200);
	ok((await tower.$$(".faded")).length > 0, "a frame at the foot of a tower is zoomed");
	is(await tower.evaluate(() => window.scrollY), bottom, "and the window stays where it was");
	await quiet(tower, "tower");

	const fixed = await open("fixed.svg");
	is(await fixed.$eval("svg", (e) => e.getAttribute("width")), "2000", "--width is kept");
	is((await boxOf(fixed, "all")).width, 2000 - 24 - 0.5, "and filled");
	await quiet(fixed, "--width");
}

async function testWithoutScripts() {
	const page = await open("mix.svg", { javaScriptEnabled: false });
	await quiet(page, "without scripts");
	const img = await open("img.html");
	is(await img.$eval("img", (e) => `${e.complete} ${e.naturalWidth}`), "true 1200",
		"shown as an <img> of its own width");
	is(img.said.join("; "), "", "an <img> says nothing on the console");
	is(img.asked.length, 2, "nor fetches anything");
	await img.context().close();
}

async function testMany() {
	const page = await open("many.svg");
	const ms = await page.evaluate(() => performance.getEntriesByType("navigation")[0].duration);
	const n = readFolded("many.folded").length;
	const begin = Date.now();
	is(await search(page, "^leaf_.*7$"), matchedWanted("many.folded", /^leaf_.*7$/),
		`${n} stacks: searched, what is not drawn included`);
	console.log(`# ${n} stacks: loaded in ${Math.round(ms)} ms, searched in ${Date.now() - begin} ms`);
	ok((await page.$$(".frames > *")).length < 20000, "there are no more elements than can be seen");
	await quiet(page, "many frames");
}

for (const test of [testZoom, testSearch, testDetails, testHostile, testHuge, testWindow,
	testWithoutScripts, testMany]) {
	try {
		await test();
	} catch (error) {
		ok(false, test.name, String(error.stack ?? error).replaceAll("\n", "\n# "));
	}
}
await browser.close();
console.log(`1..${run}`);
process.exit(failed ? 1 : 0);
