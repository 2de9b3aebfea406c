// What is printed: one picture for each step, with its sentence, below the title.

const MOST_PRINTED = 60;

// A step of the handout.
function handoutStep(step, at) {
  const where = word("position", { number: step.number, total: run.total });
  const head = make("h2", run.phases[at], `${word(`phase.${run.phases[at]}`)} · ${where}`);
  const view = make("article", "", head, make("p", "sentence", step.sentence));
  for (const finding of run.findings.filter((each) => each.step === step.number)) {
    view.append(make("p", `finding ${finding.severity}`, finding.message));
  }
  const picture = graphCopy(at);
  if (picture) view.append(picture);
  return view;
}

// Builds the handout just before printing; it would only slow the page down before.
function fillHandout() {
  const { key } = shown;
  showDrawing("");
  const steps = run.steps.slice(0, MOST_PRINTED).map(handoutStep);
  const left = run.steps.length - steps.length;
  if (left > 0) steps.push(make("p", "", word("not_printed", { count: left })));
  part("handout").replaceChildren(...steps);
  showDrawing(key);
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
