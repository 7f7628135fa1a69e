/*
 * The whole: what the user has chosen (flame-state.js), the tree that comes of it
 * (flame-tree.js), and what shows it. Everything that changes goes through update().
 */

/* Of what is joined: elements are kept short (data.h). */
function metadataText(svg, name) {
	return Array.from(svg.querySelectorAll(`metadata.${name}`), (e) => e.textContent).join("");
}

/* Pairs of a look and a word. */
function legendOf(svg, settings) {
	const letters = { JIT: "j", unknown: "x" };
	const modules = metadataText(svg, "legend").split("\n").filter(Boolean);
	if (settings.colors === "module" && modules.length)
		return modules.map((line) => {
			const blank = line.indexOf(" ");
			return [line.slice(0, blank), line.slice(blank + 1)];
		});
	return settings.colors === "kind" ?
		settings.legend.map((word) => [`${letters[word] ?? word[0]}2`, word]) : [];
}

class FlameApp {
	constructor(svg) {
		this.svg = svg;
		this.alone = svg === document.documentElement;
		this.settings = parseSettings(svg.querySelector("metadata.settings").dataset);
		this.legend = legendOf(svg, this.settings);
		this.data = readTree(metadataText(svg, "names"), metadataText(svg, "frames"),
			this.settings);
		this.later = new Later();
		this.facts = new Facts(this);
		this.address = new Address(this.alone, this.settings);
		this.popups = [];
		this.cursor = -1;
		this.applied = {};
	}

	start() {
		this.state = this.address.read();
		this.build();
		this.pointer = new Pointer(this);
		this.keys = new Keys(this);
		this.applyTheme();
		this.fitWidth();
		this.apply();
		this.addListeners();
		performance.mark("flame-ready");
	}

	build() {
		const { settings } = this;
		this.canvas = svgElement("svg", {
			class: "canvas", tabindex: "0", role: "application",
			"aria-roledescription": "flame graph",
			"aria-label": `${settings.title}: arrows walk over the frames, ` +
				"Enter zooms, " +
				"question mark lists the keys",
		});
		this.view = new FlameView(this.canvas, settings);
		this.details = new DetailsLine(this);
		this.tooltip = new Tooltip(this);
		this.toolbar = new Toolbar(this);
		this.panel = new ViewPanel(this);
		this.menu = new FrameMenu(this);
		this.help = new HelpPopup(this);
		this.copy = new CopyPopup(this);
		this.table = new FunctionTable(this);
		this.scroller = html("main", { class: "middle" }, this.canvas);
		this.ui = html("div", { class: settings.diff ? "ui diff" : "ui" },
			this.toolbar.element, this.scroller, this.table.element,
			this.details.element, this.tooltip.element,
			...this.popups.map((p) => p.element));
		if (settings.fonttype)
			this.ui.style.fontFamily = settings.fonttype;
		if (settings.bg.length)
			this.ui.style.background = settings.bg.length > 1 ?
				`linear-gradient(${settings.bg})` : settings.bg[0];
		this.replaceStatic();
	}

	/* Our page in the place of what is there for viewers without scripts. */
	replaceStatic() {
		const { svg } = this;
		/*
		 * It comes behind us in the document (picture.c), hidden by the style sheet. What
		 * is outside of the document the browser reads in half the time.
		 */
		const drop = () => svg.querySelector(":scope > .static")?.remove();
		if (document.readyState === "loading") {
			const observer = new MutationObserver(drop);
			observer.observe(svg, { childList: true });
			document.addEventListener("DOMContentLoaded", () => {
				observer.disconnect();
				drop();
			});
		} else {
			drop();
		}
		if (!this.alone)
			svg.querySelector(
				":scope > title")?.remove(); /* it would be a tooltip everywhere */
		this.outer = svgElement("foreignObject", { width: "100%", height: "100%" },
			this.ui);
		svg.append(this.outer);
		svg.classList.add("live", this.alone ? "alone" : "embedded");
		if (this.alone) {
			svg.removeAttribute("viewBox");
			svg.setAttribute("width", "100%");
			svg.setAttribute("height", "100%");
		}
	}

	addListeners() {
		const redraw = () => this.later.run("draw", () => this.draw());
		this.scroller.addEventListener("scroll", () => {
			this.pointer.leave();
			redraw();
		}, { passive: true });
		if (this.alone) {
			new ResizeObserver(() => this.later.run("fit", () => this.fit()))
				.observe(this.scroller);
			const back = () => this.address.changed && this.restore();
			window.addEventListener("popstate", back);
			window.addEventListener("hashchange", back);
		} else {
			window.addEventListener("scroll", redraw, { passive: true });
			window.addEventListener("resize", redraw);
		}
		window.addEventListener("beforeprint", () => this.print(true));
		window.addEventListener("afterprint", () => this.print(false));
		document.addEventListener("pointerdown", (e) => {
			const open = this.popups.find((p) => p.isOpen);
			if (open && !open.element.contains(e.target) &&
				!open.returnTo?.contains(e.target))
				open.close();
		});
	}

