// Whatever is chosen, what is shown is what the data says: random views, zooms and searches
// in windows of several widths, each box, label, mark and number of which is computed here
// from the folded file.
import { bare, ok, open, percent, quiet, readFolded, runTests, settle, sum } from "./harness.mjs";

const PAD = 8, ROW = 16, MIN = 0.1; // px, as the picture has them
const CLEAR = 0.6;                  // px; what is narrower may be one with its neighbours
const CASES = 9;                    // for each width

let seed = Number(process.env.SEED ?? 20);

function random(n) {
	seed = (seed * 1103515245 + 12345) & 0x7fffffff;
	return (seed >> 8) % n;
}

function pick(all) {
	return all[random(all.length)];
}

// The tree of stacks: nodes in preorder, each with start, total, self, callees, depth.
function treeOf(stacks, byWeight) {
	const root = { name: "all", total: 0, self: 0, callees: new Map(), depth: 0 };
	for (const { frames, count } of stacks) {
		let at = root;
		at.total += count;
		for (const name of frames) {
			if (!at.callees.has(name))
				at.callees.set(name, { name, total: 0, self: 0, callees: new Map(),
					depth: at.depth + 1, caller: at });
			at = at.callees.get(name);
			at.total += count;
		}
		at.self += count;
	}
	const nodes = [];
	const place = (node, start) => {
		node.start = start;
		node.first = nodes.push(node) - 1;
		let at = start + node.self;
		const callees = [...node.callees.values()]
			.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
		if (byWeight)
			callees.sort((a, b) => b.total - a.total);
		for (const callee of callees) {
			place(callee, at);
			at += callee.total;
		}
		node.end = nodes.length;
	};
	place(root, 0);
	return nodes;
}

function pathTo(node) {
	return node.caller ? [...pathTo(node.caller), node.name] : [];
}

function randomView(stacks) {
	const view = { words: [], stacks, removed: [] };
	if (!random(3)) {
		const { frames } = pick(stacks);
		const path = frames.slice(0, 1 + random(frames.length));
		view.removed.push(path);
		view.stacks = view.stacks.filter((s) => path.some((f, k) => s.frames[k] !== f));
	}
	const change = (word, f) => {
		view.words.push(word);
		view.stacks = view.stacks.map(({ frames, count }) => ({ frames: f(frames), count }))
			.filter(({ frames }) => frames.length);
	};
	const kernel = (f) => f.endsWith("_[k]");
	const hide = random(4);
	if (hide === 0)
		change("no-kernel", (frames) => frames.filter((f) => !kernel(f)));
	if (hide === 1)
		change("no-user", (frames) => frames.filter(kernel));
	if (!random(3))
		change("no-recursion", (frames) => frames.filter((f, k) => f !== frames[k - 1]));
	if (!random(3))
		change("callers", (frames) => [...frames].reverse());
	for (const word of ["by-weight", "icicle", "cut-start"])
		if (!random(3))
			view.words.push(word);
	return view;
}

function randomZoom(nodes) {
	let node = nodes[0];
	for (let left = random(4); left > 0 && node.callees.size; left--)
		node = pick([...node.callees.values()]);
	return node;
}

