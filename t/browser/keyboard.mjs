// Without a mouse: keys, focus, what is spoken; with a finger; menu and help.
import { boxOf, is, ok, open, press, quiet, runTests, settle, text } from "./harness.mjs";

async function testKeys() {
	const page = await open("mix.svg");
	const name = () => text(page, ".details-name");
	await page.focus(".canvas");
	await press(page, "Home");
	is(await name(), "all", "Home is the root");
	await press(page, "ArrowUp");
	is(await name(), "app", "up is the widest callee");
	await press(page, "ArrowRight");
	is(await name(), "node", "right is the neighbour");
	await press(page, "ArrowLeft", "ArrowUp");
	is(await name(), "main", "left is the other one");
	ok((await text(page, "[aria-live]")).startsWith("main, 61.81%, depth 2") ||
		/^main, \d+\.\d\d%, depth 2$/.test(await text(page, "[aria-live]")),
			"name, percentage, depth are spoken");
	ok(await page.$(".outlines .cursor"), "the frame is outlined");
	await press(page, "Enter");
	ok((await boxOf(page, "app")).className.includes("faded"), "Enter zooms");
	await press(page, "Backspace");
	ok(!(await boxOf(page, "app")).className.includes("faded"), "Backspace goes to the caller");
	await press(page, "ArrowDown", "i");
	ok((await boxOf(page, "all")).y < (await boxOf(page, "app")).y, "i turns the graph");
	await press(page, "Escape", "i", "Delete", "u");
	ok(await boxOf(page, "main"), "removed and brought back");

	await press(page, "?");
	ok((await text(page, ".help")).includes("next and previous match"), "? lists the keys");
	await press(page, "Escape");
	ok(await page.$eval(".help", (e) => e.hidden), "Escape closes it");
	await press(page, "v");
	ok(await page.evaluate(() => document.activeElement.closest(".panel") !== null),
		"v opens the options");
	await press(page, "Tab", "Tab", "Tab");
	ok(await page.evaluate(() => document.activeElement.closest(".panel") !== null),
		"Tab stays in them");
	await press(page, "Escape");
	is(await page.$eval(".view-button", (e) => e.getAttribute("aria-expanded")), "false",
		"Escape closes them");

	const unnamed = await page.$$eval("button,input", (all) => all.filter((e) =>
		!e.getAttribute("aria-label") && !e.textContent.trim() &&
			!e.closest("label")).length);
	is(unnamed, 0, "each control has a name");
	const order = [];
	await page.evaluate(() => document.activeElement.blur());
	for (let k = 0; k < 9; k++) {
		await page.keyboard.press("Tab");
		order.push(await page.evaluate(() => document.activeElement?.className?.baseVal ??
			document.activeElement?.className));
	}
	ok(order.includes("canvas") && order.includes("search"), "Tab reaches search and frames",
		order.join());
	await quiet(page, "keyboard");
}

async function testMenu() {
	const page = await open("mix.svg");
	await page.focus(".canvas");
	await press(page, "Home", "ArrowUp", "m");
	is(await text(page, ".menu-name"), "app", "m opens the frame's menu");
	await press(page, "ArrowDown", "Enter");
	ok((await page.$$(".hit")).length > 0,
		"arrows and Enter take what it offers: the function is marked");
	await quiet(page, "menu");
}

async function testTouch() {
	const page = await open("mix.svg", { hasTouch: true,
		viewport: { width: 400, height: 700 } });
	const box = await boxOf(page, "main");
	await page.touchscreen.tap(box.x + 20, box.y + 6);
	await settle(page);
	ok((await boxOf(page, "app")).className.includes("faded"), "a tap zooms");
	const at = await boxOf(page, "app");
	const client = await page.context().newCDPSession(page);
	const points = [{ x: at.x + 20, y: at.y + 6 }];
	await client.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points });
	await page.waitForTimeout(700);
	await client.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
	await settle(page);
	ok(await page.$eval(".menu", (e) => !e.hidden && e.textContent.includes("samples")),
		"a long press shows details");
	is(await text(page, ".menu-name"), "app", "of the frame under the finger");
	await press(page, "Escape");
	for (const down of [60, 120, 180, 240]) {
		const { x, y } = await boxOf(page, "app");
		await page.setViewportSize({ width: 400, height: 700 - down });
		await settle(page);
		const now = await boxOf(page, "app");
		const finger = [{ x: now.x + 20, y: now.y + 6 }];
		await client.send("Input.dispatchTouchEvent", { type: "touchStart",
			touchPoints: finger });
		await page.waitForTimeout(700);
		await client.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
		await settle(page);
		ok(now.y < y && x === now.x && await page.$eval(".menu", (e) => !e.hidden),
			"the finger that is lifted takes nothing of the menu under it");
		await press(page, "Escape");
	}
	await page.setViewportSize({ width: 400, height: 700 });
	await settle(page);
	const main = await boxOf(page, "main");
	await page.touchscreen.tap(main.x + 20, main.y + 6);
	await settle(page);
	ok((await boxOf(page, "app")).className.includes("faded"), "and the next tap is one");
	await quiet(page, "touch");
}

async function testDetails() {
	const page = await open("mix.svg");
	const box = await boxOf(page, "do_syscall_64");
	await page.mouse.move(box.x + 5, box.y + 5);
	for (const selector of [".tooltip", ".details"]) {
		const told = await text(page, selector);
		for (const part of ["do_syscall_64", "50,001 samples", "29.03%", "kernel"])
			ok(told.includes(part), `${selector} tells ${part}`, told);
	}
	await page.mouse.move(5, 5);
	ok(await page.$eval(".tooltip", (e) => e.hidden), "the tooltip leaves with the mouse");
	await page.mouse.click(box.x + 5, box.y + 5);
	await settle(page);
	const read = await boxOf(page, "vfs_read");
	await page.mouse.move(read.x + 5, read.y + 5);
	ok((await text(page, ".tooltip")).includes("60.00% of the zoomed frame"),
		"the share of the zoomed frame is told");
	await quiet(page, "details");
}

runTests([testKeys, testMenu, testTouch, testDetails]);
