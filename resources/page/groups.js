// The folded groups of the graph: what is in them, with links to the steps.

const linksOfSteps = new Map();

// A node with links to the steps that created and executed it.
function groupNode([name, ...steps]) {
  const links = steps.map((number) => {
    const link = make("a", "", word("groups.step", { number }));
    link.href = `#${number}`;
    linksOfSteps.set(number, [...(linksOfSteps.get(number) || []), link]);
    return link;
  });
  return make("li", "", name, ...links.flatMap((link) => [" · ", link]));
}

// A group with its members, which a click, Enter or Space unfolds.
function groupDetails(group) {
  const summary = make("summary", "", make("b", "", group.title), " ", make("span", "muted", group.about));
  const members = group.members.map((each) => (Array.isArray(each) ? groupNode(each) : make("li", "", groupDetails(each))));
  if (group.left) members.push(make("li", "muted", group.left));
  const details = make("details", "", summary, make("ul", "", ...members));
  details.dataset.title = group.title;
  return details;
}

// Unfolds the group of a box of the graph.
function openGroup(details) {
  part("groups").open = details.open = true;
  details.querySelector("summary").focus();
}

function fillGroups() {
  part("groups").hidden = !run.groups.length;
  part("groups-title").textContent = word("groups");
  part("groups").addEventListener("toggle", scrollToCurrent);
  for (const group of run.groups) {
    const details = groupDetails(group);
    part("groups-list").append(details);
    const box = part(group.box);
    const tip = document.createElementNS(box.namespaceURI, "title");
    tip.textContent = word("groups.show");
    box.append(tip);
    box.classList.add("opens");
    box.addEventListener("click", () => openGroup(details));
  }
}

// Marks the nodes of the current step and the groups around them, whose names the heading shows.
function markGroups() {
  const outline = part("groups");
  for (const marked of outline.querySelectorAll(".now")) marked.classList.remove("now");
  for (const link of outline.querySelectorAll("[aria-current]")) link.removeAttribute("aria-current");
  const links = linksOfSteps.get(places[current].step.number) || [];
  for (const link of links) {
    link.setAttribute("aria-current", "step");
    link.parentElement.classList.add("now");
    for (const group of groupsAround(link)) group.classList.add("now");
  }
  const names = links.length ? groupsAround(links[0]).map((group) => group.dataset.title) : [];
  part("groups-path").textContent = names.join(" › ");
}

// The groups around an element, the outermost first.
function groupsAround(element) {
  const group = element.closest("#groups-list details");
  return group ? [...groupsAround(group.parentElement), group] : [];
}
