"""The pages of a handout show what was recorded, and keep the answers for the end."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from msgspec import structs

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.document.source_excerpt import MOST_LINES, SourceExcerpt, source_excerpt
from gradviz.drawing.content import hidden_graph_parts
from gradviz.export.check.verdict import outcome_sentence
from gradviz.export.graph import svg
from gradviz.export.graph.svg import laid_out_graph
from gradviz.export.handout.page_layout import (
    A4,
    PAPERS,
    TOP,
    WIDTH,
    PageColumn,
    page_svg,
    print_paint,
)
from gradviz.export.handout.stop_content import StopContent, StopRun, stop_content
from gradviz.export.handout.stop_page import answer_columns, stop_column
from gradviz.lesson.lesson import LessonStop
from gradviz.model.trace import Trace
from gradviz.story.blocks import text_lines
from tests.builders import LINEAR_TENSORS, ORIGIN, linear_trace, tensor
from tests.export.check_reports import ANALYTICAL, NUMERICAL, report_of
from tests.inside_builder import inside_trace
from tests.second_order_builder import CUBE_TENSORS, cube_index

SVG = "{http://www.w3.org/2000/svg}"
PAINT = print_paint()
STOP = LessonStop(
    headline="The gradients",
    scene="linear",
    step="5",
    arithmetic="grad_input[0, 1]",
    question="Which shape has the gradient of {{weight|linear: a query}}?",
    notes="That of weight.\n\nAlways.",
)
HIDING = replace(STOP, hide=("answer",))


def run_of(trace: Trace | None = None) -> StopRun:
    values = {record.id: value for record, value in LINEAR_TENSORS}
    return StopRun(index=index_trace(trace or linear_trace()), values=values.get)


def content_of(stop: LessonStop, trace: Trace | None = None) -> StopContent:
    return stop_content(stop, run_of(trace), PAINT)


def texts(column: PageColumn, title: str = "A lesson") -> list[str]:
    root = ElementTree.fromstring(page_svg(PAINT, title, "Stop 1 of 1", 1, column))
    assert (root.get("width"), root.get("height")) == ("793", "1123")
    return [each.text or "" for each in root.iter(f"{SVG}text")]


def test_a_page_has_picture_code_sentence_question_and_lines_for_notes() -> None:
    column = stop_column(content_of(STOP), 3, PAINT)
    found = texts(column)
    for text in (
        *("A lesson", "Stop 1 of 1", "1", "3. The gradients", "Question", "Notes"),
        "LinearFunction, merged · Step 5 of 8 · backward",
        *("LinearFunctionBackward", "grad_weight 2×3", "linear.py, lines 1 to 10"),
        *("    def backward(ctx, grad_output):", "Which shape has the gradient of weight?"),
    ):
        assert text in found
    assert "LinearFunction.backward receives grad_output 2×3" in " ".join(found)
    assert "That of weight." not in found
    assert column.inside.count('<path d="M0 ') >= 4
    assert column.y <= A4.bottom - TOP


def test_what_a_stop_hides_is_only_among_the_answers() -> None:
    content = content_of(HIDING)
    found = texts(stop_column(content, 1, PAINT))
    assert content.sentence.startswith("What does LinearFunction.backward return for grad_output")
    assert content.sentence in " ".join(found)
    assert "grad_weight ?" in found
    assert "12" not in found
    (answers,) = answer_columns([content], PAINT)
    told = texts(answers)
    assert told[3:6] == ["Answers", "1. The gradients", "Which shape has the gradient of weight?"]
    assert "returns gradients for input 2×2" in " ".join(told)
    assert told[-2:] == ["That of weight.", "Always."]


def test_the_answer_is_the_solution_and_without_one_the_notes() -> None:
    solved = replace(STOP, solution="That of {{2×3|linear: a query}}.")
    for run in (run_of(), "a.gradviz does not exist."):
        for stop, answer in (
            (STOP, "That of weight.\n\nAlways."),
            (solved, "That of 2×3."),
            (replace(solved, question=""), "That of 2×3."),
        ):
            assert stop_content(stop, run, PAINT).answers[-1] == answer


def test_a_stop_that_compares_shows_both_runs_and_the_verdict() -> None:
    values = {record.id: value for record, value in LINEAR_TENSORS}
    other = values | {8: tensor(8, np.full((2, 3), 77.0))[1]}
    right = structs.replace(linear_trace(), origin=structs.replace(ORIGIN, title="The right one"))
    run = StopRun(
        index=index_trace(linear_trace(), values.get),
        values=values.get,
        other=StopRun(index=index_trace(right, other.get), values=other.get),
    )
    stop = replace(STOP, tab="compare", compare="linear", question="", arithmetic="")
    content = stop_content(stop, run, PAINT)
    found = texts(stop_column(content, 1, PAINT))
    assert (found.count("LinearFunctionBackward"), found.count("grad_weight 2×3")) == (2, 2)
    assert "Left: LinearFunction, merged · Step 5 of 8 · backward" in found
    assert "Right: The right one · Step 5 of 8 · backward" in found
    assert found.count("77") == 6
    assert content.verdict.startswith("The two runs agree up to step 4. In step 5, ")
    assert content.verdict in " ".join(found)
    # The verdict could answer a question, and the other run has the same gradients.
    asked = stop_content(replace(HIDING, tab="compare", compare="linear"), run, PAINT)
    assert (asked.verdict, content.verdict in asked.answers) == ("", True)
    # It tells what later steps find, which a stop may hide on its page but not from the answers.
    ahead = stop_content(replace(stop, hide=("ahead",)), run, PAINT)
    assert (ahead.verdict, ahead.answers) == ("", (content.verdict,))
    assert stop_content(replace(stop, step="8", hide=("ahead",)), run, PAINT).answers == ()
    hidden = texts(stop_column(asked, 1, PAINT))
    assert hidden.count("grad_weight ?") == 2
    assert "77" not in hidden
    for problem, each in (
        ("The run to compare with is missing. No scene.", replace(run, other="No scene.")),
        (
            "No step of The right one corresponds to this one.",
            replace(run, other=run_of(structs.replace(right, steps=right.steps[:3]))),
        ),
    ):
        found = texts(stop_column(stop_content(stop, each, PAINT), 1, PAINT))
        assert problem in found
        assert found.count("LinearFunctionBackward") == 1


def test_a_stop_that_hides_what_is_ahead_has_no_later_cuts() -> None:
    values = {record.id: value for record, value in CUBE_TENSORS}
    run = StopRun(index=cube_index(), values=values.get)
    for stop in (LessonStop(scene="cube", step="4"), LessonStop(scene="cube", step="5")):
        shown, hidden = (
            stop_content(replace(stop, hide=hide), run, PAINT).picture for hide in ((), ("ahead",))
        )
        assert shown is not None
        assert hidden is not None
        for cut in ("x1", "c1"):
            assert f'id="{cut}"' in shown.inside
            assert (f'id="{cut}"' in hidden.inside) == (stop.step == "5")
        legend = "cut: no history"
        assert (legend in shown.inside, legend in hidden.inside) == (True, stop.step == "5")


def test_a_hidden_card_keeps_its_contents_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    # Position 0 is the card of the node.
    monkeypatch.setattr(hidden_graph_parts, "hidden_cards", lambda revealed, cards: frozenset((0,)))
    drawing = laid_out_graph(run_of().index, run_of().values)
    (picture,) = svg.graph_pictures(drawing, (5,), PAINT)
    assert ">?<" in picture.inside
    assert f">{drawing.graph.nodes[0].title}<" not in picture.inside


def test_without_questions_there_are_no_answers() -> None:
    assert (
        list(answer_columns([content_of(replace(STOP, question="", arithmetic=""))], PAINT)) == []
    )


def test_many_answers_take_several_pages() -> None:
    content = StopContent(headline="One", question="Why?", answers=("word " * 4000,))
    columns = list(answer_columns([content] * 3, PAINT))
    assert len(columns) > 3
    assert all(column.y <= A4.bottom - TOP for column in columns)
    words = " ".join(text for column in columns for text in texts(column))
    assert words.count("word") == 3 * 4000


def test_a_stop_without_its_run_says_so() -> None:
    content = stop_content(STOP, "a.gradviz does not exist.", PAINT)
    found = texts(stop_column(content, 1, PAINT))
    assert "The run of this stop is missing. a.gradviz does not exist." in found
    assert "Which shape has the gradient of weight?" in found
    assert content.picture is None


def test_a_place_that_was_not_recorded_becomes_its_step() -> None:
    content = content_of(replace(STOP, step="5/backward/line1"))
    assert "Step 5 of 8" in content.where
    assert "line1" in content.problem
    assert "Step 1 of 8" in content_of(replace(STOP, step="99")).where


def test_a_run_without_a_graph_says_why() -> None:
    empty = structs.replace(
        linear_trace(), nodes=(), edges=(), saved=(), calls=(), steps=(), console=()
    )
    content = content_of(STOP, empty)
    assert (content.picture, content.code, content.sentence) == (None, None, "")
    assert content.problem


def excerpt(trace: Trace, step: int, **inside: object) -> SourceExcerpt:
    found = source_excerpt(index_trace(trace), TracePosition(step=step, **inside))  # type: ignore[arg-type]
    assert found is not None
    return found


def test_the_code_is_that_around_the_place() -> None:
    whole = excerpt(linear_trace(), 5)
    assert (whole.first, len(whole.lines), whole.current) == (1, 10, range(7, 11))
    function = excerpt(inside_trace(), 5)
    assert function.lines[0] == "@staticmethod"
    assert function.current == range(function.first, function.first + len(function.lines))
    line = excerpt(inside_trace(), 5, stage="backward", line=0)
    assert (line.first, line.lines) == (function.first, function.lines)
    (number,) = line.current
    assert line.lines[number - line.first].strip() == "input, weight, bias = ctx.saved_tensors"


def test_long_code_is_cut_around_the_current_line() -> None:
    trace = linear_trace()
    (source,) = trace.sources
    text = source.text.replace(
        "bias = ctx.saved", "\n".join(["bias", *["        pass"] * 99, "        a = ctx.saved"])
    )
    found = excerpt(structs.replace(trace, sources=(structs.replace(source, text=text),)), 5)
    assert (len(found.lines), found.lines[0]) == (MOST_LINES, "@staticmethod")


HOSTILE = '<img src=x onerror=alert(1)>"];\x1b[31m\u202e</text>'


@pytest.mark.parametrize("text", [HOSTILE, HOSTILE * 400, "wide" * 5000, "\n" * 5000 + "x"])
def test_hostile_text_stays_text_on_the_paper(text: str) -> None:
    stop = replace(STOP, headline=text, question=text, notes=text)
    trace = linear_trace()
    (source,) = trace.sources
    changed = structs.replace(
        trace, sources=(structs.replace(source, path=text, text=source.text + text),)
    )
    content = content_of(stop, changed)
    columns = [stop_column(content, 1, PAINT), *answer_columns([content], PAINT)]
    for column in columns:
        assert column.y <= A4.bottom - TOP + 1
        svg = page_svg(PAINT, text, "Stop 1 of 1", 1, column)
        assert "\x1b" not in svg
        assert "\u202e" not in svg
        root = ElementTree.fromstring(svg)
        assert f"{SVG}img" not in {each.tag for each in root.iter()}
        for each in root.iter(f"{SVG}text"):
            assert float(each.get("textLength", "0")) <= WIDTH


def test_pages_on_letter_paper_are_lower_and_have_the_same_width() -> None:
    paper = PAPERS["letter"]
    assert (paper.width / 96, paper.height / 96) == (8.5, 11)
    content = replace(content_of(HIDING), answers=("word " * 4000,))
    stop_page = stop_column(content, 1, PAINT, paper)
    columns = [stop_page, *answer_columns([content], PAINT, paper)]
    assert len(columns) > 2
    for column in columns:
        assert paper.bottom - TOP - 40 < column.y <= paper.bottom - TOP or column is columns[-1]
        root = ElementTree.fromstring(page_svg(PAINT, "A", "Stop", 1, column, paper))
        assert (root.get("width"), root.get("height")) == ("816", "1056")


def test_a_word_wider_than_the_paper_is_cut() -> None:
    lines = text_lines("a " + "m" * 300 + " b", 100, 11)
    assert "".join(lines).replace(" ", "") == "a" + "m" * 300 + "b"
    assert len(lines) > 5


def test_a_diagnosis_waits_for_the_answers_if_there_is_a_question() -> None:
    report, matrices = report_of(("weight", (2, 3), (2, 3), NUMERICAL, ANALYTICAL))
    trace = structs.replace(linear_trace(), reports=(report,))
    run = StopRun(index=index_trace(trace), values=matrices.values)
    stop = LessonStop(scene="linear", step="5", tab="jacobians", question="Which line is wrong?")
    asked, told = (stop_content(each, run, PAINT) for each in (stop, replace(stop, question="")))
    failed = outcome_sentence(report)
    assert failed in asked.answers
    assert told.answers == ()
    assert asked.picture is not None
    assert told.picture is not None
    assert "numerical" in asked.picture.inside
    assert failed not in asked.picture.inside
    assert failed in told.picture.inside
    without_pairs = stop_content(
        stop,
        replace(run, index=index_trace(structs.replace(trace, reports=(report_of()[0],)))),
        PAINT,
    )
    assert without_pairs.picture is not None
    assert without_pairs.picture.height > 0
