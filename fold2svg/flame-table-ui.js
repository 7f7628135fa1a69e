/*
 * The table of functions, and beside it the callers and callees of the one chosen. Only
 * the rows in sight are elements.
 */

const ROW = 22;       /* px, as in the style sheet */
const NAME_MIN = 150; /* px */

/* A function's name with its kind's annotation: what tells it in a URL. */
function functionName(tree, key) {
	return keyName(tree.names[functionsOf(tree).nameOf[key]],
		String.fromCharCode(functionsOf(tree).codes[functionsOf(tree).nameOf[key]]));
}

function keyName(name, kind) {
	return name + (kind === "k" || kind === "j" ? `_[${kind}]` : "");
}

/* Columns: key, heading, class, what is sorted by, and what is shown. */
function columnsFor(app, countOnly) {
	const { settings, facts } = app;
	const change = (after, before) => {
		const d = after - before;
		return `${d > 0 ? "+" : ""}${facts.count(d)}`;
	};
	const of = (key) => ({
		key, heading: key === "self" ? "Self" : countOnly ? "Weight" : "Total",
			width: "wide",
		value: (row) => row[key], text: (row) => facts.count(row[key]),
	});
	const percent = (key) => ({
		key, heading: "%", width: "narrow", value: (row) => row[key],
		text: (row) => percentText(row[key], app.whole), bar: true,
	});
	const delta = (key) => ({
		key: `${key}-change`, heading: key === "self" ? "\u00b1 Self" : "\u00b1 Total",
			width: "wide",
		value: (row) => row[`${key}After`] - row[`${key}Before`],
		text: (row) => change(row[`${key}After`], row[`${key}Before`]),
	});
	const columns = [{ key: "name", heading: settings.nametype.replace(/:$/, ""), width: "",
		value: (row) => row.name, text: (row) => row.name }];
	for (const key of countOnly ? ["total"] : ["self", "total"]) {
		columns.push(of(key), percent(key));
		if (settings.diff)
			columns.push(delta(key));
	}
	return columns;
}

/* In percent, of the width of a cell. */
function partOf(n, whole) {
	return Math.min(100, 100 * Number(n) / Number(whole));
}

/* A long list as a table; `choose` is told of the row taken. */
class RowList {
	constructor(app, label, columns, choose) {
		this.app = app;
		this.columns = columns;
		this.choose = choose;
		this.rows = [];
		this.chosen = "";
		this.sort = { key: columns[1].key, down: true };
		this.body = html("tbody");
		this.heads = columns.map((column) => {
			const press = html("button",
				{ type: "button", onclick: () => this.sortBy(column) },
				column.heading);
			return html("th", { scope: "col" }, press);
		});
		this.widths = columns.map((column) => html("col", { class: column.width }));
		this.table = html("table", { "aria-label": label },
			html("colgroup", {}, ...this.widths),
			html("thead", {}, html("tr", {}, ...this.heads)), this.body);
		this.element = html("div", {
			class: "rows", tabindex: "0", role: "group", "aria-label": label,
			onscroll: () => app.later.run(`rows ${label}`, () => this.draw()),
			onkeydown: (e) => this.onKey(e),
			onclick: (e) => this.onClick(e),
		}, this.table);
	}

	set(rows) {
		this.rows = rows;
		this.digits = [];
		this.order();
	}

	/* No number is ever cut: one that has lost its end would be another. */
	fitColumns(made) {
		let wider = false;
		for (const tr of made)
			for (let k = 1; k < tr.cells.length; k++) {
				const { length } = tr.cells[k].textContent;
				if (length > (this.digits[k] ?? 0)) {
					this.digits[k] = length;
					wider = true;
				}
			}
		if (!wider)
			return;
		const widths = this.digits.map((n, k) =>
			`max(${this.columns[k].width === "wide" ? 96 : 74}px, ${n}ch + 18px)`);
		widths.forEach((width, k) => this.widths[k].style.setProperty("width", width));
		this.table.style.minWidth = `calc(${NAME_MIN}px + ${widths.filter(Boolean)
			.join(" + ")})`;
	}

	sortBy({ key }) {
		this.sort = { key, down: this.sort.key === key ? !this.sort.down : key !== "name" };
		this.element.scrollTop = 0;
		this.order();
	}

