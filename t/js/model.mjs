/* The script's model as one scope, as fold2svg/tool.mk joins it, for tests under node. */
import { readFileSync } from "node:fs";
import vm from "node:vm";

const PARTS = ["data", "tree", "callers", "search", "table", "text"];
const NAMES = ["parseSettings", "readTree", "makeView", "removalOf", "framesTo", "pathOf",
	"findPathPrefix", "wideFrames", "rowOf", "frameAt", "compileSearch", "searchTree", "nextMatch",
	"matchIndex", "functionTable", "functionAt", "callersOf", "calleesOf", "fullName",
	"changeClass", "fitLabel", "countText", "percentText", "deltaText", "stackText",
	"foldedParts", "shownCounts", "frameCounts", "wholeOf", "moduleOf"];

const dir = new URL("../../fold2svg/", import.meta.url);
const text = PARTS.map((part) => readFileSync(new URL(`flame-${part}.js`, dir), "utf8")).join("");
export const model = vm.runInThisContext(
	`(function () {${text}\nreturn { ${NAMES.join(", ")} };})()`, { filename: "flame-model" });
