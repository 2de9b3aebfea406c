// The Jacobians of the checks: verdict, diagnosis, and three maps for each pair with one cursor.

const jacobianPictures = [];

// The name of the element that a row or column stands for; of the first one if several are pooled.
function elementName(side, cell, pooled) {
  const name = (at) => (side.shape.length ? `${side.name}[${indexText(at, side.shape)}]` : side.name);
  const count = side.shape.reduce((all, size) => all * size, 1);
  const first = cell * pooled;
  const last = Math.min(count, first + pooled) - 1;
  return last > first ? `${name(first)} … ${name(last)}` : name(first);
}

// The elements and the three values at a cell, in words.
function cellText(pair, row, column) {
  const names = `${elementName(pair.rows, row, pair.pooled[0])} / ${elementName(pair.columns, column, pair.pooled[1])}`;
  const values = pair.maps.map((map) => `${map.title} ${map.texts[row * map.shape[1] + column]}`);
  return `${names}: ${values.join(", ")}`;
}

// The three maps of a pair.
function pairView(pair) {
  const { wrong, worst } = pair;
  const textAt = (row, column) => cellText(pair, row, column);
  const pictures = new CellPictures(pair.maps, pair.maps[0].shape[1], { wrong, cursor: worst ?? [0, 0], textAt });
  jacobianPictures.push(pictures);
  const maps = pair.maps.map((map, at) => make("figure", "scrolls", make("figcaption", "", map.title), pictures.canvases[at]));
  const sides = [["rows", pair.rows], ["columns", pair.columns]].map(
    ([key, side]) => word(key, { name: side.name, shape: side.text }));
  const head = make("h3", wrong.length ? "wrong" : "", `${pair.title}: ${pair.sentence}`);
  return make("section", "pair", head, make("div", "maps", ...maps), pictures.readout, make("p", "muted", [...sides, ...pair.notes].join("; ")));
}

// One check: its verdict, what is wrong and why, and its pairs.
function checkView(check) {
  const view = make("section", "check", make("h2", "", check.title), make("p", `outcome ${check.role}`, check.outcome));
  for (const each of check.diagnoses) {
    view.append(make("p", "diagnosis", each.sentence));
    if (each.evidence.length) view.append(make("ul", "", ...each.evidence.map((text) => make("li", "", text))));
  }
  view.append(...check.problems.map((text) => make("p", "", text)), make("p", "muted", check.settings));
  view.append(...check.pairs.map(pairView), ...check.notes.map((text) => make("p", "muted", text)));
  return view;
}

// Fills the tab of the Jacobians; false if the run was not checked.
function fillJacobians() {
  part("jacobians").replaceChildren(...run.checks.map(checkView));
  return run.checks.length > 0;
}

function paintJacobians() {
  for (const pictures of jacobianPictures) pictures.paint();
}
