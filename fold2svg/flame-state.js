/*
 * What the user has chosen, and its form in the URL's fragment, in readable names:
 *
 *	#zoom=main;parse;read&search=alloc&view=icicle,callers,by-weight&theme=dark
 *
 * Only what differs from the picture as it was made is there. Words of `view` are those
 * of viewWords(); `removed` is a subtree taken away, and may come several times; behind it
 * stand the words, as in `removed,callers`, of the view that the path is of.
 */

function defaultState(settings) {
	return {
		zoom: [], search: "", plain: false, ignoreCase: false,
		icicle: settings.inverted, callers: false, sort: "name", collapse: false, hide: "",
		cutStart: false, base: settings.base, own: false, removed: [],
		table: false, func: "", theme: "auto",
	};
}

/*
 * Word, key of the state, value that the word stands for. What is made with --reverse has
 * callers from the start: its other view (`callers` of the state) is that of callees.
 */
function viewWords({ reversed }) {
	return [
		["flame", "icicle", false], ["icicle", "icicle", true],
		["callers", "callers", !reversed], ["callees", "callers", reversed],
		["by-weight", "sort", "weight"], ["no-recursion", "collapse", true],
		["no-kernel", "hide", "kernel"], ["no-user", "hide", "user"],
		["cut-start", "cutStart", true],
		["after", "base", "after"], ["before", "base", "before"],
		["both", "base", "both"], ["own-change", "own", true], ["table", "table", true],
	];
}

const THEMES = ["auto", "light", "dark"];

/* What must be escaped in a fragment of ours, and no more. */
function encodePart(text) {
	/* A lone surrogate, which no UTF-8 file has, would throw. */
	return encodeURIComponent(text.toWellFormed?.() ?? text)
		.replace(/%(3A|2F|2C|40|24|3F|5B|5D|60|7C|3C|3E)/g, (code) =>
			decodeURIComponent(code))
		.replaceAll("<", "%3C").replaceAll(">", "%3E").replaceAll("`", "%60");
}

function decodePart(text) {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

function encodePath(path) {
	return path.map(encodePart).join(";");
}

function decodePath(text) {
	return text ? text.split(";").map(decodePart) : [];
}

/* removalOf() tells what a removal is. */
function removalKey({ callers, hide, collapse }) {
	return ["removed", callers && "callers", hide && `no-${hide}`, collapse && "no-recursion"]
		.filter(Boolean).join(",");
}

function removalOfKey(key, path) {
	const words = key.split(",");
	const hide = words.includes("no-kernel") ? "kernel" : words.includes("no-user") ? "user" :
		"";
	return { callers: words.includes("callers"), hide,
		collapse: words.includes("no-recursion"), path };
}

/* Without the "#"; "" for the default. */
function fragmentOf(state, settings) {
	const initial = defaultState(settings);
	const parts = [];
	const add = (key, value) => value && parts.push(`${key}=${value}`);
	add("zoom", encodePath(state.zoom));
	add("search", encodePart(state.search));
	add("plain", state.plain ? "1" : "");
	add("ignore-case", state.ignoreCase ? "1" : "");
	add("view", viewWords(settings)
		.filter(([, key, value]) => state[key] === value && initial[key] !== value)
		.map(([word]) => word).join(","));
	for (const removal of state.removed)
		add(removalKey(removal), encodePath(removal.path));
	add("function", encodePart(state.func));
	add("theme", state.theme === "auto" ? "" : state.theme);
	return parts.join("&");
}

function stateOf(fragment, settings) {
	const state = defaultState(settings);
	for (const part of fragment.replace(/^#/, "").split("&")) {
		const at = part.indexOf("=");
		const key = at < 0 ? part : part.slice(0, at), value = at < 0 ? "" :
			part.slice(at + 1);
		switch (key) {
		case "zoom":
			state.zoom = decodePath(value);
			break;
		case "search":
			state.search = decodePart(value);
			break;
		case "plain":
			state.plain = value === "1";
			break;
		case "ignore-case":
			state.ignoreCase = value === "1";
			break;
		case "view":
			for (const word of decodePart(value).split(",")) {
				const found = viewWords(settings).find(([known]) => known === word);
				if (found && (found[1] !== "base" || settings.diff))
					state[found[1]] = found[2];
			}
			break;
		case "function":
			state.func = decodePart(value);
			break;
		case "theme":
			if (THEMES.includes(value))
				state.theme = value;
			break;
		default:
			if (/^removed(,|$)/.test(key) && value)
				state.removed.push(removalOfKey(key, decodePath(value)));
		}
	}
	return state;
}

/* What makeView needs of it. */
function viewSpec({ callers, sort, collapse, hide, base, removed }) {
	return { callers, sort, collapse, hide, base, removed };
}

const REPLACE_DELAY = 100; /* ms */

/* The URL of the document; a picture in a page leaves the page's alone. */
class Address {
	constructor(alone, settings) {
		this.alone = alone;
		this.settings = settings;
		this.fragment = "";
		this.timer = 0;
	}

	read() {
		clearTimeout(this.timer);
		this.fragment = this.alone ? location.hash.replace(/^#/, "") : "";
		const state = stateOf(this.fragment, this.settings);
		/* Links to a search in flamegraph.pl's pictures have it so. */
		if (this.alone && !this.fragment)
			state.search = new URLSearchParams(location.search).get("s") ?? "";
		return state;
	}

	/* True if it is another one than we last read or wrote. */
	get changed() {
		return this.alone && location.hash.replace(/^#/, "") !== this.fragment;
	}

	/*
	 * A new entry of the browser's history if `push`. What only takes the place of another
	 * waits a little: browsers bound how often, and it is slow while somebody types.
	 */
	write(state, push) {
		const fragment = fragmentOf(state, this.settings);
		clearTimeout(this.timer);
		if (!this.alone)
			return;
		if (push)
			this.put("pushState", fragment);
		else
			this.timer = setTimeout(() => this.put("replaceState", fragment),
				REPLACE_DELAY);
	}

	put(how, fragment) {
		if (fragment === this.fragment)
			return;
		try {
			history[how](null, "", fragment ? `#${fragment}` :
				location.href.replace(/#.*/, ""));
			this.fragment = location.hash.replace(/^#/, "");
		} catch {
			/* Where the document may not touch its URL, all else still works. */
		}
	}
}
