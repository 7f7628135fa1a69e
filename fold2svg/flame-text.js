/* What is written: names, counts, percentages, folded lines. */

function frameLabel(tree, i) {
	return tree.names[tree.name[i]];
}

const ANNOTATIONS = { k: "_[k]", j: "_[j]", i: "_[i]", K: "_[k]", J: "_[j]" };

function annotationOf({ table, kindOf }, id) {
	return table.wakers.has(id) ? "_[w]" : ANNOTATIONS[kindOf[id]] ?? "";
}

/* A name as in folded lines, with its annotation. */
function fullName(tree, id) {
	return tree.names[id] + annotationOf(tree, id);
}

/* "kernel", "user, inlined" */
function frameKindWord(tree, i) {
	const word = KIND_WORDS[String.fromCharCode(tree.kind[i])];
	return tree.kindOf[tree.name[i]] === "i" ? `${word}, inlined` : word;
}

/* "libc.so.6" of "libc.so.6`malloc" and of "[libc.so.6]"; "" if the name tells none. */
function moduleOf(label) {
	const tick = label.indexOf("`");
	if (tick > 0)
		return label.slice(0, tick);
	return /^\[(?!unknown|truncated|lost)(.*)\]$/.exec(label)?.[1] ?? "";
}

/* Of its box where the colour is the name's: { class } or { fill }. */
function frameLook(tree, i) {
	const shade = tree.shade[tree.name[i]];
	if (shade[0] === "#")
		return { fill: shade };
	const inlined = tree.kindOf[tree.name[i]] === "i" ? " i" : "";
	const letter = shade.length === 1 ? String.fromCharCode(tree.kind[i]) : "";
	return { class: letter + shade + inlined };
}

/*
 * The class of a change: "n" new, "v" vanished, "d0" none to speak of, "m1" to "m6" more,
 * "l1" to "l6" less. negate: seen from the other side.
 */
function changeClass(before, after, negate = false) {
	const b = Number(before), a = Number(after);
	if (b === 0 && a === 0)
		return "d0";
	if (b === 0 || a === 0)
		return (b === 0) !== negate ? "n" : "v";
	const part = (a - b) / Math.max(a, b);
	if (Math.abs(part) < 0.005)
		return "d0";
	return (part > 0) !== negate ? `m${Math.ceil(6 * Math.abs(part))}` :
		`l${Math.ceil(6 * Math.abs(part))}`;
}

/* The part of a text that fits so many columns; characters from U+1100 on may take two. */
function fitLabel(text, columns, fromStart = false) {
	if (2 * text.length <= columns)
		return text;
	return fromStart ? fitTail(text, columns) : fitHead(text, columns);
}

function columnsOf(codePoint) {
	return codePoint >= 0x1100 ? 2 : 1;
}

function fitHead(text, columns) {
	let column = 0, keep = 0;
	for (let at = 0; at < text.length;) {
		const code = text.codePointAt(at);
		at += code > 0xffff ? 2 : 1;
		column += columnsOf(code);
		if (column > columns)
			return text.slice(0, keep) + "..";
		if (column + 2 <= columns)
			keep = at;
	}
	return text;
}

function fitTail(text, columns) {
	let column = 0, keep = text.length;
	for (let at = text.length; at > 0;) {
		let code = text.codePointAt(at - 1);
		if (at > 1 && text.codePointAt(at - 2) > 0xffff)
			code = text.codePointAt(at - 2);
		at -= code > 0xffff ? 2 : 1;
		column += columnsOf(code);
		if (column > columns)
			return ".." + text.slice(keep);
		if (column + 2 <= columns)
			keep = at;
	}
	return text;
}

/* n in units of 10^-decimals as a plain number. */
function plainCount(n, decimals) {
	let digits = n.toString();
	if (!decimals)
		return digits;
	const sign = digits[0] === "-" ? "-" : "";
	digits = digits.slice(sign.length).padStart(decimals + 1, "0");
	const fraction = digits.slice(-decimals).replace(/0+$/, "");
	return sign + digits.slice(0, -decimals) + (fraction && `.${fraction}`);
}

