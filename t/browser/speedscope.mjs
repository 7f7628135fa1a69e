// fold2speedscope's file in the real speedscope. Arguments: the folder with profile.json and
// profile.folded, the browser.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { chromium } from "playwright-core";
import { browserPath, folder, is, readFolded, runTests } from "./harness.mjs";

const site = new URL("node_modules/speedscope/dist/release/", import.meta.url).pathname;
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css",
	".json": "application/json", ".wasm": "application/wasm" };
const server = createServer((request, response) => {
	const path = normalize(new URL(request.url, "http://localhost").pathname);
	try {
		const file = path === "/profile.json" ? join(folder, "profile.json") : join(site, path);
		const body = readFileSync(file);
		response.writeHead(200, { "content-type": types[extname(path)] ?? "text/plain" });
		response.end(body);
	} catch {
		response.writeHead(404);
		response.end();
	}
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const origin = `http://127.0.0.1:${server.address().port}`;

const browser = await chromium.launch({ executablePath: browserPath,
	args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
		"--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync"] });
const page = await browser.newPage({ viewport: { width: 1300, height: 800 } });
const errors = [];
page.on("pageerror", (error) => errors.push(String(error)));
page.on("dialog", (dialog) => {
	errors.push(`dialog ${dialog.message()}`);
	dialog.dismiss();
});
await page.goto(`${origin}/index.html#profileURL=${encodeURIComponent("/profile.json")}`);
await page.waitForFunction(() => document.body.innerText.includes("Sandwich"));
/* it takes no keys before it listens to them */
while (!await page.evaluate(() => document.body.innerText.includes("Symbol Name"))) {
	await page.keyboard.press("3");
	await page.waitForTimeout(100);
}

/* One profile for each root frame; the sandwich view has a row for each function. */
const stacks = readFolded("profile.folded");
const roots = [...new Set(stacks.map(({ frames }) => frames[0]))];
const rows = async () => (await page.$$eval("tr", (all) => all
	.filter((row) => row.cells.length === 3 && /%/.test(row.cells[0].innerText))
	.map((row) => Array.from(row.cells, (cell) => cell.innerText))))
	.map(([total, self, name]) => `${name} ${number(total)} ${number(self)}`).sort().join("\n");
const number = (text) => Number(text.split(" ")[0].replaceAll(",", ""));
for (const [place, root] of roots.entries()) {
	if (place)
		await page.keyboard.press("n");
	await page.waitForFunction((text) => document.body.innerText.includes(text),
		`(${place + 1}/${roots.length})`);
	const total = new Map(), self = new Map();
	for (const { frames, count } of stacks.filter(({ frames: [first] }) => first === root)) {
		for (const name of new Set(frames))
			total.set(name, (total.get(name) ?? 0) + count);
		self.set(frames.at(-1), (self.get(frames.at(-1)) ?? 0) + count);
	}
	const want = Array.from(total, ([name, sum]) => `${name} ${sum} ${self.get(name) ?? 0}`);
	const text = want.sort().join("\n");
	/* what has been asked for is drawn in its own time */
	let got = await rows();
	for (const end = Date.now() + 60_000; got !== text && Date.now() < end; got = await rows())
		await page.waitForTimeout(50);
	is(got, text, `${root}: functions with self and total`);
}
is(await page.title(), "Two programs - speedscope", "the name");
is(errors.join(), "", "no errors");
if (process.env.SHOT)
	await page.screenshot({ path: process.env.SHOT });
await browser.close();
server.close();
await runTests([]);
