// Stepping: the places of the run, the current one, and the moves between them.

// Steps come before the places in them; `at` counts the steps of the page, which may leave out some of the run.
let stepCount = 0;
const places = run.places.map((place) => ({ ...place, at: place.level === "node" ? stepCount++ : stepCount - 1 }));
const LAST_STEP = places.at(-1).step;
const byPath = new Map(places.map((place, number) => [place.path, number]));
const LEVELS = ["node", "stage", "line", "op"].filter(
  (level, at, all) => at === 0 || run.places.some((place) => place.level === level));

let current = 0;
let level = "node";

// Position of the current place among those that its level visits; that of its step if it is none.
function positionInOrder() {
  const order = run.orders[level];
  const exact = order.indexOf(current);
  if (exact >= 0) return exact;
  const after = order.findIndex((number) => number > current);
  return Math.max(0, (after < 0 ? order.length : after) - 1);
}

// Goes by one place forward or backward on the level; forward first reveals what is hidden.
function move(by) {
  if (by > 0 && reveal()) return;
  const beside = level === "line" ? places[current].beside : undefined;
  const order = run.orders[level];
  const next = beside ? beside[by > 0 ? 1 : 0] : order[positionInOrder() + by];
  if (next !== undefined && next !== null) stepTo(next);
}

// Goes to a place of the level by its position.
function moveTo(position) {
  const order = run.orders[level];
  stepTo(order[Math.max(0, Math.min(order.length - 1, position))]);
}

// Steps into the current place, or out of it, and follows with the level.
function moveInto() {
  const inside = places[current].into;
  if (inside !== null && !hiddenAnswer()) goTo(inside, places[inside].level);
}

function moveOut() {
  const outside = places[current].out;
  if (outside !== null) goTo(outside, places[outside].level);
}

// Changes the level; the place becomes the nearest one on it.
function setLevel(chosen) {
  level = chosen;
  let place = current;
  while (LEVELS.indexOf(places[place].level) > LEVELS.indexOf(chosen)) place = places[place].out;
  if (places[place].level !== chosen) {
    const order = run.orders[chosen];
    const inside = order.find((number) => number >= place && places[number].at === places[place].at);
    if (inside !== undefined) place = inside;
  }
  goTo(place);
}

// Goes to a place, on a level.
function goTo(number, newLevel = level) {
  current = number;
  level = newLevel;
  arrive();
  show();
}

// Goes to the place that a path such as 5/backward/line2 names; false if there is none.
function goToPath(path) {
  const number = byPath.get(path);
  if (number === undefined) return false;
  goTo(number, places[number].level);
  return true;
}
