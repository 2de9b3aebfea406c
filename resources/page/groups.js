// Folded groups: opening one shows its contents in place of the graph, with the path to it and a list of its nodes.
// As in the window, a group stays open until it is closed: it is shown whenever the walk is in it.

const openGroups = new Set();
let followedStep = null;
let shownPath = "";

function hasGroups() {
  return run.step_groups.length > 0;
}

// Whether a drawing is of the contents of a group, not of a whole graph.
function isGroup(key) {
  return run.drawings[key].parent !== undefined;
}

// The key of the whole graph around a drawing.
function graphAround(key) {
  return isGroup(key) ? graphAround(run.drawings[key].parent) : key;
}

// The keys of the groups around a drawing and its own, the outermost first.
function groupPath(key) {
  return isGroup(key) ? [...groupPath(run.drawings[key].parent), key] : [];
}

function openGroup(key) {
  for (const each of groupPath(key)) openGroups.add(each);
  showDrawing(key);
  show();
  part("picture").focus({ preventScroll: true });
}

// Goes back to a drawing around the shown one, and closes the groups between them.
function closeGroups(key) {
  const closed = groupPath(shown.key)[groupPath(key).length];
  for (const each of [...openGroups]) if (groupPath(each).includes(closed)) openGroups.delete(each);
  showDrawing(key);
  show();
  shown.svg.querySelector(`[data-group="${closed}"]`).focus();
}

function closeGroup() {
  if (isGroup(shown.key)) closeGroups(run.drawings[shown.key].parent);
}

// Shows the graph of a step, or the innermost open group in it around its node, once it is the current one.
function followStep(at) {
  if (followedStep === at) return;
  followedStep = at;
  const graph = run.step_graphs[at];
  const key = hasGroups() ? run.step_groups[at] : graph;
  // A step without a node changes nothing.
  if (key === null && graphAround(shown.key) === graph) return;
  const path = groupPath(key ?? graph);
  const closed = path.findIndex((each) => !openGroups.has(each));
  showDrawing((closed < 0 ? path : path.slice(0, closed)).pop() ?? graph);
}

// The text that announces a folded group.
function groupText(key) {
  return word("groups.open", { group: run.drawings[key].about });
}

// Makes the folded groups of a drawing buttons, if the page has their contents.
function connectGroups(svg) {
  for (const box of svg.querySelectorAll("[data-group]")) {
    const key = box.dataset.group;
    if (!(key in run.drawings)) continue;
    const tip = document.createElementNS(box.namespaceURI, "title");
    tip.textContent = groupText(key);
    box.append(tip);
    // Without spaces between its lines, they would be read as one word.
    for (const text of box.querySelectorAll("text")) text.after(" ");
    box.setAttribute("role", "button");
    box.setAttribute("tabindex", "0");
    box.addEventListener("click", () => openGroup(key));
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      openGroup(key);
    });
  }
}

// A group in the path: the shown one as text, one around it or the next one inside as a button.
function pathEntry(key, at, path) {
  const { title = word("graph"), parent } = run.drawings[key];
  const around = parent !== undefined && isGroup(parent) ? `${run.drawings[parent].title}.` : "";
  const name = title.startsWith(around) ? title.slice(around.length) : title;
  if (key === shown.key) {
    const text = make("b", "", name);
    text.setAttribute("aria-current", "true");
    return text;
  }
  const isInside = at > path.indexOf(shown.key);
  const button = make("button", isInside ? "folded" : "", name);
  button.type = "button";
  button.title = isInside ? groupText(key) : isGroup(key) ? word("groups.back", { title }) : word("groups.whole");
  button.setAttribute("aria-label", button.title);
  button.addEventListener("click", () => (isInside ? openGroup(key) : closeGroups(key)));
  return button;
}

// Shows the path to the shown drawing, and the folded group in it that has the node of the current step.
function showPath() {
  const path = groupPath(shown.key);
  const around = groupPath(run.step_groups[places[current].at] ?? graphAround(shown.key));
  const isAround = path.every((key, at) => around[at] === key);
  const keys = [graphAround(shown.key), ...path, ...(isAround ? around.slice(path.length, path.length + 1) : [])];
  const view = [...keys, shown.key, iterationOf(places[current].step)?.[0]].join(" ");
  if (view === shownPath) return;
  shownPath = view;
  const hadFocus = part("path").contains(document.activeElement);
  const entries = keys.map(pathEntry);
  part("path").replaceChildren(...entries.flatMap((each, at) => (at ? [make("span", "muted", "›"), each] : [each])));
  if (hadFocus) part("picture").focus({ preventScroll: true });
  fillNodes();
}

// A node with links to the steps that created and executed it.
function nodeEntry([name, ...steps]) {
  const links = steps.map((number) => {
    const link = make("a", "", word("groups.step", { number }));
    link.href = `#${number}`;
    return link;
  });
  return make("li", "", name, ...links.flatMap((link) => [" · ", link]));
}

function fillNodes() {
  const { title, about = "", nodes } = run.drawings[shown.key];
  const [, first, last] = iterationOf(places[current].step) ?? [0, 0, Infinity];
  // Iterations share a drawing, but not the nodes.
  const here = nodes.filter((node) => node.slice(1).some((number) => first <= number && number <= last));
  part("groups").hidden = !here.length;
  part("nodes-of").textContent = about;
  part("nodes").replaceChildren(...here.map(nodeEntry));
  part("picture").setAttribute("aria-label", title ? `${word("graph")}: ${title}` : word("graph"));
}

// Marks the node of the current step in the list.
function markNodes() {
  const address = `#${places[current].step}`;
  for (const entry of part("nodes").children) {
    entry.classList.remove("now");
    for (const link of entry.children) {
      const isNow = link.getAttribute("href") === address;
      if (isNow) {
        entry.classList.add("now");
        link.setAttribute("aria-current", "step");
      } else {
        link.removeAttribute("aria-current");
      }
    }
  }
}

// The name of each folded group begins with the texts in its box, which tell how far it is.
function nameGroups() {
  for (const box of shown.svg.querySelectorAll("[role=button]")) {
    const texts = [...box.querySelectorAll("text")].filter((each) => !each.closest(".off"));
    box.setAttribute("aria-label", [...texts.map((each) => each.textContent), groupText(box.dataset.group)].join(" "));
  }
}

function showGroups() {
  if (!hasGroups()) return;
  nameGroups();
  showPath();
  markNodes();
}

function startGroups() {
  part("path").hidden = !hasGroups();
  part("path").setAttribute("aria-label", word("groups"));
  part("nodes-title").textContent = word("groups.nodes");
}
