// The page: what it shows of the current place, and what keys, buttons and touch do.

const TABS = ["training", "run", "jacobians", "compare", "guide"];

// In the output of a notebook, the page is part of another one, whose address it cannot change.
const HAS_ADDRESS = location.protocol !== "about:";

// Shows the current place in every part of the page.
function show() {
  const place = places[current];
  followStep(place.at);
  showGraph(quizGraph(place));
  showValues(place);
  showSentence(place);
  showSource(place);
  showControls(place);
  showQuiz();
  markGuide();
  showGroups();
  showIterations();
  scrollToCurrent();
  markScrollable();
  if (!part("steps").hidden) setAddress(place.path);
}

// Makes the address name what is shown.
function setAddress(path) {
  if (HAS_ADDRESS && location.hash !== addressOf(path)) history.replaceState(null, "", addressOf(path));
}

function addressOf(path) {
  return `#${path}${quizMode ? "?quiz" : ""}`;
}

function showSentence(place) {
  const phase = run.phases[place.at];
  const text = word("position", { number: place.step, total: run.total });
  const answer = hiddenAnswer();
  const inside = place.level === "node" ? "" : ` · ${place.name}`;
  const iteration = iterationOf(place.step);
  const around = iteration ? `${word("iteration", { number: iteration[0] })} · ` : "";
  part("where").textContent = `${around}${word(`phase.${phase}`)} · ${text}${inside}${answer ? ` · ${word("quiz.hidden")}` : ""}`;
  part("where").className = phase;
  part("sentence").textContent = (answer ?? place).sentence;
  part("graph")?.setAttribute("aria-label", part("sentence").textContent);
  // As in the text of the steps, a sentence that says it is enough.
  const isNew = (each) => each.step === place.step && !place.sentence.includes(each.message);
  const findings = answer ? [] : run.findings.filter(isNew);
  const isEnd = place.at === 0 || place.at === run.count - 1;
  const told = isRevealed(LAST_STEP) ? [...run.notes, ...run.end] : run.notes;
  const notes = isEnd ? told.map((text) => make("p", "finding info", text)) : [];
  part("notices").replaceChildren(...findings.map(findingLine), ...codeOfFindings(place), ...notes);
}

function showControls() {
  const order = run.orders[level];
  const position = positionInOrder();
  const slider = part("slider");
  slider.max = order.length - 1;
  slider.value = position;
  slider.setAttribute("aria-valuetext", part("where").textContent);
  part("position").textContent = `${position + 1} / ${order.length}`;
  part("first").disabled = part("previous").disabled = position === 0 && current === order[0];
  part("last").disabled = position === order.length - 1;
  part("next").disabled = part("last").disabled && !hiddenAnswer();
  for (const button of part("levels").children) {
    button.setAttribute("aria-pressed", String(button.dataset.level === level));
  }
}

// A button with an action and a name for those who do not see its sign.
function connect(id, key, action) {
  const button = part(id);
  button.title = word(key);
  button.setAttribute("aria-label", word(key));
  button.addEventListener("click", action);
}

function fillLevels() {
  part("levels").setAttribute("aria-label", word("level"));
  part("levels").hidden = LEVELS.length < 2;
  for (const name of LEVELS) {
    const button = make("button", "", word(`level.${name}`));
    button.type = "button";
    button.dataset.level = name;
    button.addEventListener("click", () => setLevel(name));
    part("levels").append(button);
  }
}

// What was found, and where the guide explains it.
function findingLine(finding) {
  const line = make("p", `finding ${finding.severity}`, finding.message);
  if (finding.page) {
    const link = make("a", "", word("finding.page"));
    link.href = `#guide/${finding.page}`;
    line.append(" ", link);
  }
  return line;
}

// A list of all findings; each leads to its step.
function fillRemarks() {
  const remarks = [];
  const findings = run.findings.filter((finding) => isRevealed(finding.step));
  if (findings.length) remarks.push(make("h2", "", word("findings")));
  for (const finding of findings) {
    const line = findingLine(finding);
    if (finding.place) {
      const link = make("a", "", word("position", { number: finding.step, total: run.total }));
      link.href = `#${finding.place}`;
      line.prepend(link, " ");
    }
    remarks.push(line);
  }
  remarks.push(make("p", "muted keys", word("keys")));
  if (hasIterations()) remarks.push(make("p", "muted keys", word("iteration.keys")));
  if (run.quiz) remarks.push(make("p", "muted keys", word("quiz.keys")));
  if (hasGroups()) remarks.push(make("p", "muted keys", word("groups.keys")));
  part("remarks").replaceChildren(...remarks);
}

const KEYS = {
  ArrowRight: () => move(1), ArrowLeft: () => move(-1), PageDown: () => move(1), PageUp: () => move(-1),
  ArrowDown: moveInto, ArrowUp: moveOut, Home: () => moveTo(0), End: () => moveTo(Infinity),
  Escape: closeGroup,
  n: () => moveIteration(1), p: () => moveIteration(-1), N: () => moveIteration(1), P: () => moveIteration(-1),
  h: hideAnswers, H: hideAnswers,
};

// Whether a key scrolls the box that the reader went to by Tab; after a click, keys step.
let cameByTab = false;

