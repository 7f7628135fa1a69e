// What the tests of t/browser.t share: TAP, the browser, and what is on the page. What is
// expected is computed from the folded files, never by the picture's own script.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const [folder, browserPath] = process.argv.slice(2);
let run = 0, failed = 0;

export function ok(pass, name, detail = "") {
	console.log(`${pass ? "ok" : "not ok"} ${++run} - ${name}`);
	if (!pass) {
		failed++;
		console.error(`#   failed: ${name} ${String(detail).slice(0, 2000)}`);
	}
}

export function is(got, want, name) {
	ok(got === want, name, `\n#   got  ${JSON.stringify(got)}\n#   want ${JSON.stringify(want)}`);
}

export function url(file) {
	return pathToFileURL(`${folder}/${file}`).href;
}

let browser;

// A page that keeps what it said, and asked for, beside what it shows.
export async function open(file, options = {}) {
	browser ??= await chromium.launch({
		executablePath: browserPath,
		args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
			"--disable-background-networking", "--disable-component-update",
				"--disable-sync"],
	});
	const context = await browser.newContext({ viewport: { width: 1000, height: 700 },
		...options });
	const page = await context.newPage();
	page.said = [];
	page.asked = [];
	page.on("console", (message) => page.said.push(message.text()));
	page.on("pageerror", (error) => page.said.push(String(error)));
	page.on("dialog", (dialog) => {
		page.said.push(`dialog ${dialog.message()}`);
		dialog.dismiss();
	});
	page.on("request", (request) => {
		if (!request.url().startsWith("blob:"))
			page.asked.push(request.url());
	});
	await page.goto(url(file));
	if (options.javaScriptEnabled !== false)
		await settle(page);
	return page;
}

// Waits for the work that the script puts off to the next screen refresh.
export function settle(page) {
	return page.evaluate(() => new Promise((done) =>
		requestAnimationFrame(() => requestAnimationFrame(() =>
			requestAnimationFrame(done)))));
}

export async function press(page, ...keys) {
	for (const key of keys)
		await page.keyboard.press(key);
	await settle(page);
}

export function text(page, selector) {
	return page.$eval(selector, (e) => e.textContent);
}

export function labels(page) {
	return page.$$eval("g.frames text", (all) => all.map((e) => e.textContent));
}

export function fragment(page) {
	return page.evaluate(() => decodeURIComponent(location.hash));
}

// The box on the screen of the n-th frame that shows this label. All of it in one go: between
// finding elements and looking at them ($$eval) the picture may be drawn anew.
export function boxOf(page, label, n = 0) {
	return page.evaluate(([want, at]) => {
		const all = [...document.querySelectorAll("g.frames text")];
		const found = all.filter((e) => e.textContent === want)[at];
		if (!found)
			return null;
		const r = found.previousElementSibling;
		const { x, y, width, height } = r.getBoundingClientRect();
		return { x, y, width, height, className: r.getAttribute("class") };
	}, [label, n]);
}

export async function clickFrame(page, label, options = {}) {
	const box = await boxOf(page, label);
	await page.mouse.click(box.x + Math.min(box.width / 2, 40), box.y + box.height / 2,
		options);
	await settle(page);
}

export async function search(page, query) {
	await page.click(".search");
	await page.fill(".search", query);
	await settle(page);
	return text(page, ".matched");
}

export function readFolded(file) {
	return readFileSync(`${folder}/${file}`, "utf8").trimEnd().split("\n").map((line) => {
		const at = line.lastIndexOf(" ");
		return {
			frames: line.slice(0, at).split(";"), line: line.slice(0, at),
			count: Number(line.slice(at + 1)),
		};
	});
}

export function bare(name) {
	return name.replace(/_\[[kij]\]$/, "");
}

export function percent(part, whole) {
	return part === whole ? "100%" : `${(100 * part / whole).toFixed(2)}%`;
}

export function sum(stacks) {
	return stacks.reduce((all, { count }) => all + count, 0);
}

