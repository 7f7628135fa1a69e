/* Finding frames: by path, by place in the picture, by name. */

/* Root to frame i, without the root. */
function framesTo(tree, i) {
	const frames = [];
	for (let at = i; at; at = tree.caller[at])
		frames.push(at);
	return frames.reverse();
}

/*
 * The names from the root to frame i, "all" left out: labels, where need be the whole
 * name ("f_[k]") or one with a number ("f #2", in charts). findPathPrefix() finds the frame by it.
 */
function pathOf(tree, i) {
	return framesTo(tree, i).map((frame) => {
		const caller = tree.caller[frame];
		const id = tree.name[frame];
		for (const name of [tree.names[id], fullName(tree, id)])
			if (findCallee(tree, caller, name) === frame)
				return name;
		const full = fullName(tree, id);
		let number = 0;
		for (let j = caller + 1; j <= frame; j = tree.end[j])
			if (fullName(tree, tree.name[j]) === full)
				number++;
		/* A frame may be called "f #2": the second "f" is "f #02" then. */
		let path = `${full} #${number}`;
		for (let zeros = "0"; findCallee(tree, caller, path) !== frame; zeros += "0")
			path = `${full} #${zeros}${number}`;
		return path;
	});
}

/* The deepest frame of the path that exists, and how many names of it led there. */
function findPathPrefix(tree, path) {
	let frame = 0, length = 0;
	for (; length < path.length; length++) {
		const callee = findCallee(tree, frame, path[length]);
		if (callee < 0)
			break;
		frame = callee;
	}
	return { frame, length };
}

function findCallee(tree, caller, name) {
	const { end, names } = tree;
	let labelled = -1;
	for (let i = caller + 1; i < end[caller]; i = end[i]) {
		const label = names[tree.name[i]];
		if (label.length > name.length || !name.startsWith(label))
			continue;
		if (label === name && labelled < 0)
			labelled = i;
		if (fullName(tree, tree.name[i]) === name)
			return i;
	}
	if (labelled >= 0)
		return labelled;
	const numbered = /^(.*) #(\d+)$/s.exec(name);
	if (!numbered)
		return -1;
	let left = Number(numbered[2]);
	for (let i = caller + 1; i < end[caller]; i = end[i])
		if (fullName(tree, tree.name[i]) === numbered[1] && --left === 0)
			return i;
	return -1;
}

/* Calls see(frame) for those under `zoom` that weigh at least `least`, in preorder. */
function eachWide({ total, end }, zoom, least, see) {
	for (let i = zoom + 1; i < end[zoom];) {
		if (total[i] >= least)
			see(i++);
		else
			i = end[i];
	}
}

/*
 * Those frames, by depth and in order; from: where a depth begins among them; hidden: how
 * many others there are; depths: of the deepest, and one.
 */
function wideFrames(tree, zoom, least) {
	const { depth, end, maxDepth } = tree;
	const from = new Uint32Array(maxDepth + 2);
	let n = 0, depths = depth[zoom] + 1;
	eachWide(tree, zoom, least, (i) => {
		from[depth[i] + 1]++;
		n++;
	});
	for (let d = 0; d <= maxDepth; d++) {
		if (from[d + 1])
			depths = d + 1;
		from[d + 1] += from[d];
	}
	const frames = new Uint32Array(n), next = from.slice();
	eachWide(tree, zoom, least, (i) => {
		frames[next[depth[i]]++] = i;
	});
	return { frames, from, depths, hidden: end[zoom] - zoom - 1 - n };
}

/* Those of one depth. */
function rowOf({ frames, from }, depth) {
	const n = frames.length;
	return frames.subarray(from[depth] ?? n, from[depth + 1] ?? n);
}

/* How many of the ascending numbers are below `limit`. */
function lowerBound(numbers, limit) {
	let lo = 0, hi = numbers.length;
	while (lo < hi) {
		const mid = (lo + hi) >> 1;
		if (numbers[mid] < limit)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Where frame i begins, from where frame `from`, which begins before it, does. */
function offsetOf(tree, i, from) {
	if (tree.exact)
		return Number(tree.exact.start[i] - tree.exact.start[from]);
	return tree.start[i] - tree.start[from];
}

/* The frame of a row under `from` that covers `at`, counted from where that begins; or -1. */
function frameAt(tree, row, from, at) {
	let lo = 0, hi = row.length;
	while (lo < hi) {
		const mid = (lo + hi) >> 1;
		if (offsetOf(tree, row[mid], from) <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo === 0)
		return -1;
	const i = row[lo - 1];
	return offsetOf(tree, i, from) + tree.total[i] > at ? i : -1;
}

/*
 * What a user typed: { test: label => bool }, or { error } if it is no regular expression.
 * Empty text matches nothing.
 */
function compileSearch(text, { regex = false, matchCase = false } = {}) {
	if (!text)
		return { test: () => false };
	if (!regex && matchCase)
		return { test: (label) => label.includes(text) };
	const source = regex ? text : text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
	try {
		const compiled = new RegExp(source, matchCase ? "" : "i");
		return { test: (label) => compiled.test(label) };
	} catch (error) {
		return { error: error.message.replace(/^Invalid regular expression: /, "") };
	}
}

/*
 * hit: Uint8Array by name id, a name matches by its label or with its annotation; matched:
 * the count (shownCounts) of stacks with a match, each once; count: of frames that match.
 * uncut: of a tree that frames were cut off, another one of the same stacks, to count these.
 */
function searchTree(tree, matcher, uncut = tree) {
	const { names, table } = tree;
	const hit = new Uint8Array(names.length);
	for (let id = 0; id < hit.length; id++)
		hit[id] = matcher.test(names[id]) ? 1 : 0;
	for (let id = 0; id < hit.length; id++)
		if (!hit[id] && annotationOf(tree, id) && matcher.test(fullName(tree, id)))
			hit[id] = 1;
	hit[table.root] = 0;
	const { matched, count } = countHits(tree, hit);
	return { hit, count, matched: uncut === tree ? matched : countHits(uncut, hit).matched };
}

function countHits(tree, hit) {
	const { n, end, name } = tree;
	const { total } = shownCounts(tree);
	let matched = total[0] - total[0];
	let count = 0;
	for (let i = 1, covered = 0; i < n; i++) {
		if (!hit[name[i]])
			continue;
		count++;
		if (i >= covered) {
			matched += total[i];
			covered = end[i];
		}
	}
	return { matched, count };
}

/*
 * The match after (step 1) or before (-1) frame `from` in root's subtree, around its end;
 * -1: none.
 */
function nextMatch(tree, hit, from, step, root = 0) {
	const { name, end } = tree;
	const first = root, size = end[root] - root;
	let i = from >= first && from < first + size ? from : step > 0 ? first + size - 1 : first;
	for (let left = size; left > 0; left--) {
		i += step;
		if (i >= first + size)
			i = first;
		else if (i < first)
			i = first + size - 1;
		if (hit[name[i]])
			return i;
	}
	return -1;
}

/* Frame i is the index-th (from 1; 0: it is none) of count matches in root's subtree. */
function matchIndex(tree, hit, i, root = 0) {
	const { name, end } = tree;
	let index = 0, count = 0;
	for (let j = root; j < end[root]; j++) {
		if (!hit[name[j]])
			continue;
		count++;
		if (j === i)
			index = count;
	}
	return { index, count };
}
