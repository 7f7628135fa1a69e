// How long a large picture takes: timing.mjs PICTURE.svg, or FOLDER BROWSER as the other
// tests. Prints "# what: ms" until the screen shows it; the first time of each is not counted.
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [where, browserPath] = process.argv.slice(2);
const file = where.endsWith(".svg") ? where : `${where}/many.svg`;
const executablePath = browserPath ?? process.env.CHROMIUM ??
	["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
const RUNS = 5;

const browser = await chromium.launch({
	executablePath,
	args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const page = await browser.newPage({ viewport: { width: 1600, height: 900 } });
const said = [];
page.on("console", (message) => said.push(message.text()));
page.on("pageerror", (error) => said.push(String(error)));
await page.goto(pathToFileURL(file).href);

// Until the work of the event and of the frames after it is done.
function settle() {
	return page.evaluate(() => new Promise((done) =>
		requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30)))));
}
await settle();
const { ready, frames } = await page.evaluate(() => ({
	ready: performance.getEntriesByName("flame-ready")[0].startTime,
	frames: [...document.querySelectorAll("metadata.frames")]
		.reduce((n, e) => n + e.textContent.split("\n").length - 1, 0),
}));

// From the event until the frame after the one that draws it: `way` is [type, …].
function timed(way) {
	return page.evaluate(([type, x, y]) => new Promise((done) => {
		const begin = performance.now();
		if (type === "click") {
			document.querySelector(".canvas").dispatchEvent(new MouseEvent("click",
				{ clientX: x, clientY: y, bubbles: true, cancelable: true }));
		} else if (type === "key") {
			document.querySelector(".canvas").dispatchEvent(new KeyboardEvent("keydown",
				{ key: x, bubbles: true, cancelable: true }));
		} else {
			const input = document.querySelector(".search");
			input.value = x;
			input.dispatchEvent(new Event("input", { bubbles: true }));
		}
		requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begin)));
	}), way);
}

function median(numbers) {
	return [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
}

// A wide frame with much on it; if none has a label, what is in the middle above the root.
const [x, y] = await page.evaluate(() => {
	const all = [...document.querySelectorAll("g.frames rect")].map((e) => e.getBoundingClientRect());
	const boxes = all.filter(({ width }) => width < innerWidth * 0.9)
		.sort((a, b) => b.width - a.width);
	const box = boxes[Math.min(2, boxes.length - 1)];
	return box ? [box.x + box.width / 2, box.y + box.height / 2] :
		[innerWidth / 2, Math.max(...all.map(({ y: top }) => top)) - 8];
});
const took = { "zoom": [], "unzoom": [], "search": [], "next match": [] };
for (let run = 0; run <= RUNS; run++) {
	const times = {
		"zoom": await timed(["click", x, y]),
		"unzoom": (await settle(), await timed(["key", "Escape"])),
		"search": (await settle(), await timed(["type", ["e", "le", "re", "in", "al", "st"][run]])),
		"next match": (await settle(), await timed(["key", "n"])),
	};
	await settle();
	await timed(["type", ""]);
	await timed(["key", "Escape"]);
	await settle();
	if (run)
		for (const [what, ms] of Object.entries(times))
			took[what].push(ms);
}
const views = { "by weight": "w", "by name": "w", "callers": "r", "callees": "r", "table": "t" };
for (const [what, key] of Object.entries(views)) {
	took[what] = [await timed(["key", key])];
	await settle();
}

console.log(`# ${frames.toLocaleString("en-US")} frames in Chromium: ready in ${Math.round(ready)} ms`);
for (const [what, times] of Object.entries(took))
	console.log(`#   ${what}: ${Math.round(median(times))} ms`);
console.log(`${said.length ? "not ok" : "ok"} 1 - nothing on the console${said.map((s) => `\n# ${s}`).join("")}`);
console.log("1..1");
await browser.close();
process.exitCode = said.length ? 1 : 0;
