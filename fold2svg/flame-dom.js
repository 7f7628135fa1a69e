/* Making elements. What a frame is called only ever becomes text, never markup. */

const SVG_NS = "http://www.w3.org/2000/svg";
const HTML_NS = "http://www.w3.org/1999/xhtml";

/* Keys of `props` that begin with "on" are listeners; true and false set or leave out. */
function make(ns, name, props, children) {
	const e = document.createElementNS(ns, name);
	for (const [key, value] of Object.entries(props)) {
		if (key.startsWith("on"))
			e.addEventListener(key.slice(2), value);
		else if (value !== false && value !== null && value !== undefined)
			e.setAttribute(key, value === true ? "" : value);
	}
	e.append(...children);
	return e;
}

function html(name, props = {}, ...children) {
	return make(HTML_NS, name, props, children);
}

function svgElement(name, props = {}, ...children) {
	return make(SVG_NS, name, props, children);
}

/* Strokes in a field of 16 by 16. */
const ICONS = {
	up: "M4 10l4-4 4 4",
	down: "M4 6l4 4 4-4",
	left: "M10 4l-4 4 4 4",
	close: "M4 4l8 8M12 4l-8 8",
	search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M10.5 10.5L14 14",
	auto: "M8 2a6 6 0 1 0 0 12 6 6 0 0 0 0-12v12M9.5 3.5v9M11 4.5v7M12.5 6v4",
	light: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1v1.6M8 13.4V15" +
		"M1 8h1.6M13.4 8H15M3 3l1.1 1.1M11.9 11.9L13 13M13 3l-1.1 1.1M4.1 11.9L3 13",
	dark: "M13 9.8A5.6 5.6 0 0 1 6.2 3a5.6 5.6 0 1 0 6.8 6.8z",
	view: "M2 4.5h7M12 4.5h2M10.5 3v3M2 11.5h2M7 11.5h7M5.5 10v3",
	table: "M2 3h12v10H2zM2 6.3h12M2 9.6h12M6.5 3v10",
	graph: "M2 13h12M2 9.7h9M2 6.4h6M2 3.1h3",
};

function icon(name) {
	return svgElement("svg", {
		class: "icon", viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true",
	}, svgElement("path", { d: ICONS[name] }));
}

/* `label` is its text, or what its icon (children) means. */
function button(label, props, ...children) {
	const named = children.length ? { title: label, "aria-label": label } : {};
	return html("button", { type: "button", ...named, ...props },
		...(children.length ? children : [label]));
}

/* The link that --nameattr gives a frame, as flamegraph.pl makes it. `element`: html, … */
function linkElement(element, given) {
	return element("a", { href: given.get("href"), target: given.get("target") || "_top",
		tabindex: "-1" });
}

/* Work of a kind at most once a screen refresh. */
class Later {
	constructor() {
		this.pending = new Map();
	}

	run(kind, work) {
		if (!this.pending.has(kind)) {
			this.pending.set(kind, requestAnimationFrame(() => {
				this.pending.delete(kind);
				work();
			}));
		}
	}
}

/* A name in a line of text. */
function shortName(name) {
	return name.length > 80 ? `${name.slice(0, 80)}\u2026` : name;
}

/* How many, thousands apart. */
function plainText(n) {
	return countText(n, { decimals: 0, factor: "1" });
}
