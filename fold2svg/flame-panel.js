/* What opens above the picture: view options, a frame's menu, the keys, a text to copy. */

/* Keeps the focus, and gives it back; one is open at a time. */
class Popup {
	constructor(app, className, role, label, returnTo = null) {
		this.app = app;
		this.returnTo = returnTo;
		this.element = html("div", {
			class: `popup ${className}`, role, "aria-label": label, hidden: true,
				tabindex: "-1",
			onkeydown: (e) => this.onKey(e),
		});
		app.popups.push(this);
	}

	get isOpen() {
		return !this.element.hidden;
	}

	open() {
		this.app.closePopups();
		this.before = document.activeElement;
		this.fill();
		this.element.hidden = false;
		this.returnTo?.setAttribute("aria-expanded", "true");
		(this.element.querySelector(
			"[autofocus],button,input,select") ?? this.element).focus();
	}

	close() {
		if (!this.isOpen)
			return;
		const inside = this.element.contains(document.activeElement);
		this.element.hidden = true;
		this.returnTo?.setAttribute("aria-expanded", "false");
		if (inside)
			(this.returnTo ?? this.before ?? this.app.canvas).focus({
				preventScroll: true });
	}

	toggle() {
		if (this.isOpen)
			this.close();
		else
			this.open();
	}

	/* Tab stays inside; arrows walk a menu. */
	onKey(e) {
		const all = [...this.element.querySelectorAll("button,input,select,textarea")]
			.filter((b) => !b.disabled);
		const at = all.indexOf(document.activeElement);
		const menu = this.element.getAttribute("role") === "menu";
		let to = -1;
		if (e.key === "Tab")
			to = at + (e.shiftKey ? -1 : 1);
		else if (menu && (e.key === "ArrowDown" || e.key === "ArrowUp"))
			to = at + (e.key === "ArrowDown" ? 1 : -1);
		else
			return;
		e.preventDefault();
		if (all.length)
			all[(to + all.length) % all.length].focus();
	}
}

class ViewPanel extends Popup {
	constructor(app) {
		super(app, "panel", "dialog", "View options", app.toolbar.viewButton);
	}

	fill() {
		const { app } = this;
		const { settings, state } = app;
		const parts = [
			this.choice("Root", "icicle", [[false, "at the bottom"], [true, "on top"]]),
			this.choice("Stacks", "callers", [
				[settings.reversed, "callees, from the root"],
				[!settings.reversed, "callers, from the leaves"]], { zoom: [] }),
			this.choice("Order", "sort",
				[["name", settings.chart ? "as in the data" : "by name"],
				["weight", "by weight"]]),
			this.choice("Frames", "hide", [["", "all"], ["kernel", "hide kernel"],
				["user", "hide user"]]),
			this.choice("Recursion", "collapse", [[false, "as it is"],
				[true, "collapsed"]]),
			this.choice("Labels cut", "cutStart", [[false, "at the end"],
				[true, "at the start"]]),
		];
		if (settings.diff) {
			parts.push(this.choice("Widths", "base",
				[["after", "after"], ["before", "before"], ["both", "the larger"]]),
			this.choice("Colours", "own", [[false, "total change"],
				[true, "own change"]]));
		}
		parts.push(this.choice("Theme", "theme", THEMES.map((theme) => [theme, theme])));
		const undo = button("Undo remove", {
			disabled: !state.removed.length,
				title: "Bring back the subtree removed last (u)",
			onclick: () => {
				app.undoRemove();
				this.fill();
			},
		});
		const folded = button("Export as folded lines",
			{ title: "Save what is shown (e)", onclick: () => app.exportFolded() });
		const initial = button("As it was made", { onclick: () => {
			app.update({ ...defaultState(settings), theme: state.theme }, true);
			this.fill();
		} });
		this.element.replaceChildren(...parts, html("div", { class: "panel-buttons" },
			undo, folded, initial));
	}

	/* A row of radio buttons of one key of the state. */
	choice(label, key, options, also = {}) {
		const { app } = this;
		const row = html("div", { class: "options" });
		options.forEach(([value, word]) => row.append(html("label", {},
			html("input", {
				type: "radio", name: `flame-${key}`,
					"data-option": `${key}:${value}`,
				checked: app.state[key] === value,
				onchange: () => app.update({ ...also, [key]: value },
					key !== "theme"),
			}), word)));
		return html("fieldset", {}, html("legend", {}, label), row);
	}

