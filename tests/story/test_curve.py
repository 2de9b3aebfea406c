"""A curve shows the samples of a check where they are, says what it leaves out, and is readable."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from msgspec import structs
from torch import Tensor
from torch.autograd import Function

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.drawing.appearance.text_styles import FONTS
from gradviz.drawing.display.parts import Outline, Shape, TextRun
from gradviz.lesson.lesson import LessonStop
from gradviz.model.check_settings import CheckSettings
from gradviz.model.jacobian_report import JacobianReport
from gradviz.story.blocks import Block
from gradviz.story.click import Click
from gradviz.story.elements import frame_elements
from gradviz.story.frame import LEAST_TEXT, MAIN_NUMBER
from gradviz.story.frames import Progress, story_frames
from gradviz.story.picture import PictureMoment, StoryError, picture
from gradviz.story.plot_stack import spoken_plot_text
from gradviz.story.run import StoryRun
from gradviz.story.step_clicks import stop_clicks
from tests.builders import linear_trace
from tests.checks.sample_functions import checked
from tests.story.shipped import opened, texts

PLACE = TracePosition(step=1)


class CubeWithoutFactor(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return grad * x**2


class StepWithPole(Function):
    """A step whose surrogate lacks an abs."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return (x > 0).to(x.dtype)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return grad / (1 + x) ** 2


def indexed(report: JacobianReport) -> TraceIndex:
    return index_trace(structs.replace(linear_trace(), reports=(report,)), lambda _: None)


def curve_of(
    function: Callable[..., Any], at: float, room: tuple[float, float] = (1168, 440)
) -> tuple[JacobianReport, Block]:
    x = torch.tensor([at], dtype=torch.float64, requires_grad=True)
    report, _ = checked(function, (x,), curves=True)
    index = indexed(report)
    revealed = RevealedTrace.of_all(index)
    run = StoryRun(index=index)
    moment = PictureMoment(run=run, place=PLACE, revealed=revealed, room=room)
    return report, picture(moment, "curve")


def points(block: Block, key: str) -> list[list[tuple[float, float]]]:
    """The pieces of a line, in the picture's units."""
    (drawn,) = [each for each in block.drawn if each.key == key]
    (shape,) = drawn.parts
    assert isinstance(shape, Shape)
    assert isinstance(shape.outline, Outline)
    pieces: list[list[tuple[float, float]]] = []
    for letter, (point,) in shape.outline.commands:
        if letter == "M":
            pieces.append([])
        pieces[-1].append(point)
    return pieces


def words(block: Block) -> str:
    runs = (part for each in block.drawn for part in each.parts if isinstance(part, TextRun))
    return " ".join(part.text for part in runs)


def test_the_function_goes_through_its_samples_and_both_lines_have_their_slopes() -> None:
    report, block = curve_of(CubeWithoutFactor, 2.0)
    (curve,) = report.function_curves
    (line,) = points(block, "curve:f")
    assert len(line) == len(curve.points)
    (x0, y0), (x1, y1) = line[0], line[-1]
    across = (x1 - x0) / (curve.points[-1] - curve.points[0])
    up = (y1 - y0) / (curve.values[-1] - curve.values[0])
    for place, x, y in zip(line, curve.points, curve.values, strict=True):
        expected = x0 + across * (x - curve.points[0]), y0 + up * (y - curve.values[0])
        assert place == pytest.approx(expected)
    for key, slope in {"secant": 12.0, "tangent": 4.0}.items():
        ((start, *_, stop),) = points(block, f"curve:{key}")
        found = (stop[1] - start[1]) / (stop[0] - start[0]) * across / up
        assert found == pytest.approx(slope, rel=1e-6)
    told = spoken_plot_text(block)
    assert "slope 12." in told
    assert "slope 4." in told
    sizes = {
        part.text: each.scale * FONTS[part.style].size
        for each in block.drawn
        for part in each.parts
        if isinstance(part, TextRun) and ":name" in each.key
    }
    assert (sizes["12"], sizes["4"]) == (MAIN_NUMBER, MAIN_NUMBER), "they are what it is about"


