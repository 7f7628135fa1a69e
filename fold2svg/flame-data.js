"use strict";

/*
 * A Tree, which the data is read into and each view is again: arrays by frame, in
 * preorder, so that a frame's subtree is the run [i, end[i]) and callers come first.
 *
 *	n                  frames; 0 is the root
 *	table              of names, shared by a data's views; its arrays are also the tree's:
 *	names, kindOf, shade   by name id: label, letter (data.h), shade
 *	name, caller, depth, end   Uint32Array
 *	kind               Uint8Array of the letters' codes, an inlined frame's is its caller's
 *	start, self, total Float64Array, in width units
 *	diff               null, or { selfBefore, selfAfter, totalBefore, totalAfter }
 *	exact              null, or the same arrays as BigUint64Array { start, self, total, … },
 *	                   if the sum is above 2^53: the others are rounded then
 *	maxDepth           of the deepest frame
 *	chart, reversed    order is time; the leaf of each stack is next to the root
 *	base               "" or of a differential whose widths: "after", "before", "both"
 *
 * A name id alone tells its frames' kind: where inlined frames of a name are of more than
 * one kind, ids are added. The data's ids are in bytewise order of the whole names.
 */

const KIND_WORDS = { u: "user", k: "kernel", j: "JIT", x: "unknown" };
const CODE_USER = 117, CODE_KERNEL = 107, CODE_JIT = 106, CODE_UNKNOWN = 120;

/* <metadata class="settings">: its dataset (strings) to values, absent ones to defaults. */
function parseSettings(d) {
	const flag = (text) => text === "1";
	const number = (text, otherwise) => Number(text || otherwise);
	return {
		title: d.title ?? "", subtitle: d.subtitle ?? "",
		countname: d.countname || "samples", nametype: d.nametype || "Function:",
		fonttype: d.fonttype ?? "", fontsize: number(d.fontsize, 12),
		fontwidth: number(d.fontwidth, 0.6), row: number(d.row, 16),
		minwidth: d.minwidth || "0.1",
		inverted: flag(d.inverted), reversed: flag(d.reversed), chart: flag(d.chart),
		fluid: flag(d.fluid ?? "1"), width: number(d.width, 1200),
		decimals: number(d.decimals, 0), factor: d.factor || "1",
		total: parseCount(d.total || "0"),
		diff: flag(d.diff), base: d.base || "after", negate: flag(d.negate),
		colors: d.colors || "kind", bg: d.bg ? d.bg.split(",") : [],
		legend: d.legend ? d.legend.split(",") : [],
	};
}

/* A Number, or a BigInt if that would round. */
function parseCount(digits) {
	const n = Number(digits);
	return n <= Number.MAX_SAFE_INTEGER ? n : BigInt(digits);
}

/* By name id; the root's "all" is added behind the data's. */
class NameTable {
	constructor(text) {
		this.names = [];
		this.kindOf = [];
		this.shade = [];
		this.attrs = new Map(); /* name id -> Map of title, href, …: --nameattr */
		this.wakers = new Set(); /* name ids annotated _[w] */
		for (let at = 0; at < text.length;) {
			let end = text.indexOf("\n", at);
			if (end < 0)
				end = text.length;
			if (end > at)
				this.addLine(text.slice(at, end));
			at = end + 1;
		}
		this.dataLength = this.names.length;
		this.root = this.add("all", "x", "7");
		this.variants = new Map();
		this.origin = null; /* of added ids */
		this.functions = null;
	}

	add(label, letter, shade) {
		this.names.push(label);
		this.kindOf.push(letter);
		this.shade.push(shade);
		return this.names.length - 1;
	}

	addLine(line) {
		const blank = line.indexOf(" ");
		const tab = line.indexOf("\t");
		const label = tab < 0 ? line.slice(blank + 1) : line.slice(blank + 1, tab);
		const waker = label.endsWith("_[w]");
		const id = this.add(waker ? label.slice(0, -4) : label, line[0],
			line.slice(1, blank));
		if (waker)
			this.wakers.add(id);
		if (tab >= 0)
			this.attrs.set(id, new Map(line.slice(tab + 1).split("\t").map((field) => {
				const equals = field.indexOf("=");
				return [field.slice(0, equals), field.slice(equals + 1)];
			})));
	}

	/* The id for inlined frames of a name in code of another kind than a user's. */
	variant(id, code) {
		const key = id * 256 + code;
		let other = this.variants.get(key);
		if (other === undefined) {
			other = this.add(this.names[id], "i", this.shade[id]);
			if (this.attrs.has(id))
				this.attrs.set(other, this.attrs.get(id));
			if (this.wakers.has(id))
				this.wakers.add(other);
			this.variants.set(key, other);
			this.functions = null;
		}
		return other;
	}

