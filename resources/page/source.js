// The source code of a place, with its line marked.

let shownFile = null;

// One line of code with its number.
function codeLine(number, text) {
  return make("div", "line", make("span", "number", String(number)), make("span", "text", text || " "));
}

// Shows the code of a place; the file stays if it is the one that is shown.
function showSource(place) {
  const source = place.source;
  part("code-title").textContent = source ? `${word("code")}: ${run.sources[source.file].name}` : word("code");
  part("code").classList.toggle("empty", !source);
  if (!source) {
    shownFile = null;
    part("code").replaceChildren(make("p", "hint", word("no_source")));
    return;
  }
  const file = run.sources[source.file];
  if (shownFile !== source.file) {
    part("code").replaceChildren(...file.lines.map((text, at) => codeLine(file.first + at, text)));
    shownFile = source.file;
  }
  markLines(part("code").children, file.first, source);
}

// Marks the lines of a place, and scrolls only the code, not the page.
function markLines(lines, start, source) {
  for (const [at, line] of [...lines].entries()) {
    const number = start + at;
    const isHere = number >= source.first && number <= source.last;
    line.classList.toggle("current", isHere && source.exact);
    line.classList.toggle("function", isHere && !source.exact);
    if (isHere) line.setAttribute("aria-current", "step");
    else line.removeAttribute("aria-current");
  }
  const box = part("code");
  const line = lines[source.first - start];
  if (line) box.scrollTop = line.offsetTop - box.clientHeight / 3;
}
