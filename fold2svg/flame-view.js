/*
 * The frames on the screen: those of the present zoom, in rows that are in sight, made
 * anew each time. Where a frame is, is computed, never asked of the browser: neither
 * texts nor boxes are measured.
 */

const PAD = 8;         /* px beside the frames */
const TEXT_PAD = 4;    /* px between a box's edge and its label */
const COLUMNS_MIN = 3; /* a shorter label says nothing */

function px(x) {
	return Math.round(x * 100) / 100;
}

class FlameView {
	constructor(canvas, settings) {
		this.canvas = canvas;
		this.settings = settings;
		this.boxes = svgElement("g", { class: "frames", "font-size": settings.fontsize });
		this.marks = svgElement("g", { class: "marks" });
		this.outlines = svgElement("g", { class: "outlines" });
		canvas.append(this.boxes, this.marks, this.outlines);
		this.width = 0;
		this.icicle = false;
		this.cutStart = false;
		this.hit = null; /* by name, of a search */
		this.labelled = []; /* frames drawn as elements of their own: [frame, box, text] */
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

	/* px of a unit of weight; of a view that has left nothing, 0. */
	get scale() {
		return this.whole > 0 ? this.inner / this.whole : 0;
	}

	/*
	 * To be called when the zoom, the tree or the width are others: finds what is wide
	 * enough, and the height. Rows are never taken away, so that nothing jumps.
	 */
	layout() {
		const { tree, zoom, minPx, inner, whole } = this;
		this.least = minPx * whole / inner;
		this.wide = wideFrames(tree, zoom, this.least);
		this.hidden = this.wide.hidden;
		this.rows = Math.max(this.rows, this.wide.depths);
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
		const { tree, zoom, inner, scale } = this;
		const y = this.top(tree.depth[i]), height = this.boxHeight;
		if (tree.depth[i] <= tree.depth[zoom])
			return { x: PAD, y, width: zoom || !scale ? inner : tree.total[0] * scale,
				height };
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
		this.labelled = [];
		const fragment = document.createDocumentFragment();
		this.drawAncestors(fragment);
		this.drawRows(fragment);
		this.boxes.replaceChildren(fragment);
		this.drawMarks();
	}

	isRowDrawn(depth) {
		const line = this.icicle ? depth : this.rows - 1 - depth;
		return this.drawn.first <= line && line <= this.drawn.last;
	}

	/* By depth, what begin(paths) returns for each row drawn above the zoomed frame. */
	rowsDrawn(begin) {
		const rows = new Array(this.tree.maxDepth + 1).fill(null);
		for (let depth = this.tree.depth[this.zoom] + 1; depth < this.wide.depths; depth++)
			if (this.isRowDrawn(depth))
				rows[depth] = begin(new Paths(this.top(depth), this.boxHeight));
		return rows;
	}

	drawAncestors(parent) {
		for (const i of [0, ...framesTo(this.tree, this.zoom)]) {
			const { x, y, width } = this.box(i);
			if (this.isRowDrawn(this.tree.depth[i]))
				this.drawFrame(parent, i, x, y, width, i !== this.zoom);
		}
	}

	/* Frames so wide, in px, have a label. */
	get labelMin() {
		return COLUMNS_MIN * this.column + 2 * TEXT_PAD;
	}

	/* Is it an element of its own? By width; labelMin. */
	isElement(i, width, labelMin) {
		const { attrs } = this.tree.table;
		return width >= labelMin || (width >= THIN && attrs.size > 0 &&
			attrs.has(this.tree.name[i]));
	}

	/* Frames in preorder, as they lie in memory, each into its row. */
	drawRows(parent) {
		const { tree, zoom, least, looks, scale, labelMin } = this;
		const rows = this.rowsDrawn((paths) =>
			({ paths, thin: new ThinFrames(paths), elements: [] }));
		eachWide(tree, zoom, least, (i) => {
			const row = rows[tree.depth[i]];
			if (!row)
				return;
			const x = PAD + offsetOf(tree, i, zoom) * scale;
			const width = tree.total[i] * scale;
			if (this.isElement(i, width, labelMin))
				row.elements.push([i, x, row.paths.y, width]);
			else if (width >= THIN)
				row.paths.add(looks.of(i), x, boxWidth(width));
			else
				row.thin.add(looks.narrow(i), x, width);
		});
		for (const row of rows.filter(Boolean)) {
			row.thin.finish();
			row.paths.appendTo(parent);
			for (const element of row.elements)
				this.drawFrame(parent, ...element, false);
		}
	}

	isHit(i) {
		return i > 0 && this.hit !== null && this.hit[this.tree.name[i]] !== 0;
	}

	/* What a search has found, over the frames that are drawn; to be called when it changes. */
	drawMarks() {
		for (const [i, rect, label] of this.labelled) {
			const marked = this.isHit(i);
			rect.classList.toggle("hit", marked);
			label?.classList.toggle("on-hit", marked);
		}
		const fragment = document.createDocumentFragment();
		if (this.hit)
			this.markRows(fragment);
		this.marks.replaceChildren(fragment);
	}

	markRows(parent) {
		const { tree, zoom, least, hit, scale, labelMin } = this;
		const rows = this.rowsDrawn((paths) => ({ paths, run: new Run(paths, HIT_MIN) }));
		eachWide(tree, zoom, least, (i) => {
			const row = rows[tree.depth[i]];
			if (!row || hit[tree.name[i]] === 0)
				return;
			const width = tree.total[i] * scale;
			if (this.isElement(i, width, labelMin))
				return;
			const x = PAD + offsetOf(tree, i, zoom) * scale;
			if (width > PLAIN)
				row.paths.add("hit", x, boxWidth(width));
			else
				row.run.add("hit", x, width);
		});
		for (const row of rows.filter(Boolean)) {
			row.run.finish();
			row.paths.appendTo(parent);
		}
	}

	/* What --nameattr says of a frame, around it. */
	wrapped(parent, i) {
		const given = this.tree.table.attrs.get(this.tree.name[i]);
		if (!given)
			return parent;
		const around = svgElement("g", Object.fromEntries(["class", "style", "id"]
			.map((key) => [key, given.get(key)])));
		parent.append(around);
		if (!given.get("href"))
			return around;
		around.append(linkElement(svgElement, given));
		return around.firstChild;
	}

	drawFrame(within, i, x, y, width, faded) {
		const { fontsize, row } = this.settings;
		const parent = this.wrapped(within, i);
		const look = this.looks.of(i);
		const rect = document.createElementNS(SVG_NS, "rect");
		rect.setAttribute("x", px(x));
		rect.setAttribute("y", y);
		rect.setAttribute("width", px(boxWidth(width)));
		rect.setAttribute("height", this.boxHeight);
		setLook(rect, look, faded ? " faded" : "");
		parent.append(rect);
		const columns = Math.floor((width - 2 * TEXT_PAD) / this.column);
		let text = null;
		if (columns >= COLUMNS_MIN && row >= 8) {
			text = document.createElementNS(SVG_NS, "text");
			text.setAttribute("x", px(x + TEXT_PAD));
			text.setAttribute("y", px(y + (row - 1) / 2 + fontsize * 0.35));
			if (look[0] === "#")
				text.setAttribute("style", `fill:${inkOn(look)}`);
			text.textContent = fitLabel(frameLabel(this.tree, i), columns,
				this.cutStart);
			parent.append(text);
		}
		this.labelled.push([i, rect, text]);
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
		box.width = Math.max(box.width - HAIRLINE, 1);
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
		return frameAt(tree, rowOf(this.wide, depth), zoom, (x - PAD) / this.scale);
	}

	/* The drawn frame beside another in its row, or -1. */
	neighbour(i, step) {
		const { tree, zoom } = this;
		if (tree.depth[i] <= tree.depth[zoom])
			return -1;
		const row = rowOf(this.wide, tree.depth[i]);
		return row[lowerBound(row, i) + step] ?? -1;
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
