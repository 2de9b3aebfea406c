// The guide's page of the run's scene, or those about what was found in the run, which the document contains as markup.

let guideScroll = 0;

// What quiz mode hides, by the mark in its place.
const hiddenFacts = new Map();

function hasGuide() {
  return part("guide-page").childElementCount > 0;
}

// Marks what the guide says about the current step.
function markGuide() {
  const step = String(places[current].step);
  for (const marked of part("guide-page").querySelectorAll(".now")) marked.classList.remove("now");
  for (const link of part("guide-page").querySelectorAll("a")) {
    const isHere = link.hash.slice(1).split("/")[0] === step;
    if (isHere) {
      link.closest("li, p, td").classList.add("now");
      link.setAttribute("aria-current", "step");
    } else {
      link.removeAttribute("aria-current");
    }
  }
}

// Shows the values of the run in the guide, or question marks in their place.
function showFacts(isShown) {
  for (const fact of part("guide-page").querySelectorAll(".fact, .formula, .graph, .hidden-value")) {
    if (isShown !== hiddenFacts.has(fact)) continue;
    if (isShown) {
      fact.replaceWith(hiddenFacts.get(fact));
      hiddenFacts.delete(fact);
    } else {
      const mark = hiddenMark(word("quiz.compare"));
      hiddenFacts.set(mark, fact);
      fact.replaceWith(mark);
    }
  }
}

// Shows or hides the guide, and finds the line again where reading was interrupted.
function showGuide(isShown) {
  const wasShown = !part("guide-page").hidden;
  if (wasShown === isShown) return;
  if (wasShown) guideScroll = scrollY;
  part("guide-page").hidden = !isShown;
  scrollTo(0, isShown ? guideScroll : 0);
}