	/* Radio buttons: Tab goes from group to group, so the browser's own way is right. */
	onKey(e) {
		if (e.key !== "Tab")
			return;
		const all = [...this.element.querySelectorAll("input:checked,button:enabled")];
		const at = all.indexOf(document.activeElement);
		e.preventDefault();
		all[(at + (e.shiftKey ? -1 : 1) + all.length) % all.length].focus();
	}
}

class FrameMenu extends Popup {
	constructor(app) {
		super(app, "menu", "menu", "Frame");
		this.frame = 0;
	}

	openFor(i, x, y) {
		this.frame = i;
		this.open();
		const { element } = this;
		const box = this.app.ui.getBoundingClientRect();
		const right = Math.min(box.right, innerWidth), bottom = Math.min(box.bottom,
			innerHeight);
		const left = Math.max(4, Math.min(x, right - element.offsetWidth - 6));
		const top = Math.max(4, Math.min(y, bottom - element.offsetHeight - 6));
		element.style.transform = `translate(${left - box.left}px, ${top - box.top}px)`;
	}

	fill() {
		const { app, frame } = this;
		const item = (text, key, work, disabled = false) => html("button", {
			type: "button", role: "menuitem", disabled,
			onclick: () => {
				this.close();
				work();
			},
		}, html("span", {}, text), html("kbd", {}, key));
		this.element.replaceChildren(
			html("div", { class: "menu-head" },
				html("div", { class: "menu-name" }, frameLabel(app.tree, frame)),
				...app.facts.of(frame).map((fact) => html("div",
					{ class: "menu-fact" },
					...factElements([fact])))),
			item("Zoom to this frame", "Enter", () => app.zoomTo(frame)),
			...(app.linkOf(frame) ?
				[item("Open its link", "o", () => app.openLink(frame))] : []),
			item("Mark this function everywhere", "=", () => app.markFunction(frame),
				!frame),
			item("Callers and callees", "f", () => app.showFunction(frame), !frame),
			item("Copy name", "c", () => app.copyName(frame)),
			item("Copy stack", "Shift-c", () => app.copyStack(frame), !frame),
			item("Export from here as folded lines", "", () => app.exportFolded(frame)),
			item("Remove this subtree and rescale", "Del", () => app.remove(frame),
				!frame));
	}
}

const HELP = [
	["Click, Enter", "zoom to a frame"],
	["Escape", "close, zoom out, clear the search"],
	["Backspace", "zoom out to the caller"],
	["Arrows, Home", "walk over the frames, to the root"],
	["/  F3  Ctrl-F", "search; Ctrl-F again is the browser\u2019s"],
	["n  Shift-n", "next and previous match"],
	["Ctrl-I", "search with or without regard to case"],
	["=", "mark the frame\u2019s function everywhere"],
	["c  Shift-c", "copy the name, the whole stack"],
	["f", "callers and callees of the function"],
	["Delete  u", "remove a subtree and rescale; undo"],
	["e", "export what is shown as folded lines"],
	["i", "flame or icicle"],
	["r", "callers, merged from the leaves, or callees"],
	["w", "order by weight or as it was"],
	["l", "labels cut at the end or at the start"],
	["t  v  d  ?", "table, view options, theme, this list"],
	["Right click, m", "menu of a frame; long press on a touch screen"],
];

class HelpPopup extends Popup {
	constructor(app) {
		super(app, "help", "dialog", "Keys");
	}

	fill() {
		const rows = HELP.map(([keys, what]) => html("div", { class: "help-row" },
			html("dt", {}, ...keys.split("  ").flatMap((key, k) =>
				[k ? " " : "", html("kbd", {}, key)])),
			html("dd", {}, what)));
		this.element.replaceChildren(
			html("div", { class: "popup-head" }, html("h2", {}, "Keys"),
				button("Close", { class: "icon-button", onclick: () =>
					this.close() }, icon("close"))),
			html("dl", {}, ...rows));
	}
}

/* Where the browser gives no access to the clipboard: the text, selected. */
class CopyPopup extends Popup {
	constructor(app) {
		super(app, "copy", "dialog", "Copy");
		this.text = "";
	}

	fill() {
		const area = html("textarea", { readonly: true, rows: 5,
			"aria-label": "Text to copy" });
		area.value = this.text;
		this.element.replaceChildren(html("div", { class: "popup-head" },
			html("h2", {}, "Copy with Ctrl-C"),
			button("Close", { class: "icon-button", onclick: () => this.close() },
				icon("close"))), area);
		this.area = area;
	}

	openWith(text) {
		this.text = text;
		this.open();
		this.area.focus();
		this.area.select();
	}
}
