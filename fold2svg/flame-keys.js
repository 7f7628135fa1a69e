/* Mouse, touch and keys over the frames. */

const LONG_PRESS = 500; /* ms */
const PRESS_SLACK = 10; /* px that a resting finger may move */

class Pointer {
	constructor(app) {
		this.app = app;
		this.hover = -1;
		this.press = null;
		this.wasLong = false;
		const { canvas } = app;
		canvas.addEventListener("click", (e) => this.onClick(e));
		canvas.addEventListener("pointermove", (e) => this.onMove(e));
		canvas.addEventListener("pointerleave", () => this.leave());
		canvas.addEventListener("pointerdown", (e) => this.onDown(e));
		canvas.addEventListener("pointerup", () => this.endPress());
		canvas.addEventListener("pointercancel", () => this.endPress());
		canvas.addEventListener("contextmenu", (e) => this.onMenu(e));
		/*
		 * The finger that is lifted from a long press has done its work: what has come
		 * under it since, such as the menu, must not take it for a tap.
		 */
		app.svg.addEventListener("pointerdown", () => {
			this.wasLong = false;
		}, true);
		app.svg.addEventListener("click", (e) => {
			if (!this.wasLong)
				return;
			this.wasLong = false;
			e.preventDefault();
			e.stopPropagation();
		}, true);
	}

	frameOf(e) {
		const { canvas, view } = this.app;
		const box = canvas.getBoundingClientRect();
		/* A page may show the picture in another size. */
		const scale = view.width / box.width;
		return view.frameAtPoint((e.clientX - box.left) * scale,
			(e.clientY - box.top) * scale);
	}

	onClick(e) {
		const i = this.frameOf(e);
		const link = e.target.closest?.("a");
		this.app.closePopups();
		/* As in flamegraph.pl's pictures: a click follows a link, with Ctrl it zooms. */
		if (link && !e.ctrlKey && !e.metaKey)
			return;
		if (link)
			e.preventDefault();
		if (i >= 0) {
			this.app.moveCursor(i, false);
			this.app.zoomTo(i);
			if (e.pointerType !== "touch")
				this.over(this.frameOf(e), e);
		}
	}

	onMove(e) {
		if (this.press && Math.hypot(e.clientX - this.press.x,
			e.clientY - this.press.y) > PRESS_SLACK)
			this.endPress();
		if (e.pointerType !== "touch")
			this.over(this.frameOf(e), e);
	}

	over(i, e) {
		const { app } = this;
		if (i !== this.hover) {
			this.hover = i;
			app.view.outline("hover", i);
			app.canvas.classList.toggle("over", i >= 0);
			if (i < 0)
				app.tooltip.hide();
			else
				app.tooltip.show(i);
			app.showDetails();
		}
		if (i >= 0)
			app.tooltip.place(e.clientX, e.clientY);
	}

	leave() {
		if (this.hover >= 0)
			this.over(-1);
	}

	onDown(e) {
		this.endPress();
		if (e.pointerType !== "touch")
			return;
		const { clientX: x, clientY: y } = e;
		const timer = setTimeout(() => {
			this.press = null;
			this.wasLong = true;
			this.openMenu(this.frameOf({ clientX: x, clientY: y }), x, y);
		}, LONG_PRESS);
		this.press = { x, y, timer };
	}

	endPress() {
		if (this.press)
			clearTimeout(this.press.timer);
		this.press = null;
	}

	openMenu(i, x, y) {
		if (i < 0)
			return;
		this.leave();
		this.app.moveCursor(i, false);
		this.app.menu.openFor(i, x, y);
	}

	onMenu(e) {
		const i = this.frameOf(e);
		if (i < 0)
			return;
		e.preventDefault();
		this.endPress();
		if (!this.app.menu.isOpen)
			this.openMenu(i, e.clientX, e.clientY);
	}
}

class Keys {
	constructor(app) {
		this.app = app;
		window.addEventListener("keydown", (e) => this.onKey(e));
	}

	onKey(e) {
		const { app } = this;
		if (e.defaultPrevented || e.isComposing)
			return;
		/* In a page with more than us,
			keys are ours while the focus or the mouse is here. */
		if (!app.alone && !app.ui.contains(document.activeElement) &&
			!app.ui.matches(":hover"))
			return;
		if (this.find(e) || this.matchCase(e) || this.escape(e))
			return;
		const typing = e.target.matches?.("input:not([type=radio]),textarea,select");
		if (typing || e.ctrlKey || e.metaKey || e.altKey || app.popups.some((p) =>
			p.isOpen))
			return;
		const key = e.shiftKey && e.key.length === 1 ? e.key.toUpperCase() : e.key;
		if (this.walk(e) || this.command(key))
			e.preventDefault();
	}

