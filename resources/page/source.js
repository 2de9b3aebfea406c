// The source code of a place, with its line marked.

let shownFile = null;

const CODE_COLORS = ["keyword", "string", "number", "name", "comment"];

// One line of code with its number; `colors` has start, length and color of each colored span.
function codeLine(number, text, colors = []) {
  // Spans count characters, not their halves as strings do.
  const characters = [...text];
  const pieces = [];
  let end = 0;
  for (let at = 0; at < colors.length; at += 3) {
    const [start, length, color] = colors.slice(at, at + 3);
    pieces.push(characters.slice(end, start).join(""));
    end = start + length;
    pieces.push(make("span", `code-${CODE_COLORS[color]}`, characters.slice(start, end).join("")));
  }
  pieces.push(characters.slice(end).join("") || (end ? "" : " "));
  return make("div", "line", make("span", "number", String(number)), make("span", "text", ...pieces));
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
    part("code").replaceChildren(...file.lines.map((text, at) => codeLine(file.first + at, text, file.colors[at])));
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
