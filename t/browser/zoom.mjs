// Zoom and what it shows, the window's size, pages around the picture.
import { bare, boxOf, clickFrame, framesShown, framesWanted, is, labels, ok, open, press, quiet,
	readFolded, runTests, sameFrames, settle, text } from "./harness.mjs";

const LEAST = 0.004;

export async function testZoom() {
	const page = await open("mix.svg");
	const before = await page.$eval("g.frames", (e) => e.innerHTML);
	const root = await boxOf(page, "all");
	is(root.width, 1000 - 16 - 0.5, "the root is as wide as the window allows");
	const stacks = readFolded("mix.folded");
	sameFrames(await framesShown(page, LEAST), framesWanted(stacks, { least: LEAST }),
		"all frames are where the folded file has them");

	const long = "a_function_with_a_rather_long_name_that_is_cut";
	const cut = (await labels(page)).find((l) => l.endsWith("..") &&
		long.startsWith(l.slice(0, -2)));
	ok(cut, "a long label is cut to its frame");
	await clickFrame(page, cut);
	const zoomed = await boxOf(page, long);
	is(zoomed?.width, root.width,
		"a click zooms: the frame fills the width, its label fitted anew");
	ok((await boxOf(page, "main")).className.includes("faded"), "ancestors stay, faded");
	is(await boxOf(page, "do_syscall_64"), null, "what is beside it goes");
	const under = stacks.filter(({ frames }) => frames[2] === long);
	sameFrames(await framesShown(page, LEAST), framesWanted(under, { least: LEAST }),
		"the zoomed frame's callees are where the folded file has them");

	await press(page, "Escape");
	is(await page.$eval("g.frames", (e) => e.innerHTML), before, "Escape restores the picture");
	ok(await page.$eval(".reset", (e) => e.disabled), "and there is nothing to reset");
	await clickFrame(page, cut);
	await page.click(".reset");
	await settle(page);
	is(await page.$eval("g.frames", (e) => e.innerHTML), before, "so does Reset zoom");
	await clickFrame(page, "main");
	await clickFrame(page, "all");
	is(await page.$eval("g.frames", (e) => e.innerHTML), before, "so does a click on the root");
	await clickFrame(page, "main");
	await clickFrame(page, "syscall");
	await page.goBack();
	await settle(page);
	is((await boxOf(page, "main"))?.width, root.width, "Back returns to the zoom before");
	await page.goBack();
	await settle(page);
	is(await page.$eval("g.frames", (e) => e.innerHTML), before, "and to the whole");

	ok((await text(page, ".note")).startsWith("1 frame narrower"),
		"one is not drawn, and that is said");
	await page.goto(`${page.url().replace(/#.*/, "")}#zoom=app;main;narrow`);
	await settle(page);
	ok((await labels(page)).includes("seen"), "it is drawn when there is room");
	is(await text(page, ".note"), "", "and no longer counted as missing");
	await quiet(page, "zoom", 1);
}

// All widths: what is drawn is what the file says, and nothing overflows.
export async function testWidths() {
	for (const width of [380, 600, 1200, 2400]) {
		const page = await open("rich.svg", { viewport: { width, height: 900 } });
		const least = 3 / width;
		sameFrames(await framesShown(page, least), framesWanted(readFolded("rich.folded"),
			{ least }),
			`${width} px: each frame is where the folded file has it`);
		const wide = await page.evaluate(() =>
			[...document.querySelectorAll(".head *,.details *")]
			.filter((e) => e.getBoundingClientRect().right > innerWidth + 1 &&
				e.closest("[hidden]") === null &&
				getComputedStyle(e).overflow !== "hidden" &&
					!e.closest(".unseen") &&
				e.getBoundingClientRect().width > 1).map((e) => e.className));
		is(wide.join(), "", `${width} px: nothing sticks out of the window`);
		await quiet(page, `${width} px`);
	}
}

