// The graph: each part shows the variant that belongs to the current step.

const LEAST_SCALE = 0.55;
const graphParts = new Map();
for (const element of document.querySelectorAll("#graph [data-part]")) {
  graphParts.set(Number(element.dataset.part), element);
}

// The variant of every part at a step, counted from 0.
function graphState(step, changes = run.states) {
  const state = new Map();
  for (let at = 0; at <= step; at++) {
    for (const [number, variant] of changes[at]) state.set(number, variant);
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

let shownState = new Map();

// Shows a state of the graph; only parts that differ from what is shown change.
function showGraph(state) {
  for (const [number, element] of graphParts) {
    const variant = state.has(number) ? state.get(number) : -1;
    if (shownState.get(number) !== variant) showVariant(element, variant);
    state.set(number, variant);
  }
  shownState = state;
}

// Shows the graph in its own size, in which it may need to be scrolled, or all of it.
function toggleZoom() {
  const isWhole = part("picture").classList.toggle("actual");
  part("zoom").setAttribute("aria-pressed", String(isWhole));
  part("graph").style.width = isWhole ? `${1.15 * part("graph").viewBox.baseVal.width}px` : "";
  scrollToCurrent();
}

// Opens a graph that would be unreadable as a whole in its own size.
function chooseZoom() {
  const graph = part("graph");
  if (!graph) return;
  const [view, room] = [graph.viewBox.baseVal, part("picture")];
  const scale = Math.min(room.clientWidth / view.width, room.clientHeight / view.height);
  if (scale < LEAST_SCALE) toggleZoom();
}

// Brings the current box into view where the graph is scrolled.
function scrollToCurrent() {
  const picture = part("picture");
  const now = document.querySelector("#graph [id^=halo-]:not(.off)");
  if (!now || !picture.classList.contains("actual")) return;
  const [box, view] = [now.getBoundingClientRect(), picture.getBoundingClientRect()];
  picture.scrollBy(box.left + box.width / 2 - view.left - view.width / 2, box.top + box.height / 2 - view.top - view.height / 2);
}

// A copy of the graph at a step, without ids, to be printed.
function graphCopy(step) {
  const shown = part("graph");
  if (!shown) return null;
  showGraph(graphState(step));
  const copy = shown.cloneNode(true);
  copy.removeAttribute("id");
  copy.removeAttribute("style");
  for (const element of copy.querySelectorAll("[id]")) element.removeAttribute("id");
  for (const element of copy.querySelectorAll(".off")) element.remove();
  return copy;
}
