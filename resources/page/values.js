// The values of a place: arguments, outputs, saved tensors and gradients.

const SECTIONS = [
  "inputs", "outputs", "saved", "attributes", "roots", "incoming", "received", "returned", "passed",
  "contribution", "total", "leaf", "results", "totals", "settings", "before", "gradients", "after",
];

// A list of items from a member of the data, which may be one item or none.
function itemsOf(member) {
  const list = Array.isArray(member) ? member : member ? [member] : [];
  return list.flatMap((each) => {
    if (each.value && each.gradient) return [each.value, each.gradient];
    return each.total && each.variable !== undefined ? [each.total] : [each];
  });
}

// The name and type of an item, and below them its value.
function itemView(item) {
  const tensor = item.tensor === undefined ? null : run.tensors[item.tensor];
  const head = make("p", "item", make("b", "", item.name));
  const view = make("div", "value", head);
  if (tensor) {
    const type = `${shapeText(tensor.shape)} · ${tensor.dtype}`;
    head.append(" ", make("span", "muted", type));
    const change = `change.${item.change}`;
    if (change in run.words) head.append(" ", make("span", "tag", word(change)));
    view.append(tensorView(tensor));
  } else {
    const text = item.none ? word("none") : item.object || "";
    if (text !== item.name) head.append(" = ", make("span", "", text));
  }
  return view;
}

// A section with the items of a member; null if there are none.
function valueSection(key, member) {
  const items = itemsOf(member);
  if (!items.length) return null;
  const list = make("div", "items", ...items.map(itemView));
  return make("section", `group ${key}`, make("h3", "", word(`section.${key}`)), list);
}

// The members of a step that are shown, some of which other steps have or only repeat others.
function stepMembers(step) {
  const members = { ...step, attributes: step.call ? step.call.attributes : undefined };
  if (step.kind === "node") {
    const made = run.steps.find((each) => each.saved && each.nodes.includes(step.node));
    // One call may have made many nodes.
    members.saved = made && made.saved.filter((each) => each.node === step.node);
    if (JSON.stringify(step.received) === JSON.stringify(step.incoming)) members.received = [];
  }
  return members;
}

// Shows what a place computed, and below it the values of its step.
function showValues(place) {
  const inner = place.data;
  const sections = [];
  if (place.level === "line") {
    sections.push(valueSection("changes", inner.changes), valueSection("result", inner.returned));
  } else if (place.level === "op") {
    sections.push(valueSection("inputs", inner.inputs), valueSection("outputs", inner.outputs));
  }
  const members = stepMembers(place.step);
  const answer = hiddenAnswer();
  for (const key of SECTIONS) {
    const isHidden = answer && key in answer.names;
    sections.push(isHidden ? hiddenSection(key, answer.names[key]) : valueSection(key, members[key]));
  }
  if (members.console && !answer) {
    const text = make("pre", "", members.console);
    sections.push(make("section", "group", make("h3", "", word("console")), text));
  }
  const found = sections.filter(Boolean);
  part("values").replaceChildren(...(found.length ? found : [make("p", "hint", word("no_values"))]));
  part("values").scrollTop = 0;
}
