/* The head of the page, which stays: title, search, buttons; under them legend and remarks. */

class SearchBox {
	constructor(app) {
		this.app = app;
		this.input = html("input", {
			class: "search", type: "search", placeholder: "Search", spellcheck: "false",
			autocomplete: "off", "aria-label": "Search frames",
				"aria-describedby": "flame-matched",
			title: "Search  (/, F3 or Ctrl-F)",
			oninput: () => app.later.run("search", () =>
				app.update({ search: this.input.value })),
			onkeydown: (e) => this.onKey(e),
		});
		this.regex = button(".*", {
			class: "toggle", title: "Regular expression",
				"aria-label": "Regular expression",
			onclick: () => app.update({ plain: !app.state.plain }),
		});
		this.matchCase = button("Aa", {
			class: "toggle", title: "Match case", "aria-label": "Match case",
			onclick: () => app.update({ ignoreCase: !app.state.ignoreCase }),
		});
		this.matched = html("output", { class: "matched", id: "flame-matched" });
		this.index = html("output", { class: "index" });
		this.previous = button("Previous match (Shift-n)",
			{ class: "icon-button", onclick: () => app.walk(-1) }, icon("up"));
		this.next = button("Next match (n)",
			{ class: "icon-button", onclick: () => app.walk(1) }, icon("down"));
		this.clear = button("Clear the search (Escape)",
			{ class: "icon-button", onclick: () => app.clearSearch() }, icon("close"));
		this.walk = html("span", { class: "walk", hidden: true },
			this.index, this.previous, this.next, this.clear);
		this.element = html("div", { class: "search-group", role: "search" },
			html("span", { class: "search-field" }, icon("search"), this.input,
				this.regex, this.matchCase),
			this.matched, this.walk);
	}

	onKey(e) {
		if (e.key === "Enter" && !e.isComposing) {
			e.preventDefault();
			this.app.update({ search: this.input.value });
			this.app.walk(e.shiftKey ? -1 : 1, true);
		}
	}

	focus() {
		this.input.focus();
		this.input.select();
	}

	show() {
		const { state, found, searchError } = this.app;
		if (this.input.value !== state.search)
			this.input.value = state.search;
		this.input.placeholder = state.plain ? "Search text" : "Search regex";
		this.regex.setAttribute("aria-pressed", !state.plain);
		this.matchCase.setAttribute("aria-pressed", !state.ignoreCase);
		this.input.classList.toggle("invalid", Boolean(searchError));
		this.input.setAttribute("aria-invalid", Boolean(searchError));
		this.matched.title = searchError ?? "";
		this.matched.classList.toggle("error", Boolean(searchError));
		this.walk.hidden = !found;
		this.matched.textContent = searchError ? "Not a regular expression" : found ?
			`Matched: ${percentText(found.matched, this.app.whole)}` : "";
		this.showIndex();
	}

	/* "i of n" */
	showIndex() {
		const { found, walking, tree } = this.app;
		if (!found)
			return;
		const n = plainText(found.count);
		const shown = tree.cut ? " shown" : "";
		const match = found.count === 1 ? "frame matches" : "frames match";
		const which = tree.cut ? ", of those that are not left out" : "";
		this.index.textContent = (walking ? `${plainText(walking)} of ${n}` : n) + shown;
		this.index.title = `${n} ${match}${which}`;
		this.previous.disabled = this.next.disabled = !found.count;
	}
}