	fitWidth() {
		const { view, settings, alone, scroller } = this;
		const { clientWidth, clientHeight } = scroller;
		this.fitted = { clientWidth, clientHeight };
		view.width = alone && settings.fluid && clientWidth > 0 ?
			Math.max(clientWidth, 200) : settings.width;
	}

	/* The window may have another size. */
	fit() {
		const { scroller, fitted } = this;
		const { clientWidth, clientHeight } = scroller;
		if (scroller.hidden || (clientWidth === fitted?.clientWidth &&
			clientHeight === fitted.clientHeight))
			return;
		if (clientWidth !== fitted?.clientWidth)
			this.details.fit();
		this.fitWidth();
		this.redraw();
		this.showDetails();
	}

	/* `push`: Back returns to what was before. */
	update(changes, push = false) {
		Object.assign(this.state, changes);
		this.apply();
		this.address.write(this.state, push);
	}

	restore() {
		this.state = this.address.read();
		this.applyTheme();
		this.apply();
	}

	/* Shows the present state, and does again only what it must. */
	apply() {
		const { state, view, applied } = this;
		this.toolbar.tell("");
		this.pointer.leave();
		const spec = JSON.stringify(viewSpec(state));
		const other = spec !== applied.spec;
		if (other)
			this.makeTree();
		const search = JSON.stringify([state.search, state.plain, state.ignoreCase]);
		if (other || search !== applied.search)
			this.search();
		const zoomed = this.resolveZoom();
		const look = JSON.stringify([state.icicle, state.cutStart, state.own]);
		if (state.own !== applied.own)
			view.looks = new Looks(this.tree, this.settings, state.own);
		view.icicle = state.icicle;
		view.cutStart = state.cutStart;
		this.ui.classList.toggle("icicle", state.icicle);
		this.scroller.hidden = state.table;
		this.table.element.hidden = !state.table;
		if (state.theme !== applied.theme)
			this.applyTheme();
		if (state.table)
			this.table.show();
		if (other || zoomed || look !== applied.look || state.table !== applied.table)
			this.redraw(other || state.icicle !== applied.icicle);
		else if (search !== applied.search && !state.table)
			view.drawMarks();
		this.applied = { spec, search, look, own: state.own, theme: state.theme,
			table: state.table,
			icicle: state.icicle };
		this.toolbar.show();
		this.details.showNote();
		this.showDetails();
	}

	makeTree() {
		const { state, settings } = this;
		this.tree = makeView(this.data, viewSpec(state));
		this.view.setTree(this.tree, new Looks(this.tree, settings, state.own));
		this.uncut = this.tree.cut ?
			makeView(this.data, { ...viewSpec(state), callers: false }) : this.tree;
		this.cursor = -1;
		this.zoomPath = null;
		for (const removal of state.removed)
			if (!removedFrames(this.data, [removal]).includes(1))
				this.remark("Not here to be removed: " +
					shortName(removal.path.join(";")));
	}

	/* For the user to know, beside what else there is. */
	remark(text) {
		const { notice } = this.toolbar;
		this.toolbar.tell(notice.textContent ? `${notice.textContent} · ${text}` : text);
	}

	/* What the percentages are of. */
	get whole() {
		return wholeOf(this.tree, this.settings);
	}

	search() {
		const { state, tree, view } = this;
		this.found = null;
		this.searchError = "";
		this.walking = 0;
		this.walked = false;
		this.match = -1;
		view.hit = null;
		if (!state.search)
			return;
		const matcher = compileSearch(state.search,
			{ regex: !state.plain, matchCase: !state.ignoreCase });
		if (matcher.error) {
			this.searchError = matcher.error;
			return;
		}
		this.found = searchTree(tree, matcher, this.uncut);
		view.hit = this.found.hit;
	}

	clearSearch() {
		this.view.outline("cursor", -1);
		this.cursor = -1;
		this.update({ search: "" });
	}

	/* True if the zoomed frame is another than before. */
	resolveZoom() {
		const { state, tree, view } = this;
		const path = JSON.stringify(state.zoom);
		if (path === this.zoomPath)
			return false;
		this.zoomPath = path;
		const { frame: i, length } = findPathPrefix(tree, state.zoom);
		if (length < state.zoom.length)
			this.remark(`Not here: ${shortName(state.zoom.join(";"))}; ` +
				`zoomed to ${shortName(frameLabel(tree, i))}`);
		const changed = i !== view.zoom;
		view.zoom = i;
		return changed;
	}

