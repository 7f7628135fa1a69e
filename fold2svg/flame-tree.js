/* Views of the data: other trees made of its stacks. */

/* A callers view has at most so many frames; the narrowest beyond are cut off (view.cut). */
const CALLERS_MAX = 4000000;

/*
 * A view of the data, as a Tree. spec, all optional:
 *	callers   merged from the leaves: each frame's callees are its callers
 *	sort      "name": the data's order; "weight": heaviest first
 *	collapse  a frame directly under one of the same name is part of it
 *	hide      "kernel" or "user": such frames are left out, their callees and their own
 *	          count go to the nearest caller shown; "": none
 *	base      differentials: widths "after", "before", or "both" (the greater)
 *	removed   what removalOf() returned for frames of a view, or { callers, path }
 * The view has also
 *	spec      as given, without gaps
 *	dropped   weight (width units) of stacks removed or without a frame shown
 *	cut, cutWeight   frames left out of a callers view for their number, each narrower
 *	          than cutWeight; else 0
 *	origin    Uint32Array: a frame of the data for each
 * The view of no change is the data itself.
 */
function makeView(base, spec = {}) {
	const full = {
		callers: false, sort: "name", collapse: false, hide: "",
		base: base.base, removed: [], ...spec,
	};
	if (base.base === "")
		full.base = "";
	const columns = selfColumns(base);
	if (full.base !== base.base)
		columns[0] = widthColumn(columns[2], columns[1], full.base);
	const whole = sumOf(columns[0]);

	let tree = base;
	const removed = removedFrames(base, full.removed);
	if (full.hide || full.collapse || removed || full.base !== base.base)
		tree = shapedTree(base, columns, full, removed);
	if (full.callers)
		tree = callersTree(tree, full.limit ?? CALLERS_MAX);
	if (full.sort === "weight")
		tree = sortedTree(tree);
	if (tree === base)
		return base;
	tree.spec = full;
	tree.dropped = whole - (tree.exact ?? tree).total[0];
	return tree;
}

function sumOf(column) {
	let sum = column[0] - column[0];
	for (let i = 0; i < column.length; i++)
		sum += column[i];
	return sum;
}

/*
 * By frame, what hide has no place for. An unknown frame is the kernel's or the user's as
 * its annotation tells, or else as its caller is; under the root (a marker such as [lost])
 * it is nobody's.
 */
function hiddenFrames(tree, hide) {
	const { n, kind, caller, kindOf, name } = tree;
	const hidden = new Uint8Array(n);
	if (!hide)
		return hidden;
	const KERNEL = 1, USER = 2;
	const side = new Uint8Array(n);
	const unwanted = hide === "kernel" ? KERNEL : USER;
	const told = { K: KERNEL, J: USER };
	for (let i = 1; i < n; i++) {
		if (kind[i] === CODE_UNKNOWN)
			side[i] = told[kindOf[name[i]]] ?? side[caller[i]];
		else
			side[i] = kind[i] === CODE_KERNEL ? KERNEL : USER;
		hidden[i] = side[i] === unwanted ? 1 : 0;
	}
	return hidden;
}

/* The removal of frame i of a view, for spec.removed. */
function removalOf(tree, i) {
	const { callers = false, hide = "", collapse = false } = tree.spec ?? {};
	const codes = tree.table.codes();
	const path = framesTo(tree, i).map((j) => removalName(tree, codes, tree.name[j]));
	return { callers, hide, collapse, path };
}

/* The whole name, and of an inlined frame the kind if not a user's: "f_[i]_[k]". */
function removalName(tree, codes, id) {
	const kind = tree.kindOf[id] === "i" && codes[id] !== CODE_USER ?
		`_[${String.fromCharCode(codes[id])}]` : "";
	return fullName(tree, id) + kind;
}

/* By frame of the data, 1 if its own count is taken away; null if none is. */
function removedFrames(base, removed) {
	if (!removed.length)
		return null;
	const gone = new Uint8Array(base.n);
	for (const removal of removed) {
		const hidden = hiddenFrames(base, removal.hide ?? "");
		const shown = nearestShown(base, hidden, removal.collapse);
		const wanted = removal.path.map((name) => idsNamed(base, name));
		if (removal.callers)
			removeCallers(base, shown, wanted, gone);
		else
			removeCallees(base, shown, wanted, gone);
	}
	return gone;
}

/* The name ids meant by a name: a removalName(); if there is none a whole name, or a label. */
function idsNamed(tree, text) {
	const { names, table } = tree;
	const codes = table.codes();
	for (const nameOf of [(id) => removalName(tree, codes, id), (id) => fullName(tree, id),
		(id) => names[id]]) {
		const ids = Uint8Array.from(names,
			(_, id) => id !== table.root && nameOf(id) === text ? 1 : 0);
		if (ids.includes(1))
			return ids;
	}
	return new Uint8Array(names.length);
}