class Toolbar {
	constructor(app) {
		this.app = app;
		const { settings } = app;
		this.search = new SearchBox(app);
		this.title = html("h1", { class: "title", title: settings.title }, settings.title);
		this.subtitle = html("p", { class: "subtitle", title: settings.subtitle },
			settings.subtitle);
		this.reset = button("Reset zoom", { class: "reset", onclick: () => app.zoomTo(0) });
		this.graph = button("Graph", { class: "segment", onclick: () =>
			app.update({ table: false }, true) },
			icon("graph"), "Graph");
		this.table = button("Table of functions (t)",
			{ class: "segment", onclick: () => app.update({ table: true }, true) },
				icon("table"), "Table");
		this.viewButton = button("View options (v)", {
			class: "view-button", "aria-haspopup": "dialog", "aria-expanded": "false",
			onclick: () => app.panel.toggle(),
		}, icon("view"), "View");
		this.theme = button("Theme", { class: "icon-button", onclick: () =>
			app.nextTheme() });
		this.help = button("Keys (?)", { class: "icon-button", onclick: () =>
			app.help.toggle() }, "?");
		this.legend = html("div", { class: "legend" });
		this.chips = html("div", { class: "chips" });
		this.notice = html("div", { class: "notice", role: "status" });
		this.element = html("header", { class: "head" },
			html("div", { class: "bar" },
				html("div", { class: "titles" }, this.title, settings.subtitle ?
					this.subtitle : ""),
				this.search.element,
				html("div", { class: "buttons" },
					this.reset,
					html("span", { class: "segments", role: "group",
						"aria-label": "Show" },
						this.graph, this.table),
					this.viewButton, this.theme, this.help)),
			html("div", { class: "bar second" }, this.legend, this.chips, this.notice));
	}

	show() {
		const { state, view } = this.app;
		this.reset.disabled = !view.zoom;
		this.graph.setAttribute("aria-pressed", !state.table);
		this.table.setAttribute("aria-pressed", state.table);
		this.theme.replaceChildren(icon(state.theme));
		this.theme.title = `Theme: ${state.theme} (d)`;
		this.theme.setAttribute("aria-label", `Theme: ${state.theme}`);
		this.search.show();
		this.showLegend();
		this.showChips();
	}

	showLegend() {
		const { settings, tree, state, facts } = this.app;
		const items = [html("span", { class: "sum" },
			`${facts.count(frameCounts(tree, 0).total)} ${settings.countname}`)];
		const swatch = (look, word) => {
			const box = svgElement("svg",
				{ class: "swatch", width: 12, height: 12, "aria-hidden": "true" },
				svgElement("rect", { width: 12, height: 12, rx: 2 }));
			setLook(box.firstChild, look);
			return html("span", { class: "key" }, box, word);
		};
		if (settings.diff) {
			const scale = svgElement("svg",
				{ class: "scale", width: 13 * 14, height: 12,
				"aria-hidden": "true" });
			const steps = ["l6", "l5", "l4", "l3", "l2", "l1", "d0", "m1", "m2", "m3",
				"m4", "m5", "m6"];
			if (settings.negate)
				steps.reverse();
			steps.forEach((look, k) => scale.append(svgElement("rect",
				{ class: look, x: k * 14, width: 13, height: 12, rx: 2 })));
			items.push(html("span", { class: "key" }, "\u2212100\u2009%", scale,
				"+100\u2009%",
				html("span", { class: "of" }, state.own ? "own change" : "change")),
			swatch(settings.negate ? "v" : "n", "new"), swatch(settings.negate ? "n" :
				"v", "vanished"));
		} else if (this.app.legend.length) {
			for (const [look, word] of this.app.legend)
				items.push(swatch(look, word));
		}
		this.legend.replaceChildren(...items);
	}

	/* What makes the picture another than that of the file, each with a way back. */
	showChips() {
		const { app } = this;
		const { state } = app;
		const chips = [];
		const add = (text, changes, title = "Undo") =>
			chips.push(button(`${title}: ${text}`,
			{ class: "chip", onclick: () => app.update(changes, true) },
			html("span", {}, text),
				icon("close")));
		if (state.callers)
			add(app.settings.reversed ? "callees, from the root" :
				"callers, merged from the leaves", { callers: false, zoom: [] });
		if (state.sort !== "name")
			add("by weight", { sort: "name" });
		if (state.collapse)
			add("recursion collapsed", { collapse: false });
		if (state.hide)
			add(`${state.hide} frames hidden`, { hide: "" });
		state.removed.forEach(({ path }, k) =>
			add(`without ${shortName(path[path.length - 1] ?? "all")}`,
			{ removed: state.removed.filter((_, other) => other !== k) },
				"Bring back"));
		this.chips.replaceChildren(...chips);
	}

	/* A remark that goes by itself with the next change. */
	tell(text) {
		this.notice.textContent = text;
	}
}