def test_a_tangent_that_leaves_the_plot_at_both_edges_is_drawn_up_to_them() -> None:
    class Double(Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> Tensor:
            return 2 * grad

    _, block = curve_of(Double, 3.0)
    ((first, *_, last),) = points(block, "curve:f")
    ((start, *_, stop),) = points(block, "curve:tangent")
    assert first[0] < start[0] < stop[0] < last[0]


def test_a_pole_is_marked_and_a_jump_is_none() -> None:
    _, block = curve_of(StepWithPole, 0.5)
    poles = [each.key for each in block.drawn if ":pole" in each.key]
    assert poles == ["curve:function:pole0", "curve:slopes:pole0"]
    assert "pole near -1" in words(block)
    assert "cut at the frame" in words(block)


def test_the_number_of_an_input_can_be_turned_at_its_curve(tmp_path: Path) -> None:
    with opened("straight-through", True, tmp_path) as index:
        run = StoryRun(index=index)
        click = Click(topic="", headline="Curve", text="curve x[1] of output[1]")
        (frame,) = story_frames((click,), run, PLACE, Progress(at=0, count=1))
        (element,) = frame_elements(frame)
        value = index.value(element.tensor)
    assert value is not None
    assert element.position == 1
    assert f"x[1] = {value.array()[1]}" in [text for text, *_ in texts(frame)]


@pytest.mark.parametrize("at", [0.2, 0.21])
def test_no_line_bridges_a_jump(at: float) -> None:
    report, block = curve_of(torch.round, at)
    (curve,) = report.function_curves
    pieces = points(block, "curve:f")
    assert len(pieces) == len(set(curve.values)) == 5
    for piece in pieces:
        assert len({height for _, height in piece}) == 1, "each step is level up to its ends"
    ends = [piece[-1][0] for piece in pieces[:-1]]
    begins = [piece[0][0] for piece in pieces[1:]]
    assert begins == pytest.approx(ends, abs=0.01), "the next step begins where one ends"
    assert "jumps near -1.5, -0.5, 0.5, 1.5" in words(block)


def test_a_kink_and_a_step_of_the_slope_are_no_jump() -> None:
    _, block = curve_of(torch.relu, 0.5)
    assert len(points(block, "curve:backward_slope")) == 2
    assert "jumps" not in words(block)


def test_a_steep_function_is_one_line() -> None:
    _, block = curve_of(lambda x: torch.tanh(200 * x), 0.51)
    assert len(points(block, "curve:f")) == 1


def test_with_a_large_eps_all_lines_stay_whole() -> None:
    x = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    settings = CheckSettings(eps=0.02)
    report, _ = checked(torch.exp, (x,), settings=settings, curves=True)
    index = indexed(report)
    moment = PictureMoment(
        run=StoryRun(index=index),
        place=PLACE,
        revealed=RevealedTrace.of_all(index),
        room=(1168, 440),
    )
    assert len(points(picture(moment, "curve"), "curve:f")) == 1


def test_where_a_function_has_no_value_its_line_has_a_gap() -> None:
    report, block = curve_of(torch.log, 0.5)
    (curve,) = report.function_curves
    (line,) = points(block, "curve:f")
    assert len(line) < sum(each > 0 for each in curve.points) + 2
    assert "gaps: no finite value" in words(block)
    _, whole = curve_of(torch.exp, 0.5)
    assert "gaps" not in words(whole)


def test_a_line_between_two_sides_of_a_pole_is_not_drawn() -> None:
    _, block = curve_of(lambda x: 1 / (x + 0.01), 1.0)
    left, right = points(block, "curve:f")
    assert left[-1][1] > right[0][1]


@pytest.mark.parametrize("function", [CubeWithoutFactor, StepWithPole, torch.exp, torch.relu])
@pytest.mark.parametrize("size", [(1280.0, 720.0), (720.0, 720.0), (1728.0, 720.0)])
def test_every_text_can_be_read(function: Callable[..., Any], size: tuple[float, float]) -> None:
    report, _ = curve_of(function, 0.5)
    click = Click(topic="Topic", headline="A headline of one line", text="curve")
    run = StoryRun(index=indexed(report))
    (frame,) = story_frames((click,), run, PLACE, Progress(at=0, count=1), size)
    assert any(each.key == "curve:f" for each in frame.drawn)
    assert min(height for _, height, _ in texts(frame)) >= LEAST_TEXT


def test_a_stop_about_a_check_shows_its_curve_if_it_has_one() -> None:
    report, _ = curve_of(CubeWithoutFactor, 2.0)
    stop = LessonStop(headline="Cube", tab="jacobians")
    shown, others = (
        stop_clicks(stop, StoryRun(index=indexed(each)), PLACE)
        for each in (report, structs.replace(report, function_curves=()))
    )
    assert [each.text for each in shown] == [*(each.text for each in others), "curve"]


@pytest.mark.parametrize("text", ["curve", "curve x", "curve #0"])
def test_a_check_without_samples_is_a_sentence(text: str) -> None:
    report, _ = curve_of(CubeWithoutFactor, 2.0)
    index = indexed(structs.replace(report, function_curves=()))
    revealed = RevealedTrace.of_all(index)
    run = StoryRun(index=index)
    moment = PictureMoment(run=run, place=PLACE, revealed=revealed, room=(1168, 440))
    with pytest.raises(StoryError, match="no samples"):
        picture(moment, text)


@pytest.mark.parametrize(
    ("text", "here", "name"),
    [
        ("curve #0[0]", "= 0.5", "output[0]"),
        ("curve #0[1]", "= 0.25", "output[1]"),
        ("curve #0 [1] of output[0]", "= 0.25", "output[0]"),
    ],
)
def test_an_element_can_be_named(text: str, here: str, name: str) -> None:
    x = torch.tensor([0.5, 0.25], dtype=torch.float64, requires_grad=True)
    report, _ = checked(torch.exp, (x,), curves=True)
    assert len(report.function_curves) == 4
    index = indexed(report)
    moment = PictureMoment(
        run=StoryRun(index=index),
        place=PLACE,
        revealed=RevealedTrace.of_all(index),
        room=(1168, 440),
    )
    said = words(picture(moment, text))
    assert here in said
    assert name in said
    with pytest.raises(StoryError, match="no samples"):
        picture(moment, "curve #0[7]")
