// What is rare: views that leave nothing, pictures made with --reverse, links of --nameattr,
// a callers view that was cut, numbers too long for their place, paper.
import { boxOf, clickFrame, fragment, is, labels, ok, open, press, quiet, readFolded, runTests,
	search, settle, sum, percent, text } from "./harness.mjs";

async function goTo(page, hash) {
	await page.evaluate((to) => {
		location.hash = to;
	}, hash);
	await settle(page);
}

// "" or what is cut by the box it is in: a number that has lost its end is another.
function cutTexts(page, selector) {
	return page.$$eval(selector, (all) => all
		.filter((e) => e.offsetWidth && (e.scrollWidth > e.clientWidth + 1 ||
			e.scrollHeight > e.clientHeight + 1))
		.map((e) => `${e.className} ${e.textContent}`).join(" | "));
}

async function testEmpty() {
	for (const [file, hash] of [["mix.svg", "removed=app&removed=node&search=alloc"],
		["chart.svg", "view=no-user"], ["change.svg", "view=no-user&search=app"],
		["change.svg", "removed=app&view=both,callers,by-weight"]]) {
		const page = await open(file);
		await goTo(page, hash);
		is((await labels(page)).join(), "all", `${file} ${hash}: nothing but the root is left`);
		is((await boxOf(page, "all")).width, 1000 - 16 - 0.5, "which fills the width");
		ok(/ left out by the view/.test(await text(page, ".note")), "it is told why");
		const told = await page.$eval(".ui", (e) => e.innerText);
		ok(!/100%|NaN/.test(told.replace(/100\s?%/, (all) => all.length > 4 ? "" : all)),
			"nothing is 100 % of nothing", told);
		await press(page, "t", "t", "i", "Home", "ArrowUp", "Enter", "Escape");
		await quiet(page, `${file} ${hash}`);
	}
	const page = await open("mix.svg");
	await goTo(page, "removed=app;nowhere");
	ok((await text(page, ".notice")).includes("app;nowhere"),
		"a subtree to be removed that is not there is told");
	await quiet(page, "not there");
}

async function testReversed() {
	const page = await open("reversed.svg");
	ok(await boxOf(page, "seen") === null && await boxOf(page, "vfs_read"),
		"--reverse: leaves are at the root");
	is((await page.$$(".chip")).length, 0, "as the picture was made");
	await press(page, "r");
	is(await text(page, ".chip"), "callees, from the root", "r shows callees");
	ok((await boxOf(page, "app")).y > (await boxOf(page, "main")).y, "from the root");
	await page.waitForTimeout(200);
	is(await fragment(page), "#view=callees", "so the URL calls it");
	await page.click(".view-button");
	is(await page.$eval("[name=flame-callers]:checked", (e) => e.parentNode.textContent),
		"callees, from the root", "and the options do");
	await page.reload();
	await settle(page);
	is(await text(page, ".chip"), "callees, from the root", "it is restored");
	await quiet(page, "--reverse", page.asked.length);
}

async function testCut() {
	const page = await open("cut.svg");
	const matched = await search(page, "^f3$");
	await press(page, "Escape", "r");
	ok((await text(page, ".note")).includes("left out: too many"), "a callers view that was cut");
	is(await search(page, "^f3$"), matched, "the percentage counts what was cut off, too");
	const stacks = readFolded("rich.folded");
	is(matched, `Matched: ${percent(sum(stacks.filter(({ frames }) =>
		frames.some((f) => /^f3(_\[k\])?$/.test(f)))), sum(stacks))}`, "each sample once");
	ok((await text(page, ".index")).endsWith(" shown"), "the frames are told to be those shown");
	await quiet(page, "cut");
}

