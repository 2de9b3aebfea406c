// Cells: the elements of a tensor in tables of colored numbers; larger ones and Jacobians as pictures with a cursor.

let printing = false;

// Returns whether the page is dark. Paper is light.
function isDark() {
  if (printing) return false;
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

// The color that a palette variable has now.
function paletteColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// The color of a cell and that of readable text on it.
function cellColors(heat) {
  const table = run.heat[isDark() ? "dark" : "light"];
  return { fill: `#${table.colors.slice(6 * heat, 6 * heat + 6)}`, ink: table.dark_ink[heat] === "1" ? "#000000" : "#ffffff" };
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

// A table for each matrix of the elements along the last two dimensions.
function numberTables({ shape, texts, heat }) {
  const columns = shape.at(-1) ?? 1;
  const size = columns * (shape.at(-2) ?? 1);
  const tables = [];
  for (const [at, text] of texts.entries()) {
    if (at % size === 0) tables.push(make("table", "heat"));
    const table = tables.at(-1);
    if (at % size === 0 && shape.length > 2) table.createCaption().textContent = `[${indexText(at / size, shape.slice(0, -2))}]`;
    const row = at % columns === 0 ? table.insertRow() : table.rows[table.rows.length - 1];
    const cell = row.insertCell();
    cell.textContent = text;
    const { fill, ink } = cellColors(heat[at]);
    Object.assign(cell.style, { backgroundColor: fill, color: ink });
  }
  return make("div", "tables", ...tables);
}

// Pictures of arrays of one shape, with a cursor that follows the pointer and the arrow keys, and what it is on.
class CellPictures {
  constructor(arrays, columns, { cursor = [0, 0], wrong = [], textAt }) {
    Object.assign(this, { arrays, columns, cursor, wrong, textAt });
    this.rows = arrays[0].texts.length / columns;
    this.width = Math.max(4, Math.min(36, Math.floor(340 / Math.max(this.rows, columns))));
    // A single row of many elements stays visible.
    this.height = Math.max(this.width, 20 / this.rows);
    this.readout = make("output", "readout");
    this.canvases = arrays.map(() => this.canvas());
    this.paint();
  }

  canvas() {
    const canvas = make("canvas", "map");
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    const point = (event) => {
      const box = canvas.getBoundingClientRect();
      this.move((event.clientY - box.top) / box.height * this.rows, (event.clientX - box.left) / box.width * this.columns);
    };
    canvas.addEventListener("pointermove", point);
    canvas.addEventListener("pointerdown", point);
    canvas.addEventListener("keydown", (event) => {
      const by = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      this.move(this.cursor[0] + by[0], this.cursor[1] + by[1]);
    });
    return canvas;
  }

  move(row, column) {
    this.cursor = [[row, this.rows], [column, this.columns]].map(([at, count]) => Math.max(0, Math.min(count - 1, Math.floor(at))));
    this.paint();
  }

  paint() {
    this.arrays.forEach((array, at) => this.paintArray(this.canvases[at], array));
    this.readout.textContent = this.textAt(...this.cursor);
    for (const canvas of this.canvases) canvas.setAttribute("aria-label", this.readout.textContent);
  }

  paintArray(canvas, array) {
    const scale = window.devicePixelRatio || 1;
    const size = [this.columns * this.width, this.rows * this.height];
    [canvas.width, canvas.height] = size.map((each) => each * scale);
    [canvas.style.width, canvas.style.height] = size.map((each) => `${each}px`);
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    context.font = `${Math.floor(this.width / 3)}px sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    array.texts.forEach((text, at) => this.paintCell(context, text, array.heat[at], Math.floor(at / this.columns), at % this.columns));
    for (const cell of this.wrong) this.frame(context, cell, paletteColor("error"), this.width < 8 ? 1 : 2);
    this.frame(context, this.cursor, paletteColor("focus"), 3);
  }

  // A cell with its number if it fits.
  paintCell(context, text, heat, row, column) {
    const { fill, ink } = cellColors(heat);
    const gap = this.width >= 10 ? 1 : 0;
    context.fillStyle = fill;
    context.fillRect(column * this.width, row * this.height, this.width - gap, this.height - gap);
    context.fillStyle = ink;
    if (this.width < 20 || context.measureText(text).width >= this.width - 2) return;
    context.fillText(text, (column + 0.5) * this.width, (row + 0.5) * this.height);
  }

  frame(context, [row, column], color, width) {
    context.strokeStyle = color;
    context.lineWidth = width;
    context.strokeRect(column * this.width + width / 2, row * this.height + width / 2, this.width - width, this.height - width);
  }
}

// A tensor: its elements where the page has them, and else what is known of them.
function tensorView(tensor) {
  const notes = tensor.notes.map((text) => make("p", "muted", text));
  if (!tensor.texts) return notes;
  if (!tensor.is_picture) return [numberTables(tensor), ...notes];
  const columns = tensor.shape.at(-1);
  const textAt = (row, column) => `[${indexText(row * columns + column, tensor.shape)}] = ${tensor.texts[row * columns + column]}`;
  const picture = new CellPictures([tensor], columns, { textAt });
  return [...picture.canvases, picture.readout, ...notes];
}
