// The Jacobians of the checks: verdict, diagnosis, and three maps for each pair with one cursor.

const MOST_NUMBERS = 12;
const painters = [];

// The color that a palette variable has now.
function paletteColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// Size of a cell in pixels, so that a map stays within its space.
function cellSize(pair) {
  const [rows, columns] = [pair.maps[0].values.length, pair.maps[0].values[0].length];
  return Math.max(4, Math.min(36, Math.floor(340 / Math.max(rows, columns))));
}

// Paints a map: cells with their numbers where they fit, wrong elements framed, and the cursor.
function paintMap(canvas, pair, map, cursor) {
  const size = cellSize(pair);
  const scale = window.devicePixelRatio || 1;
  const [rows, columns] = [map.values.length, map.values[0].length];
  canvas.width = columns * size * scale;
  canvas.height = rows * size * scale;
  canvas.style.width = `${columns * size}px`;
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  context.font = `${Math.floor(size / 3)}px sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  map.values.forEach((row, y) => row.forEach((element, x) => paintCell(context, map, element, x, y, size, columns)));
  for (const [row, column] of pair.wrong) frameCell(context, row, column, size, paletteColor("error"), size < 8 ? 1 : 2);
  if (cursor) frameCell(context, ...cursor, size, paletteColor("focus"), 3);
}

function paintCell(context, map, element, x, y, size, columns) {
  const value = Number(element);
  const { fill, ink } = heatColor(value, map.limit);
  const mark = Number.isNaN(value) ? "nan" : value > 0 ? "positive-infinity" : "negative-infinity";
  context.fillStyle = Number.isFinite(value) ? fill : paletteColor(mark);
  const gap = size >= 10 ? 1 : 0;
  context.fillRect(x * size, y * size, size - gap, size - gap);
  if (size < 20 || columns > MOST_NUMBERS) return;
  const text = numberText(element);
  context.fillStyle = Number.isFinite(value) ? ink : "#111111";
  if (context.measureText(text).width < size - 2) context.fillText(text, (x + 0.5) * size, (y + 0.5) * size);
}

function frameCell(context, row, column, size, color, width) {
  context.strokeStyle = color;
  context.lineWidth = width;
  const inset = width / 2;
  context.strokeRect(column * size + inset, row * size + inset, size - width, size - width);
}

// The name of the element that a row or column stands for; of the first one if several are pooled.
function elementName(side, cell, pooled) {
  const name = (at) => (side.shape.length ? `${side.name}[${indexText(at, side.shape)}]` : side.name);
  const count = side.shape.reduce((all, size) => all * size, 1);
  const first = cell * pooled;
  const last = Math.min(count, first + pooled) - 1;
  return last > first ? `${name(first)} … ${name(last)}` : name(first);
}

// The elements and the three values at a cell, in words.
function cellText(pair, [row, column]) {
  const names = `${elementName(pair.rows, row, pair.pooled[0])} / ${elementName(pair.columns, column, pair.pooled[1])}`;
  const values = pair.maps.map((map) => `${map.title} ${numberText(map.values[row][column])}`);
  return `${names}: ${values.join(", ")}`;
}

// The three maps of a pair, whose cursor follows the pointer and the arrow keys.
function pairView(pair) {
  let cursor = pair.worst || [0, 0];
  const readout = make("output", "readout");
  const canvases = pair.maps.map(() => make("canvas", "map"));
  const paint = () => {
    pair.maps.forEach((map, at) => paintMap(canvases[at], pair, map, cursor));
    readout.textContent = cellText(pair, cursor);
    for (const canvas of canvases) canvas.setAttribute("aria-label", readout.textContent);
  };
  const moveCursor = (row, column) => {
    const [rows, columns] = [pair.maps[0].values.length, pair.maps[0].values[0].length];
    cursor = [Math.max(0, Math.min(rows - 1, row)), Math.max(0, Math.min(columns - 1, column))];
    paint();
  };
  for (const canvas of canvases) followPointer(canvas, pair, moveCursor, () => cursor);
  painters.push(paint);
  const maps = pair.maps.map((map, at) => make("figure", "", make("figcaption", "", map.title), canvases[at]));
  const sides = [["rows", pair.rows], ["columns", pair.columns]].map(
    ([key, side]) => word(key, { name: side.name, shape: shapeText(side.shape) }));
  const notes = [...sides, ...pair.notes].join("; ");
  const head = make("h3", pair.wrong.length ? "wrong" : "", `${pair.title}: ${pair.sentence}`);
  return make("section", "pair", head, make("div", "maps", ...maps), readout, make("p", "muted", notes));
}

function followPointer(canvas, pair, moveCursor, cursorOf) {
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "img");
  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    const size = box.width / pair.maps[0].values[0].length;
    moveCursor(Math.floor((event.clientY - box.top) / size), Math.floor((event.clientX - box.left) / size));
  };
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("pointerdown", point);
  canvas.addEventListener("keydown", (event) => {
    const by = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const [row, column] = cursorOf();
    moveCursor(row + by[0], column + by[1]);
  });
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
  paintJacobians();
  return run.checks.length > 0;
}

function paintJacobians() {
  for (const paint of painters) paint();
}
