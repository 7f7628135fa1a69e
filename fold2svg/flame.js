/* The hand of the user: mouse, keys, search box, tooltip, window. */

const HTML_NS = "http://www.w3.org/1999/xhtml";
const TOOLBAR_WIDTH = 440;
const TOOLTIP_WIDTH = 420;
const TOOLTIP_NAME_MAX = 600; /* characters */

function htmlElement(name, className) {
	const e = document.createElementNS(HTML_NS, name);
	e.className = className;
	return e;
}

/* HTML inside the picture; its size is that of what it holds. */
function htmlBox(parent, className, width) {
	const outer = svgElement("foreignObject", { class: className, width, height: 1 });
	const div = htmlElement("div", className + "-box");
	outer.append(div);
	parent.append(outer);
	return { outer, div };
}

class FlameApp {
	constructor(svg) {
		this.svg = svg;
		this.alone = svg === document.documentElement;
		this.settings = this.readSettings();
		const join = (name) => Array.from(svg.querySelectorAll(`metadata.${name}`),
			(e) => e.textContent).join("");
		this.model = parseModel(join("names"), join("frames"));
		this.view = new FlameView(svg, this.model, this.settings);
		this.header = svg.querySelector(".header");
		this.hover = -1;
		this.pending = new Map();
	}

	readSettings() {
		const d = this.svg.querySelector("metadata.settings").dataset;
		const s = { minwidth: d.minwidth, countname: d.countname };
		for (const key of ["pad", "top", "footer", "row", "font", "textPad", "columnsMin",
			"inverted", "fluid"])
			s[key] = Number(d[key]);
		return s;
	}

	start() {
		this.addOutline();
		this.addToolbar();
		this.addTooltip();
		this.fitWindow();
		this.addListeners();
		/* A tall flame graph grows upwards out of sight: begin at its root. */
		if (this.alone && !this.settings.inverted)
			window.scrollTo(0, document.documentElement.scrollHeight);
		this.keepHeader();
	}

	addOutline() {
		this.outline = svgElement("rect", { class: "outline" });
		this.svg.insertBefore(this.outline, this.header);
	}

	addToolbar() {
		const { outer, div } = htmlBox(this.header, "toolbar", TOOLBAR_WIDTH);
		this.toolbar = outer;
		this.matched = htmlElement("output", "matched");
		this.reset = htmlElement("button", "reset");
		this.reset.type = "button";
		this.reset.textContent = "Reset zoom";
		this.reset.hidden = true;
		this.input = htmlElement("input", "search");
		this.input.type = "search";
		this.input.placeholder = "Search (regex)";
		this.input.spellcheck = false;
		this.input.autocomplete = "off";
		this.input.setAttribute("aria-label", "Search frames by regular expression");
		div.append(this.matched, this.reset, this.input);
	}

	addTooltip() {
		const { outer, div } = htmlBox(this.svg, "tooltip", TOOLTIP_WIDTH);
		this.tooltip = outer;
		this.tooltipBox = div;
		this.tooltipName = htmlElement("div", "tooltip-name");
		this.tooltipCount = htmlElement("div", "tooltip-line");
		this.tooltipSelf = htmlElement("div", "tooltip-line");
		div.append(this.tooltipName, this.tooltipCount, this.tooltipSelf);
		this.showFrame(-1);
	}

	addListeners() {
		const { svg } = this;
		svg.addEventListener("click", (e) => this.onClick(e));
		svg.addEventListener("mousemove", (e) => this.onMove(e));
		svg.addEventListener("mouseleave", () => this.showFrame(-1));
		this.reset.addEventListener("click", () => this.zoomTo(0));
		this.input.addEventListener("input",
			() => this.soon("search", () => this.search()));
		window.addEventListener("keydown", (e) => this.onKey(e));
		window.addEventListener("resize", () => this.soon("fit", () => this.fitWindow()));
		window.addEventListener("scroll", () => this.onScroll(), { passive: true });
	}

	/* Work of a kind at most once a screen refresh. */
	soon(kind, work) {
		cancelAnimationFrame(this.pending.get(kind));
		this.pending.set(kind, requestAnimationFrame(work));
	}

	fitWindow() {
		const { view, settings } = this;
		if (this.alone && settings.fluid && document.documentElement.clientWidth > 0)
			view.width = Math.max(document.documentElement.clientWidth, 320);
		this.draw();
		const width = Math.min(TOOLBAR_WIDTH, view.inner * 0.7);
		this.toolbar.setAttribute("x", view.width - settings.pad - width);
		this.toolbar.setAttribute("y", 9);
		this.toolbar.setAttribute("width", width);
		for (const e of this.header.querySelectorAll("text[data-text]")) {
			const room = view.inner - (e.classList.contains("title") ? width : 0);
			e.textContent = fitLabel(e.dataset.text,
				Math.max(4, Math.floor(room / Number(e.dataset.char))));
		}
	}

