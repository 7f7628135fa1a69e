// Views of the same data: each is compared with what the folded file gives when its stacks
// are changed here in the same way.
import { bare, boxOf, clickFrame, framesShown, framesWanted, is, ok, open, press, quiet, readFolded,
	runTests, sameFrames, settle, sum, text } from "./harness.mjs";
import { readFileSync } from "node:fs";

const LEAST = 0.005;

function collapsed(frames) {
	return frames.filter((f, k) => !k || bare(f) !== bare(frames[k - 1]));
}

function change(stacks, f) {
	return stacks.map(({ frames, count }) => ({ frames: f(frames), count }))
		.filter(({ frames }) => frames.length);
}

async function choose(page, option) {
	await page.click(".view-button");
	await page.click(`[data-option='${option}']`);
	await press(page, "Escape");
}

async function testViews() {
	const stacks = readFolded("rich.folded");
	const kernel = (f) => f.endsWith("_[k]");
	const cases = [
		["icicle:true", stacks, {}],
		["callers:true", change(stacks, (frames) => [...frames].reverse()), {}],
		["sort:weight", stacks, { sort: "weight" }],
		["hide:kernel", change(stacks, (frames) => frames.filter((f) => !kernel(f))), {}],
		["hide:user", change(stacks, (frames) => frames.filter(kernel)), {}],
	];
	for (const [option, wanted, how] of cases) {
		const page = await open("rich.svg", { viewport: { width: 1200, height: 900 } });
		const before = await page.$eval("g.frames", (e) => e.innerHTML);
		await choose(page, option);
		sameFrames(await framesShown(page, LEAST), framesWanted(wanted,
			{ least: LEAST, ...how }),
			`${option}: each frame is where the changed stacks have it`);
		ok((await page.$eval("g.frames", (e) => e.innerHTML)) !== before,
			`${option}: it is another picture`);
		await page.goBack();
		await settle(page);
		is(await page.$eval("g.frames", (e) => e.innerHTML), before,
			`${option}: Back undoes it`);
		await quiet(page, option);
	}
}

async function testMixViews() {
	const stacks = readFolded("mix.folded");
	const page = await open("mix.svg");
	await choose(page, "collapse:true");
	sameFrames(await framesShown(page, LEAST), framesWanted(change(stacks, collapsed),
		{ least: LEAST }),
		"recursion collapsed: fib is one frame");
	await page.click(".chip");
	await settle(page);
	sameFrames(await framesShown(page, LEAST), framesWanted(stacks, { least: LEAST }),
		"its chip undoes it");

	await choose(page, "cutStart:true");
	ok(await page.$$eval("g.frames text", (all) => all.some((e) =>
		e.textContent.startsWith("..")) &&
		!all.some((e) => e.textContent.endsWith(".."))), "labels are cut at the start");
	await press(page, "l");

	await clickFrame(page, "node", { button: "right" });
	ok((await text(page, ".menu")).includes("Remove this subtree"),
		"a right click opens a frame's menu");
	await page.click("button:has-text('Remove this subtree')");
	await settle(page);
	const left = stacks.filter(({ frames }) => frames[0] !== "node");
	sameFrames(await framesShown(page, LEAST), framesWanted(left, { least: LEAST }),
		"the subtree is removed, what is left fills the width");
	ok((await text(page, ".note")).includes(
		`${(sum(stacks) - sum(left)).toLocaleString("en-US")} samples left out`),
		"and it is told how much is left out");
	await press(page, "u");
	sameFrames(await framesShown(page, LEAST), framesWanted(stacks, { least: LEAST }),
		"u brings it back");
	await quiet(page, "mix views");
}

async function testExport() {
	const page = await open("mix.svg", { acceptDownloads: true });
	const saved = async () => {
		const [download] = await Promise.all([page.waitForEvent("download"),
			page.keyboard.press("e")]);
		return readFileSync(await download.path(), "utf8").trimEnd().split(
			"\n").sort().join("\n");
	};
	const lines = (stacks) => stacks.map(({ line, count }) =>
		`${line} ${count}`).sort().join("\n");
	const stacks = readFolded("mix.folded");
	is(await saved(), lines(stacks), "the export is the folded file, annotations and all");
	await clickFrame(page, "syscall");
	is(await saved(), lines(stacks.filter(({ frames }) => frames[2] === "syscall")),
		"of a zoom, its part");
	await quiet(page, "export");
}

async function testCopy() {
	const page = await open("mix.svg", { permissions: ["clipboard-read", "clipboard-write"] });
	await clickFrame(page, "do_syscall_64");
	await press(page, "c");
	const clip = () => page.evaluate(() => navigator.clipboard.readText());
	is(await clip(), "do_syscall_64", "c copies the name");
	await press(page, "Shift+C");
	is(await clip(), "app;main;syscall;do_syscall_64_[k]", "Shift-c the whole stack");
	await quiet(page, "copy");
}

async function testChart() {
	const page = await open("chart.svg", { viewport: { width: 1200, height: 900 } });
	const wanted = [["b", 0, 300], ["a", 300, 200], ["b", 500, 600]]
		.map(([, x, width]) => `1 ${(x / 1100).toFixed(3)} ${(width / 1100).toFixed(3)}`);
	sameFrames((await framesShown(page, LEAST)).filter((line) => line.startsWith("1 ")), wanted,
		"a flame chart keeps the input's order");
	const box = await boxOf(page, "b", 1);
	await page.mouse.click(box.x + 3, box.y + 5);
	await settle(page);
	const shown = await page.$eval("g.frames", (e) => e.innerHTML);
	ok(await boxOf(page, "y"), "the second of two of one path can be zoomed");
	await page.reload();
	await settle(page);
	is(await page.$eval("g.frames", (e) => e.innerHTML), shown, "and is restored from the URL");
	await quiet(page, "chart", page.asked.length);
}

runTests([testViews, testMixViews, testExport, testCopy, testChart]);