/* As texts have it: with --factor, and thousands apart. n: Number or BigInt, exact. */
function countText(n, settings) {
	let plain;
	if (!settings.factor || settings.factor === "1") {
		plain = plainCount(n, settings.decimals ?? 0);
	} else {
		const { mantissa, exponent } = parseDecimal(settings.factor);
		const decimals = (settings.decimals ?? 0) - exponent;
		const product = BigInt(n) * mantissa * 10n ** BigInt(Math.max(0, -decimals));
		plain = plainCount(product, Math.max(0, decimals));
	}
	return plain.replace(/^(-?)(\d+)/, (_, sign, whole) =>
		sign + whole.replace(/\B(?=(\d{3})+$)/g, ","));
}

/* "2.5", "25e-1", "1000": mantissa · 10^exponent */
function parseDecimal(text) {
	const [, sign, whole, fraction = "", power = "0"] =
		/^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text) ?? [null, "", "1"];
	const mantissa = BigInt(`${whole}${fraction}` || "0");
	return { mantissa: sign === "-" ? -mantissa : mantissa,
		exponent: Number(power) - fraction.length };
}

/* "5.67%", and "100%" of the whole. */
function percentText(part, whole) {
	if (Number(whole) === 0)
		return "0%";
	return part === whole ? "100%" : `${hundredths(part, whole)}%`;
}

/* A change in percent of the whole: "+1.23%", "-0.50%", "0.00%". */
function deltaText(delta, whole) {
	if (Number(whole) === 0)
		return "0%";
	return `${delta > 0 ? "+" : ""}${hundredths(delta, whole)}%`;
}

/* 100 · part / whole as printf's %.2f has it, which rounds a tie to the even digit. */
function hundredths(part, whole) {
	const percent = 100 * Number(part) / Number(whole);
	const eighths = Math.abs(percent) * 8;
	if (eighths % 4 === 1)
		return (Math.sign(percent) * (Math.abs(percent) - 0.005)).toFixed(2);
	return percent.toFixed(2);
}

/* The stack down to frame i as in folded lines, root first whatever the view. */
function stackText(tree, i) {
	const names = framesTo(tree, i).map((j) => fullName(tree, tree.name[j]));
	return (tree.reversed ? names.reverse() : names).join(";");
}

const FOLDED_PART = 1 << 20; /* characters */

/*
 * Folded lines of what is shown under frame i, with its callers: a differential's with
 * both counts, before and after; a chart's in the order of time. In parts, since the whole
 * may be longer than a string.
 */
function foldedParts(tree, settings, root = 0) {
	const decimals = settings.decimals ?? 0;
	const from = tree.exact ?? { self: tree.self, ...tree.diff };
	const columns = tree.diff ? [from.selfBefore, from.selfAfter] : [from.self];
	const inTime = tree.chart && !tree.diff;
	const parts = [];
	let part = "";
	const add = (stack, counts) => {
		if (!counts.some(Boolean))
			return;
		part += `${stack} ${counts.map((c) => plainCount(c, decimals)).join(" ")}\n`;
		if (part.length >= FOLDED_PART) {
			parts.push(part);
			part = "";
		}
	};
	if (inTime)
		addInTime(tree, root, (stack, count) => add(stack, [count]));
	else
		walkStacks(tree, root,
			(stack, i) => add(stack, columns.map((column) => column[i])));
	if (part)
		parts.push(part);
	return parts;
}

/* Calls see(stack as folded, frame) for each frame under root, in preorder. */
function walkStacks(tree, root, see) {
	const { name, depth, end } = tree;
	const full = Array.from(tree.names, (_, id) => fullName(tree, id));
	const stacks = [""];
	const enter = (i) => {
		const d = depth[i];
		if (i)
			stacks[d] = d > 1 ? `${stacks[d - 1]};${full[name[i]]}` : full[name[i]];
		return stacks[d];
	};
	for (const i of framesTo(tree, root))
		enter(i);
	for (let i = root; i < end[root]; i++)
		see(enter(i), i);
}

/* Calls add(stack, count) for each piece of a frame's own count, as callees divide it. */
function addInTime(tree, root, add) {
	const { end } = tree;
	const gaps = gapsOf(tree);
	const rest = (tree.exact ?? tree).self.slice();
	const open = []; /* frames that go on, with their stacks */
	const close = (at) => {
		while (open.length && end[open.at(-1)[0]] <= at) {
			const [i, stack] = open.pop();
			add(stack, rest[i]);
		}
	};
	walkStacks(tree, root, (stack, i) => {
		close(i);
		if (open.length) {
			const [up, upStack] = open.at(-1);
			add(upStack, gaps[i]);
			rest[up] -= gaps[i];
		}
		open.push([i, stack]);
	});
	close(end[root]);
}