// What a flame graph of these stacks has to show: sorted lines "depth label x width", x and
// width as shares of the width to four digits, of boxes at least `least` of it wide.
export function framesWanted(stacks, { sort = "name", least }) {
	const root = { name: "all", total: 0, self: 0, callees: new Map() };
	for (const { frames, count } of stacks) {
		let at = root;
		at.total += count;
		for (const name of frames) {
			if (!at.callees.has(name))
				at.callees.set(name, { name, total: 0, self: 0,
					callees: new Map() });
			at = at.callees.get(name);
			at.total += count;
		}
		at.self += count;
	}
	const lines = [];
	const byName = (a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name));
	const place = (node, depth, x) => {
		if (node.total / root.total < least)
			return;
		lines.push(`${depth} ${(x / root.total).toFixed(3)} ${(node.total / root.total).toFixed(3)}`);
		let at = x + node.self;
		const callees = [...node.callees.values()].sort(byName);
		if (sort === "weight")
			callees.sort((a, b) => b.total - a.total);
		for (const callee of callees) {
			place(callee, depth + 1, at);
			at += callee.total;
		}
	};
	place(root, 0, 0);
	return lines.sort();
}

// The boxes on the page, in the same words: those with a label, and those in paths.
export async function framesShown(page, least) {
	const { boxes, rows, row, inner, pad, icicle } = await page.evaluate(() => {
		const all = [];
		for (const r of document.querySelectorAll("g.frames rect"))
			all.push(["x", "y", "width"].map((key) => Number(r.getAttribute(key))));
		for (const p of document.querySelectorAll("g.frames path")) {
			const [, y, unit] = /translate\(0 ([\d.]+)\) scale\(([\d.]+) /.exec(
				p.getAttribute("transform"));
			let x = 0;
			for (const [, dx, w] of p.getAttribute("d").matchAll(
				/m(-?\d+) 0h(\d+)v1h-\d+z/g)) {
				x += Number(dx);
				all.push([x * unit, Number(y), w * unit]);
			}
		}
		const canvas = document.querySelector(".canvas");
		return {
			boxes: all, row: 16, pad: 8, inner: canvas.getAttribute("width") - 16,
			rows: (canvas.getAttribute("height") - 2) / 16,
			icicle: document.querySelector(".ui").classList.contains("icicle"),
		};
	});
	return boxes.map(([x, y, w]) => {
		const line = Math.round((y - 1) / row);
		const width = w > 1.5 ? w + 0.5 : w; /* the hairline */
		return { depth: icicle ? line : rows - 1 - line, x: (x - pad) / inner,
			width: width / inner };
	}).filter(({ width }) => width >= least)
		.map(({ depth, x, width }) =>
			`${depth} ${x.toFixed(3)} ${width.toFixed(3)}`).sort();
}

// Equal but for rounding of a share's last digit.
export function sameFrames(got, want, name) {
	const parse = (line) => line.split(" ").map(Number);
	const near = (a, b) => a[0] === b[0] && Math.abs(a[1] - b[1]) < 0.0021 &&
		Math.abs(a[2] - b[2]) < 0.0021;
	const left = want.map(parse);
	const extra = got.map(parse).filter((box) => {
		const at = left.findIndex((other) => near(box, other));
		if (at >= 0)
			left.splice(at, 1);
		return at < 0;
	});
	ok(got.length > 0 && !extra.length && !left.length, name,
		`\n#   too much: ${extra.slice(0, 5).join(" | ")}\n#   missing: ${left.slice(0, 5).join(" | ")}`);
}

export async function quiet(page, name, requests = 1) {
	is(page.said.join("; "), "", `${name}: nothing on the console, no dialog`);
	is(page.asked.length, requests, `${name}: nothing is fetched`);
	await page.context().close();
}

export async function runTests(tests) {
	for (const test of tests) {
		try {
			await test();
		} catch (error) {
			ok(false, test.name, String(error.stack ?? error).replaceAll("\n", "\n# "));
		}
	}
	await browser?.close();
	console.log(`1..${run}`);
	process.exit(failed ? 1 : 0);
}