export async function testWindow() {
	const page = await open("deep.svg");
	const root = await boxOf(page, "all");
	ok(root && root.y + root.height <= 700,
		"a graph taller than the window begins at its root");
	const count = await page.$$eval("g.frames *", (all) => all.length);
	ok(count < 500, "5,000 frames deep: only rows near the window are elements", count);
	await page.$eval(".middle", (e) => e.scrollTo(0, 20000));
	await settle(page);
	const inSight = await page.$$eval("g.frames text", (all) => all.filter((e) => {
		const { y } = e.getBoundingClientRect();
		return y > 100 && y < 600;
	}).map((e) => e.textContent));
	ok(inSight.length > 25 && inSight.every((l) => /^f\d+$/.test(l)),
		"scrolled to, they are drawn", inSight);
	ok(await page.$eval(".search", (e) => e.getBoundingClientRect().y < 60),
		"the search stays in sight");
	ok(await page.$eval(".details", (e) => e.getBoundingClientRect().bottom <= 701),
		"so do the details");
	await page.setViewportSize({ width: 600, height: 700 });
	await settle(page);
	const width = await page.$eval(".canvas", (e) => Number(e.getAttribute("width")));
	ok(width > 560 && width <= 600, "the graph follows the window's width", width);
	await quiet(page, "window");

	const tower = await open("tower.svg", { viewport: { width: 600, height: 500 } });
	const before = await boxOf(tower, "broad");
	await clickFrame(tower, "broad");
	ok((await tower.$$(".faded")).length > 0, "a frame at the foot of a tower is zoomed");
	is((await boxOf(tower, "broad")).y, before.y, "and stays where it was on the screen");
	await quiet(tower, "tower");

	const fixed = await open("fixed.svg");
	is((await boxOf(fixed, "all")).width, 2000 - 16 - 0.5,
		"--width is kept, wider than the window");
	await fixed.focus(".canvas");
	await press(fixed, "Home", "ArrowUp", "ArrowRight");
	const cursor = await fixed.$eval(".outlines .cursor", (e) => e.getBoundingClientRect().x);
	ok(await text(fixed, ".details-name") === "node" && cursor > 0 && cursor < 1000 - 30,
		"keys scroll to what is beside it", cursor);
	await quiet(fixed, "--width");
}

export async function testPages() {
	const off = await open("mix.svg", { javaScriptEnabled: false });
	ok((await off.$$(".static text")).length > 5,
		"without scripts the static picture is there");
	await quiet(off, "without scripts");
	const img = await open("img.html");
	is(await img.$eval("img", (e) => `${e.complete} ${e.naturalWidth}`), "true 1200",
		"shown as an <img> of its own width");
	await quiet(img, "an <img>", 2);

	const page = await open("inline.html");
	is(await page.$$eval(".static", (all) => all.length), 0,
		"in a page the script takes over, too");
	is(await page.$eval("svg.flame", (e) => e.getAttribute("width")), "1200",
		"it keeps its own width");
	const height = await page.$eval("svg.flame", (e) => Number(e.getAttribute("height")));
	ok(height > 200 && height < 400, "and is as high as what it shows", height);
	await page.evaluate(() => document.querySelector(".canvas").scrollIntoView());
	await clickFrame(page, "main");
	ok((await boxOf(page, "app")).className.includes("faded"), "it can be zoomed");
	is(await page.evaluate(() => location.hash), "", "and leaves the page's URL alone");
	await quiet(page, "inline in a page");

	const print = await open("deep.svg");
	await print.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
	await settle(print);
	is((await labels(print)).length, 5001, "printing draws all rows");
	await print.evaluate(() => window.dispatchEvent(new Event("afterprint")));
	await quiet(print, "print");
}

export async function testHostile() {
	const page = await open("hostile.svg", { viewport: { width: 4000, height: 700 } });
	is(await page.evaluate(() => window.pwned), undefined, "no script of a name has run");
	is(await page.$$eval("script", (all) => all.length), 1, "there is no script but ours");
	const shown = await labels(page);
	for (const { frames } of readFolded("hostile.folded"))
		ok(shown.includes(bare(frames[0])), `drawn as text: ${frames[0].slice(0, 40)}`,
			shown.join("\n"));
	const box = await boxOf(page, "<img src=x onerror=pwned=1>");
	await page.mouse.move(box.x + 5, box.y + 5);
	ok((await text(page, ".tooltip")).includes("<img src=x onerror=pwned=1>"),
		"markup is text in the tooltip");
	await press(page, "t");
	ok((await text(page, ".functions")).includes("<img src=x onerror=pwned=1>"),
		"and in the table");
	await page.goto(`${page.url().replace(/#.*/, "")}#zoom=%3Cscript%3E;<img src=x onerror=pwned=1>&search=%zz`);
	await settle(page);
	is(await page.evaluate(() => window.pwned), undefined, "nor does one of the URL");
	await quiet(page, "hostile names", 1);
}

runTests([testZoom, testWidths, testWindow, testPages, testHostile]);
