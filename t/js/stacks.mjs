/*
 * The same as the model by other means: a list of stacks, each { path: names with their
 * annotations, counts: [n] or [before, after] as BigInt }, and what views make of it.
 */
import { model } from "./model.mjs";

/* Numbers that are the same each time. */
export function randoms(seed) {
	let state = seed >>> 0;
	return (below) => {
		state = Math.imul(state ^ state >>> 15, 0x2c1b3c6d) + 0x9e3779b9 >>> 0;
		const mixed = Math.imul(state ^ state >>> 13, 0x297a2d39) >>> 0;
		return ((mixed ^ mixed >>> 16) >>> 0) % below;
	};
}

export const ODD_NAMES = ["a", "b", "f", "f_[k]", "f_[i]", "g", "g_[j]", "g_[i]", "__proto__",
	"constructor", "toString", "", "[unknown]", "[m]_[k]", "[m]", "\u{1f600}", "\ufffd", "f_[k]_[k]",
	"h #2", "all"];

export function randomStacks(random, { number, depth, names = ODD_NAMES, counts = 1, most = 9 }) {
	return Array.from({ length: number }, () => ({
		path: Array.from({ length: 1 + random(depth) }, () => names[random(names.length)]),
		counts: Array.from({ length: counts }, () => BigInt(random(most) + (counts === 1))),
	})).filter((stack) => stack.counts.some(Boolean));
}

export const bytewise = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));

const splitName = (name) => {
	const [, label, letter] = /^(.*)_\[([kji])\]$/s.exec(name) ?? [null, name, "u"];
	const bracketed = letter !== "i" && label[0] === "[" && label.endsWith("]");
	const unknown = { k: "K", j: "J", u: "x" };
	return { label, letter: bracketed ? unknown[letter] : letter };
};

/* The two texts of <metadata> for stacks. */
export function dataOf(stacks, { chart = false } = {}) {
	const names = [...new Set(stacks.flatMap((stack) => stack.path))].sort(bytewise);
	const root = { callees: [], self: [0n, 0n] };
	for (const { path, counts } of stacks) {
		let node = root;
		for (const name of path) {
			let next = chart ? node.callees.at(-1) : node.callees.find((c) => c.name === name);
			if (next?.name !== name)
				node.callees.push(next = { name, callees: [], self: [0n, 0n] });
			node = next;
		}
		counts.forEach((count, c) => node.self[c] += count);
	}
	const differential = stacks.some((stack) => stack.counts.length === 2);
	const id = new Map(names.map((name, i) => [name, i]));
	const lines = [];
	let last = -1;
	const todo = [[root, 0]];
	while (todo.length) {
		const [node, depth] = todo.pop();
		const [before, after] = node.self;
		lines.push([id.get(node.name) ?? 0, last < 0 ? 0 : last + 1 - depth,
			...(differential ? [after, before] : [before])].join(" ").replace(/( 0)+$/, ""));
		last = depth;
		const callees = chart ? node.callees :
			[...node.callees].sort((a, b) => bytewise(a.name, b.name));
		for (const callee of callees.reverse())
			todo.push([callee, depth + 1]);
	}
	const look = (name) => {
		const { label, letter } = splitName(name);
		return `${letter}3 ${label}\n`;
	};
	return { names: names.map(look).join(""), frames: lines.map((line) => `${line}\n`).join(""),
		settings: model.parseSettings({ diff: differential ? "1" : "0", chart: chart ? "1" : "0" }) };
}

export function treeOf(stacks, options) {
	const { names, frames, settings } = dataOf(stacks, options);
	return model.readTree(names, frames, settings);
}

/* By frame of a path: { label, kind, side }, an inlined frame's its caller's. */
export function framesOf(path) {
	const frames = [];
	for (const name of path) {
		const { label, letter } = splitName(name);
		const caller = frames.at(-1);
		const unknown = { K: "kernel", J: "user" };
		const kind = letter in unknown ? "x" : letter !== "i" ? letter : caller?.kind ?? "u";
		const side = unknown[letter] ??
			(kind === "x" ? caller?.side ?? "" : kind === "k" ? "kernel" : "user");
		frames.push({ name, label, kind, side });
	}
	return frames;
}