	order() {
		const { key, down } = this.sort;
		const { value } = this.columns.find((column) => column.key === key);
		const compare = (a, b) => {
			const x = value(a), y = value(b);
			return x < y ? -1 : x > y ? 1 : 0;
		};
		this.rows.sort((a, b) => (down ? -compare(a, b) : compare(a, b)) ||
			(a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
		this.heads.forEach((head, k) => {
			const column = this.columns[k];
			const sorted = column.key === key && !column.bar;
			head.setAttribute("aria-sort", sorted ? down ? "descending" :
				"ascending" : "none");
			head.firstChild.replaceChildren(column.heading, sorted ? icon(down ?
				"down" : "up") : "");
		});
		this.draw();
	}

	draw() {
		const { element, rows } = this;
		const shown = Math.ceil((element.clientHeight || 600) / ROW) + 20;
		const first = Math.max(0, Math.min(Math.floor(element.scrollTop / ROW) - 10,
			rows.length - shown));
		const last = Math.min(rows.length, first + shown);
		const space = (n) => html("tr", { "aria-hidden": "true" },
			html("td", { colspan: this.columns.length,
				style: `height:${n * ROW}px;padding:0` }));
		const made = [];
		for (let k = first; k < last; k++)
			made.push(this.row(rows[k], k));
		this.fitColumns(made);
		this.table.setAttribute("aria-rowcount", rows.length + 1);
		this.body.replaceChildren(...(first ? [space(first)] : []), ...made,
			...(last < rows.length ? [space(rows.length - last)] : []));
	}

	row(row, k) {
		const chosen = keyName(row.name, row.kind) === this.chosen;
		const tr = html("tr", {
			class: chosen ? "row chosen" : "row", "data-row": k, "aria-rowindex": k + 2,
			"aria-selected": chosen,
		});
		this.columns.forEach((column, at) => {
			if (!at) {
				tr.append(html("td", { class: "function-name", title: row.name },
					this.app.swatchOf(row.kind), row.name));
				return;
			}
			const td = html("td", column.bar ? { class: "bar-cell" } : {},
				column.text(row));
			if (column.bar)
				td.style.setProperty("--part",
					`${partOf(column.value(row), this.app.whole)}%`);
			tr.append(td);
		});
		return tr;
	}

	onClick(e) {
		const k = e.target.closest?.("tr.row")?.dataset.row;
		if (k !== undefined)
			this.choose(this.rows[k]);
	}

	/* Arrows choose the row beside. */
	onKey(e) {
		const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 2);
		const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page,
			Home: -this.rows.length, End: this.rows.length };
		if (!Object.hasOwn(steps, e.key) || e.target.closest("button") || !this.rows.length)
			return;
		e.preventDefault();
		const at = this.rows.findIndex((row) => keyName(row.name,
			row.kind) === this.chosen);
		const to = Math.max(0, Math.min(this.rows.length - 1, at + steps[e.key]));
		this.choose(this.rows[to]);
		this.reveal(to);
	}

	reveal(k) {
		const { element } = this;
		const top = k * ROW, room = element.clientHeight - 26 - ROW;
		if (top < element.scrollTop)
			element.scrollTop = top;
		else if (top > element.scrollTop + room)
			element.scrollTop = top - room;
	}
}

class FunctionTable {
	constructor(app) {
		this.app = app;
		const choose = (row) => app.update({ func: keyName(row.name, row.kind) }, true);
		const goTo = (row) => {
			if (row.key !== functionAt(app.tree, 0))
				choose(row);
		};
		this.filter = html("input", {
			class: "filter", type: "search", placeholder: "Filter functions",
				spellcheck: "false",
			autocomplete: "off", "aria-label": "Filter functions",
			oninput: () => app.later.run("filter", () => this.showRows()),
		});
		this.count = html("output", { class: "filter-count" });
		this.list = new RowList(app, "Functions", columnsFor(app, false), choose);
		this.callers = new RowList(app, "Callers", columnsFor(app, true), goTo);
		this.callees = new RowList(app, "Callees", columnsFor(app, true), goTo);
		this.callers.columns[0].heading = "Callers";
		this.callees.columns[0].heading = "Callees";
		this.side = html("section", { class: "function-side",
			"aria-label": "Chosen function" });
		this.element = html("main", { class: "functions", hidden: true },
			html("section", { class: "function-list", "aria-label": "Functions" },
				html("div", { class: "function-bar" }, this.filter, this.count),
					this.list.element),
			this.side);
		this.tree = null;
	}

	show() {
		const { app } = this;
		if (this.tree !== app.tree) {
			this.tree = app.tree;
			this.all = functionTable(app.tree);
			this.shownFor = null;
			this.showRows();
		}
		const { func } = app.state;
		if (this.shownFor !== func) {
			this.shownFor = func;
			this.list.chosen = func;
			this.list.draw();
			const k = func ? this.list.rows.findIndex((row) =>
				keyName(row.name, row.kind) === func) : -1;
			if (k >= 0)
				this.list.reveal(k);
			this.showSide(this.all.find((row) => keyName(row.name, row.kind) === func));
		}
	}

	/* By the same rules as the search, with what is plain text matched in any case. */
	showRows() {
		const text = this.filter.value;
		const { plain, ignoreCase } = this.app.state;
		const matcher = compileSearch(text, { regex: !plain, matchCase: !ignoreCase });
		this.filter.classList.toggle("invalid", Boolean(matcher.error));
		this.filter.setAttribute("aria-invalid", Boolean(matcher.error));
		const rows = text && !matcher.error ? this.all.filter((row) =>
			matcher.test(row.name)) : this.all.slice();
		const n = (count) => plainText(count);
		this.count.textContent = matcher.error ? "Not a regular expression" : text ?
			`${n(rows.length)} of ${n(this.all.length)} functions` :
				`${n(rows.length)} functions`;
		this.list.set(rows);
	}

	showSide(row) {
		const { app } = this;
		if (!row) {
			this.side.replaceChildren(html("p", { class: "empty" },
				app.state.func ? `There is no function ${app.state.func} here.` :
					"Choose a function to see its callers and callees."));
			return;
		}
		const share = (n) => `${app.facts.count(n)}, ${percentText(n, app.whole)}`;
		const facts = app.settings.diff ? [
			["total", app.facts.change(row.totalBefore, row.totalAfter)],
			["self", app.facts.change(row.selfBefore, row.selfAfter)],
		] : [
			["total", share(row.total)],
			["self", share(row.self)],
		];
		this.side.replaceChildren(
			html("div", { class: "side-name function-name" }, row.name),
			html("div", { class: "side-facts details-facts" },
				...factElements([["kind", KIND_WORDS[row.kind]], ...facts])),
			html("div", { class: "side-buttons" },
				button("Show in the graph", { onclick: () =>
					app.markName(row.name) }),
				button("Copy name", { onclick: () =>
					app.copyText(row.name, "name") })),
			this.callers.element, this.callees.element);
		this.callers.set(callersOf(app.tree, row.key));
		this.callees.set(calleesOf(app.tree, row.key));
	}
}
