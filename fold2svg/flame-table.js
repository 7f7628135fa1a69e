/* Functions: what all frames of a name and kind are together. */

/*
 * By name id the function's number (names that differ in being inlined share one), and
 * the functions' first name ids. Numbers are the same in all views of a data.
 */
function functionsOf(tree) {
	const { table } = tree;
	if (table.functions)
		return table.functions;
	const { names } = table;
	const codes = table.codes();
	const functionOf = new Uint32Array(names.length);
	const nameOf = [];
	const known = new Map(); /* by kind, then label */
	for (let id = 0; id < names.length; id++) {
		let byLabel = known.get(codes[id]);
		if (!byLabel)
			known.set(codes[id], byLabel = new Map());
		let f = id === table.root ? undefined : byLabel.get(names[id]);
		if (f === undefined) {
			f = nameOf.length;
			nameOf.push(id);
			if (id !== table.root)
				byLabel.set(names[id], f);
		}
		functionOf[id] = f;
	}
	return table.functions = { functionOf, nameOf, codes };
}

/* The function of frame i, for callersOf() and calleesOf(). */
function functionAt(tree, i) {
	return functionsOf(tree).functionOf[tree.name[i]];
}

/*
 * A row for each function: { key (its number), name, kind (letter), self, total }, in a
 * differential with { selfBefore, selfAfter, totalBefore, totalAfter }. Counts are what
 * texts show (shownCounts), exact; each stack counts once in a total, also in recursion.
 * In no order.
 */
function functionTable(tree) {
	const { name } = tree;
	const { functionOf } = functionsOf(tree);
	return gather(tree, (i) => functionOf[name[i]]);
}

/*
 * The functions that call the one of that key, with the counts of the stacks in which they
 * do; the root's row ("all") are those that begin with it. self is 0.
 */
function callersOf(tree, key) {
	if (!tree.reversed)
		return onRootSide(tree, key);
	const rows = onLeafSide(tree, key);
	const first = firstOfStacks(tree, key);
	return first.total || first.totalBefore || first.totalAfter ? [...rows, first] : rows;
}

/* The functions that it calls, likewise. The stacks that end in it are its own self count. */
function calleesOf(tree, key) {
	return (tree.reversed ? onRootSide(tree, key) : onLeafSide(tree, key))
		.filter((row) => row.key !== functionAt(tree, 0));
}

/* In a reversed tree, the root's row: the stacks that begin with the function, which end there. */
function firstOfStacks(tree, key) {
	const { n, name } = tree;
	const { functionOf } = functionsOf(tree);
	const shown = shownCounts(tree);
	const from = tree.exact ?? tree.diff;
	const row = newRow(tree, functionAt(tree, 0), shown.total[0] - shown.total[0]);
	for (let i = 1; i < n; i++) {
		if (functionOf[name[i]] !== key)
			continue;
		row.total += shown.self[i];
		if (tree.diff) {
			row.totalBefore += from.selfBefore[i];
			row.totalAfter += from.selfAfter[i];
		}
	}
	return row;
}

/* Beside the function towards the root. */
function onRootSide(tree, key) {
	const { name, caller } = tree;
	const { functionOf } = functionsOf(tree);
	return gather(tree, (i) => functionOf[name[i]] === key ? functionOf[name[caller[i]]] : -1,
		false);
}

function onLeafSide(tree, key) {
	const { name, caller } = tree;
	const { functionOf } = functionsOf(tree);
	return gather(tree, (i) => functionOf[name[caller[i]]] === key ? functionOf[name[i]] : -1,
		false);
}

/*
 * Sums frames by a key, -1 leaves one out: totals of frames that no frame of the key
 * encloses. Self counts are those of stacks whose leaf has the key.
 */
function gather(tree, keyOf, withSelf = true) {
	const { n, end, depth, reversed } = tree;
	const { nameOf } = functionsOf(tree);
	const covered = new Uint32Array(nameOf.length);
	const rowOfKey = new Int32Array(nameOf.length).fill(-1);
	const rows = [];
	const from = tree.exact ?? tree.diff;
	const shown = shownCounts(tree);
	const zero = shown.total[0] - shown.total[0];
	const diffKeys = tree.diff ? ["Before", "After"] : [];
	for (let i = 1; i < n; i++) {
		const key = keyOf(i);
		if (key < 0)
			continue;
		let r = rowOfKey[key];
		if (r < 0) {
			r = rowOfKey[key] = rows.length;
			rows.push(newRow(tree, key, zero));
		}
		const row = rows[r];
		const outermost = i >= covered[key];
		if (outermost) {
			covered[key] = end[i];
			row.total += shown.total[i];
			for (const when of diffKeys)
				row[`total${when}`] += from[`total${when}`][i];
		}
		if (withSelf && (reversed ? depth[i] === 1 : true)) {
			const kind = reversed ? "total" : "self";
			row.self += shown[kind][i];
			for (const when of diffKeys)
				row[`self${when}`] += from[kind + when][i];
		}
	}
	return rows;
}

function newRow(tree, key, zero) {
	const { nameOf, codes } = functionsOf(tree);
	const id = nameOf[key];
	const row = {
		key, name: tree.names[id], kind: String.fromCharCode(codes[id]),
		self: zero, total: zero,
	};
	if (tree.diff)
		Object.assign(row, { selfBefore: zero, selfAfter: zero,
			totalBefore: zero, totalAfter: zero });
	return row;
}