	draw() {
		this.showFrame(-1);
		const grown = this.view.draw();
		if (grown && this.alone && !this.settings.inverted)
			window.scrollBy(0, grown);
	}

	/* Title and search stay in sight while a deep graph is scrolled. */
	keepHeader() {
		if (this.alone)
			this.header.setAttribute("transform",
				`translate(0 ${Math.max(0, window.scrollY)})`);
	}

	onScroll() {
		this.showFrame(-1);
		this.keepHeader();
	}

	pointOf(event) {
		return new DOMPoint(event.clientX, event.clientY)
			.matrixTransform(this.svg.getScreenCTM().inverse());
	}

	frameOf(event) {
		if (this.header.contains(event.target))
			return -1;
		const { x, y } = this.pointOf(event);
		return this.view.frameAtPoint(x, y);
	}

	onClick(event) {
		const i = this.frameOf(event);
		if (i >= 0)
			this.zoomTo(i);
	}

	zoomTo(i) {
		this.view.zoom = i;
		this.reset.hidden = i === 0;
		this.draw();
	}

	onMove(event) {
		const i = this.frameOf(event);
		if (i !== this.hover)
			this.showFrame(i);
		if (i >= 0)
			this.placeTooltip(this.pointOf(event));
	}

	showFrame(i) {
		this.hover = i;
		this.tooltip.setAttribute("visibility", i < 0 ? "hidden" : "visible");
		this.outline.setAttribute("visibility", i < 0 ? "hidden" : "visible");
		this.svg.classList.toggle("over", i >= 0);
		if (i < 0)
			return;
		const { model, view, settings } = this;
		const { zoom } = view;
		const name = frameLabel(model, i);
		this.tooltipName.textContent = name.length > TOOLTIP_NAME_MAX ?
			name.slice(0, TOOLTIP_NAME_MAX) + " .." : name;
		const total = model.total[i];
		this.tooltipCount.textContent = `${countText(total)} ${settings.countname}, ` +
			percentOf(total, model.total[0]);
		if (zoom && i > zoom)
			this.tooltipCount.textContent +=
				`; ${percentOf(total, model.total[zoom])} of the zoomed frame`;
		this.tooltipSelf.textContent = `self ${countText(model.self[i])}` +
			(i ? ` · ${frameKindWord(model, i)}` : "");
		const box = view.box(i);
		for (const key in box)
			this.outline.setAttribute(key, box[key]);
	}

	/* Beside the mouse, and inside the window. */
	placeTooltip(point) {
		const { offsetWidth, offsetHeight } = this.tooltipBox;
		const bottom = new DOMPoint(0, window.innerHeight)
			.matrixTransform(this.svg.getScreenCTM().inverse()).y;
		let y = point.y + 18;
		if (y + offsetHeight > bottom)
			y = point.y - offsetHeight - 10;
		this.tooltip.setAttribute("x",
			Math.max(4, Math.min(point.x + 12, this.view.width - offsetWidth - 6)));
		this.tooltip.setAttribute("y", y);
	}

	search() {
		const { input, model, view, matched } = this;
		let regex = null;
		input.classList.remove("invalid");
		view.hit = null;
		matched.textContent = "";
		if (input.value) {
			try {
				regex = new RegExp(input.value);
			} catch {
				input.classList.add("invalid");
				matched.textContent = "Not a regular expression";
			}
		}
		if (regex) {
			const found = searchModel(model, regex);
			view.hit = found.hit;
			const percent = percentOf(found.matched, model.total[0]);
			matched.textContent = `Matched: ${percent}`;
		}
		this.draw();
	}

	clearSearch() {
		this.input.value = "";
		this.input.blur();
		this.search();
	}

	onKey(event) {
		const typing = event.target === this.input;
		/* In a page with more than us, keys are ours while the mouse is here. */
		if (!this.alone && !typing && !this.svg.matches(":hover"))
			return;
		const find = event.key === "F3" ||
			(event.key === "f" && (event.ctrlKey || event.metaKey));
		/* A second Ctrl-F is the browser's own search. */
		if ((find || (event.key === "/" && this.alone)) && !typing) {
			event.preventDefault();
			this.input.focus();
			this.input.select();
		} else if (event.key === "Escape") {
			if (typing || !this.view.zoom)
				this.clearSearch();
			else
				this.zoomTo(0);
		}
	}
}

new FlameApp(document.currentScript?.closest("svg") ?? document.documentElement).start();