/*
 * By frame, the one that stands for it in a view: itself, or if it is hidden or part of a
 * direct recursion, the one above that does.
 */
function nearestShown(tree, hidden, collapse) {
	const { n, name, caller } = tree;
	const { functionOf } = functionsOf(tree);
	const shown = new Uint32Array(n);
	for (let i = 1; i < n; i++) {
		const up = shown[caller[i]];
		const merged = hidden[i] ||
			(collapse && up && functionOf[name[i]] === functionOf[name[up]]);
		shown[i] = merged ? up : i;
	}
	return shown;
}

/* All under the path, which begins at the root. */
function removeCallees(base, shown, wanted, gone) {
	const { n, name, caller } = base;
	/* How many of the path's frames a frame ends; -1: it is beside the path. */
	const matched = new Int32Array(n);
	for (let i = 0; i < n; i++) {
		if (i)
			matched[i] = matched[caller[i]];
		if (i && shown[i] === i && matched[i] >= 0 && matched[i] < wanted.length)
			matched[i] = wanted[matched[i]][name[i]] ? matched[i] + 1 : -1;
		if (matched[i] === wanted.length)
			gone[i] = 1;
	}
}

/* The stacks that end in the path, which begins at the leaf. */
function removeCallers(base, shown, wanted, gone) {
	const { n, name, caller } = base;
	for (let i = 1; i < n; i++) {
		let at = shown[i];
		let matched = 0;
		while (at && matched < wanted.length && wanted[matched][name[at]]) {
			at = shown[caller[at]];
			matched++;
		}
		if (matched === wanted.length)
			gone[i] = 1;
	}
}

/* The tree with counts of its own (columns), frames hidden and removed. */
function shapedTree(base, columns, spec, removed) {
	const { n, name, caller, chart } = base;
	const shown = nearestShown(base, hiddenFrames(base, spec.hide), spec.collapse);
	const own = columns.map((column) => column.slice());
	for (let i = 1; i < n; i++)
		if (removed?.[i] || !shown[i])
			for (const column of own)
				column[i] -= column[i];
	const left = subtreeSums(own[0], caller);
	const starts = chart && !base.base ? shapedStarts(base, own[0]) : null;

	/* The frames to be, callers first: those of one name under one caller are one. */
	const node = new Uint32Array(n);
	const nodes = new NodeList(base, n);
	const seek = chart ? new LastCallees(nodes, base) : new CalleeTable(nodes, n);
	for (let i = 1; i < n; i++) {
		const up = node[caller[i]];
		const kept = shown[i] === i && (left[i] || !removed);
		node[i] = kept ? seek.node(up, name[i], i) : up;
	}
	const sums = own.map((column) => {
		const sum = new column.constructor(nodes.n);
		for (let i = 0; i < n; i++)
			sum[node[i]] += column[i];
		return sum;
	});
	const nodeStarts = starts && starts.constructor.from(nodes.origin.subarray(0, nodes.n),
		(i) => starts[i]);
	const tree = assembleTree(base, nodes, sums, chart ? null : nodes.byName(), nodeStarts);
	tree.base = spec.base;
	return tree;
}

/* Where the frames of a chart begin when their own counts are less, or none. */
function shapedStarts(base, own) {
	const gaps = gapsOf(base);
	for (let i = 1; i < base.n; i++)
		if (!own[base.caller[i]])
			gaps[i] -= gaps[i];
	return startsWithGaps(base, own, gaps);
}

/* Frames of a tree being made, in any order but callers before callees. */
class NodeList {
	constructor(base, room) {
		this.base = base;
		this.n = 1;
		this.name = new Uint32Array(room);
		this.caller = new Uint32Array(room);
		this.origin = new Uint32Array(room);
		this.name[0] = base.table.root;
	}

	add(caller, name, origin) {
		const i = this.n++;
		this.name[i] = name;
		this.caller[i] = caller;
		this.origin[i] = origin;
		return i;
	}

	/* All of them by their names' order. */
	byName() {
		const ranks = this.base.table.ranks();
		const keys = new Uint32Array(this.n);
		for (let i = 0; i < this.n; i++)
			keys[i] = ranks[this.name[i]];
		return sortedBy(null, keys, ranks.length);
	}
}

/* Finds the callee of a name by a hash table. */
class CalleeTable {
	constructor(nodes, room) {
		this.nodes = nodes;
		this.size = 1 << (33 - Math.clz32(Math.max(room, 2)));
		this.slots = new Uint32Array(this.size);
	}

	node(caller, name, origin) {
		const { nodes, slots, size } = this;
		let at = Math.imul(caller, 0x9e3779b1) ^ Math.imul(name, 0x85ebca6b);
		at ^= at >>> 15;
		for (; ; at++) {
			at &= size - 1;
			const i = slots[at];
			if (!i)
				return slots[at] = nodes.add(caller, name, origin);
			if (nodes.name[i] === name && nodes.caller[i] === caller)
				return i;
		}
	}
}