	zoomTo(i, push = true) {
		if (i < 0 || i === this.view.zoom)
			return;
		this.update({ zoom: pathOf(this.tree, i) }, push);
		this.details.say(`Zoomed to ${this.facts.spoken(i)}`);
	}

	/* Lays out and draws; `fresh`: the picture is another, begin at its root. */
	redraw(fresh = false) {
		const { view, scroller, alone, state } = this;
		if (state.table)
			return;
		const before = view.rows;
		view.layout();
		/* The focus is on a frame that can be seen. */
		while (this.cursor > 0 && !view.isDrawn(this.cursor))
			this.cursor = this.tree.caller[this.cursor];
		if (alone && fresh)
			scroller.scrollTop = state.icicle ? 0 : view.height;
		else if (alone && !state.icicle && view.rows !== before)
			scroller.scrollTop += (view.rows - before) * this.settings.row;
		if (alone)
			this.reveal(view.zoom);
		else
			this.fitEmbedded();
		this.draw(true);
		view.outline("cursor", this.cursor);
	}

	/* The span of the canvas that is in sight. */
	get span() {
		const { canvas, scroller, alone, view } = this;
		if (this.printing)
			return [0, view.height];
		if (alone) {
			const at = scroller.scrollTop - Math.max(0,
				scroller.clientHeight - view.height);
			return [Math.max(0, at), at + scroller.clientHeight];
		}
		const box = canvas.getBoundingClientRect();
		const scale = view.height / (box.height || 1);
		return [Math.max(0, -box.top * scale), Math.max(0,
			(innerHeight - box.top) * scale)];
	}

	draw(force = false) {
		if (!this.state.table)
			this.view.draw(...this.span, force);
	}

	/* Scrolls a frame into sight, and no further. */
	reveal(i) {
		const { view, scroller, alone } = this;
		const { x, y, width, height } = view.box(i);
		if (!alone) {
			this.canvas.querySelector(".cursor")?.scrollIntoView({ block: "nearest",
				inline: "nearest" });
			return;
		}
		const room = 2 * this.settings.row;
		if (x + width < scroller.scrollLeft + 1 || x + Math.min(width, room) >
			scroller.scrollLeft + scroller.clientWidth)
			scroller.scrollLeft = x - room;
		if (view.height <= scroller.clientHeight)
			return;
		if (y < scroller.scrollTop + 1)
			scroller.scrollTop = y - room;
		else if (y + height > scroller.scrollTop + scroller.clientHeight)
			scroller.scrollTop = y + height + room - scroller.clientHeight;
	}

	/* Inside a page the picture is as high as what it shows. */
	fitEmbedded() {
		const { svg, ui, view, outer } = this;
		const width = Math.max(view.width, 200);
		ui.style.width = `${width}px`;
		const height = ui.offsetHeight;
		outer.setAttribute("height", height);
		svg.setAttribute("width", width);
		svg.setAttribute("height", height);
		svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
	}

	/* On paper, all of it on one page, dark on light. */
	print(on) {
		const { svg, ui, outer, view, alone } = this;
		this.printing = on && !this.state.table;
		svg.classList.toggle("printing", this.printing);
		this.applyTheme();
		if (this.state.table)
			return;
		if (!alone) {
			this.fitEmbedded();
		} else if (on) {
			ui.style.width = `${view.width}px`;
			/* A page that is narrow may break lines once more. */
			const { width } = view, height = ui.offsetHeight + 60;
			svg.setAttribute("preserveAspectRatio", "xMidYMin");
			svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
			outer.setAttribute("width", width);
			outer.setAttribute("height", height);
		} else {
			ui.style.width = "";
			svg.removeAttribute("viewBox");
			outer.setAttribute("width", "100%");
			outer.setAttribute("height", "100%");
		}
		this.draw(true);
	}

	showDetails() {
		const { pointer, view, cursor } = this;
		this.details.show(pointer.hover >= 0 ? pointer.hover : cursor >= 0 ? cursor :
			view.zoom);
	}

	moveCursor(i, speak) {
		this.cursor = i;
		this.match = -1;
		this.view.outline("cursor", i);
		if (speak) {
			this.reveal(i);
			this.draw();
			this.details.say(this.facts.spoken(i));
		}
		this.showDetails();
	}

	/* To the next match, from the frame chosen last; stays in the search field if `typing`. */
	walk(step, typing = false) {
		const { tree, view, found } = this;
		if (!found?.count)
			return;
		const from = [this.match, this.cursor].find((at) => at >= 0) ?? view.zoom;
		const i = nextMatch(tree, found.hit, from, step);
		if (i < 0)
			return;
		this.walking = matchIndex(tree, found.hit, i).index;
		if (this.state.table)
			this.update({ table: false }, true);
		this.zoomToSee(i);
		this.moveCursor(i, true);
		this.match = i;
		this.toolbar.search.showIndex();
		if (!typing)
			this.canvas.focus({ preventScroll: true });
	}