function scrolls(event) {
  const box = event.target;
  if (!cameByTab || !box.matches(".scrolls")) return false;
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") return box.scrollWidth > box.clientWidth;
  return event.key !== "Escape" && box.scrollHeight > box.clientHeight;
}

function followFocus() {
  let isTab = false;
  document.addEventListener("keydown", (event) => { isTab = event.key === "Tab"; }, true);
  document.addEventListener("pointerdown", () => { isTab = false; }, true);
  document.addEventListener("focusin", () => { cameByTab = isTab; });
}

function onKey(event) {
  const action = KEYS[event.key];
  if (!action || scrolls(event) || part("steps").hidden || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  action();
}

// A swipe to the left on the sentence or the graph is the next step.
function onSwipe(element) {
  let start = null;
  element.addEventListener("touchstart", (event) => {
    start = event.touches.length === 1 ? event.touches[0] : null;
  }, { passive: true });
  element.addEventListener("touchend", (event) => {
    if (!start) return;
    const end = event.changedTouches[0];
    const [x, y] = [end.clientX - start.clientX, end.clientY - start.clientY];
    if (Math.abs(x) > 50 && Math.abs(x) > 2 * Math.abs(y)) move(x < 0 ? 1 : -1);
  });
}

// Shows the training, the steps, the Jacobians, the comparison or the guide.
function showTab(name) {
  for (const [tab, box] of [["training", "training"], ["run", "steps"], ["jacobians", "jacobians"], ["compare", "compare"]]) {
    part(`tab-${tab}`).setAttribute("aria-pressed", String(tab === name));
    part(box).hidden = tab !== name;
  }
  part("tab-guide").setAttribute("aria-pressed", String(name === "guide"));
  showGuide(name === "guide");
  part("controls").hidden = name !== "run";
  part("zoom").hidden = name !== "run" || !part("graph");
  part("quiz").hidden = name !== "run" || !run.quiz;
  if (name === "jacobians") paintJacobians();
  markScrollable();
}

function fillTabs() {
  part("tab-training").hidden = !hasIterations();
  part("tab-jacobians").hidden = !fillJacobians();
  part("tab-compare").hidden = !fillComparison();
  part("tab-guide").hidden = !hasGuide();
  part("tabs").hidden = TABS.filter((name) => name !== "run").every((name) => part(`tab-${name}`).hidden);
  for (const name of TABS) {
    part(`tab-${name}`).textContent = word(`tab.${name}`);
    part(`tab-${name}`).addEventListener("click", () => {
      showTab(name);
      if (name === "run") show();
      else setAddress(name);
    });
  }
  showTab("run");
}

function toggleTheme() {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  repaint();
}

// Shows everything in the colors of the current theme.
function repaint() {
  show();
  paintJacobians();
  paintComparison();
}

// Shows the place of the address.
function followAddress() {
  showAddress(location.hash);
}

// Shows the place of a link, which would otherwise load the notebook into the frame of the page.
function followLink(event) {
  const link = event.target.closest("a[href^='#']");
  if (!link) return;
  event.preventDefault();
  showAddress(link.hash);
}

// The text of an address; as it is written if it is not validly encoded.
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Shows the place that an address names; one that the page does not have is said, not ignored.
function showAddress(hash) {
  const [named, mode] = decoded(hash.slice(1)).split("?");
  const path = named || run.start;
  if (mode === "quiz") beginQuiz();
  const [tab, page] = path.split("/");
  if ((path === "jacobians" && run.checks.length) || (path === "training" && hasIterations()) || (tab === "guide" && hasGuide())) {
    showTab(tab);
    show();
    if (page) part("guide-page").querySelector(`[data-page="${CSS.escape(page)}"]`)?.scrollIntoView();
    return;
  }
  if (showPair(path)) {
    show();
    return;
  }
  showTab("run");
  if (!path || !goToPath(path)) {
    show();
    if (path) part("notices").append(make("p", "finding warning", word("not_found", { path })));
  }
}

function start() {
  part("title").textContent = run.title;
  part("about").textContent = run.about;
  part("picture").setAttribute("aria-label", word("graph"));
  part("code").setAttribute("aria-label", word("code"));
  part("values").setAttribute("aria-label", word("values"));
  part("slider").setAttribute("aria-label", word("slider"));
  connect("first", "first", () => moveTo(0));
  connect("previous", "previous", () => move(-1));
  connect("next", "next", () => move(1));
  connect("last", "last", () => moveTo(Infinity));
  connect("theme", "theme", toggleTheme);
  connect("zoom", "zoom", toggleZoom);
  part("zoom").textContent = word("zoom");
  part("slider").addEventListener("input", (event) => moveTo(Number(event.target.value)));
  followFocus();
  document.addEventListener("keydown", onKey);
  addEventListener("resize", markScrollable);
  if (!HAS_ADDRESS) document.addEventListener("click", followLink);
  addEventListener("hashchange", () => {
    if (part("steps").hidden || location.hash !== addressOf(places[current].path)) followAddress();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  for (const id of ["picture", "sentence-box"]) onSwipe(part(id));
  fillLevels();
  fillTabs();
  startGroups();
  startIterations();
  startQuiz();
  chooseZoom();
  followAddress();
}

start();