/* The frames of a path as they are in a view. */
function shapedFrames(path, { hide = "", collapse = false, callers = false }) {
	const kept = [];
	for (const frame of framesOf(path)) {
		const same = kept.length && kept.at(-1).label === frame.label &&
			kept.at(-1).kind === frame.kind;
		if (!(hide && frame.side === hide) && !(collapse && same))
			kept.push(frame);
	}
	return callers ? kept.reverse() : kept;
}

export const shapedPath = (path, spec) => shapedFrames(path, spec).map((frame) => frame.name);

/* An inlined frame that is not a user's is taken away as "f_[i]_[k]". */
const removalNames = (path, spec) => shapedFrames(path, spec).map(({ name, kind }) =>
	name.endsWith("_[i]") && kind !== "u" ? `${name}_[${kind}]` : name);

/* What a view shows: stack (JSON) -> counts, in a Map in order of the keys. */
export function viewOf(stacks, spec) {
	const shown = new Map();
	for (const { path, counts } of stacks) {
		const gone = (spec.removed ?? []).some((removal) => {
			const there = removalNames(path, removal);
			return removal.path.every((name, i) => there[i] === name);
		});
		const names = shapedPath(path, spec);
		if (gone || (!names.length && path.length))
			continue;
		const key = JSON.stringify(names);
		shown.set(key, counts.map((count, c) => count + (shown.get(key)?.[c] ?? 0n)));
	}
	return inOrder(shown);
}

const inOrder = (map) => new Map([...map].filter(([, counts]) => counts.some(Boolean))
	.sort(([a], [b]) => a < b ? -1 : 1));

/* The same of a Tree. */
export function stacksOf(tree) {
	const shown = new Map();
	for (let i = 0; i < tree.n; i++) {
		const { self, selfBefore, selfAfter } = model.frameCounts(tree, i);
		const counts = tree.diff ? [BigInt(selfBefore), BigInt(selfAfter)] : [BigInt(self)];
		const key = JSON.stringify(namesTo(tree, i));
		shown.set(key, counts.map((count, c) => count + (shown.get(key)?.[c] ?? 0n)));
	}
	return inOrder(shown);
}

export const namesTo = (tree, i) =>
	model.framesTo(tree, i).map((j) => model.fullName(tree, tree.name[j]));

/* "" or what is wrong with a tree's arrays. */
export function faultOf(tree, sort = "name") {
	const exact = tree.exact ?? tree;
	for (let i = 0; i < tree.n; i++) {
		const up = tree.caller[i];
		if (i && !(up < i && i < tree.end[up] && tree.end[i] <= tree.end[up]))
			return `frame ${i} is not in its caller's subtree`;
		if (tree.depth[i] !== (i ? tree.depth[up] + 1 : 0))
			return `depth of ${i}`;
		let sum = exact.self[i], last = -1;
		for (let j = i + 1; j < tree.end[i]; j = tree.end[j]) {
			if (tree.caller[j] !== i)
				return `caller of ${j}`;
			if (exact.start[j] !== exact.start[i] + sum)
				return `start of ${j}`;
			sum += exact.total[j];
			if (last >= 0 && !tree.chart) {
				const names = [last, j].map((k) => model.fullName(tree, tree.name[k]));
				const order = bytewise(...names);
				if (order === 0 && tree.kind[last] === tree.kind[j])
					return `twice the same under ${i}`;
				if (sort === "name" ? order > 0 : tree.total[last] < tree.total[j])
					return `order of ${last} and ${j}`;
			}
			last = j;
		}
		if (sum !== exact.total[i])
			return `total of ${i}`;
		if (Number(exact.total[i]) !== tree.total[i])
			return `rounded total of ${i}`;
	}
	return tree.end[0] === tree.n ? "" : "frames beside the root";
}
