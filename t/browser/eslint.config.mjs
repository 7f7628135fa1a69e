/* Rules that find faults; how code looks is t/style.t's matter. */
import js from "@eslint/js";

const faults = {
	...js.configs.recommended.rules,
	"array-callback-return": "error",
	"consistent-return": "error",
	"default-case-last": "error",
	"eqeqeq": "error",
	"no-constructor-return": "error",
	"no-else-return": "error",
	"no-eval": "error",
	"no-implied-eval": "error",
	"no-loop-func": "error",
	"no-new-func": "error",
	"no-param-reassign": ["error", { props: false }],
	"no-self-compare": "error",
	"no-shadow": ["error", { hoist: "functions" }],
	"no-template-curly-in-string": "error",
	"no-throw-literal": "error",
	"no-unmodified-loop-condition": "error",
	"no-unreachable-loop": "error",
	"no-unused-expressions": "error",
	"no-unused-vars": ["error", { args: "after-used", caughtErrors: "all" }],
	"no-use-before-define": ["error", { functions: false, classes: false, variables: false }],
	"no-useless-return": "error",
	"no-var": "error",
	"object-shorthand": "error",
	"prefer-const": ["error", { destructuring: "all" }],
	"radix": "error",
};

const readonly = (names) => Object.fromEntries(names.split(/\s+/).map((name) => [name, "readonly"]));

/* What scripts may use of a browser's window by its bare name. */
const browser = readonly(`window document location history navigator localStorage matchMedia
	addEventListener performance requestAnimationFrame cancelAnimationFrame setTimeout
	clearTimeout getComputedStyle console URL URLSearchParams Blob DOMPoint Node Event
	CustomEvent KeyboardEvent MouseEvent PointerEvent ResizeObserver MutationObserver
	queueMicrotask screen innerWidth innerHeight CSS`);
const node = readonly(`process console Buffer URL performance setTimeout clearTimeout
	setInterval clearInterval structuredClone`);

export default [
	{
		files: ["**/flame.js"],
		linterOptions: { reportUnusedDisableDirectives: "error" },
		languageOptions: { ecmaVersion: 2022, sourceType: "script", globals: browser },
		rules: { ...faults, "no-restricted-globals": ["error", "event", "name", "status"] },
	},
	{
		files: ["**/*.mjs"],
		linterOptions: { reportUnusedDisableDirectives: "error" },
		/* Functions given to page.evaluate() run in the browser. */
		languageOptions: { ecmaVersion: 2022, sourceType: "module",
			globals: { ...browser, ...node } },
		rules: faults,
	},
];
