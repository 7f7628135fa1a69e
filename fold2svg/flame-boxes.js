/* Boxes without a label, many to an element. */

/* px */
const THIN = 0.5;      /* narrower neighbours are drawn as one */
const PLAIN = 2;       /* no hairline between neighbours that are no wider */
const HAIRLINE = 0.5;
const HIT_MIN = 1.5;   /* a match is to be seen */
const UNIT = 0.1;      /* of places in a path; neighbours nearer than this touch */

/* How wide a box is drawn. */
function boxWidth(width) {
	return width > PLAIN ? width - HAIRLINE : width;
}

/*
 * In a row, one path for all of a look. The browser rasters in tiles, and a path once for
 * each tile it touches: one for all rows would be slow. Its numbers are small integers,
 * each box begins where the last one of the path did: that is soon written, and read.
 */
class Paths {
	constructor(y, height) {
		Object.assign(this, { y, height });
		this.byLook = new Map();
	}

	add(look, x, width) {
		let path = this.byLook.get(look);
		if (!path)
			this.byLook.set(look, path = { d: "M0 0", at: 0 });
		const at = Math.round(x / UNIT);
		const units = Math.max(1, Math.round((x + width) / UNIT) - at);
		path.d += `m${at - path.at} 0h${units}v1h-${units}z`;
		path.at = at;
	}

	appendTo(parent) {
		const transform = `translate(0 ${this.y}) scale(${UNIT} ${this.height})`;
		for (const [look, { d }] of this.byLook) {
			const path = svgElement("path", { transform, d });
			setLook(path, look);
			parent.append(path);
		}
	}
}

/* Touching neighbours of a look as one box, at least `least` wide. */
class Run {
	constructor(paths, least) {
		Object.assign(this, { paths, least, look: "", x: 0, end: 0 });
	}

	add(look, x, width) {
		if (look !== this.look || x - this.end >= UNIT) {
			this.finish();
			this.look = look;
			this.x = x;
			this.end = x + this.least;
		}
		this.end = Math.max(this.end, x + width);
	}

	finish() {
		if (this.look)
			this.paths.add(this.look, this.x, this.end - this.x);
		this.look = "";
	}
}

/*
 * Frames too narrow to tell apart: for each pixel a box as wide as all of them there, in the
 * look that has most of it. So a row has no more boxes than the screen has columns.
 */
class ThinFrames {
	constructor(paths) {
		this.run = new Run(paths, UNIT);
		this.looks = [];
		this.widths = [];
		this.column = -1;
		this.x = 0;
		this.width = 0;
	}

	add(look, x, width) {
		const column = Math.floor(x);
		if (column !== this.column) {
			this.finishColumn();
			this.column = column;
			this.x = x;
		}
		this.width += width;
		const at = this.looks.indexOf(look);
		if (at >= 0) {
			this.widths[at] += width;
		} else {
			this.looks.push(look);
			this.widths.push(width);
		}
	}

	finishColumn() {
		const { looks, widths } = this;
		if (!looks.length)
			return;
		let most = 0;
		for (let k = 1; k < looks.length; k++)
			if (widths[k] > widths[most])
				most = k;
		this.run.add(looks[most], this.x, this.width);
		looks.length = widths.length = this.width = 0;
	}

	finish() {
		this.finishColumn();
		this.run.finish();
	}
}
