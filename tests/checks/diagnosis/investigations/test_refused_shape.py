"""A gradient whose shape the engine refuses is diagnosed from its values only."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from tests.checks.sample_functions import checked, randn


class Doubled(Function):
    """Returns its gradient in the given form."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, form: str) -> Tensor:
        ctx.form = form
        return x * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        g = 2 * gradients[0]
        forms = {
            "transposed": g.t,
            "summed": lambda: g.sum(0),
            "averaged": lambda: g.mean(0),
            "repeated": lambda: torch.stack([g / 3] * 3, -1),
            "flat": g.flatten,
            "something": lambda: torch.ones(5, dtype=g.dtype),
            "cube": lambda: g.t() ** 3 + 1,
        }
        return forms[ctx.form](), None


EXPECTED = {
    "transposed": (
        "transposed",
        "backward returns a gradient of shape [3, 2], but x has shape [2, 3]",
    ),
    "summed": ("extra_sum", "summed over dimension 0"),
    "averaged": ("extra_sum", "averaged over dimension 0"),
    "repeated": ("missing_sum", "not summed over dimension 2"),
    "flat": ("wrong_gradient_shape", "the correct values in the wrong shape"),
    "something": ("unknown", "match no mistake"),
    "cube": ("unknown", "match no mistake"),
}


@pytest.mark.parametrize("form", EXPECTED)
def test_each_form(form: str) -> None:
    report, _ = checked(Doubled, (randn(2, 3), form))
    assert report.verdict == "error"
    code, text = EXPECTED[form]
    assert report.diagnoses[0].code == code
    assert text in report.diagnoses[0].message


class Total(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.sum(1)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0]


def test_what_is_not_spread_out_is_no_sum() -> None:
    report, _ = checked(Total, (randn(3, 2),))
    (diagnosis,) = report.diagnoses
    assert diagnosis.code == "not_expanded"
    assert "not expanded over dimension 1" in diagnosis.message


class IllSized(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w = ctx.saved_tensors
        return gradients[0] @ w, x.t() @ gradients[0]


class NeverFits(IllSized):
    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] @ torch.ones(7, 8), None


def test_sizes_that_do_not_fit_are_tried_as_squares() -> None:
    report, _ = checked(IllSized, (randn(4, 3), randn(3, 2, seed=1)))
    (diagnosis,) = report.diagnoses
    assert (diagnosis.code, diagnosis.input, diagnosis.confidence) == ("transposed", 0, "likely")
    report, _ = checked(NeverFits, (randn(4, 3), randn(3, 2, seed=1)))
    assert [each.code for each in report.diagnoses] == ["unknown"]
