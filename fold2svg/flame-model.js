"use strict";

/*
 * The call tree as arrays by frame, in preorder: a frame's subtree is the run
 * [i, end[i]). Counts are Numbers as long as their sum is exact, else BigInts;
 * code below only adds, subtracts and converts them, so it need not know.
 */

const KINDS = { u: "user", k: "kernel", j: "JIT", x: "unknown" };

/* The text of <metadata class="names"> and class="frames"; picture.h tells their form. */
function parseModel(namesText, framesText) {
	const looks = [], labels = [];
	for (const line of namesText.split("\n")) {
		if (line) {
			looks.push(line.slice(0, 2));
			labels.push(line.slice(3));
		}
	}

	const lines = framesText.split("\n");
	const n = lines.length - 1;
	const model = {
		n, labels,
		name: new Uint32Array(n),
		caller: new Uint32Array(n),
		depth: new Uint32Array(n),
		end: new Uint32Array(n),
		kind: new Array(n),
		look: looks,
		rows: [],
	};
	const selves = new Array(n);
	const path = [];
	let sum = 0;
	for (let i = 0; i < n; i++) {
		const [name, up = 0, self = "0"] = lines[i].split(" ");
		const depth = i ? model.depth[i - 1] + 1 - Number(up) : 0;
		model.name[i] = Number(name);
		model.depth[i] = depth;
		model.caller[i] = depth ? path[depth - 1] : 0;
		model.kind[i] = frameKind(model, i);
		path[depth] = i;
		(model.rows[depth] ??= []).push(i);
		selves[i] = self;
		sum += Number(self);
	}
	addCounts(model, selves, sum > Number.MAX_SAFE_INTEGER);
	return model;
}

/* An inlined frame is of its caller's kind; below the root, a user's. */
function frameKind(model, i) {
	if (!model.depth[i])
		return "x";
	const kind = model.look[model.name[i]][0];
	if (kind !== "i")
		return kind;
	return model.depth[i] > 1 ? model.kind[model.caller[i]] : "u";
}

function addCounts(model, selves, wide) {
	const { n, caller, end } = model;
	const Counts = wide ? BigUint64Array : Float64Array;
	model.start = new Counts(n);
	model.self = Counts.from(selves, wide ? BigInt : Number);
	model.total = model.self.slice();
	for (let i = 1; i < n; i++)
		model.start[i] = model.start[i - 1] + model.self[i - 1];
	for (let i = n - 1; i >= 0; i--) {
		end[i] = Math.max(end[i], i + 1);
		if (i) {
			model.total[caller[i]] += model.total[i];
			end[caller[i]] = Math.max(end[caller[i]], end[i]);
		}
	}
}

function frameLabel(model, i) {
	return i ? model.labels[model.name[i]] : "all";
}

/* The classes of its box. */
function frameClass(model, i) {
	if (!i)
		return "x7";
	const look = model.look[model.name[i]];
	return model.kind[i] + look[1] + (look[0] === "i" ? " i" : "");
}

function frameKindWord(model, i) {
	const inlined = i && model.look[model.name[i]][0] === "i";
	return KINDS[model.kind[i]] + (inlined ? ", inlined" : "");
}

/* The frame of that depth which covers the sample `at`, counted from frame `from`'s start. */
function frameAt(model, depth, from, at) {
	const row = model.rows[depth] ?? [];
	const begin = (i) => Number(model.start[i] - model.start[from]);
	let lo = 0, hi = row.length;
	while (lo < hi) {
		const mid = (lo + hi) >> 1;
		if (model.start[row[mid]] < model.start[from] || begin(row[mid]) <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	const i = row[lo - 1];
	return lo && begin(i) + Number(model.total[i]) > at ? i : -1;
}

/* Which names a regular expression matches, and the samples that have one on their stack. */
function searchModel(model, regex) {
	const hit = Uint8Array.from(model.labels, (label) => regex.test(label));
	let matched = model.total[0] - model.total[0];
	for (let i = 1; i < model.n;) {
		if (hit[model.name[i]]) {
			matched += model.total[i];
			i = model.end[i];
		} else {
			i++;
		}
	}
	return { hit, matched };
}

/* The part of a label that fits so many columns; characters from U+1100 on may take two. */
function fitLabel(text, columns) {
	let column = 0, at = 0, keep = 0;
	for (const ch of text) {
		column += ch.codePointAt(0) >= 0x1100 ? 2 : 1;
		at += ch.length;
		if (column > columns)
			return text.slice(0, keep) + "..";
		if (column + 2 <= columns)
			keep = at;
	}
	return text;
}

function percentOf(part, whole) {
	return part === whole ? "100%" : (100 * Number(part) / Number(whole)).toFixed(2) + "%";
}

function countText(count) {
	return count.toLocaleString("en-US");
}