	/* Out, or in, until a frame can be seen. */
	zoomToSee(i) {
		const { tree, view } = this;
		const wide = (root) => tree.total[i] / (root ? tree.total[root] :
			view.whole) * view.inner;
		let root = view.zoom;
		while (root && !(root <= i && i < tree.end[root]) && !(i < root &&
			root < tree.end[i]))
			root = tree.caller[root];
		if (i >= root && wide(root) < 2) {
			root = i;
			while (root && wide(tree.caller[root]) >= 30)
				root = tree.caller[root];
		}
		if (root !== view.zoom) {
			this.zoomTo(root, !this.walked);
			this.walked = true;
		}
	}

	nextTheme() {
		const at = THEMES.indexOf(this.state.theme);
		this.update({ theme: THEMES[(at + 1) % THEMES.length] });
	}

	/* The style sheet's rules for a dark page hold as the reader prefers, always, or never. */
	applyTheme() {
		const theme = this.printing ? "light" : this.state.theme;
		this.darkRules ??= [...this.svg.querySelectorAll("style")]
			.flatMap(({ sheet }) => [...sheet.cssRules])
			.filter((rule) => rule.media?.mediaText.includes(
				"prefers-color-scheme: dark"))
			.map((rule) => ({ rule, text: rule.media.mediaText }));
		for (const { rule, text } of this.darkRules)
			rule.media.mediaText = theme === "auto" ? text : theme === "dark" ?
				"all" : "not all";
	}

	/* A box in a kind's colour. */
	swatchOf(kind) {
		const box = svgElement("svg", { class: "swatch", width: 10, height: 10,
			"aria-hidden": "true" },
			svgElement("rect", { width: 10, height: 10, rx: 2 }));
		if (this.settings.colors === "kind" && !this.settings.diff)
			setLook(box.firstChild, `${kind}2`);
		else
			box.setAttribute("hidden", "");
		return box;
	}

	closePopups() {
		for (const popup of this.popups)
			popup.close();
	}

	menuAt(i) {
		const { view, canvas } = this;
		const box = canvas.getBoundingClientRect(), at = view.box(i);
		this.menu.openFor(i, box.left + at.x + Math.min(at.width / 2, 60), box.top +
			at.y + at.height);
	}

	markFunction(i) {
		this.markName(frameLabel(this.tree, i));
	}

	markName(label) {
		const text = label.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
		this.update({ search: `^${text}$`, plain: false, ignoreCase: false,
			table: false }, true);
	}

	showFunction(i) {
		this.update({ table: true, func: functionName(this.tree,
			functionAt(this.tree, i)) }, true);
	}

	remove(i) {
		if (i <= 0)
			return;
		const { state, tree, view } = this;
		const label = frameLabel(tree, i);
		const inside = i <= view.zoom && view.zoom < tree.end[i];
		const zoom = inside ? pathOf(tree, tree.caller[i]) : state.zoom;
		this.update({ removed: [...state.removed, removalOf(tree, i)], zoom }, true);
		this.toolbar.tell(`Removed ${shortName(label)}; u brings it back`);
	}

	undoRemove() {
		if (this.state.removed.length)
			this.update({ removed: this.state.removed.slice(0, -1) }, true);
	}

	linkOf(i) {
		return this.tree.table.attrs.get(this.tree.name[i])?.get("href");
	}

	openLink(i) {
		const link = linkElement(html, this.tree.table.attrs.get(this.tree.name[i]));
		this.ui.append(link);
		link.click();
		link.remove();
	}

	copyName(i) {
		this.copyText(frameLabel(this.tree, i), "name");
	}

	copyStack(i) {
		this.copyText(stackText(this.tree, i), "stack");
	}

	async copyText(text, what) {
		try {
			await navigator.clipboard.writeText(text);
			this.toolbar.tell(`Copied the ${what}`);
		} catch {
			this.copy.openWith(text);
		}
	}

	/* What is shown, from a frame up, as a file that fold2svg reads. */
	exportFolded(i = this.view.zoom) {
		const blob = new Blob(foldedParts(this.tree, this.settings, i),
			{ type: "text/plain" });
		const name = this.settings.title.replace(/[^\w.-]+/g, "-").toLowerCase();
		const link = html("a", {
			href: URL.createObjectURL(blob),
			download: `${name}.folded`,
		});
		this.ui.append(link);
		link.click();
		link.remove();
		setTimeout(() => URL.revokeObjectURL(link.href), 10000);
		this.toolbar.tell("Exported what is shown as folded lines");
	}
}

new FlameApp(document.currentScript?.closest("svg") ?? document.documentElement).start();