	/* Each id's place in the order of names, its own: added ones come behind the data's. */
	ranks() {
		const from = numbersTo(this.names.length);
		for (const [key, id] of this.variants)
			from[id] = Math.floor(key / 256);
		const ranks = new Uint32Array(from.length);
		sortedBy(null, from, from.length).forEach((id, place) => ranks[id] = place);
		return ranks;
	}

	/* By name id, its kind's code: of inlined ones a user's if nothing else is known. */
	codes() {
		const codeOf = { i: CODE_USER, u: CODE_USER, k: CODE_KERNEL, j: CODE_JIT };
		const codes = new Uint8Array(this.kindOf.length);
		for (let id = 0; id < codes.length; id++)
			codes[id] = codeOf[this.kindOf[id]] ?? CODE_UNKNOWN;
		for (const [key, id] of this.variants)
			codes[id] = key % 256;
		return codes;
	}
}

/* The text of <metadata class="names"> and class="frames" as data.h tells. */
function readTree(namesText, framesText, settings) {
	const table = new NameTable(namesText);
	const n = Math.max(1, countLines(framesText));
	const tree = newTree(table, n, settings);
	const columns = readFrames(tree, framesText, settings.diff || settings.chart ? 2 : 1);
	resolveKinds(tree);
	if (settings.diff) {
		columns.unshift(widthColumn(columns[1], columns[0], settings.base));
		return finishTree(tree, columns);
	}
	const gaps = columns[1];
	const starts = gaps && startsWithGaps(tree, columns[0], gaps);
	return finishTree(tree, columns.slice(0, 1), starts);
}

function countLines(text) {
	let n = 0;
	for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1))
		n++;
	return n + (text.length && !text.endsWith("\n") ? 1 : 0);
}

/* A tree without content; `like` has chart, reversed and base. */
function newTree(table, n, like) {
	return {
		n, table, names: table.names, kindOf: table.kindOf, shade: table.shade,
		name: new Uint32Array(n), caller: new Uint32Array(n), depth: new Uint32Array(n),
		end: new Uint32Array(n), kind: new Uint8Array(n),
		start: null, self: null, total: null, diff: null, exact: null,
		maxDepth: 0, chart: like.chart, reversed: like.reversed,
		base: like.diff ? like.base : "",
		origin: null, dropped: 0, cut: 0, cutWeight: 0,
	};
}

/* Fills name, depth and caller; returns the columns of counts that follow. */
function readFrames(tree, text, width) {
	const { n, name, caller, depth, table } = tree;
	const columns = [];
	for (let c = 0; c < width; c++)
		columns.push(new Float64Array(n));
	const wide = []; /* counts that a Number cannot hold: [column, frame, digits] */
	const path = [0];
	const [first, second = new Float64Array(n)] = columns;
	for (let i = 0, at = 0; i < n; i++) {
		let up = 0;
		for (let f = 0, value = 0, from = at; ;) {
			const c = text.charCodeAt(at++);
			if (c >= 48) {
				value = value * 10 + (c - 48);
				continue;
			}
			if (f === 0)
				name[i] = value;
			else if (f === 1)
				up = value;
			else if (f === 2)
				first[i] = value;
			else if (f === 3)
				second[i] = value;
			if (value > Number.MAX_SAFE_INTEGER)
				wide.push([f - 2, i, text.slice(from, at - 1)]);
			if (c !== 32)
				break;
			f++;
			value = 0;
			from = at;
		}
		if (i) {
			const d = Math.max(1, depth[i - 1] + 1 - up);
			depth[i] = d;
			caller[i] = path[d - 1];
			path[d] = i;
		}
	}
	name[0] = table.root;
	return isSafe(columns) ? columns : exactColumns(columns, wide);
}

/* In a differential, the width of each frame by its counts. */
function widthColumn(before, after, base) {
	const width = after.slice();
	if (base === "both") {
		for (let i = 0; i < width.length; i++)
			if (before[i] > after[i])
				width[i] = before[i];
		return width;
	}
	const [first, second] = base === "before" ? [before, after] : [after, before];
	for (let i = 0; i < width.length; i++)
		width[i] = first[i] || second[i];
	return width;
}

/* Any sum of them is exact. */
function isSafe(columns) {
	let sum = 0;
	for (const column of columns)
		for (let i = 0; i < column.length; i++)
			sum += column[i];
	return sum <= Number.MAX_SAFE_INTEGER;
}

function exactColumns(columns, wide) {
	const exact = columns.map((column) => BigUint64Array.from(column, (v) => BigInt(v)));
	for (const [column, i, digits] of wide)
		exact[column][i] = BigInt(digits);
	return exact;
}

