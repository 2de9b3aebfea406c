"""The error against eps is drawn where a check measured it, and says what it leaves out."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from msgspec.structs import replace

from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.catalogue.messages import say
from gradviz.model.jacobian_report import JacobianReport
from gradviz.story.blocks import Block
from gradviz.story.click import Click
from gradviz.story.frame import LEAST_TEXT
from gradviz.story.frames import Progress, story_frames
from gradviz.story.picture import PictureMoment, StoryError, picture
from gradviz.story.run import StoryRun
from tests.checks.broken.corpus import made
from tests.checks.sample_functions import checked
from tests.story.shipped import texts
from tests.story.test_curve import PLACE, indexed, points, words

LINE = "errors"
STEPS = (1e-8, 1e-6, 1e-4, 1e-2)


def measured() -> JacobianReport:
    x = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    return checked(torch.relu, (x,))[0]


def drawn(report: JacobianReport, text: str = LINE) -> Block:
    index = indexed(report)
    moment = PictureMoment(
        run=StoryRun(index=index),
        place=PLACE,
        revealed=RevealedTrace.of_all(index),
        room=(1168, 440),
    )
    return picture(moment, text)


def with_errors(*errors: float, **changed: Any) -> JacobianReport:
    report = measured()
    (curve,) = report.curves
    empty = (math.nan,) * len(errors)
    curve = replace(curve, steps=STEPS, errors=errors, one_sided=empty, floors=empty)
    return replace(report, curves=(replace(curve, **changed),))


def test_both_axes_are_logarithmic() -> None:
    block = drawn(with_errors(1e-2, 1e-4, 1e-6, 1e-3))
    ((first, second, third, last),) = points(block, "errors:error")
    assert second[0] - first[0] == pytest.approx(third[0] - second[0])
    assert second[1] - first[1] == pytest.approx(third[1] - second[1])
    assert third[1] - last[1] == pytest.approx(1.5 * (second[1] - first[1]))
    (ring,) = [each for each in block.drawn if each.key == "errors:best"]
    assert (ring.x, ring.y) == pytest.approx(third)
    assert "1e-06" in words(block)


def test_errors_that_are_all_unknown_are_said_so() -> None:
    x = torch.tensor([4.0, -1.0], dtype=torch.float64, requires_grad=True)
    root = made(torch.sqrt, lambda g, x: g[0] * 0.5 / x.sqrt())
    block = drawn(checked(root, (x,))[0])
    lines = {f"errors:{each}" for each in ("error", "sides", "rounding", "tolerance")}
    assert not lines & {each.key for each in block.drawn}
    assert say("story.no_finite_error") in words(block)


def test_an_error_that_eps_does_not_change_has_no_best_eps() -> None:
    block = drawn(measured())
    assert "nearly the same error at every eps tried: 0.5" in words(block)
    assert not any(each.key == "errors:best" for each in block.drawn)
    sides = points(block, "errors:sides")
    assert {y for line in sides for _, y in line} == {sides[0][0][1]}, "a kink stays"


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        ((1e-2, math.nan, 1e-6, 1e-3), "gaps: no finite value"),
        ((1e-2, 0.0, 1e-6, 1e-3), "not drawn: zeros"),
        ((math.nan,) * 4, "no eps gave a finite error"),
    ],
)
def test_what_has_no_place_is_said(errors: tuple[float, ...], said: str) -> None:
    assert said in words(drawn(with_errors(*errors)))


def test_the_tolerance_of_another_element_is_not_drawn() -> None:
    assert "tolerance" in words(drawn(with_errors(1e-2, 1e-4, 1e-6, 1e-3)))
    assert "tolerance" not in words(drawn(with_errors(1e-2, 1e-4, 1e-6, 1e-3, row=1)))


@pytest.mark.parametrize("size", [(1280.0, 720.0), (720.0, 720.0), (1728.0, 720.0)])
def test_every_text_can_be_read(size: tuple[float, float]) -> None:
    click = Click(topic="Topic", headline="A headline of one line", text=LINE)
    run = StoryRun(index=indexed(measured()))
    (frame,) = story_frames((click,), run, PLACE, Progress(at=0, count=1), size)
    assert any(each.key == "errors:error" for each in frame.drawn)
    assert min(height for _, height, _ in texts(frame)) >= LEAST_TEXT


@pytest.mark.parametrize("text", [LINE, f"{LINE} input", f"{LINE} #0"])
def test_a_check_without_such_errors_is_a_sentence(text: str) -> None:
    report = measured()
    name = report.blocks[0].input_name
    with pytest.raises(StoryError, match="measured no error"):
        drawn(replace(report, curves=()), text.replace("input", name))
    drawn(report, text.replace("input", name))
