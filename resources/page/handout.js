// What is printed: one picture for each step, with its sentence, below the title. Quiz mode hides answers on paper too.

const MOST_PRINTED = 60;

// A step of the handout.
function handoutStep(step, at) {
  const place = places[byPath.get(String(step.number))];
  const answer = hiddenAnswer(place);
  const where = word("position", { number: step.number, total: run.total });
  const hidden = answer ? ` · ${word("quiz.hidden")}` : "";
  const head = make("h2", run.phases[at], `${word(`phase.${run.phases[at]}`)} · ${where}${hidden}`);
  const view = make("article", "", head, make("p", "sentence", answer ? answer.question : step.sentence));
  for (const finding of run.findings.filter((each) => !answer && each.step === step.number)) {
    view.append(make("p", `finding ${finding.severity}`, finding.message));
  }
  const picture = graphCopy(place);
  if (picture) view.append(picture);
  return view;
}

// Builds the handout just before printing; it would only slow the page down before.
function fillHandout() {
  const before = shown;
  // The copies are of the whole graph; what the reader sees keeps its focus and scroll position.
  shown = drawingOf("");
  const steps = run.steps.filter((each) => isReached(each.number)).slice(0, MOST_PRINTED).map(handoutStep);
  const left = run.steps.length - steps.length;
  if (left > 0) steps.push(make("p", "", word("not_printed", { count: left })));
  part("handout").replaceChildren(...steps);
  showGraph(quizGraph(places[current]));
  shown = before;
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
