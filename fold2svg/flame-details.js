/* What is told of a frame: in the line at the foot, in the tooltip, and aloud. */

const NAME_MAX = 600; /* characters in the tooltip */

class Facts {
	constructor(app) {
		this.app = app;
	}

	count(n) {
		return countText(n, this.app.settings);
	}

	/* Pairs of a label and a text, the same wherever they are shown. */
	of(i) {
		const { tree } = this.app;
		const facts = [];
		if (i) {
			facts.push(["kind", frameKindWord(tree, i)]);
			const module = moduleOf(frameLabel(tree, i));
			if (module)
				facts.push(["module", module]);
			const given = tree.table.attrs.get(tree.name[i]);
			for (const key of ["title", "href"])
				if (given?.get(key))
					facts.push([key === "href" ? "link" : key, given.get(key)]);
		}
		return facts.concat(tree.diff ? this.ofChange(i) : this.ofWeight(i));
	}

	/* ", 12.3% of the zoomed frame" */
	ofZoomed(i) {
		const { tree, view } = this.app;
		if (!view.zoom || i <= view.zoom || i >= tree.end[view.zoom])
			return "";
		const part = percentText(frameCounts(tree, i).total, frameCounts(tree,
			view.zoom).total);
		return `, ${part} of the zoomed frame`;
	}

	ofWeight(i) {
		const { app } = this;
		const { self, total } = frameCounts(app.tree, i);
		return [
			["total", `${this.count(total)} ${app.settings.countname}, ` +
				percentText(total, app.whole) + this.ofZoomed(i)],
			["self", `${this.count(self)}, ${percentText(self, app.whole)}`],
		];
	}

	ofChange(i) {
		const { tree } = this.app;
		const { selfBefore, selfAfter, totalBefore, totalAfter } = frameCounts(tree, i);
		const root = frameCounts(tree, 0);
		return [
			["total", this.change(totalBefore, totalAfter)],
			["self", this.change(selfBefore, selfAfter)],
			["share", `${percentText(totalBefore, root.totalBefore)} of all before, ` +
				`${percentText(totalAfter, root.totalAfter)} after` +
				this.ofZoomed(i)],
		];
	}

	/* "12 before, 15 after, +3, +25.00%" */
	change(before, after) {
		const change = after - before;
		const sign = change > 0 ? "+" : "";
		const part = before && after ? `, ${deltaText(change, before)}` :
			after ? ", new" : before ? ", vanished" : "";
		return `${this.count(before)} before, ${this.count(after)} after, ` +
			`${sign}${this.count(change)}${part}`;
	}

	/* One sentence, for those who listen. */
	spoken(i) {
		const { tree, view } = this.app;
		const part = percentText(frameCounts(tree, i).total, this.app.whole);
		const hit = view.isHit(i) ? ", matches the search" : "";
		return `${frameLabel(tree, i)}, ${part}${this.ofZoomed(i)}, ` +
			`depth ${tree.depth[i]}${hit}`;
	}
}

function factElements(facts) {
	return facts.map(([word, text]) => html("span", { class: "fact" },
		html("span", { class: "word" }, `${word} `), text));
}

/* The line at the foot, which stays: the frame under the mouse, or chosen, or zoomed. */
class DetailsLine {
	constructor(app) {
		this.app = app;
		this.name = html("div", { class: "details-name" });
		this.facts = html("div", { class: "details-facts" });
		this.note = html("div", { class: "note" });
		this.element = html("footer", { class: "details" }, this.name, this.facts,
			this.note);
		this.live = html("div", { class: "unseen", "aria-live": "polite" });
		this.element.append(this.live);
	}

	show(i) {
		const { app, facts } = this;
		this.name.hidden = facts.hidden = app.state.table; /* which has its own */
		this.name.textContent = frameLabel(app.tree, i);
		facts.replaceChildren(...factElements(app.facts.of(i)));
		/* Grows where a line is too short, and stays so, that nothing jumps. */
		if (facts.scrollHeight > facts.clientHeight) {
			facts.style.height = `${facts.scrollHeight}px`;
			if (!app.alone)
				app.fitEmbedded();
		}
	}

	/* The window is another. */
	fit() {
		this.facts.style.height = "";
	}

	/* What is not drawn is said. */
	showNote() {
		const { view, settings, tree, state } = this.app;
		const lines = [];
		if (view.hidden && !state.table) {
			const unit = settings.minwidth.endsWith("%") ? "%" : "px";
			lines.push(`${plainText(view.hidden)} ` +
				`${view.hidden === 1 ? "frame" : "frames"} narrower than ` +
				`${parseFloat(settings.minwidth)} ${unit} not drawn`);
		}
		if (tree.dropped)
			lines.push(
				`${this.app.facts.count(tree.dropped)} ${settings.countname} ` +
				"left out by the view");
		if (tree.cut)
			lines.push(`${plainText(tree.cut)} frames below ` +
				`${this.app.facts.count(tree.cutWeight)} ${settings.countname} ` +
				"each left out: too many");
		this.note.textContent = lines.join(" · ");
	}

	say(text) {
		this.live.textContent = text;
	}
}

class Tooltip {
	constructor(app) {
		this.app = app;
		this.element = html("div", { class: "tooltip", hidden: true,
			"aria-hidden": "true" });
	}

	show(i) {
		const label = frameLabel(this.app.tree, i);
		const name = label.length > NAME_MAX ? `${label.slice(0, NAME_MAX)}\u2026` : label;
		this.element.replaceChildren(html("div", { class: "tooltip-name" }, name),
			...this.app.facts.of(i).map(([word, text]) => html("div",
				{ class: "tooltip-line" },
				html("span", { class: "word" }, word), html("span", {}, text))));
		this.element.hidden = false;
		const { offsetWidth, offsetHeight } = this.element;
		this.size = { width: offsetWidth, height: offsetHeight };
	}

	/* Beside the mouse, and inside the window. */
	place(x, y) {
		const frame = this.app.ui.getBoundingClientRect();
		const { width, height } = this.size;
		const right = Math.min(frame.right, innerWidth), bottom = Math.min(frame.bottom,
			innerHeight);
		let top = y + 18;
		if (top + height > bottom)
			top = y - height - 12;
		const left = Math.max(4, Math.min(x + 12, right - width - 6));
		this.element.style.transform =
			`translate(${left - frame.left}px, ${Math.max(top, 4) - frame.top}px)`;
	}

	hide() {
		this.element.hidden = true;
	}
}
