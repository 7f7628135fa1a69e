/* The callers view: stacks read from their leaves, merged from there. */

/*
 * Stacks in order of their names from the leaf on (in a chart: of time) lie beside those
 * they share the most frames with: each begins with a part of the path before it, and the
 * rest of it is new frames, in preorder. What a path has before its end is known when the
 * next one leaves it.
 */
function callersTree(base, limit) {
	const leaves = orderedLeaves(base);
	const { shared, fork, frames } = sharedParts(base, leaves);
	const columns = selfColumns(base);
	const least = frames > limit ? leastWeight(base, leaves, shared, limit) : 0;
	const tree = newTree(base.table, 0, base);
	const made = buildCallers(base, leaves, { shared, fork, columns, least,
		room: Math.min(frames, limit) + base.maxDepth + 1 });
	Object.assign(tree, made.arrays, { n: made.arrays.name.length });
	tree.base = base.base;
	tree.reversed = !base.reversed;
	tree.cut = frames + 1 - tree.n;
	tree.cutWeight = tree.cut ? least : 0;
	return finishTree(tree, made.columns);
}

/* Frames that stacks end in, ordered by their names from there to the root. */
function orderedLeaves(base) {
	const { n, self } = base;
	const order = base.chart ? null : pathOrder(base);
	const leaves = new Uint32Array(n);
	let found = 0;
	for (let at = 1; at < n; at++) {
		const i = order ? order[at] : at;
		if (self[i])
			leaves[found++] = i;
	}
	return leaves.subarray(0, found);
}

/*
 * All frames ordered by their path to the root, by doubling: frames ranked by the first
 * 2^k names of theirs are ranked by twice as many by the rank of the frame 2^k above.
 */
function pathOrder(base) {
	const { n, name, maxDepth } = base;
	const ranks = base.table.ranks();
	let rank = new Uint32Array(n);
	for (let i = 1; i < n; i++)
		rank[i] = ranks[name[i]] + 1;
	let up = base.caller;
	let bound = ranks.length + 1;
	let order = sortedBy(null, rank, bound);
	for (let span = 1, distinct = 0; span < maxDepth && distinct < n; span *= 2) {
		const tail = taken(rank, up);
		order = sortedBy(sortedBy(null, tail, bound), rank, bound);
		const finer = new Uint32Array(n);
		let last = 0;
		for (let at = 1; at < n; at++) {
			const i = order[at], before = order[at - 1];
			if (rank[i] !== rank[before] || tail[i] !== tail[before])
				last++;
			finer[i] = last;
		}
		rank = finer;
		bound = distinct = last + 1;
		up = taken(up, up);
	}
	return order;
}

/* values[at[i]] for each i */
function taken(values, at) {
	const n = at.length;
	const result = new Uint32Array(n);
	for (let i = 0; i < n; i++)
		result[i] = values[at[i]];
	return result;
}

/*
 * By leaf: how many frames its path shares with the one before, and the frame where it
 * goes on alone (0: nowhere). frames: of all paths together, shared ones once.
 */
function sharedParts(base, leaves) {
	const { name, caller, depth, maxDepth } = base;
	const shared = new Uint32Array(leaves.length);
	const fork = new Uint32Array(leaves.length);
	const path = new Uint32Array(maxDepth + 1);
	let length = 0, frames = 0;
	for (let l = 0; l < leaves.length; l++) {
		let i = leaves[l], d = 0;
		while (i && d < length && path[d] === name[i]) {
			i = caller[i];
			d++;
		}
		shared[l] = d;
		fork[l] = i;
		length = depth[leaves[l]];
		frames += length - d;
		for (; i; i = caller[i])
			path[d++] = name[i];
	}
	return { shared, fork, frames };
}

/*
 * Weights by the upper 16 bits of their Number, which grow with it: sign, exponent and the
 * first four bits behind the point.
 */
const weightNumber = new Float64Array(1);
const weightBits = new Uint32Array(weightNumber.buffer);

function weightClass(weight) {
	weightNumber[0] = weight;
	return weightBits[1] >>> 16;
}

/* The least weight of frames such that no more than `limit` have it. */
function leastWeight(base, leaves, shared, limit) {
	const counts = new Float64Array(1 << 16);
	const open = new Float64Array(base.maxDepth + 1);
	let length = 0;
	const close = (to) => {
		for (; length > to; length--) {
			counts[weightClass(open[length])]++;
			open[length - 1] += open[length];
			open[length] = 0;
		}
	};
	for (let l = 0; l < leaves.length; l++) {
		close(shared[l]);
		length = base.depth[leaves[l]];
		open[length] += base.self[leaves[l]];
	}
	close(0);
	let least = counts.length;
	for (let room = limit; least && counts[least - 1] <= room;)
		room -= counts[--least];
	weightNumber[0] = 0;
	weightBits[1] = least << 16;
	return weightNumber[0];
}

/* The frames at least `least` heavy; counts of those left out go to the frame below. */
function buildCallers(base, leaves, { shared, fork, columns, least, room }) {
	const { name, caller, depth, kind } = base;
	const arrays = {
		name: new Uint32Array(room), caller: new Uint32Array(room),
		depth: new Uint32Array(room), kind: new Uint8Array(room),
		origin: new Uint32Array(room),
	};
	let sums = columns.map((column) => new column.constructor(room));
	const open = new Uint32Array(base.maxDepth + 1); /* the frames of the present path */
	const weight = new Float64Array(base.maxDepth + 1);
	let length = 0, n = 1;
	arrays.name[0] = base.table.root;
	arrays.kind[0] = CODE_UNKNOWN;
	for (let c = 0; c < sums.length; c++)
		sums[c][0] = columns[c][0];

	const close = (to) => {
		for (; length > to; length--) {
			const i = open[length];
			if (weight[length] < least) {
				for (const sum of sums) {
					sum[open[length - 1]] += sum[i];
					sum[i] -= sum[i];
				}
				n = i;
			}
			weight[length - 1] += weight[length];
			weight[length] = 0;
		}
	};
	for (let l = 0; l < leaves.length; l++) {
		const leaf = leaves[l];
		close(shared[l]);
		for (let i = fork[l]; i; i = caller[i]) {
			arrays.name[n] = name[i];
			arrays.kind[n] = kind[i];
			arrays.caller[n] = open[length++];
			arrays.depth[n] = length;
			arrays.origin[n] = base.origin ? base.origin[i] : i;
			open[length] = n++;
		}
		length = depth[leaf];
		weight[length] += base.self[leaf];
		for (let c = 0; c < sums.length; c++)
			sums[c][open[length]] += columns[c][leaf];
	}
	close(0);
	sums = sums.map((sum) => sum.slice(0, n));
	for (const key in arrays)
		arrays[key] = arrays[key].slice(0, n);
	arrays.end = new Uint32Array(n);
	return { arrays, columns: sums };
}
