// The values of a place in sections of rows, as in the window's inspector.

// Sections that the reader folded or unfolded.
const folds = new Map();

// A value with its name and type, and below them its elements.
function itemView({ name, about, tags = [], tensor }, tensors = run.tensors) {
  const shown = tensors[tensor];
  const facts = shown?.equal ? `${about} · ${shown.equal}` : about;
  const head = make("p", "item", make("b", "", name), " ", make("span", "muted", facts), ...tags.flatMap((tag) => [" ", tagView(tag)]));
  if (!shown) return make("div", "value", head);
  return make("div", shown.texts && shown.texts.length === 1 ? "value one" : "value", head, ...tensorView(shown));
}

function tagView({ text, tone = "plain", tip = "", path }) {
  const tag = path ? placeLink(path, text) : make("span", "", text);
  tag.className = `tag ${tone}`;
  tag.title = tip;
  return tag;
}

function placeLink(path, text) {
  const link = make("a", "", text);
  link.href = `#${path}`;
  return link;
}

function rowView(row) {
  if (row.hidden) return make("p", "item", make("b", "", row.hidden), " ", hiddenMark(word("quiz.hidden")));
  if (row.before) return make("div", "change", itemView(row.before), make("p", "muted", `→ ${row.change}`), itemView(row.after));
  if (row.links) return make("p", "text", row.text, ...row.links.flatMap(([text, path]) => [" ", path ? placeLink(path, text) : text]));
  if (row.text !== undefined) return make(row.block ? "pre" : "p", `text ${row.tone ?? ""}`, row.text);
  return itemView(row);
}

function sectionView({ key, title, hint, folded, rows }) {
  const view = make("details", `group ${key}`, make("summary", "", make("h2", "", title)), make("div", "items", ...rows.map(rowView)));
  if (hint) view.firstChild.append(" ", make("span", "muted", hint));
  view.open = folds.get(key) ?? !folded;
  view.addEventListener("toggle", () => {
    folds.set(key, view.open);
    markScrollable();
  });
  if (rows.some((row) => row.hidden)) {
    view.classList.add("hidden-answer");
    view.lastChild.addEventListener("click", reveal);
  }
  return view;
}

function showValues(place) {
  const answer = hiddenAnswer();
  const sections = (answer ?? place).sections.map((each) => sectionView(run.sections[each]));
  const printed = !answer && places[byPath.get(String(place.step))].console;
  if (printed) sections.push(sectionView({ key: "console", title: word("console"), rows: [{ text: printed, block: true }] }));
  part("values").replaceChildren(...(sections.length ? sections : [make("p", "hint", word("no_values"))]));
  part("values").scrollTop = 0;
}