async function testLinks() {
	const page = await open("links.svg", { viewport: { width: 1000, height: 700 } });
	const opened = await boxOf(page, "linked");
	const given = () => page.$$eval("g.frames a", (all) => all.map((e) =>
		`${e.getAttribute("href")} ${e.getAttribute("target")} ${e.textContent}`).join());
	is(await given(), "img.html#at _top linked", "--nameattr href: the frame is a link");
	is(await page.$eval("g.frames .mine", (e) => `${e.textContent} ${e.getAttribute("style")}`),
		"classy opacity: .7", "class and style are around theirs");
	ok(await page.evaluate(() => getComputedStyle(document.querySelector("g.frames .mine"))
		.opacity === "0.7"), "and hold");
	await page.mouse.move(opened.x + 5, opened.y + 5);
	for (const part of ["title about it", "link img.html#at"])
		ok((await text(page, ".details")).includes(part), `the details tell: ${part}`);
	await page.keyboard.down("Control");
	await clickFrame(page, "linked");
	await page.keyboard.up("Control");
	is(await fragment(page), "#zoom=app;linked", "Ctrl and a click zoom");
	await press(page, "m");
	ok((await text(page, ".menu")).includes("Open its link"), "the menu has the link");
	await press(page, "Escape", "Escape");
	await search(page, "linked|classy");
	is((await page.$$("g.frames .hit")).length, 2, "a search marks them");
	await press(page, "Escape");
	const asked = page.asked.length;
	const box = await boxOf(page, "linked");
	await Promise.all([page.waitForURL(/img\.html#at$/),
		page.mouse.click(box.x + 20, box.y + 5)]);
	ok(page.asked.length > asked, "a click follows it");
	await quiet(page, "links", page.asked.length);
	const keys = await open("links.svg");
	await keys.focus(".canvas");
	await press(keys, "Home", "ArrowUp", "ArrowUp");
	is(await text(keys, ".details-name"), "linked", "by keys");
	await Promise.all([keys.waitForURL(/img\.html#at$/), keys.keyboard.press("o")]);
	await quiet(keys, "o", keys.asked.length);
}

async function testLongNumbers() {
	for (const file of ["huge.svg", "nanoseconds.svg"])
		for (const width of [380, 600, 800, 1200]) {
			const page = await open(file, { viewport: { width, height: 700 } });
			const zoomed = (await labels(page))[1];
			await goTo(page, `zoom=${zoomed}&search=.`);
			is(await cutTexts(page, ".details-facts,.matched"), "",
				`${file} ${width} px: details are whole`);
			await goTo(page, `view=table&function=${zoomed}`);
			is(await cutTexts(page, "td:not(.function-name),th,.side-facts"), "",
				"so is each number of the table");
			const names = await page.$$eval("td.function-name", (all) =>
				Math.min(...all.map((e) => e.clientWidth)));
			ok(names >= 100, "beside names that can be read", names);
			await quiet(page, `${file} ${width}`);
		}
}

// On paper is what was on the screen, and all of it.
async function testPaper() {
	for (const file of ["tower.svg", "rich.svg"]) {
		const page = await open(file, { colorScheme: "dark" });
		await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
		await page.emulateMedia({ media: "print", colorScheme: "light" });
		await page.setViewportSize({ width: 600, height: 800 });
		const out = await page.$$eval("g.frames rect,.title,.details", (all) => all.filter((e) => {
			const { left, top, right, bottom } = e.getBoundingClientRect();
			return left < -1 || top < -1 || right > 601 || bottom > 801;
		}).length);
		is(out, 0, `${file}: all of it is on the page`);
		if (file === "tower.svg")
			ok((await page.$$("g.frames path")).length > 149, "each row is drawn");
		await page.emulateMedia({ media: "screen" });
		await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
		await settle(page);
		is((await boxOf(page, "all")).width, 600 - 16 - 0.5, "then it is a page again");
		await quiet(page, `${file} on paper`);
	}
}

async function testLongNames() {
	const page = await open("long.svg");
	await clickFrame(page, (await labels(page)).find((l) => l.startsWith("xxx")));
	await press(page, "Delete");
	ok((await text(page, ".notice")).startsWith("Removed xxx"), "a frame of a long name");
	const { head, middle } = await page.evaluate(() => ({
		head: document.querySelector(".head").offsetHeight,
		middle: document.querySelector(".middle").offsetHeight,
	}));
	ok(head < 140 && middle > 400, "leaves room for the picture", `${head} ${middle}`);
	await page.evaluate(() => {
		location.hash = `zoom=${"long;".repeat(10000)}&removed=${"other;".repeat(10000)}`;
	});
	await settle(page);
	ok(await page.$eval(".head", (e) => e.offsetHeight) < 140, "so does a long URL");
	await quiet(page, "long names");
}

async function testCursor() {
	const page = await open("mix.svg");
	await search(page, "^seen$|^alloc_small$");
	await press(page, "Enter");
	await page.focus(".canvas");
	const walked = [await text(page, ".details-name")];
	await press(page, "n");
	walked.push(await text(page, ".details-name"));
	is(walked.sort().join(), "alloc_small,seen", "n goes to a frame too narrow to be drawn");
	await goTo(page, "search=^seen$|^alloc_small$&zoom=node");
	is(await text(page, ".details-name"), "all",
		"zoomed away from, the focus is on a frame in sight");
	ok(await page.$(".outlines .cursor"), "and seen");
	await press(page, "ArrowUp");
	is(await text(page, ".details-name"), "node", "arrows go on from there");
	await press(page, "Enter");
	ok(/^Zoomed to node, /.test(await text(page, "[aria-live]")) ||
		(await fragment(page)).includes("zoom=node"), "Enter");
	await press(page, "Escape");
	is(await text(page, "[aria-live]"), "Zoomed to all, 100%, depth 0", "a zoom is spoken");
	await quiet(page, "cursor");

	const old = await open("mix.svg");
	await search(old, "ALLOC");
	await press(old, "Control+i");
	ok((await text(old, ".matched")) !== "Matched: 0.00%", "Ctrl-I: without regard to case");
	await old.goto(`${old.url().replace(/#.*/, "")}?s=vfs`);
	await settle(old);
	is(await old.$eval(".search", (e) => e.value), "vfs", "?s= is a search");
	await quiet(old, "habits", old.asked.length);

	const wakers = await open("wakers.svg");
	ok((await labels(wakers)).includes("waker"), "_[w] is not shown");
	await quiet(wakers, "wakers");
}

runTests([testEmpty, testReversed, testCut, testLinks, testLongNumbers, testPaper, testLongNames,
	testCursor]);
