/*
 * The frames on the screen: those of the present zoom, in rows that are in sight, made
 * anew each time. Where a frame is, is computed, never asked of the browser: neither
 * texts nor boxes are measured.
 */

const PAD = 8;         /* px beside the frames */
const TEXT_PAD = 4;    /* px between a box's edge and its label */
const COLUMNS_MIN = 3; /* a shorter label says nothing */
const THIN = 0.5;      /* px; narrower neighbours of a kind are drawn as one */
const HIT_MIN = 1.5;   /* px; a match is to be seen */

/*
 * Frames without a label, in a row: one path for all of a look. The browser rasters in
 * tiles, and a path once for each tile it touches: one for all rows would be slow.
 */
class Paths {
	constructor() {
		this.byLook = new Map();
	}

	add(look, x, y, width, height) {
		const d = `M${px(x)} ${y}h${px(width)}v${height}h${px(-width)}z`;
		const parts = this.byLook.get(look);
		if (parts)
			parts.push(d);
		else
			this.byLook.set(look, [d]);
	}

	appendTo(parent) {
		for (const [look, parts] of this.byLook) {
			const path = svgElement("path", { d: parts.join("") });
			setLook(path, look);
			parent.append(path);
		}
	}
}

/* Neighbours of a look that are too narrow to tell apart: one box. */
class Run {
	constructor(paths, y, height, least) {
		Object.assign(this, { paths, y, height, least, look: "", x: 0, end: 0 });
	}

	add(look, x, width) {
		if (look !== this.look || x - this.end >= 0.1) {
			this.finish();
			this.look = look;
			this.x = x;
		}
		this.end = x + width;
	}

	finish() {
		if (this.look)
			this.paths.add(this.look, this.x, this.y, Math.max(this.end - this.x,
				this.least),
				this.height);
		this.look = "";
	}
}

function px(x) {
	return Math.round(x * 100) / 100;
}

class FlameView {
	constructor(canvas, settings) {
		this.canvas = canvas;
		this.settings = settings;
		this.boxes = svgElement("g", { class: "frames", "font-size": settings.fontsize });
		this.outlines = svgElement("g", { class: "outlines" });
		canvas.append(this.boxes, this.outlines);
		this.width = 0;
		this.icicle = false;
		this.cutStart = false;
		this.hit = null; /* by name, of a search */
		this.zoom = 0;
		this.column = settings.fontsize * settings.fontwidth;
	}

	setTree(tree, looks) {
		this.tree = tree;
		this.looks = looks;
		this.zoom = 0;
		this.rows = 0;
		this.drawn = null;
	}

	get inner() {
		return Math.max(1, this.width - 2 * PAD);
	}

	get minPx() {
		const { minwidth } = this.settings;
		const value = parseFloat(minwidth) || 0;
		return minwidth.endsWith("%") ? value / 100 * this.inner : value;
	}

	/* The weight that fills the width. */
	get whole() {
		const { tree, zoom, settings } = this;
		return zoom ? tree.total[zoom] : Math.max(tree.total[0],
			Number(wholeOf(tree, settings)));
	}

	/*
	 * To be called when the zoom, the tree or the width are others: finds what is too
	 * narrow, and the height. Rows are never taken away, so that nothing jumps.
	 */
	layout() {
		const { tree, zoom, minPx, inner, whole } = this;
		const least = minPx * whole / inner;
		let rows = tree.depth[zoom] + 1, hidden = 0;
		for (let i = zoom + 1; i < tree.end[zoom];) {
			if (tree.total[i] >= least) {
				if (tree.depth[i] >= rows)
					rows = tree.depth[i] + 1;
				i++;
			} else {
				hidden += tree.end[i] - i;
				i = tree.end[i];
			}
		}
		this.least = least;
		this.hidden = hidden;
		this.rows = Math.max(this.rows, rows);
		this.height = this.rows * this.settings.row + 2;
		this.canvas.setAttribute("width", this.width);
		this.canvas.setAttribute("height", this.height);
		this.drawn = null;
	}

	top(depth) {
		const { row } = this.settings;
		return 1 + (this.icicle ? depth : this.rows - 1 - depth) * row;
	}

	get boxHeight() {
		const { row } = this.settings;
		return row > 4 ? row - 1 : row;
	}

	/* Where a frame lies, in px. An ancestor of the zoomed frame is as wide as that. */
	box(i) {
		const { tree, zoom, inner, whole } = this;
		const y = this.top(tree.depth[i]), height = this.boxHeight;
		if (tree.depth[i] <= tree.depth[zoom])
			return { x: PAD, y, width: inner * (zoom ? 1 : tree.total[0] / whole),
				height };
		const scale = inner / whole;
		return {
			x: PAD + offsetOf(tree, i, zoom) * scale, y,
			width: tree.total[i] * scale, height,
		};
	}

	isDrawn(i) {
		const { tree, zoom } = this;
		if (i >= zoom && i < tree.end[zoom])
			return i === zoom || tree.total[i] >= this.least;
		return i < zoom && zoom < tree.end[i];
	}

	/* Draws what lies between two heights of the canvas, and some more to scroll into. */
	draw(from, to, force) {
		const { row } = this.settings;
		const first = Math.max(0, Math.floor((from - 1) / row));
		const last = Math.min(this.rows - 1, Math.floor((to - 1) / row));
		if (!force && this.drawn && this.drawn.first <= first && this.drawn.last >= last)
			return;
		const more = Math.ceil((last - first) / 2) + 2;
		this.drawn = {
			first: Math.max(0, first - more), last: Math.min(this.rows - 1, last +
				more),
		};
		const under = document.createDocumentFragment();
		const fragment = document.createDocumentFragment();
		for (let line = this.drawn.first; line <= this.drawn.last; line++) {
			const depth = this.icicle ? line : this.rows - 1 - line;
			if (depth <= this.tree.depth[this.zoom]) {
				this.drawAncestor(fragment, depth);
				continue;
			}
			const paths = new Paths(), hits = new Paths();
			this.drawRow(fragment, paths, hits, depth);
			paths.appendTo(under);
			hits.appendTo(under);
		}
		this.boxes.replaceChildren(under, fragment);
	}