/* Where order is time: the callee of a name if it was the last one and ended just now. */
class LastCallees {
	constructor(nodes, base) {
		this.nodes = nodes;
		this.base = base;
		this.last = new Uint32Array(nodes.name.length);
		this.ends = new Float64Array(nodes.name.length);
	}

	node(caller, name, origin) {
		const { nodes, last, ends } = this;
		const { start, total } = this.base;
		let i = last[caller];
		if (!i || nodes.name[i] !== name || ends[i] !== start[origin])
			i = last[caller] = nodes.add(caller, name, origin);
		ends[i] = start[origin] + total[origin];
		return i;
	}
}

/*
 * The tree of nodes { n, name, caller, origin } in preorder. columns: counts by node, as
 * finishTree() takes them. order: all nodes, in which callees are to stand; null: by number.
 * starts: null, or by node for finishTree().
 */
function assembleTree(base, nodes, columns, order, starts = null) {
	const { n } = nodes;
	const caller = nodes.caller.subarray(0, n);
	const size = new Uint32Array(n).fill(1);
	for (let i = n - 1; i > 0; i--)
		size[caller[i]] += size[i];

	/* The root's callees, those of node 1, and so on. */
	const place = new Uint32Array(n);
	let last = -1, next = 0;
	for (const i of sortedBy(order, caller, n)) {
		if (!i)
			continue;
		if (caller[i] !== last) {
			last = caller[i];
			next = place[last] + 1;
		}
		place[i] = next;
		next += size[i];
	}

	const tree = newTree(base.table, n, base);
	tree.base = base.base;
	tree.origin = new Uint32Array(n);
	const codes = base.table.codes();
	for (let i = 0; i < n; i++) {
		const to = place[i];
		tree.name[to] = nodes.name[i];
		tree.kind[to] = codes[nodes.name[i]];
		tree.caller[to] = place[caller[i]];
		tree.origin[to] = base.origin ? base.origin[nodes.origin[i]] : nodes.origin[i];
	}
	for (let i = 1; i < n; i++)
		tree.depth[i] = tree.depth[tree.caller[i]] + 1;
	const moved = (column) => {
		const to = new column.constructor(n);
		for (let i = 0; i < n; i++)
			to[place[i]] = column[i];
		return to;
	};
	return finishTree(tree, columns.map(moved), starts && moved(starts));
}

/* Callees by weight; equal ones keep their order. */
function sortedTree(tree) {
	const { n, name, caller, total, cut, cutWeight } = tree;
	const nodes = { n, name, caller, origin: numbersTo(n) };
	const sorted = assembleTree(tree, nodes, selfColumns(tree), heaviestFirst(total));
	return Object.assign(sorted, { cut, cutWeight });
}

/* All frames, the heaviest first; equal ones in their order. */
function heaviestFirst(total) {
	const n = total.length;
	const low = new Uint32Array(n);
	if (total[0] <= 0xffffffff) {
		for (let i = 0; i < n; i++)
			low[i] = ~total[i];
		return digitSort(digitSort(numbersTo(n), low, 0), low, 16);
	}
	/* The bits of Numbers that are not negative order as they do. */
	const bits = new Uint32Array(total.buffer, total.byteOffset, 2 * n);
	const high = new Uint32Array(n);
	for (let i = 0; i < n; i++) {
		low[i] = ~bits[2 * i];
		high[i] = ~bits[2 * i + 1];
	}
	const order = digitSort(digitSort(numbersTo(n), low, 0), low, 16);
	return digitSort(digitSort(order, high, 0), high, 16);
}

function numbersTo(n) {
	const numbers = new Uint32Array(n);
	for (let i = 0; i < n; i++)
		numbers[i] = i;
	return numbers;
}

/* A stable sort of `order` by 16 bits of the keys. */
function digitSort(order, keys, shift) {
	const n = order.length;
	const next = new Uint32Array((1 << 16) + 1);
	for (let i = 0; i < n; i++)
		next[(keys[i] >>> shift & 0xffff) + 1]++;
	for (let k = 1; k < next.length; k++)
		next[k] += next[k - 1];
	const sorted = new Uint32Array(n);
	for (let at = 0; at < n; at++) {
		const i = order[at];
		sorted[next[keys[i] >>> shift & 0xffff]++] = i;
	}
	return sorted;
}

/* A stable sort of `order` (null: 0 to n - 1) by keys below `bound`, one for each. */
function sortedBy(order, keys, bound) {
	const n = keys.length;
	const next = new Uint32Array(bound + 1);
	for (let i = 0; i < n; i++)
		next[keys[i] + 1]++;
	for (let k = 1; k <= bound; k++)
		next[k] += next[k - 1];
	const sorted = new Uint32Array(n);
	for (let at = 0; at < n; at++) {
		const i = order ? order[at] : at;
		sorted[next[keys[i]]++] = i;
	}
	return sorted;
}
