"""Message templates for quiz mode on the HTML page of a run."""

MESSAGES_PAGE_QUIZ = {
    "page.quiz": "Quiz Mode",
    "page.quiz.tip": "Hide what each step computes until you reveal it",
    "page.quiz.reveal": "Reveal",
    "page.quiz.hidden": "hidden until revealed",
    "page.quiz.jacobians": "Hidden until the gradient of this step is revealed.",
    "page.quiz.compare": "Hidden in quiz mode until all steps are revealed.",
    "page.quiz.keys": "H: hide the answer of this step. Right: reveal it.",
}
