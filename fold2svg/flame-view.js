/* What is on the screen: the frames of the present zoom, made anew each time. */

const SVG_NS = "http://www.w3.org/2000/svg";
const THIN = 0.5; /* px; narrower frames of a kind are one path, not an element each */

function svgElement(name, attributes) {
	const e = document.createElementNS(SVG_NS, name);
	for (const key in attributes)
		e.setAttribute(key, attributes[key]);
	return e;
}

/* Frames too narrow to tell apart: neighbours of a class in a row become one box. */
class ThinFrames {
	constructor() {
		this.byClass = new Map();
	}

	add(box, classes, depth) {
		let drawn = this.byClass.get(classes);
		if (!drawn)
			this.byClass.set(classes, drawn = { runs: [], boxes: [] });
		const run = drawn.runs[depth];
		const end = box.x + box.width;
		if (run && box.x - run.end < 0.1) {
			run.end = end;
		} else {
			drawn.runs[depth] = { x: box.x, end, box };
			drawn.boxes.push(drawn.runs[depth]);
		}
	}

	/* Pairs of a class and a path's data. */
	*paths() {
		for (const [classes, { boxes }] of this.byClass) {
			const d = boxes.map(({ x, end, box }) => {
				const left = x.toFixed(2);
				const right = Math.max(end, x + 0.1).toFixed(2);
				return `M${left} ${box.y}H${right}v${box.height}H${left}z`;
			});
			yield [classes, d.join("")];
		}
	}
}

class FlameView {
	constructor(svg, model, settings) {
		this.svg = svg;
		this.model = model;
		this.settings = settings;
		this.frames = svg.querySelector(".frames");
		this.note = svg.querySelector(".note");
		this.width = Number(svg.getAttribute("width"));
		this.zoom = 0;
		this.hit = null; /* by name, of a search */
		this.rows = 0;
	}

	get inner() {
		return this.width - 2 * this.settings.pad;
	}

	get minPx() {
		const { minwidth } = this.settings;
		const value = parseFloat(minwidth);
		return minwidth.endsWith("%") ? value / 100 * this.inner : value;
	}

	top(depth) {
		const { top, row, inverted } = this.settings;
		return top + (inverted ? depth : this.rows - 1 - depth) * row;
	}

	/* Where a frame lies, in px. An ancestor of the zoomed frame is as wide as that. */
	box(i) {
		const { model, zoom, inner } = this;
		const { pad, row } = this.settings;
		const y = this.top(model.depth[i]);
		const height = row > 4 ? row - 1 : row;
		if (model.depth[i] <= model.depth[zoom])
			return { x: pad, y, width: inner, height };
		const scale = inner / Number(model.total[zoom]);
		return {
			x: pad + Number(model.start[i] - model.start[zoom]) * scale, y,
			width: Number(model.total[i]) * scale, height,
		};
	}

	/* The frames to be drawn, and how many of this view are too narrow for it. */
	visible() {
		const { model, zoom, minPx, inner } = this;
		const shown = [];
		let hidden = 0;
		for (let i = zoom; i; i = model.caller[i])
			shown.push(model.caller[i]);
		shown.reverse();
		const least = minPx * Number(model.total[zoom]);
		shown.push(zoom);
		for (let i = zoom + 1; i < model.end[zoom];) {
			if (Number(model.total[i]) * inner >= least) {
				shown.push(i++);
			} else {
				hidden += model.end[i] - i;
				i = model.end[i];
			}
		}
		return { shown, hidden };
	}

	/* Returns by how much the picture has grown in height. */
	draw() {
		const { model, settings } = this;
		const { shown, hidden } = this.visible();
		const rowsBefore = this.rows;
		for (const i of shown)
			this.rows = Math.max(this.rows, model.depth[i] + 1);

		const fragment = document.createDocumentFragment();
		const thin = new ThinFrames();
		for (const i of shown) {
			const box = this.box(i);
			const classes = this.classes(i);
			if (box.width < THIN)
				thin.add(box, classes.replace(/\d/, "3"), model.depth[i]);
			else
				this.drawFrame(fragment, i, box, classes);
		}
		for (const [classes, d] of thin.paths())
			fragment.append(svgElement("path", { class: classes, d }));
		this.frames.replaceChildren(fragment);

		this.note.textContent = this.hiddenText(hidden);
		this.resize();
		return (this.rows - (rowsBefore || this.rows)) * settings.row;
	}

	hiddenText(hidden) {
		if (!hidden)
			return "";
		const { minwidth } = this.settings;
		const frames = hidden === 1 ? "frame" : "frames";
		const unit = minwidth.endsWith("%") ? "%" : "px";
		return `${countText(hidden)} ${frames} narrower than ` +
			`${parseFloat(minwidth)} ${unit} not drawn`;
	}

	classes(i) {
		if (i && this.hit?.[this.model.name[i]])
			return "hit";
		return frameClass(this.model, i) + (this.isAncestor(i) ? " faded" : "");
	}

	isAncestor(i) {
		return i < this.zoom && this.zoom < this.model.end[i];
	}

	drawFrame(parent, i, box, classes) {
		const { font, textPad, columnsMin, row } = this.settings;
		parent.append(svgElement("rect", {
			class: classes, x: box.x.toFixed(2), y: box.y, height: box.height,
			width: (box.width > 2 ? box.width - 0.5 : box.width).toFixed(2),
		}));
		const columns = Math.floor((box.width - 2 * textPad) / (0.6 * font + 0.05));
		if (columns < columnsMin)
			return;
		const text = svgElement("text", {
			x: (box.x + textPad).toFixed(2), y: box.y + (row - 1) / 2 + font * 0.35,
		});
		if (classes === "hit")
			text.setAttribute("class", "on-hit");
		text.textContent = fitLabel(frameLabel(this.model, i), columns);
		parent.append(text);
	}

	resize() {
		const { svg, width } = this;
		const { top, row, footer } = this.settings;
		const height = top + this.rows * row + footer;
		svg.setAttribute("width", width);
		svg.setAttribute("height", height);
		svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
		this.note.setAttribute("y", height - 10);
	}

	/* The frame drawn at a point of the picture, or -1. */
	frameAtPoint(x, y) {
		const { model, zoom, inner } = this;
		const { pad, top, row, inverted } = this.settings;
		const line = Math.floor((y - top) / row);
		const depth = inverted ? line : this.rows - 1 - line;
		if (x < pad || x >= pad + inner || line < 0 || depth < 0)
			return -1;
		if (depth <= model.depth[zoom]) {
			let i = zoom;
			while (model.depth[i] > depth)
				i = model.caller[i];
			return i;
		}
		const at = (x - pad) / inner * Number(model.total[zoom]);
		const i = frameAt(model, depth, zoom, at);
		const drawn = i >= 0 && Number(model.total[i]) * inner >=
			this.minPx * Number(model.total[zoom]);
		return drawn ? i : -1;
	}
}
