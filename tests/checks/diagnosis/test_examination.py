"""A bug of gradviz during the diagnosis does not lose the verdict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from torch import Tensor
from torch.autograd import Function

from gradviz.checks.diagnosis import examination
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.jacobian_check import check
from gradviz.model.diagnosis import Diagnosis
from tests.checks.sample_functions import Kept, randn


class Doubled(Function):
    """Gives twice its gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 3

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        return gradient * 6


def broken_investigation(case: CheckContext) -> Iterator[Diagnosis]:
    yield from ()
    raise IndexError("out of range")


def test_an_internal_error_is_reported_and_the_check_continues(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(examination, "BEFORE", (broken_investigation, *examination.BEFORE))
    report = check(Doubled, (randn(3),), sink=Kept())
    assert (report.verdict, report.diagnoses[0].code) == ("mismatch", "factor_constant")
    (problem,) = (each for each in report.problems if each.code == "examination_failed")
    assert not problem.decides
    assert "because of a bug in gradviz (test_examination.py, line 33)" in problem.message
    assert problem.message.endswith(": out of range")
