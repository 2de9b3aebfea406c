// Iterations of a training: the one around the current place, and the moves between them.

// The iteration around a step as [number, first step, last step]; undefined for a run without iterations.
function iterationOf(step) {
  return run.iterations.find(([, first, last]) => first <= step && step <= last);
}

// Goes to another iteration: to the step at the same place in it.
function moveIteration(by) {
  const { step } = places[current];
  const here = iterationOf(step);
  const there = run.iterations[run.iterations.indexOf(here) + by];
  if (!there) return;
  const [, first, last] = there;
  stepTo(byPath.get(String(Math.min(first + step - here[1], last))));
}

function showIterations() {
  const here = iterationOf(places[current].step);
  if (!here) return;
  const at = run.iterations.indexOf(here);
  part("iteration").textContent = word("iteration", { number: here[0] });
  part("previous-iteration").disabled = at === 0;
  part("next-iteration").disabled = at === run.iterations.length - 1;
  for (const each of part("training").querySelectorAll("[data-iteration]")) {
    each.classList.toggle("current", Number(each.dataset.iteration) === here[0]);
  }
}

function hasIterations() {
  return run.iterations.length > 0;
}

function startIterations() {
  part("iterations").hidden = !hasIterations();
  connect("previous-iteration", "iteration.previous", () => moveIteration(-1));
  connect("next-iteration", "iteration.next", () => moveIteration(1));
}