function onPage(page) {
	return page.evaluate(() => {
		const text = (selector) => document.querySelector(selector).textContent;
		const paths = (group) => [...document.querySelectorAll(`${group} path`)].flatMap((p) => {
			const [, y, unit] = /translate\(0 ([\d.]+)\) scale\(([\d.]+) /.exec(
				p.getAttribute("transform"));
			let x = 0;
			return [...p.getAttribute("d").matchAll(/m(-?\d+) 0h(\d+)v1h-\d+z/g)]
				.map(([, dx, w]) => {
					x += Number(dx);
					return { x: x * unit, y: Number(y), w: w * unit,
						look: p.getAttribute("class") };
				});
		});
		const rects = [...document.querySelectorAll("g.frames rect")].map((r) => {
			const [x, y, w] = ["x", "y", "width"].map((key) => Number(r.getAttribute(key)));
			const label = r.nextElementSibling?.tagName === "text" ?
				r.nextElementSibling.textContent : null;
			return { x, y, w, label, look: r.getAttribute("class") };
		});
		const canvas = document.querySelector(".canvas");
		return {
			boxes: [...rects, ...paths("g.frames")], marks: paths("g.marks"),
			width: Number(canvas.getAttribute("width")),
			height: Number(canvas.getAttribute("height")),
			matched: text(".matched"), index: text(".index"), note: text(".note"),
			sum: text(".sum"), notice: text(".notice"),
		};
	});
}

const near = (a, b, far) => Math.abs(a - b) <= far;

// A box of this place; its last pixel may be the hairline.
function sameBox(box, want) {
	return near(box.x, want.x, 0.11) && (near(box.w, want.w, 0.16) ||
		near(box.w, want.w - 0.5, 0.16));
}

function labelFits(label, name, { w, fromStart }) {
	const columns = Math.floor((w - 8) / (11 * 0.6));
	if (name.length <= columns)
		return label === name;
	return label === (fromStart ? `..${name.slice(name.length - columns + 2)}` :
		`${name.slice(0, columns - 2)}..`);
}

// What is wrong with a picture; [] if nothing.
function faults(shown, nodes, zoom, view, test) {
	const wrong = [];
	const inner = shown.width - 2 * PAD, scale = inner / zoom.total;
	const rows = (shown.height - 2) / ROW;
	const yOf = (depth) => 1 + ROW * (view.words.includes("icicle") ? depth : rows - 1 - depth);
	const wanted = [];
	for (let at = zoom; at; at = at.caller)
		wanted.push({ node: at, x: PAD, w: inner });
	let hidden = 0;
	for (let k = zoom.first + 1; k < zoom.end;) {
		const node = nodes[k];
		if (node.total * scale < MIN) {
			hidden += node.end - k;
			k = node.end;
			continue;
		}
		wanted.push({ node, x: PAD + (node.start - zoom.start) * scale,
			w: node.total * scale });
		k++;
	}
	const byRow = new Map();
	for (const box of wanted) {
		Object.assign(box, { y: yOf(box.node.depth),
			hit: box.node.depth > 0 && test !== null && test.test(bare(box.node.name)),
			fromStart: view.words.includes("cut-start") });
		byRow.set(box.y, [...byRow.get(box.y) ?? [], box]);
	}
	const tell = (what, box) => wrong.push(`${what}: ${box.node?.name ?? ""} ` +
		`${box.x.toFixed(2)} ${box.y} ${box.w.toFixed(2)} ${box.label ?? ""} ${box.look ?? ""}`);
	const inRow = (boxes, y) => boxes.filter((box) => box.y === y);
	for (const [y, row] of byRow) {
		const boxes = inRow(shown.boxes, y), marks = inRow(shown.marks, y);
		for (const want of row) {
			if (want.w < CLEAR)
				continue;
			const box = boxes.find((b) => sameBox(b, want));
			if (!box) {
				tell("not drawn", want);
				continue;
			}
			const kind = want.node.depth === 0 ? "x" : want.node.name.endsWith("_[k]") ?
				"k" : "u";
			if (want.w > 3 && box.look[0] !== kind)
				tell("of another kind", { ...want, look: box.look });
			if (box.label !== undefined && box.label !== null &&
				!labelFits(box.label, bare(want.node.name), want))
				tell("another's label", { ...want, label: box.label });
			const marked = box.label === undefined ? marks.some((b) => b.x < want.x + 0.2 &&
				b.x + b.w > want.x + want.w - 0.7) : box.look.includes("hit");
			if (want.w > 3 && marked !== want.hit)
				tell(marked ? "marked" : "not marked", want);
		}
		for (const box of boxes)
			if (!row.some((want) => sameBox(box, want)) && row.some((want) =>
				want.w >= CLEAR && Math.min(want.x + want.w, box.x + box.w) -
				Math.max(want.x, box.x) > 0.3))
				tell("drawn", box);
	}
	for (const box of shown.boxes)
		if (!byRow.has(box.y))
			tell("a row of its own", box);
	const all = sum(view.stacks);
	const hits = view.stacks.filter(({ frames }) => test && frames.some((f) => test.test(bare(f))));
	const numbers = {
		matched: test ? `Matched: ${percent(sum(hits), all)}` : "",
		index: test ? nodes.filter((n) => n.caller && test.test(bare(n.name))).length
			.toLocaleString("en-US") : "",
		sum: `${all.toLocaleString("en-US")} samples`,
	};
	for (const [key, want] of Object.entries(numbers))
		if (shown[key] !== want && (test || key === "sum"))
			wrong.push(`${key} is ${shown[key]}, not ${want}`);
	const note = hidden ? `${hidden.toLocaleString("en-US")} ` +
		`frame${hidden === 1 ? "" : "s"} narrower than 0.1 px not drawn` : "";
	if (!shown.note.startsWith(note) || (!note && shown.note.includes("narrower")))
		wrong.push(`the note is ${shown.note}, not ${note}`);
	return wrong;
}

// The frame under the mouse is the one that is drawn there.
async function hoverFault(page, nodes, zoom, view) {
	const { width, height } = await onPage(page);
	const scale = (width - 2 * PAD) / zoom.total;
	const inside = nodes.slice(zoom.first, zoom.end).filter((n) => n.total * scale > 3);
	const node = pick(inside);
	const rows = (height - 2) / ROW;
	const line = view.words.includes("icicle") ? node.depth : rows - 1 - node.depth;
	const at = await page.$eval(".canvas", (e) => {
		const { left, top } = e.getBoundingClientRect();
		return [left, top];
	});
	await page.mouse.move(0, 0);
	await page.mouse.move(at[0] + PAD + (node.start - zoom.start + node.total / 2) * scale,
		at[1] + line * ROW + 8);
	const told = await page.$eval(".details", (e) => e.textContent);
	const want = [bare(node.name), `${node.total.toLocaleString("en-US")} samples`,
		percent(node.total, nodes[0].total), `self ${node.self.toLocaleString("en-US")},`];
	return want.every((part) => told.includes(part)) ? [] :
		[`of ${pathTo(node).join(";")} is told ${told}, not ${want}`];
}

async function testRandom() {
	const stacks = readFolded("rich.folded");
	for (const width of [380, 600, 1200, 2400]) {
		const page = await open("rich.svg", { viewport: { width, height: 900 },
			colorScheme: width % 400 ? "light" : "dark" });
		for (let turn = 0; turn < CASES; turn++) {
			const view = randomView(stacks);
			const nodes = treeOf(view.stacks, view.words.includes("by-weight"));
			const zoom = randomZoom(nodes);
			const regex = pick(["", "f1", "^f[0-2]$", "app", "f4|app_1", "nowhere"]);
			const hash = [`zoom=${pathTo(zoom).join(";")}`, `search=${regex}`,
				`view=${view.words}`, ...view.removed.map((path) =>
					`removed=${path.join(";")}`)].join("&");
			await page.evaluate((to) => {
				location.hash = to;
			}, hash);
			await settle(page);
			const wrong = faults(await onPage(page), nodes, zoom, view,
				regex ? new RegExp(regex) : null);
			wrong.push(...await hoverFault(page, nodes, zoom, view));
			ok(!wrong.length, `${width} px #${hash}`,
				`${wrong.length}\n# ${wrong.slice(0, 6).join("\n# ")}`);
		}
		await quiet(page, `${width} px`);
	}
}

runTests([testRandom]);
