// What the URL keeps, differentials, themes and contrast.
import { boxOf, clickFrame, fragment, is, ok, open, press, quiet, runTests, search, settle, text,
	url } from
	"./harness.mjs";

async function testState() {
	const page = await open("mix.svg");
	await clickFrame(page, "main");
	await search(page, "alloc|vfs");
	await press(page, "Enter");
	await page.focus(".canvas");
	await press(page, "i", "w", "d");
	await page.waitForTimeout(200);
	is(await fragment(page),
		"#zoom=app;main&search=alloc|vfs&view=icicle,by-weight&theme=light",
		"zoom, search, view and theme are in the URL, readable");
	const shown = await page.$eval("g.frames", (e) => e.innerHTML);
	const again = await open(`mix.svg`);
	await again.goto(page.url());
	await settle(again);
	is(await again.$eval("g.frames", (e) => e.innerHTML), shown, "and restored from it");
	is(await again.$eval(".search", (e) => e.value), "alloc|vfs", "the search, too");
	await again.evaluate(() => {
		location.hash = "#zoom=app;main;nowhere";
	});
	await settle(again);
	ok((await text(again, ".notice")).includes("nowhere"), "a path that is not there is told");
	ok((await boxOf(again, "app")).className.includes("faded"),
		"and its deepest known frame zoomed");
	await again.context().close();
	await quiet(page, "state");
}

async function testDiff() {
	const page = await open("change.svg", { viewport: { width: 1200, height: 700 } });
	for (const [label, classes] of [["faster", "l5"], ["new", "n"], ["gone", "v"], ["same",
		"d0"],
		["slower", "m4"], ["inner", "m4"]])
		is((await boxOf(page, label))?.className, classes,
			`${label} has the class of its change`);
	const box = await boxOf(page, "slower");
	await page.mouse.move(box.x + 5, box.y + 5);
	const tip = await text(page, ".tooltip");
	for (const part of ["1,500 before, 3,500 after, +2,000, +133.33%",
		"500 before, 500 after, 0"])
		ok(tip.includes(part), `the tooltip tells ${part}`, tip);
	await page.mouse.move(5, 5);
	await page.click(".view-button");
	await page.click("[data-option='own:true']");
	is((await boxOf(page, "slower"))?.className, "d0", "by own change, it has none");
	const after = (await boxOf(page, "faster")).width;
	await page.click("[data-option='base:before']");
	await settle(page);
	ok((await boxOf(page, "faster")).width > 2 * after, "widths of before");
	ok((await page.$$(".legend .scale rect")).length === 13, "the legend has the scale");
	await quiet(page, "differential");
}

function contrast(a, b) {
	const luminance = (colour) => {
		const [r, g, bl] = colour.match(/[\d.]+/g).map((v) => v / 255)
			.map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * bl + 0.05;
	};
	const [x, y] = [luminance(a), luminance(b)];
	return Math.max(x, y) / Math.min(x, y);
}

async function testThemes() {
	const background = (page) => page.evaluate(() =>
		getComputedStyle(document.documentElement).backgroundColor);
	for (const colorScheme of ["light", "dark"]) {
		for (const file of ["rich.svg", "change.svg"]) {
			const page = await open(file,
				{ colorScheme, viewport: { width: 1200, height: 800 } });
			await search(page, "^f1$|same");
			const pairs = await page.$$eval("g.frames text", (all) => all.map((e) =>
				[getComputedStyle(e.previousElementSibling).fill,
					getComputedStyle(e).fill, e.textContent]));
			const bad = pairs.filter(([fill, ink]) => contrast(fill, ink) < 4.5);
			ok(pairs.length > 5 && !bad.length,
				`${colorScheme} ${file}: each label can be read`, bad.join(" "));
			await quiet(page, `${colorScheme} ${file}`);
		}
		const page = await open("mix.svg", { colorScheme });
		const own = await background(page);
		await press(page, "d");
		const light = await background(page);
		await press(page, "d");
		const dark = await background(page);
		ok(light === "rgb(255, 255, 255)" && dark !== light,
			`${colorScheme}: the theme can be chosen`);
		is(own, colorScheme === "dark" ? dark : light,
			`${colorScheme}: else it is the reader's`);
		await press(page, "d");
		is(await background(page), own, `${colorScheme}: and is again`);
		await quiet(page, `${colorScheme} toggle`);
	}
	ok(url("mix.svg").startsWith("file:"), "all of it from a file");
}

runTests([testState, testDiff, testThemes]);
