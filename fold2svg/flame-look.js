/* What a frame looks like, as a short text by which frames of a look can be gathered. */

/*
 * A look is a class of the style sheet or, in a classic palette, "#rrggbb". `own`: in a
 * differential, by the change of the frame's self count.
 */
class Looks {
	constructor(tree, settings, own) {
		this.tree = tree;
		this.negate = settings.negate;
		this.own = own;
		this.ofName = new Array(tree.names.length); /* an id tells the kind, too */
		this.narrowOf = new Map();
	}

	of(i) {
		const { tree } = this;
		if (tree.diff)
			return this.ofChange(i);
		const name = tree.name[i];
		const look = this.ofName[name];
		if (look !== undefined)
			return look;
		const { fill, class: classes } = frameLook(tree, i);
		return this.ofName[name] = fill ?? classes;
	}

	ofChange(i) {
		const { selfBefore, selfAfter, totalBefore, totalAfter } = this.tree.diff;
		return this.own ? changeClass(selfBefore[i], selfAfter[i], this.negate) :
			changeClass(totalBefore[i], totalAfter[i], this.negate);
	}

	/* One look for frames of a kind too narrow to tell their shades. */
	narrow(i) {
		const look = this.of(i);
		let narrow = this.narrowOf.get(look);
		if (narrow === undefined) {
			narrow = /^[ukjx]\d/.test(look) ? `${look[0]}3${look.slice(2)}` : look;
			this.narrowOf.set(look, narrow);
		}
		return narrow;
	}
}

/* Black or white, whichever can be read on "#rrggbb". */
function inkOn(colour) {
	const part = (at) => {
		const c = parseInt(colour.slice(at, at + 2), 16) / 255;
		return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
	};
	const luminance = 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5) + 0.05;
	return luminance / 0.05 >= 1.05 / luminance ? "#000" : "#fff";
}

/* Sets a look on an element of the picture. */
function setLook(e, look, extra = "") {
	if (look[0] === "#") {
		e.setAttribute("fill", look);
		if (extra)
			e.setAttribute("class", extra.trim());
	} else {
		e.setAttribute("class", look + extra);
	}
}
