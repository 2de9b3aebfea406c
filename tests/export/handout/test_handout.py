"""The pages of a handout have the pictures of the stage, and keep the answers for the end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from gradviz.analysis.index.trace_index import index_trace
from gradviz.export.check.verdict import outcome_sentence
from gradviz.export.frame_svg import frame_svg
from gradviz.export.handout.page_layout import PAPERS, WIDTH, print_paint
from gradviz.export.handout.stop_pieces import handout_frames, stop_pieces
from gradviz.lesson.lesson import LessonStop
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.trace import Trace
from gradviz.story.blocks import bounds_of, text_width
from gradviz.story.frame import Frame
from gradviz.story.run import StoryRun
from tests.builders import LINEAR_TENSORS, ORIGIN, linear_trace, tensor
from tests.export.check_reports import ANALYTICAL, NUMERICAL, report_of
from tests.story.shipped import texts

VALUES = {record.id: value for record, value in LINEAR_TENSORS}
STOP = LessonStop(
    headline="The gradients",
    scene="linear",
    step="5",
    question="Which shape has the gradient of {{weight|linear: a query}}?",
    notes="That of weight.\n\nAlways.",
)
SHOWING = replace(STOP, question="")


def run_of(trace: Trace | None = None) -> StoryRun:
    return StoryRun(index=index_trace(trace or linear_trace(), VALUES.get))


def pages_of(
    *stops: LessonStop, run: StoryRun | str | None = None, paper: str = "a4", page: str = ""
) -> list[Frame]:
    run = run or run_of()
    drawn = (stop_pieces(stop, number, run) for number, stop in enumerate(stops, 1))
    return [*handout_frames("A lesson", page, drawn, len(stops), PAPERS[paper])]


def test_each_page_leads_to_the_page_of_the_lesson() -> None:
    address = "https://example.org/" + "a" * 190
    pages = pages_of(STOP, page=address)
    assert len(pages) > 1
    for frame in pages:
        (link,) = (each for each in frame.drawn if each.link)
        assert link.link == address
        area = bounds_of([link])
        assert PAPERS["a4"].height - 60 < area.y < area.bottom < PAPERS["a4"].height
        assert f'<a href="{address}">' in frame_svg(frame, print_paint())
    assert not any(each.link for frame in pages_of(STOP) for each in frame.drawn)


def told(frame: Frame) -> str:
    return " ".join(text for text, _, _ in texts(frame))


def sides_of(stop: LessonStop, run: StoryRun | str | None = None) -> tuple[str, str]:
    """What is on the pages of a stop, and what is on those of the answers."""
    pages = [told(page) for page in pages_of(stop, run=run)]
    own = [page for page in pages if page.startswith("Stop 1 of 1 ")]
    answers = pages[len(own) :]
    assert own
    assert all(page.startswith("Answers ") for page in answers)
    return " ".join(own), " ".join(answers)


def lines_for_notes(frame: Frame) -> int:
    return sum(drawn.key == "line" for drawn in frame.drawn) - 1


def test_a_page_has_the_question_its_picture_and_lines_for_notes() -> None:
    page, *answers = pages_of(STOP)
    shown, told_then = sides_of(STOP)
    assert shown.startswith("Stop 1 of 1 1 A lesson 1. The gradients Which shape has the gradient")
    assert "LinearFunctionBackward" in shown
    assert "grad_output 2×3" in shown
    assert lines_for_notes(page) >= 4
    assert "That of weight." not in shown
    assert ("grad_weight ?" in shown, "grad_weight 2×3" in shown) == (True, False)
    assert told_then.startswith("Answers 2 A lesson Answers 1. The gradients Which shape")
    assert "That of weight. Always." in told_then
    assert "grad_weight 2×3" in told_then
    assert "ctx.saved_tensors" in told_then
    assert max(map(lines_for_notes, answers)) == 0


def test_the_answer_and_the_solution_are_printed_once_and_else_the_notes() -> None:
    answered = replace(STOP, answer="That of weight.")
    for stop, answer in (
        (STOP, "That of weight. Always."),
        (answered, "That of weight."),
        (replace(answered, solution="Of {{2×3|linear: a query}}."), "That of weight. Of 2×3."),
        (replace(answered, solution="That of weight.\nIt is 2×3."), "That of weight. It is 2×3."),
        (replace(answered, solution="That of weight. It is 2×3."), "That of weight. It is 2×3."),
    ):
        for run in (run_of(), "a.gradviz does not exist."):
            _, answers = sides_of(stop, run)
            assert f"gradient of weight? {answer}" in answers
            assert answers.count("That of weight.") == 1
            assert ("Always." in answers) == (stop is STOP)
    _, answers = sides_of(replace(STOP, answer="weight 的。", solution="weight 的。它是 2×3。"))
    assert answers.count("weight 的。") == 1


def test_without_a_question_the_page_shows_everything_and_there_is_no_answer() -> None:
    shown, answers = sides_of(SHOWING)
    assert "grad_weight 2×3" in shown
    assert "ctx.saved_tensors" in shown
    assert answers == ""
    assert "Always." not in shown


def test_a_picture_that_the_page_has_is_not_repeated_among_the_answers() -> None:
    stop = replace(
        STOP,
        ask="{step 5 incoming 0}",
        show=("{step 5 incoming 0}", "code", "code"),
        answer="That of weight.",
    )
    page, answers = sides_of(stop)
    assert ("grad_output 2×3" in page, "grad_output 2×3" in answers) == (True, False)
    assert answers.count("def backward") == 1


def test_a_comparison_says_what_it_found_unless_that_is_asked() -> None:
    other = VALUES | {8: tensor(8, np.full((2, 3), 77.0))[1]}
    right = structs.replace(linear_trace(), origin=structs.replace(ORIGIN, title="The right one"))
    run = replace(run_of(), other=StoryRun(index=index_trace(right, other.get)))
    stop = replace(
        SHOWING, tab="compare", compare="linear", show=("{other: step 5 returned weight}",)
    )
    verdict = "The two runs agree up to step 4. In step 5, "
    page, _ = sides_of(stop, run)
    assert verdict in page
    page, answers = sides_of(replace(STOP, tab="compare", compare="linear"), run)
    assert (verdict in page, verdict in answers) == (False, True)
    reason = "The run to compare with is missing. No scene."
    page, _ = sides_of(stop, replace(run, other=None, no_other=reason))
    assert reason in page


def test_a_diagnosis_waits_for_the_answers_if_there_is_a_question() -> None:
    diagnosis = Diagnosis(code="transposed", message="A transpose is missing.", output=0, input=0)
    block = ("weight", (2, 3), (2, 3), NUMERICAL, ANALYTICAL)
    report, matrices = report_of(block, diagnoses=[diagnosis])
    trace = structs.replace(linear_trace(), reports=(report,))
    run = StoryRun(index=index_trace(trace, matrices.values))
    stop = LessonStop(scene="linear", step="5", tab="jacobians", question="Which line is wrong?")
    failed = outcome_sentence(report)
    page, answers = sides_of(stop, run)
    assert failed not in page
    assert failed in answers
    # As in the window, without the code of the diagnosis.
    assert f"{failed} A transpose is missing." in answers
    shown, answers = sides_of(replace(stop, question=""), run)
    assert failed in shown
    assert answers == ""


def test_a_stop_without_its_run_says_so() -> None:
    page, _ = sides_of(STOP, "a.gradviz does not exist.")
    assert "The run of this stop is missing. a.gradviz does not exist." in page
    assert "Which shape has the gradient of weight?" in page


def test_a_place_that_was_not_recorded_is_named() -> None:
    assert "line1" in sides_of(replace(STOP, step="5/backward/line1"))[0]


def test_a_run_without_a_graph_says_why() -> None:
    empty = structs.replace(
        linear_trace(), nodes=(), edges=(), saved=(), calls=(), steps=(), console=()
    )
    run = StoryRun(index=index_trace(empty, VALUES.get))
    assert "graph" in sides_of(replace(SHOWING, show=("graph",)), run)[0]


@pytest.mark.parametrize("paper", PAPERS)
def test_what_does_not_fit_goes_on_further_pages(paper: str) -> None:
    words = "word " * 4000
    pages = pages_of(*[replace(STOP, question=words, answer="of " + words)] * 2, paper=paper)
    assert len(pages) > 8
    assert [told(each).split("A lesson")[0].split()[-1] for each in pages] == [
        str(number) for number in range(1, len(pages) + 1)
    ]
    # The question also stands above its answer.
    assert " ".join(map(told, pages)).count("word") == 2 * 3 * 4000
    size = PAPERS[paper]
    for page in pages:
        assert (page.width, page.height) == (size.width, size.height)
        content = [drawn for drawn in page.drawn if drawn.key in ("text", "line")]
        assert max(drawn.y for drawn in content) <= size.height - 63


HOSTILE = '<img src=x onerror=alert(1)>"];\x1b[31m\u202e</text>'


@pytest.mark.parametrize("text", [HOSTILE, HOSTILE * 400, "wide" * 5000, "\n" * 5000 + "x"])
def test_hostile_text_stays_text_on_the_paper(text: str) -> None:
    stop = replace(STOP, headline=text, question=text, notes=text)
    for page in pages_of(stop):
        svg = frame_svg(page, print_paint())
        assert "\x1b" not in svg
        assert "\u202e" not in svg
        assert "<img" not in svg
        for shown, size, drawn in texts(page):
            if drawn.key == "text":
                assert text_width(shown, size) <= WIDTH * 1.06
