// The graph: one drawing is shown, in which each part has the variant that belongs to the current step.

const LEAST_SCALE = 0.55;
// Most contents of a group are taller than the page, and are opened to be read.
const LEAST_GROUP_SCALE = 0.75;
const drawings = new Map();
let shown = drawingOf("");

// The drawing with a key: of a whole graph, or of the contents of a folded group, which is inert until it is shown.
function drawingOf(key) {
  if (!drawings.has(key)) {
    const template = [...document.querySelectorAll("template")].find((each) => each.dataset.drawing === key);
    const svg = template ? template.content.firstElementChild : part("graph");
    const parts = svg ? [...svg.querySelectorAll("[data-part]")] : [];
    const byNumber = new Map(parts.map((each) => [Number(each.dataset.part), each]));
    drawings.set(key, { ...run.drawings[key], key, svg, parts: byNumber, variants: new Map() });
    for (const text of svg ? svg.querySelectorAll("text") : []) text.setAttribute("lengthAdjust", "spacingAndGlyphs");
    if (svg) connectGroups(svg);
  }
  return drawings.get(key);
}

// Shows another drawing in place of the current one.
function showDrawing(key) {
  if (key === shown.key) return;
  const before = shown.svg;
  shown = drawingOf(key);
  before.replaceWith(shown.svg);
  part("picture").scrollTo(0, 0);
  chooseZoom();
}

// The variant of every part of the drawing at a step, counted from 0.
function graphState(step, changes = shown.states) {
  const state = new Map();
  for (let at = 0; at <= step; at++) {
    for (const [number, variant] of changes[at] || []) state.set(number, variant);
  }
  return state;
}

// Shows a variant of a part: its shared elements, and those marked with the variant's number.
function showVariant(element, variant) {
  element.classList.toggle("off", variant < 0);
  for (const child of element.children) {
    const own = child.dataset.in;
    if (own !== undefined) child.classList.toggle("off", !own.split(" ").includes(String(variant)));
  }
}

// Shows a state of the drawing; only parts that differ from what it shows change.
function showGraph(state) {
  for (const [number, element] of shown.parts) {
    const variant = state.has(number) ? state.get(number) : -1;
    if (shown.variants.get(number) !== variant) showVariant(element, variant);
    state.set(number, variant);
  }
  shown.variants = state;
}

// Shows the drawing in its own size, in which it may need to be scrolled, or all of it.
function setZoom(isActual) {
  shown.isActual = isActual;
  part("picture").classList.toggle("actual", isActual);
  part("zoom").setAttribute("aria-pressed", String(isActual));
  shown.svg.style.width = isActual ? `${1.15 * shown.svg.viewBox.baseVal.width}px` : "";
}

function toggleZoom() {
  setZoom(!shown.isActual);
  scrollToCurrent();
}

// Shows a drawing that would be unreadable as a whole in its own size, unless the user chose.
function chooseZoom() {
  if (!shown.svg?.viewBox) return;
  const [view, room] = [shown.svg.viewBox.baseVal, part("picture")];
  const scale = Math.min(room.clientWidth / view.width, room.clientHeight / view.height);
  setZoom(shown.isActual ?? scale < (isGroup(shown.key) ? LEAST_GROUP_SCALE : LEAST_SCALE));
}

// Brings the current box into view where the graph is scrolled.
function scrollToCurrent() {
  const picture = part("picture");
  const now = document.querySelector("#graph [id^=halo-]:not(.off)");
  if (!now || !picture.classList.contains("actual")) return;
  const [box, view] = [now.getBoundingClientRect(), picture.getBoundingClientRect()];
  picture.scrollBy(box.left + box.width / 2 - view.left - view.width / 2, box.top + box.height / 2 - view.top - view.height / 2);
}

// A copy of the drawing at a place, without ids, to be printed.
function graphCopy(place) {
  if (!shown.svg) return null;
  showGraph(quizGraph(place));
  const copy = shown.svg.cloneNode(true);
  copy.removeAttribute("style");
  for (const element of [copy, ...copy.querySelectorAll("[id]")]) element.removeAttribute("id");
  for (const box of copy.querySelectorAll("[role=button]")) {
    for (const name of ["role", "tabindex", "aria-label"]) box.removeAttribute(name);
  }
  for (const element of copy.querySelectorAll(".off")) element.remove();
  return copy;
}
