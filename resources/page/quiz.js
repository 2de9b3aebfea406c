// Quiz mode: hides what a step computes until it is revealed. What was revealed stays so.

let quizMode = false;
let revealedUntil = 0;
let listedFindings = null;

// Whether the results of a step may be shown; null stands for the whole run.
function isRevealed(number) {
  return !quizMode || number === null || number <= revealedUntil;
}

// Whether a step may be shown, if only as a question.
function isReached(number) {
  return isRevealed(number) || number <= places[current].step;
}

function hasAnswer(place) {
  return run.quiz !== null && place.at in run.quiz;
}

// What to show of a place in place of its answer; undefined if nothing is hidden.
function hiddenAnswer(place = places[current]) {
  return isRevealed(place.step) ? undefined : run.quiz[place.at];
}

// Reveals the steps that were passed, and hides the answer of the one arrived at.
function arrive() {
  const place = places[current];
  const number = place.step;
  if (!isRevealed(number)) revealedUntil = hasAnswer(place) ? number - 1 : number;
  if (!hiddenAnswer()) return;
  // What is inside of a step would give its answer away.
  current = byPath.get(String(number));
  level = "node";
}

// Steps to a place: in quiz mode, to the whole step if it is another one.
function stepTo(number) {
  if (quizMode && places[number].at !== places[current].at) goTo(byPath.get(String(places[number].step)), "node");
  else goTo(number);
}

function setAnswerHidden(isHidden) {
  const place = places[current];
  revealedUntil = place.step - (isHidden && hasAnswer(place) ? 1 : 0);
  goTo(current);
}

// Shows the answer of the current step; false if it is not hidden.
function reveal() {
  if (!hiddenAnswer()) return false;
  // The button goes away; the next thing to press is beside it.
  if (document.activeElement === part("reveal")) part("next").focus();
  setAnswerHidden(false);
  return true;
}

// Turns quiz mode on, or hides the answers of this step and all later ones again.
function hideAnswers() {
  if (!run.quiz) return;
  quizMode = true;
  setAnswerHidden(true);
}

function toggleQuiz() {
  if (quizMode) {
    quizMode = false;
    show();
  } else {
    hideAnswers();
  }
}

// Turns quiz mode on for an address that asks for it: nothing is revealed yet.
function beginQuiz() {
  if (!run.quiz || quizMode) return;
  quizMode = true;
  revealedUntil = 0;
  arrive();
}

// The variants of the parts of the drawing at a place, without what is hidden.
function quizGraph(place) {
  if (!quizMode) return graphState(place.at);
  const state = graphState(place.at, shown.quiz_states || shown.states);
  if (hiddenAnswer(place)) for (const [number, variant] of shown.hidden[place.at] || []) state.set(number, variant);
  return state;
}

// A question mark in place of what is hidden, with the reason.
function hiddenMark(reason) {
  const mark = make("span", "hidden-value", "?");
  mark.setAttribute("role", "img");
  mark.setAttribute("aria-label", reason);
  mark.title = reason;
  return mark;
}

// Shows whether something is hidden: in the buttons, the list of findings and the Jacobians.
function showQuiz() {
  const isHidden = hiddenAnswer() !== undefined;
  part("quiz").setAttribute("aria-pressed", String(quizMode));
  part("reveal").hidden = !isHidden;
  part("jacobians").classList.toggle("hidden-answer", isHidden);
  // The other run of a comparison has the same gradients.
  part("training").classList.toggle("hidden-answer", !isRevealed(LAST_STEP));
  part("compare").classList.toggle("hidden-answer", !isRevealed(LAST_STEP));
  showFacts(isRevealed(LAST_STEP));
  const listed = run.findings.filter((each) => isRevealed(each.step)).length;
  if (listed !== listedFindings) fillRemarks();
  listedFindings = listed;
}

function startQuiz() {
  part("quiz").textContent = word("quiz");
  part("quiz").title = word("quiz.tip");
  part("quiz").addEventListener("click", toggleQuiz);
  part("reveal").textContent = word("quiz.reveal");
  part("reveal").addEventListener("click", reveal);
  for (const [id, key] of [["jacobians", "jacobians"], ["training", "compare"], ["compare", "compare"]]) {
    part(id).prepend(make("p", "hint quiz-hint", word(`quiz.${key}`)));
  }
}
