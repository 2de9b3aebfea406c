// A tensor as a table of colored numbers, and what is known of one whose elements are not here.

const MOST_COLUMNS = 16;
const MOST_CELLS = 144;

let printing = false;

// Returns whether the page is dark. Paper is light.
function isDark() {
  if (printing) return false;
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

// The color of a value on a scale from -limit to limit, and that of readable text on it.
function heatColor(value, limit) {
  const heat = run.heat[isDark() ? "dark" : "light"];
  const share = limit > 0 && Number.isFinite(value) ? Math.max(-1, Math.min(1, value / limit)) : 0;
  // Rounds halves to even, as NumPy does, so that the colors are those of the window.
  const at = roundHalfEven(share * 255) + 255;
  return { fill: `#${heat.colors.slice(6 * at, 6 * at + 6)}`, ink: heat.dark_ink[at] === "1" ? "#111111" : "#ffffff" };
}

function roundHalfEven(value) {
  const low = Math.floor(value);
  if (value - low === 0.5) return low % 2 ? low + 1 : low;
  return Math.round(value);
}

// The number that stands for an element in colors: itself, or the magnitude of a complex one.
function magnitude(element) {
  if (Array.isArray(element)) return Math.hypot(...element.map(Number));
  return Number(element);
}

// End of the color scale of a tensor by itself; equal elements get a color halfway.
function scaleLimit(elements) {
  const finite = elements.map(magnitude).filter(Number.isFinite);
  if (!finite.length) return 0;
  const low = Math.min(...finite);
  const high = Math.max(...finite);
  const most = Math.max(Math.abs(low), Math.abs(high));
  return low === high ? 2 * most : most;
}

// The elements of a tensor as matrices, one for each slice along the leading dimensions.
function slicesOf(values, shape) {
  if (shape.length === 0) return [{ index: [], rows: [[values]] }];
  if (shape.length === 1) return [{ index: [], rows: [values] }];
  if (shape.length === 2) return [{ index: [], rows: values }];
  return values.flatMap((each, at) => slicesOf(each, shape.slice(1)).map(
    (slice) => ({ index: [at, ...slice.index], rows: slice.rows })));
}

// One table row of colored cells.
function heatRow(row, limit) {
  return make("tr", "", ...row.map((element) => {
    const cell = make("td", "", numberText(element));
    const value = magnitude(element);
    if (Number.isFinite(value)) {
      const { fill, ink } = heatColor(value, limit);
      cell.style.backgroundColor = fill;
      cell.style.color = ink;
    } else {
      cell.className = Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "minus-inf";
    }
    return cell;
  }));
}

// All elements of a tensor in tables with their numbers.
function numberTables(tensor, elements, limit) {
  const tables = slicesOf(tensor.values, tensor.shape).map(({ index, rows }) => {
    const body = make("tbody", "", ...rows.map((row) => heatRow(row, limit)));
    const table = make("table", "heat", body);
    if (index.length) table.prepend(make("caption", "", `[${index.join(", ")}]`));
    return table;
  });
  return make("div", "tables", ...tables);
}

// A larger tensor as a picture with a pixel for each element; the number under the pointer is read out.
function heatPicture(tensor, elements, limit) {
  const columns = tensor.shape[tensor.shape.length - 1];
  const rows = elements.length / columns;
  const canvas = make("canvas", "heat");
  canvas.width = columns;
  canvas.height = rows;
  paintCells(canvas, elements, limit);
  const size = Math.max(2, Math.min(12, Math.floor(360 / columns)));
  canvas.style.width = `${columns * size}px`;
  const readout = make("output", "muted", " ");
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const row = Math.min(rows - 1, Math.floor((event.clientY - box.top) / box.height * rows));
    const column = Math.min(columns - 1, Math.floor((event.clientX - box.left) / box.width * columns));
    const at = Math.max(0, row * columns + column);
    readout.textContent = `[${indexText(at, tensor.shape)}] = ${numberText(elements[at])}`;
  });
  return make("div", "picture", canvas, readout);
}

// Paints one pixel for each element, row by row.
function paintCells(canvas, elements, limit) {
  const context = canvas.getContext("2d");
  elements.forEach((element, at) => {
    const value = magnitude(element);
    context.fillStyle = Number.isNaN(value) ? "#c400c4" : heatColor(value, limit).fill;
    context.fillRect(at % canvas.width, Math.floor(at / canvas.width), 1, 1);
  });
}

// The index of an element, given its position in row-major order.
function indexText(position, shape) {
  const index = [];
  for (const size of [...shape].reverse()) {
    index.unshift(position % size);
    position = Math.floor(position / size);
  }
  return index.join(", ");
}

// The elements of a tensor in one list; a complex element is a pair.
function flatElements(values, shape) {
  return shape.length ? values.flatMap((each) => flatElements(each, shape.slice(1))) : [values];
}

// What is known of all elements, in one line.
function statisticsText(known) {
  const numbers = {};
  for (const name of ["minimum", "maximum", "mean", "norm"]) numbers[name] = known[name] === null ? "–" : numberText(known[name]);
  const texts = [word("statistics", numbers)];
  if (known.nans) texts.push(word("nans", { count: known.nans }));
  const infinities = known.positive_infinities + known.negative_infinities;
  if (infinities) texts.push(word("infinities", { count: infinities }));
  return texts.join(", ");
}

// A tensor: its elements where the page has them, else its statistics. The limit is the end of the
// color scale; without one, it is that of the tensor by itself.
function tensorView(tensor, limit) {
  const view = make("div", "tensor");
  if (tensor.values !== undefined && tensor.shape.every((size) => size > 0)) {
    const elements = flatElements(tensor.values, tensor.shape);
    const columns = tensor.shape.length ? tensor.shape[tensor.shape.length - 1] : 1;
    const isSmall = elements.length <= MOST_CELLS && columns <= MOST_COLUMNS;
    const show = isSmall ? numberTables : heatPicture;
    view.append(show(tensor, elements, limit ?? scaleLimit(elements)));
    if (isSmall) return view;
  }
  if (tensor.note) view.append(make("p", "muted", tensor.note));
  if (tensor.statistics) view.append(make("p", "muted", statisticsText(tensor.statistics)));
  return view;
}
