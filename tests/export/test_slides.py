"""Slides show what was recorded, in sizes that can be read, and answers after their questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from xml.etree import ElementTree

import pytest
from msgspec import structs

from gradviz.analysis.index.trace_index import index_reader, index_trace
from gradviz.drawing.appearance.palette import PaletteTheme, color, theme_paint
from gradviz.drawing.graphviz.layout_engine import LayoutError
from gradviz.export.handout.stop_content import StopRun
from gradviz.export.slides import LEAST_SIZE, SLIDE, WHOLE_SIZE, stop_slides
from gradviz.export.steps.json_document import steps_document
from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.model.trace import Trace
from gradviz.resource import resource_path
from gradviz.store.reader import open_trace
from gradviz.store.shipped_run import FIRST_RUN
from tests.builders import LINEAR_TENSORS, linear_trace
from tests.export.check_reports import ANALYTICAL, NUMERICAL, report_of
from tests.inside_builder import INSIDE_TENSORS, inside_trace

SVG = "{http://www.w3.org/2000/svg}"
VALUES = {record.id: value for record, value in LINEAR_TENSORS}
MOVE = re.compile(r"(translate|scale)\(([-\d.]+)(?: ([-\d.]+))?\)")
STOP = LessonStop(
    headline="The gradients",
    scene="linear",
    step="5",
    arithmetic="grad_input[0, 1]",
    hide=("answer",),
    question="Which shape has the gradient of {{weight|linear: a query}}?",
    notes="That of weight.",
)


@dataclass(frozen=True)
class PlacedLine:
    """A text with its position and size on the slide."""

    text: str
    x: float
    y: float
    size: float
    own_size: float


def placed_lines(svg: str) -> list[PlacedLine]:
    return list(_lines(ElementTree.fromstring(svg), 0.0, 0.0, 1.0))


def _lines(
    element: ElementTree.Element, x: float, y: float, scale: float, size: str = ""
) -> Iterator[PlacedLine]:
    size = element.get("font-size", size)
    for kind, first, second in MOVE.findall(element.get("transform", "")):
        if kind == "translate":
            x, y = x + scale * float(first), y + scale * float(second or 0)
        else:
            scale *= float(first)
    if element.tag == f"{SVG}text":
        own = [float(element.get(each, "0")) for each in ("x", "y")]
        yield PlacedLine(
            text=element.text or "",
            x=x + scale * own[0],
            y=y + scale * own[1],
            size=scale * float(size),
            own_size=float(size),
        )
    for child in element:
        yield from _lines(child, x, y, scale, size)


def texts(svg: str) -> list[str]:
    return [each.text for each in placed_lines(svg)]


def run_of(trace: Trace | None = None) -> StopRun:
    return StopRun(index=index_trace(trace or linear_trace()), values=VALUES.get)


def slides(
    stop: LessonStop,
    last: int | None = 0,
    *,
    theme: PaletteTheme = "light",
    run: StopRun | None = None,
) -> list[str]:
    return [*stop_slides(stop, last, run or run_of(), theme_paint(theme), "A lesson", 7)]


def flat(values: object) -> list[float]:
    return [each for row in values for each in flat(row)] if isinstance(values, list) else [values]  # type: ignore[list-item]


def test_a_slide_has_headline_sentence_code_graph_and_the_values_of_the_step() -> None:
    (svg,) = slides(replace(STOP, hide=(), question="", arithmetic="", notes=""))
    root = ElementTree.fromstring(svg)
    assert (root.get("width"), root.get("height")) == ("1280", "720")
    found = texts(svg)
    for text in (
        *("The gradients", "LinearFunction, merged · Step 5 of 8 · backward", "A lesson", "7"),
        *("LinearFunctionBackward", "returned", "grad_bias = None", "grad_weight 2×3"),
        "    def backward(ctx, grad_output):",
    ):
        assert text in found
    assert "LinearFunction.backward receives grad_output 2×3" in " ".join(found)
    step = steps_document(run_of().index, VALUES.get)["steps"][4]
    shown = found[found.index("returned") :]
    numbers = [float(each) for each in shown if re.fullmatch(r"-?[\d.]+", each)]
    # The page number follows.
    returned = [each for item in step["returned"] for each in flat(item.get("values", []))]
    assert numbers == [*returned, 7]


def test_the_answer_follows_on_a_slide_of_its_own() -> None:
    with open_trace(resource_path(FIRST_RUN)) as reader:
        run = StopRun(index=index_reader(reader), values=reader.value)
        asked, told = slides(STOP, run=run)
        assert len(slides(replace(STOP, hide=()), run=run)) == 2
    assert "Which shape has the gradient of weight?" in texts(asked)
    assert "returned" not in texts(asked)
    assert "12" not in texts(asked)
    assert "grad_weight ?" in texts(asked)
    assert ("7" in texts(asked), "8" in texts(told)) == (True, True)
    assert "12" in texts(told)
    assert "Which shape has the gradient of weight?" not in texts(told)
    assert any(each.startswith("grad_input[0, 1] = ") for each in texts(told))
    assert "That of weight." not in (*texts(asked), *texts(told))


def test_a_question_without_hidden_results_has_one_slide() -> None:
    assert len(slides(replace(STOP, hide=(), arithmetic=""))) == 1


def test_what_a_comparison_found_is_on_no_slide_while_later_steps_are_hidden() -> None:
    run = replace(run_of(), other=run_of())
    stop = replace(STOP, hide=("answer",), arithmetic="", tab="compare", compare="linear")
    verdict = "in all 8 steps"
    _, told = slides(stop, run=run)
    assert verdict in " ".join(texts(told))
    for hide in (("ahead",), ("answer", "ahead")):
        for svg in slides(replace(stop, hide=hide, question=""), run=run):
            assert verdict not in " ".join(texts(svg))


def test_what_a_check_found_follows_the_question_about_it() -> None:
    report, matrices = report_of(("weight", (2, 3), (2, 3), NUMERICAL, ANALYTICAL))
    index = index_trace(structs.replace(linear_trace(), reports=(report,)))
    run = StopRun(index=index, values=lambda each: matrices.values(each) or VALUES.get(each))
    asked, told = slides(replace(STOP, tab="jacobians", hide=(), arithmetic=""), run=run)
    verdict = "Failed: the analytical and the numerical Jacobians do not match."
    assert (verdict in texts(asked), verdict in texts(told)) == (False, True)
    assert "returned" not in texts(told)


def test_steps_between_stops_have_a_slide_each() -> None:
    stop = replace(STOP, steps=True)
    next_one = replace(stop, step="8")
    other = LessonStop(scene="exp", step="7")
    lesson = Lesson(title="", stops=(stop, next_one, replace(stop, steps=False), stop, other))
    ends = [lesson.last_step(at) for at in range(5)]
    assert ends == [7, None, 5, None, 7]
    assert len(slides(stop, ends[0])) == 2 + 2
    assert len(slides(stop, ends[3])) == 2 + 3
    shown = slides(stop, ends[0])
    assert "weight.grad is set to the 2×3 gradient." in texts(shown[-1])
    assert "10" in texts(shown[-1])


@pytest.mark.parametrize("step", ["1", "3", "5", "7", "8"])
def test_every_text_can_be_read_from_the_back(step: str) -> None:
    (svg,) = slides(LessonStop(scene="linear", step=step))
    for line in placed_lines(svg):
        # Smaller numbers are inside of the graph's pictures of tensors, and again in the list.
        if line.own_size >= 11:
            is_graph = line.own_size != line.size
            assert line.size >= (WHOLE_SIZE if is_graph else LEAST_SIZE) - 1e-2, line
    assert (pytest.approx(9), pytest.approx(14)) == (WHOLE_SIZE * 72 / 96, LEAST_SIZE * 72 / 96)


@pytest.mark.parametrize(
    ("step", "card"), [("3", "L = 54"), ("7", "weight"), ("5", "LinearFunctionBackward")]
)
def test_of_a_large_graph_the_part_around_the_step_is_shown(step: str, card: str) -> None:
    trace = linear_trace()
    others = (structs.replace(trace.nodes[0], id=100 + each) for each in range(8))
    large = structs.replace(trace, nodes=(*trace.nodes, *others))
    (svg,) = slides(LessonStop(scene="linear", step=step), run=run_of(large))
    lines = placed_lines(svg)
    (note,) = [each for each in lines if each.text == "Part of the graph"]
    found = next(each for each in lines if each.text == card)
    assert found.size >= LEAST_SIZE - 1e-2
    assert 44 <= found.x <= 44 + 0.66 * SLIDE[0]
    assert found.y < note.y
    # What is above the part is painted over, and not on the headline.
    assert f'fill="{color("canvas", "light")}"' in svg


def test_a_small_graph_is_shown_whole() -> None:
    (svg,) = slides(LessonStop(scene="linear", step="5"))
    assert "Part of the graph" not in texts(svg)


def test_the_theme_colors_the_slide() -> None:
    for theme in ("light", "dark"):
        (svg,) = slides(LessonStop(scene="linear", step="5"), theme=theme)
        back = next(ElementTree.fromstring(svg).iter(f"{SVG}rect"))
        assert back.get("fill") == color("canvas", theme)


def test_a_graph_that_cannot_be_laid_out_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried, error = [], LayoutError("cancelled")

    def fail(*_arguments: object) -> None:
        tried.append(1)
        raise error

    monkeypatch.setattr("gradviz.export.handout.stop_content.laid_out_graph", fail)
    shown = slides(replace(STOP, steps=True), 8)
    assert len(shown) == 5
    assert all(str(error) in texts(svg) for svg in shown)
    assert tried == [1]


def test_a_stop_without_its_run_says_so() -> None:
    (svg,) = stop_slides(STOP, 0, "a.gradviz does not exist.", theme_paint("light"), "", 1)
    assert "The run of this stop is missing. a.gradviz does not exist." in texts(svg)
    assert "Which shape has the gradient of weight?" in texts(svg)


def test_the_code_is_shortened_only_so_far_and_outputs_are_kept() -> None:
    (forward,) = slides(LessonStop(scene="linear", step="1"))
    (backward,) = slides(LessonStop(scene="linear", step="5"))
    assert ("outputs" in texts(forward), "arguments" in texts(forward)) == (True, False)
    (head,) = [each for each in texts(backward) if each.startswith("linear.py, lines ")]
    first, last = map(int, re.findall(r"\d+", head))
    assert last - first >= 7
    assert "returned" in texts(backward)


def test_values_that_do_not_fit_are_counted() -> None:
    trace = linear_trace()
    steps = list(trace.steps)
    first = steps[0]
    many = structs.replace(first, outputs=first.outputs * 500)  # type: ignore[call-arg]
    (svg,) = slides(
        LessonStop(scene="linear"), run=run_of(structs.replace(trace, steps=(many, *steps[1:])))
    )
    found = texts(svg)
    assert any(re.fullmatch(r"[\d,]+ more values", each) for each in found)
    assert max(each.y for each in placed_lines(svg) if each.x > 700) < SLIDE[1]


HOSTILE = '<img src=x onerror=alert(1)>"];\x1b[31m\u202e</text>'


@pytest.mark.parametrize("text", [HOSTILE, HOSTILE * 400, "wide" * 5000, "\n" * 5000 + "x"])
def test_hostile_text_stays_text_on_the_slide(text: str) -> None:
    trace = linear_trace()
    (source,) = trace.sources
    changed = structs.replace(
        trace, sources=(structs.replace(source, path=text, text=source.text + text),)
    )
    stop = replace(STOP, headline=text, question=text, notes=text)
    for svg in stop_slides(stop, 0, run_of(changed), theme_paint("light"), text, 1):
        assert "\x1b" not in svg
        assert "\u202e" not in svg
        assert f"{SVG}img" not in {each.tag for each in ElementTree.fromstring(svg).iter()}
        # The rest of the graph is below, painted over.
        outside = [each for each in placed_lines(svg) if each.y > SLIDE[1] and each.x > 710]
        assert outside == []


def test_a_line_has_its_own_values_after_its_answer() -> None:
    values = {record.id: value for record, value in INSIDE_TENSORS}
    run = StopRun(index=index_trace(inside_trace()), values=values.get)
    asked, told = slides(replace(STOP, step="5/backward/line2", arithmetic=""), run=run)
    shown = "changes"
    assert (shown in texts(asked), shown in texts(told)) == (False, True)
    assert "came in" in texts(asked)
