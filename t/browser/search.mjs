// Search: what matches, how much, the walk over the matches, marks.
import { bare, boxOf, clickFrame, is, ok, open, percent, press, quiet, readFolded, runTests,
	search, settle, sum, text } from "./harness.mjs";

function matchedWanted(file, test) {
	const stacks = readFolded(file);
	const hit = stacks.filter(({ frames }) => frames.some((f) => test(bare(f))));
	return `Matched: ${percent(sum(hit), sum(stacks))}`;
}

// Frames, that is paths, whose last name matches.
function framesMatching(file, regex) {
	const paths = new Set();
	for (const { frames } of readFolded(file))
		frames.forEach((f, k) => regex.test(bare(f)) &&
			paths.add(frames.slice(0, k + 1).join(";")));
	return paths.size;
}

async function testSearch() {
	const page = await open("mix.svg");
	for (const regex of ["^do_", "alloc", "main|vfs", "long_name", "^[[]", "no such thing"])
		is(await search(page, regex), matchedWanted("mix.folded", (f) =>
			new RegExp(regex).test(f)),
			`search ${regex}: the percentage counts each sample once`);
	await press(page, "Escape");
	is(await text(page, ".matched"), "", "Escape clears the search");
	is((await page.$$(".hit")).length, 0, "and its marks");

	await search(page, "^alloc");
	const marks = await page.$$eval(".hit + text", (all) => all.map((e) => e.textContent));
	ok(marks.length > 1 && marks.every((m) => m.startsWith("al")), "matches are marked",
		marks.join());
	await clickFrame(page, "main");
	ok((await page.$$(".hit")).length > 0, "they stay marked in a zoom");
	await press(page, "i");
	ok((await page.$$(".hit")).length > 0, "and in another view");

	await search(page, "(");
	is(await text(page, ".matched"), "Not a regular expression",
		"what is none is called so as it is typed");
	ok((await page.getAttribute(".search", "aria-invalid")) === "true",
		"to those who listen, too");
	await page.click("button[aria-label='Regular expression']");
	await settle(page);
	is(await text(page, ".matched"), "Matched: 0.00%", "it is text if that is chosen");
	await search(page, "[unknown]");
	is(await text(page, ".matched"), matchedWanted("mix.folded", (f) =>
		f.includes("[unknown]")),
		"plain text has no special characters");
	await search(page, "ALLOC");
	is(await text(page, ".matched"), "Matched: 0.00%", "case matters");
	await page.click("button[aria-label='Match case']");
	await settle(page);
	is(await text(page, ".matched"), matchedWanted("mix.folded", (f) => f.includes("alloc")),
		"unless told");
	await quiet(page, "search");
}

async function testFocus() {
	const page = await open("mix.svg");
	const focused = () => page.evaluate(() =>
		document.activeElement.classList.contains("search"));
	for (const key of ["Control+f", "/", "F3"]) {
		await press(page, key);
		ok(await focused(), `${key} goes to the search`);
		await press(page, "Escape");
	}
	await press(page, "Control+f");
	const kept = await page.evaluate(() => {
		const event = new KeyboardEvent("keydown",
			{ key: "f", ctrlKey: true, bubbles: true, cancelable: true });
		document.activeElement.dispatchEvent(event);
		return event.defaultPrevented;
	});
	is(kept, false, "a second Ctrl-F is the browser's own");
	await page.keyboard.type("n/t");
	await settle(page);
	is(await page.$eval(".search", (e) => e.value), "n/t", "keys are letters while typing");
	await quiet(page, "focus");
}

async function testWalk() {
	const page = await open("mix.svg");
	await search(page, "alloc|seen");
	const n = framesMatching("mix.folded", /alloc|seen/);
	is(await text(page, ".index"), String(n), "it is told how many frames match");
	await press(page, "Enter");
	is(await text(page, ".index"), `1 of ${n}`, "Enter goes to the first");
	const seen = [await text(page, ".details-name")];
	await page.$eval(".canvas", (e) => e.focus());
	for (let i = 2; i <= n; i++) {
		await press(page, "n");
		is(await text(page, ".index"), `${i} of ${n}`, `n goes on to ${i} of ${n}`);
		seen.push(await text(page, ".details-name"));
		ok(await page.$(".outlines .cursor"), "and outlines it");
	}
	is(seen.sort().join(), "alloc_inode,alloc_large,alloc_large,alloc_pages,alloc_small,seen",
		"each match once, too narrow ones as well");
	await press(page, "n");
	is(await text(page, ".index"), `1 of ${n}`, "then from the start");
	await press(page, "Shift+n");
	is(await text(page, ".index"), `${n} of ${n}`, "Shift-n goes back");
	await press(page, "Escape");
	await clickFrame(page, "node");
	await press(page, "n");
	ok((await text(page, ".details-name")).startsWith("alloc") &&
		await page.$(".outlines .cursor"),
		"it zooms out to a match beside the zoomed frame");
	await page.click("button[aria-label^='Clear the search']");
	await settle(page);
	is(await page.$eval(".search", (e) => e.value), "", "a button clears the search");
	await quiet(page, "walk");

	const deep = await open("deep.svg");
	await search(deep, "^f4000$");
	await press(deep, "Enter");
	const box = await boxOf(deep, "f4000");
	ok(box && box.y > 60 && box.y < 650, "a match out of sight is scrolled to", box);
	await quiet(deep, "deep walk");
}

async function testOdd() {
	const page = await open("huge.svg");
	const box = await boxOf(page, "most");
	await page.mouse.move(box.x + 5, box.y + 5);
	const tip = await text(page, ".tooltip");
	ok(tip.includes("9,223,372,036,854,775,807 samples"), "counts beyond 2^53 are exact", tip);
	is(await search(page, "rest"), "Matched: 0.00%", "and can be searched");
	await quiet(page, "huge counts");
	const hostile = await open("hostile.svg");
	is(await search(hostile, "^__proto__$"), matchedWanted("hostile.folded", (f) =>
		f === "__proto__"),
		"__proto__ is a name like others");
	await quiet(hostile, "hostile");
}

runTests([testSearch, testFocus, testWalk, testOdd]);