	drawAncestor(parent, depth) {
		let i = this.zoom;
		while (this.tree.depth[i] > depth)
			i = this.tree.caller[i];
		const { x, y, width } = this.box(i);
		const look = this.isHit(i) ? "hit" : this.looks.of(i);
		this.drawFrame(parent, i, x, y, width, look, i !== this.zoom);
	}

	drawRow(parent, paths, hits, depth) {
		const { tree, zoom, least, looks, hit } = this;
		const scale = this.inner / this.whole;
		const y = this.top(depth), height = this.boxHeight;
		const labelled = COLUMNS_MIN * this.column + 2 * TEXT_PAD;
		const { row, lo, hi } = rowRange(tree, depth, zoom);
		const run = new Run(paths, y, height, 0.1), hitRun = new Run(hits, y, height,
			HIT_MIN);
		for (let k = lo; k < hi; k++) {
			const i = row[k];
			const total = tree.total[i];
			if (total < least)
				continue;
			const x = PAD + offsetOf(tree, i, zoom) * scale, width = total * scale;
			const marked = hit !== null && hit[tree.name[i]] !== 0;
			if (width >= labelled) {
				this.drawFrame(parent, i, x, y, width, marked ? "hit" :
					looks.of(i), false);
			} else if (width >= THIN) {
				const shown = width > 2 ? width - 0.5 : width;
				if (marked)
					hits.add("hit", x, y, Math.max(shown, HIT_MIN), height);
				else
					paths.add(looks.of(i), x, y, shown, height);
			} else if (marked) {
				hitRun.add("hit", x, width);
			} else {
				run.add(looks.narrow(i), x, width);
			}
		}
		run.finish();
		hitRun.finish();
	}

	isHit(i) {
		return i > 0 && this.hit !== null && this.hit[this.tree.name[i]] !== 0;
	}

	drawFrame(parent, i, x, y, width, look, faded) {
		const { fontsize, row } = this.settings;
		const rect = document.createElementNS(SVG_NS, "rect");
		rect.setAttribute("x", px(x));
		rect.setAttribute("y", y);
		rect.setAttribute("width", px(width > 2 ? width - 0.5 : width));
		rect.setAttribute("height", this.boxHeight);
		setLook(rect, look, faded ? " faded" : "");
		parent.append(rect);
		const columns = Math.floor((width - 2 * TEXT_PAD) / this.column);
		if (columns < COLUMNS_MIN || row < 8)
			return;
		const text = document.createElementNS(SVG_NS, "text");
		text.setAttribute("x", px(x + TEXT_PAD));
		text.setAttribute("y", px(y + (row - 1) / 2 + fontsize * 0.35));
		if (look === "hit")
			text.setAttribute("class", "on-hit");
		else if (look[0] === "#")
			text.setAttribute("style", `fill:${inkOn(look)}`);
		text.textContent = fitLabel(frameLabel(this.tree, i), columns, this.cutStart);
		parent.append(text);
	}

	/* Outlines: of what the mouse is over, and of the frame chosen by keys or search. */
	outline(className, i) {
		let rect = this.outlines.querySelector(`.${className}`);
		if (i < 0 || !this.isDrawn(i)) {
			rect?.remove();
			return;
		}
		if (!rect) {
			rect = svgElement("rect", { class: className });
			this.outlines.append(rect);
		}
		const box = this.box(i);
		box.width = Math.max(box.width - 0.5, 1);
		for (const key in box)
			rect.setAttribute(key, box[key]);
	}

	/* The frame drawn at a point of the canvas, or -1. */
	frameAtPoint(x, y) {
		const { tree, zoom, inner } = this;
		const line = Math.floor((y - 1) / this.settings.row);
		const depth = this.icicle ? line : this.rows - 1 - line;
		if (x < PAD || x >= PAD + inner || line < 0 || depth < 0)
			return -1;
		if (depth <= tree.depth[zoom]) {
			let i = zoom;
			while (tree.depth[i] > depth)
				i = tree.caller[i];
			return x < PAD + this.box(i).width ? i : -1;
		}
		const i = frameAt(tree, depth, zoom, (x - PAD) / inner * this.whole);
		return i >= 0 && tree.total[i] >= this.least ? i : -1;
	}

	/* The drawn frame beside another in its row, or -1. */
	neighbour(i, step) {
		const { tree, zoom } = this;
		if (tree.depth[i] <= tree.depth[zoom])
			return -1;
		const { row, lo, hi } = rowRange(tree, tree.depth[i], zoom);
		for (let k = lowerBound(row, i) + step; k >= lo && k < hi; k += step)
			if (this.isDrawn(row[k]))
				return row[k];
		return -1;
	}

	/* The widest callee that is drawn (towards the zoomed frame, if that is above), or -1. */
	callee(i) {
		const { tree, zoom } = this;
		let widest = -1;
		for (let c = i + 1; c < tree.end[i]; c = tree.end[c]) {
			if (c <= zoom && zoom < tree.end[c])
				return c;
			if (this.isDrawn(c) && (widest < 0 || tree.total[c] > tree.total[widest]))
				widest = c;
		}
		return widest;
	}
}