/* The kind of each frame: an inlined one's is its caller's, under the root a user's. */
function resolveKinds(tree) {
	const { n, name, caller, depth, kind, kindOf, table } = tree;
	const codes = table.codes();
	const inlined = Uint8Array.from(kindOf, (letter) => letter === "i" ? 1 : 0);
	for (let i = 0; i < n; i++) {
		kind[i] = codes[name[i]];
		if (!inlined[name[i]] || depth[i] <= 1)
			continue;
		kind[i] = kind[caller[i]];
		if (kind[i] !== CODE_USER)
			name[i] = table.variant(name[i], kind[i]);
	}
}

/*
 * Fills in what follows from name, caller, depth and the counts by frame (columns: width;
 * in a differential also after and before): end, start, totals. starts: where each frame
 * begins, if its caller's own count is not all at the left.
 */
function finishTree(tree, columns, starts) {
	const { n, caller, depth, end } = tree;
	for (let i = 0; i < n; i++) {
		end[i] = i + 1;
		if (depth[i] > tree.maxDepth)
			tree.maxDepth = depth[i];
	}
	for (let i = n - 1; i > 0; i--)
		if (end[i] > end[caller[i]])
			end[caller[i]] = end[i];

	const totals = columns.map((column) => subtreeSums(column, caller));
	const start = starts ?? startsOf(columns[0]);
	const all = { start, self: columns[0], total: totals[0] };
	if (columns.length > 1) {
		all.selfAfter = columns[1];
		all.totalAfter = totals[1];
		all.selfBefore = columns[2];
		all.totalBefore = totals[2];
	}
	tree.exact = start instanceof BigUint64Array ? all : null;
	const numbers = tree.exact ? roundedArrays(all) : all;
	tree.start = numbers.start;
	tree.self = numbers.self;
	tree.total = numbers.total;
	if (columns.length > 1) {
		const { selfBefore, selfAfter, totalBefore, totalAfter } = numbers;
		tree.diff = { selfBefore, selfAfter, totalBefore, totalAfter };
	}
	return tree;
}

function roundedArrays(arrays) {
	const rounded = {};
	for (const [key, values] of Object.entries(arrays))
		rounded[key] = Float64Array.from(values, Number);
	return rounded;
}

function subtreeSums(column, caller) {
	const sums = column.slice();
	for (let i = sums.length - 1; i > 0; i--)
		sums[caller[i]] += sums[i];
	return sums;
}

/* A frame's own count lies at its left, its callees follow. */
function startsOf(column) {
	const start = new column.constructor(column.length);
	for (let i = 1; i < start.length; i++)
		start[i] = start[i - 1] + column[i - 1];
	return start;
}

/* A frame begins where the one before it under its caller has ended, and its gap has, too. */
function startsWithGaps(tree, column, gaps) {
	const { n, caller } = tree;
	const total = subtreeSums(column, caller);
	const start = new column.constructor(n);
	const next = new column.constructor(n); /* by frame: where its next callee may begin */
	for (let i = 1; i < n; i++) {
		next[i] = start[i] = next[caller[i]] + gaps[i];
		next[caller[i]] = start[i] + total[i];
	}
	return start;
}

/* The inverse of that. */
function gapsOf(tree) {
	const { n, caller } = tree;
	const { start, total } = tree.exact ?? tree;
	const gaps = new start.constructor(n);
	const next = new start.constructor(n);
	for (let i = 1; i < n; i++) {
		gaps[i] = start[i] - next[caller[i]];
		next[i] = start[i];
		next[caller[i]] = start[i] + total[i];
	}
	return gaps;
}

/* The counts by frame that make a tree, for another one (finishTree). */
function selfColumns(tree) {
	const from = tree.exact ?? { self: tree.self, ...tree.diff };
	return tree.diff ? [from.self, from.selfAfter, from.selfBefore] : [from.self];
}

/*
 * What texts show, by frame: exact counts { self, total }, arrays of Number or BigInt. In
 * a differential those of its base (0 for a vanished path), with "both" the widths.
 */
function shownCounts(tree) {
	const from = tree.exact ?? { self: tree.self, total: tree.total, ...tree.diff };
	if (tree.base === "after")
		return { self: from.selfAfter, total: from.totalAfter };
	if (tree.base === "before")
		return { self: from.selfBefore, total: from.totalBefore };
	return { self: from.self, total: from.total };
}

/* Of one frame: { self, total }, and in a differential { selfBefore, selfAfter, … }. */
function frameCounts(tree, i) {
	const shown = shownCounts(tree);
	const counts = { self: shown.self[i], total: shown.total[i] };
	const from = tree.exact ?? tree.diff;
	if (tree.diff)
		for (const key of ["selfBefore", "selfAfter", "totalBefore", "totalAfter"])
			counts[key] = from[key][i];
	return counts;
}

/*
 * What 100 % is: the root's count, or --total if that is more; not if a view took weight
 * away, which is to fill the width.
 */
function wholeOf(tree, settings) {
	const total = shownCounts(tree).total[0];
	return settings.total > total && !tree.dropped ? settings.total : total;
}
