"""The order in which a check is explained."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import index_trace
from gradviz.model.diagnosis import Diagnosis, ErrorCurve
from gradviz.model.jacobian_report import CheckProblem, JacobianReport
from gradviz.story.run import StoryRun
from gradviz.viewer.jacobians.check_clicks import check_clicks
from tests.builders import LINEAR_TENSORS, linear_trace
from tests.story.shipped import opened
from tests.viewer.jacobians.diagnosed_reports import (
    CURVE,
    KINK,
    NONE,
    SAMPLED,
    TRANSPOSED,
    agreeing,
    explained,
)

VALUES = {record.id: value for record, value in LINEAR_TENSORS}
RUN = StoryRun(index=index_trace(linear_trace(), VALUES.get))
"""A run in which no lines were recorded."""


def headlines(report: JacobianReport) -> list[str]:
    """Each headline once: a diagnosis may take several clicks."""
    return [*dict.fromkeys(each.headline for each in check_clicks(report, RUN))]


def test_a_wrong_pair_is_followed_to_its_repair() -> None:
    assert headlines(explained(TRANSPOSED)) == [
        "What finite differences measure: change one element of weight by 1e-06, and see how "
        "output changes.",
        "What backward returns: the gradient of weight, for one element of output at a time.",
        "Where they differ: 6 of 36 elements.",
        "The worst element: output[0, 0] with respect to weight[1, 0]. Backward returns 2 instead "
        "of 1.",
        "Diagnosis: Transposed (certain)",
        "Repair: Dimensions 0 of weight and of output are exchanged. Then 0 of 36 elements are "
        "wrong.",
    ]


def test_a_right_function_ends_with_the_verdict() -> None:
    found = headlines(agreeing(NONE))
    assert len(found) == 4
    assert found[-2:] == [
        "The difference is zero within the tolerance, in all 16 elements.",
        "Passed: the analytical and the numerical Jacobians match.",
    ]


def test_without_a_repair_there_is_none() -> None:
    assert headlines(explained(KINK))[-1].startswith("Diagnosis")
    assert headlines(explained())[-1].startswith("The worst element")


def test_another_wrong_pair_gets_one_idea() -> None:
    report = explained(TRANSPOSED)
    first = replace(report.blocks[0], wrong=3, worst=replace(report.blocks[1].worst, excess=2.0))
    report = replace(report, blocks=(first, report.blocks[1]))
    *told, other = check_clicks(report, RUN)
    assert all("#1" in each.text for each in told)
    assert "#0" in other.text
    assert other.headline == "Also wrong: ∂ output / ∂ input, 3 of 16 elements."


def test_a_pair_that_gradcheck_misses_is_wrong_too() -> None:
    ignoring = Diagnosis(
        code="ignores_grad_output", message="It ignores grad_output.", output=0, input=0
    )
    report = explained(TRANSPOSED, ignoring)
    assert headlines(report)[-1] == (
        "Also wrong, although all elements agree: ∂ output / ∂ input. Diagnosis: grad_output is "
        "ignored"
    )
    assert "agrees" not in check_clicks(report, RUN)[2].note


def test_a_check_without_pairs_has_one_honest_page() -> None:
    problem = CheckProblem(code="raised", message="The function raised ValueError.")
    report = explained(blocks=(), problems=(problem,), verdict="error")
    (click,) = check_clicks(report, RUN)
    assert click.headline == "No result: it could not be checked."
    assert (click.text, click.note) == ("", problem.message)


def test_the_pictures_are_those_of_the_pair() -> None:
    report = explained(TRANSPOSED)
    clicks = check_clicks(report, RUN)
    assert clicks[0].text == "{check numerical #1}"
    assert clicks[1].text == "{check numerical #1} {check analytical #1}"
    assert [each.note for each in clicks[4:6]] == [TRANSPOSED.message, *TRANSPOSED.evidence]
    assert clicks[4].text == "{check difference #1}", "no line is known"


def test_a_diagnosis_is_shown_at_the_line_that_computes_the_wrong_gradient(tmp_path: Path) -> None:
    with opened("linear-wrong", True, tmp_path) as index:
        run, report = StoryRun(index=index), index.trace.reports[-1]
        clicks = [each for each in check_clicks(report, run) if "Diagnosis" in each.headline]
        assert [each.text for each in clicks][:1] == ["{check difference #1}"]
        told = clicks[-1]
        assert told.text == "code of step 5 returned 1: This line computes grad_weight"
        excerpt = run.code_of("step 5 returned 1")
        assert excerpt is not None
        (marked,) = excerpt.current
        line = excerpt.lines[marked - excerpt.first]
        assert line.strip() == "grad_weight = input.mm(grad_output)"
        double = replace(report, order=2)
        assert not any("code" in each.text for each in check_clicks(double, run))


def test_no_line_is_marked_if_several_backwards_ran(tmp_path: Path) -> None:
    with opened("cube-wrong", True, tmp_path) as index:
        run, report = StoryRun(index=index), index.trace.reports[-1]
        assert not any("code" in each.text for each in check_clicks(report, run))


def test_the_worst_element_is_shown_by_its_curve_if_it_was_sampled() -> None:
    plain = check_clicks(explained(TRANSPOSED), RUN)
    sampled = check_clicks(explained(TRANSPOSED, function_curves=(SAMPLED,)), RUN)
    changed = {
        before.headline: after.text
        for before, after in zip(plain, sampled, strict=True)
        if before.text != after.text
    }
    assert list(changed.values()) == ["curve #1"]
    assert next(iter(changed)).startswith("The worst element")


@pytest.mark.parametrize(
    ("curve", "said"),
    [
        (CURVE, "With eps 1e-05, this element is within the tolerance."),
        (replace(CURVE, errors=(1.0,) * 8), "No: each eps tried gives nearly the same error."),
        (
            replace(CURVE, errors=(1.0, 0.1) * 4),
            "No eps tried brings the error within the tolerance.",
        ),
    ],
)
def test_whether_eps_is_to_blame_is_shown_by_its_errors(curve: ErrorCurve, said: str) -> None:
    clicks = check_clicks(explained(TRANSPOSED, curves=(curve,)), RUN)
    assert [each.headline for each in clicks if "errors" in each.text] == [
        f"Is eps to blame? {said}"
    ]
    at = next(at for at, each in enumerate(clicks) if "errors" in each.text)
    assert clicks[at - 1].headline.startswith("The worst element")
    assert clicks[at + 1].headline.startswith("Diagnosis")


def test_errors_that_say_nothing_of_the_worst_element_are_not_shown() -> None:
    unknown = replace(CURVE, errors=(math.nan,) * 8)
    for curve in (unknown, replace(CURVE, row=5)):
        assert not any("eps" in each for each in headlines(explained(TRANSPOSED, curves=(curve,))))
