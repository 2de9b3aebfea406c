// The comparison with a second run: its result, and each pair of steps with the values of both.

const comparison = run.compare;
const MARKS = { equal: "=", rounding: "≈", differs: "≠", only_left: "<", only_right: ">" };
const MOST_PRINTED_PAIRS = 60;
const pairViews = new Map();
let openedForPrint = [];

// The address of a pair: the number of the left step, or of one that only the right run has.
function pairPath(pair) {
  return pair.left === null ? `compare/right/${pair.right}` : `compare/${pair.left}`;
}

function isDifferent(pair) {
  return pair.how !== null;
}

// A value of a pair: its name, the result of comparing it, and both sides unless they are equal.
function comparedValue(value) {
  const role = make("span", "muted", word(`compare.role.${value.role}`));
  const result = make("span", value.differs ? "differing" : "", value.text);
  const view = make("div", "compared", make("p", "item", make("b", "", value.name), " ", role, " ", result));
  if (value.sides.length) view.append(make("div", "maps", ...value.sides.map((side) => itemView(side, comparison.tensors))));
  return view;
}

// What a pair shows when it is open.
function pairBody(pair) {
  const body = [];
  if (pair.other) body.push(make("p", "sentence", word("compare.other", { sentence: pair.other })));
  const links = [];
  if (byPath.has(String(pair.left))) links.push(placeLink(pair.left, word("compare.show", { number: pair.left })));
  const line = byPath.get(pair.line);
  if (line !== undefined) links.push(placeLink(pair.line, word("compare.line", { name: places[line].name })));
  if (links.length) body.push(make("p", "links", ...links));
  body.push(...pair.values.map(comparedValue));
  if (pair.note) body.push(make("p", "muted", pair.note));
  if (!pair.values.length) body.push(make("p", "muted", word("no_values")));
  return body;
}

function fillPair(pair) {
  pairViews.get(pairPath(pair)).lastChild.replaceChildren(...pairBody(pair));
}

// A pair as a heading that opens; its values are made when it does.
function stepPairView(pair) {
  const kind = pair.left === null ? "right" : pair.right === null ? "left" : "both";
  const verdict = word(`compare.verdict.${pair.verdict}`);
  const numbers = make("span", "numbers", `${pair.left ?? ""} ${MARKS[pair.verdict]} ${pair.right ?? ""}`);
  numbers.setAttribute("role", "img");
  numbers.setAttribute("aria-label", word(`compare.steps.${kind}`, { left: pair.left, right: pair.right, verdict }));
  const text = make("span", "text", pair.sentence);
  // The sentence of a step that only one run has would repeat the one above.
  if (pair.how !== null) text.append(make("span", "how", kind === "both" ? pair.how : verdict));
  const view = make("details", `pair-steps ${pair.matters ? "matters" : ""}`, make("summary", "", numbers, text), make("div", "body"));
  view.addEventListener("toggle", () => {
    if (!view.open || view.lastChild.childElementCount) return;
    fillPair(pair);
  });
  view.firstChild.addEventListener("click", () => setAddress(pairPath(pair)));
  pairViews.set(pairPath(pair), view);
  return view;
}

// Lists only the pairs that differ, or all.
function listPairs(onlyDifferent) {
  for (const pair of comparison.pairs) pairViews.get(pairPath(pair)).hidden = onlyDifferent && !isDifferent(pair);
  part("compare-differing").setAttribute("aria-pressed", String(onlyDifferent));
  part("compare-all").setAttribute("aria-pressed", String(!onlyDifferent));
  part("compare-none").hidden = !onlyDifferent || comparison.pairs.some(isDifferent);
}

function listButton(id, text, onlyDifferent) {
  const button = make("button", "", text);
  button.type = "button";
  button.id = id;
  button.addEventListener("click", () => listPairs(onlyDifferent));
  return button;
}

// Up and Down, Home and End move between the headings of the list.
function onPairKey(event) {
  const heads = [...pairViews.values()].filter((view) => !view.hidden).map((view) => view.firstChild);
  const at = heads.indexOf(event.target);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: heads.length - 1 }[event.key];
  if (at < 0 || next === undefined || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  heads[next]?.focus();
}

// Fills the tab of the comparison; false if the page has none.
function fillComparison() {
  if (!comparison) return false;
  const role = { equal: "ok", rounding: "ok", differ: "error" }[comparison.outcome];
  const [differing, all] = comparison.counts;
  const sides = ["left", "right"].map((side) => make("p", "muted", word(`compare.${side}`, comparison[side])));
  const head = make("section", "check", make("p", `outcome ${role}`, comparison.summary), ...sides);
  const lists = make("div", "lists",
    listButton("compare-differing", word("compare.differing", { count: differing }), true),
    listButton("compare-all", word("compare.all", { count: all }), false));
  lists.setAttribute("role", "group");
  lists.setAttribute("aria-label", word("compare.list"));
  const none = make("p", "hint", word("compare.none"));
  none.id = "compare-none";
  const list = make("div", "pairs", ...comparison.pairs.map(stepPairView));
  list.addEventListener("keydown", onPairKey);
  part("compare").append(head, lists, none, list, ...comparison.notes.map((text) => make("p", "muted", text)));
  listPairs(comparison.pairs.some(isDifferent));
  return true;
}

// Opens the pair that an address such as compare/5 names; false if there is none.
function showPair(path) {
  if (!comparison || (path !== "compare" && !pairViews.has(path))) return false;
  showTab("compare");
  const view = pairViews.get(path);
  if (!view) return true;
  if (view.hidden) listPairs(false);
  view.open = true;
  view.firstChild.focus();
  setAddress(path);
  return true;
}

// Values are colored cells, which do not follow the theme by themselves.
function paintComparison() {
  for (const pair of comparison ? comparison.pairs : []) {
    if (pairViews.get(pairPath(pair)).open) fillPair(pair);
  }
}

// On paper, the steps that differ show their values.
addEventListener("beforeprint", () => {
  if (!comparison || part("compare").hidden) return;
  openedForPrint = comparison.pairs.filter(isDifferent).slice(0, MOST_PRINTED_PAIRS)
    .map((pair) => pairViews.get(pairPath(pair))).filter((view) => !view.open);
  for (const view of openedForPrint) view.open = true;
  paintComparison();
});
addEventListener("afterprint", () => {
  for (const view of openedForPrint) view.open = false;
  openedForPrint = [];
  paintComparison();
});
