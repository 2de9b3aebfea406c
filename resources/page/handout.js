// What is printed: one picture for each step, with its sentence, below the title. Quiz mode hides answers on paper too.

const MOST_PRINTED = 60;

// A step of the handout.
function handoutStep(place) {
  const answer = hiddenAnswer(place);
  const where = word("position", { number: place.step, total: run.total });
  const hidden = answer ? ` · ${word("quiz.hidden")}` : "";
  const head = make("h2", run.phases[place.at], `${word(`phase.${run.phases[place.at]}`)} · ${where}${hidden}`);
  const view = make("article", "", head, make("p", "sentence", (answer ?? place).sentence));
  for (const finding of run.findings.filter((each) => !answer && each.step === place.step)) {
    view.append(make("p", `finding ${finding.severity}`, finding.message));
  }
  shown = drawingOf(run.step_graphs[place.at]);
  const picture = graphCopy(place);
  if (picture) view.append(picture);
  return view;
}

// Builds the handout just before printing; it would only slow the page down before.
function fillHandout() {
  const before = shown;
  // The copies are of the whole graph; what the reader sees keeps its focus and scroll position.
  const steps = places.filter((each) => each.level === "node" && isReached(each.step)).slice(0, MOST_PRINTED).map((each) => handoutStep(each));
  const left = run.count - steps.length;
  if (left > 0) steps.push(make("p", "", word("not_printed", { count: left })));
  part("handout").replaceChildren(...steps);
  shown = before;
  showGraph(quizGraph(places[current]));
}

// Jacobians are canvases, which do not follow the colors of paper by themselves.
function setPrinting(value) {
  printing = value;
  paintJacobians();
}

addEventListener("beforeprint", () => {
  fillHandout();
  setPrinting(true);
});
addEventListener("afterprint", () => {
  part("handout").replaceChildren();
  setPrinting(false);
});