	find(e) {
		const { search } = this.app.toolbar;
		const control = (e.ctrlKey || e.metaKey) && !e.altKey && !e.shiftKey &&
			e.key === "f";
		const slash = e.key === "/" && !e.target.matches?.("input,textarea");
		/* A second Ctrl-F is the browser's own search. */
		if (!(e.key === "F3" || control || slash) ||
			document.activeElement === search.input)
			return false;
		e.preventDefault();
		this.app.closePopups();
		search.focus();
		return true;
	}

	/* As in flamegraph.pl's pictures. */
	matchCase(e) {
		if (!(e.ctrlKey && !e.altKey && !e.shiftKey && e.key === "i"))
			return false;
		e.preventDefault();
		this.app.update({ ignoreCase: !this.app.state.ignoreCase });
		return true;
	}

	/* One thing at a time: what is open, what is typed, the zoom, the search. */
	escape(e) {
		const { app } = this;
		if (e.key !== "Escape")
			return false;
		e.preventDefault();
		const { input } = app.toolbar.search;
		if (app.popups.some((p) => p.isOpen)) {
			app.closePopups();
		} else if (document.activeElement === input) {
			app.clearSearch();
			app.canvas.focus({ preventScroll: true });
		} else if (app.view.zoom && !app.state.table) {
			app.zoomTo(0);
		} else {
			app.clearSearch();
		}
		return true;
	}

	/* Up and down as on the screen. */
	walk(e) {
		const { app } = this;
		if (app.state.table || e.target.closest?.(".head"))
			return false;
		const { view, tree } = app;
		const at = app.cursor >= 0 ? app.cursor : view.zoom;
		const caller = (i) => i ? tree.caller[i] : -1;
		const steps = {
			ArrowUp: () => view.icicle ? caller(at) : view.callee(at),
			ArrowDown: () => view.icicle ? view.callee(at) : caller(at),
			ArrowLeft: () => view.neighbour(at, -1),
			ArrowRight: () => view.neighbour(at, 1),
			Home: () => 0,
		};
		if (!Object.hasOwn(steps, e.key))
			return false;
		const to = app.cursor < 0 && e.key !== "Home" ? at : steps[e.key]();
		if (to >= 0)
			app.moveCursor(to, true);
		return true;
	}

	command(key) {
		const { app } = this;
		const { state } = app;
		const frame = app.cursor >= 0 ? app.cursor : app.pointer.hover;
		const onFrame = {
			Enter: () => app.zoomTo(frame),
			" ": () => app.zoomTo(frame),
			c: () => app.copyName(frame),
			C: () => app.copyStack(frame),
			f: () => app.showFunction(frame),
			Delete: () => app.remove(frame),
			"=": () => app.markFunction(frame),
			m: () => app.menuAt(frame),
			o: () => app.linkOf(frame) && app.openLink(frame),
			ContextMenu: () => app.menuAt(frame),
		};
		const onAll = {
			n: () => app.walk(1),
			N: () => app.walk(-1),
			Backspace: () => app.zoomTo(app.tree.caller[app.view.zoom]),
			u: () => app.undoRemove(),
			e: () => app.exportFolded(),
			i: () => app.update({ icicle: !state.icicle }, true),
			r: () => app.update({ callers: !state.callers, zoom: [] }, true),
			w: () => app.update({ sort: state.sort === "name" ? "weight" : "name" },
				true),
			l: () => app.update({ cutStart: !state.cutStart }, true),
			t: () => app.update({ table: !state.table }, true),
			v: () => app.panel.toggle(),
			d: () => app.nextTheme(),
			"?": () => app.help.toggle(),
		};
		/* A button under the focus keeps Enter and Space. */
		const pressing = (key === "Enter" || key === " ") &&
			document.activeElement?.closest?.("button,input,a");
		if (Object.hasOwn(onFrame, key) && frame >= 0 && !state.table && !pressing)
			onFrame[key]();
		else if (Object.hasOwn(onAll, key))
			onAll[key]();
		else
			return false;
		return true;
	}
}
