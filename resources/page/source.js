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
  part("steps").classList.toggle("no-code", !source);
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
  markLines([...part("code").children], file.first, source, findingLines(place));
}

// The lines in the file of a place that the findings of its step are about.
function findingLines(place) {
  if (hiddenAnswer(place) || !place.source) return [];
  const found = run.findings.filter((each) => each.step === place.step && each.line && each.line[0] === place.source.file);
  return [...new Set(found.map((each) => each.line[1]))];
}

// Those lines themselves, to be read below the findings.
function codeOfFindings(place) {
  return findingLines(place).map((number) => {
    const { first, lines, colors } = run.sources[place.source.file];
    const line = codeLine(number, lines[number - first].trimStart());
    line.classList.add("found");
    return line;
  });
}

// Marks the lines of a place and of its findings, and scrolls only the code, not the page.
function markLines(lines, start, source, found) {
  for (const [at, line] of lines.entries()) {
    const number = start + at;
    const isHere = number >= source.first && number <= source.last;
    line.classList.toggle("current", isHere && source.exact);
    line.classList.toggle("function", isHere && !source.exact);
    line.classList.toggle("found", found.includes(number));
    if (isHere) line.setAttribute("aria-current", "step");
    else line.removeAttribute("aria-current");
  }
  const box = part("code");
  // Where only the function is known, the line of a finding in it says more.
  const line = lines[((!source.exact && found[0]) || source.first) - start];
  if (line) box.scrollTop = line.offsetTop - (box.clientHeight - line.clientHeight) / 2;
}
