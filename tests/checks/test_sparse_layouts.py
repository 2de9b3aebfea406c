"""Sparse and MKLDNN inputs: gradcheck's verdict and its dense matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from gradviz.model.check_settings import CheckSettings
from tests.checks.broken.corpus import made
from tests.checks.gradgradcheck_verdict import checked_twice, verdict_twice
from tests.checks.sample_functions import (
    assert_equal_to_torch,
    checked,
    codes,
    inside,
    randn,
    verdict_of_torch,
    wants_gradient,
)
from tests.sweeps import paired

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # torch calls them beta.

MODES = {
    "default": CheckSettings(),
    "fast": CheckSettings(fast=True),
    "forward": CheckSettings(forward_mode="on"),
    "batched": CheckSettings(batched=True),
    "masked": CheckSettings(masked=True),
    "masked fast": CheckSettings(masked=True, fast=True),
}


def holed(*shape: int) -> Tensor:
    dense = randn(*shape).detach()
    return dense.masked_fill(dense.abs() < 0.5, 0)


def not_coalesced() -> Tensor:
    places, values = [[0, 0, 1], [1, 1, 0]], [1.0, 2.0, 3.0]
    return torch.sparse_coo_tensor(places, values, (2, 2), dtype=torch.float64)


INPUTS: dict[str, Callable[[], Tensor]] = {
    "coo": lambda: holed(4, 6).to_sparse(),
    "coo with dense dimensions": lambda: holed(4, 2, 3).to_sparse(2),
    "not coalesced": not_coalesced,
    "csr": lambda: holed(4, 6).to_sparse_csr(),
    "csc": lambda: holed(4, 6).to_sparse_csc(),
    "bsr": lambda: holed(4, 6).to_sparse_bsr((2, 3)),
    "bsc": lambda: holed(4, 6).to_sparse_bsc((2, 3)),
    "mkldnn": lambda: randn(2, 3, dtype=torch.float32).detach().to_mkldnn(),
}
FUNCTIONS: dict[str, Callable[[Tensor], Any]] = {
    "masked": lambda x: x.to_dense() * 2,
    "not masked": lambda x: x.to_dense(masked_grad=False).sin(),
    "product": lambda x: x @ torch.ones(x.shape[-1], 2, dtype=torch.float64),
    "sparse output": lambda x: x * 2,
    "detached": lambda x: x.to_dense().detach(),
    "sparse product": lambda x: torch.sparse.mm(x, torch.ones(x.shape[-1], 2, dtype=x.dtype)),
    "wrong": lambda x: WrongBySparse.apply(x),
    "wrong at specified": lambda x: WrongMasked.apply(x),
}


WrongBySparse = made(lambda x: x.to_dense() * 2, lambda g, x: g[0] * 3)


WrongMasked = made(lambda x: x.to_dense() * 2, lambda g, x: g[0] * 3 * (x.to_dense() != 0))


@pytest.mark.parametrize(("name", "mode", "what"), paired([*INPUTS], [*MODES], [*FUNCTIONS]))
def test_the_verdict_is_gradchecks(name: str, mode: str, what: str) -> None:
    given = (INPUTS[name]().requires_grad_(),)
    report, _ = checked(FUNCTIONS[what], given, settings=MODES[mode])
    assert report.verdict == verdict_of_torch(FUNCTIONS[what], given, MODES[mode])


@pytest.mark.parametrize(("name", "mode"), paired([*INPUTS], ["default", "masked"]))
def test_second_order_agrees_too(name: str, mode: str) -> None:
    for what, function in FUNCTIONS.items():
        given, settings = (INPUTS[name]().requires_grad_(),), MODES[mode]
        report, _ = checked_twice(function, given, settings=settings)
        assert report.verdict == verdict_twice(function, given, settings), what


@pytest.mark.parametrize("name", [each for each in INPUTS if each != "mkldnn"])
def test_matrices_have_a_row_for_each_element(name: str) -> None:
    given, function = INPUTS[name]().requires_grad_(), FUNCTIONS["not masked"]
    report, sink = checked(function, (given,))
    (block,) = report.blocks
    assert block.input_shape == tuple(given.shape)
    dense = inside("_densify")((given,))
    ((expected,),) = inside("_get_numerical_jacobian")(function, dense, eps=report.eps)
    assert torch.equal(sink.tensor(block.numerical), expected)


def test_a_masked_gradient_is_reported() -> None:
    report, _ = checked(FUNCTIONS["masked"], (INPUTS["coo"]().requires_grad_(),))
    (diagnosis,) = report.diagnoses
    assert (report.verdict, diagnosis.code, diagnosis.confidence) == (
        "mismatch",
        "masked_gradient",
        "likely",
    )
    assert "to_dense(masked_grad=False) does not" in report.diagnoses[0].message


@pytest.mark.parametrize("name", ["coo", "not coalesced", "csr"])
def test_masked_matrices_are_gradchecks(name: str) -> None:
    """Torch's own product is right at the specified elements, and there only."""
    given, function = INPUTS[name]().requires_grad_(), FUNCTIONS["sparse product"]
    report, sink = checked(function, (given,), settings=MODES["masked"])
    (block,) = report.blocks
    ((expected,),) = inside("_get_numerical_jacobian")(function, (given,), eps=report.eps)
    assert torch.equal(sink.tensor(block.numerical), expected)
    assert (report.verdict, report.passed) == ("match", True)
    assert report.problems[0].message.startswith("As requested, only the specified elements")
    assert checked(function, (given,))[0].verdict == "mismatch"


def test_a_wrong_gradient_of_a_sparse_input_has_its_own_code() -> None:
    report, _ = checked(WrongBySparse, (INPUTS["coo"]().requires_grad_(),))
    (diagnosis,) = report.diagnoses
    assert (report.verdict, diagnosis.code, diagnosis.input) == ("mismatch", "sparse_mismatch", 0)


def test_one_sparse_argument_among_others() -> None:
    given = (holed(3, 4).to_sparse(), randn(4, 2), randn(2, seed=1))

    def affine(sparse: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return torch.sparse.mm(sparse, weight) + bias

    report, sink = checked(affine, given)
    assert report.verdict == verdict_of_torch(affine, given) == "match"
    assert_equal_to_torch(affine, given, report, sink)
    assert sum(map(wants_gradient, given)) == len(report.blocks)


def test_values_that_share_memory_are_refused() -> None:
    places = torch.tensor([[0, 1], [1, 0]])
    values = torch.ones(1, dtype=torch.float64).expand(2)
    sparse = torch.sparse_coo_tensor(places, values, (2, 2), is_coalesced=True).requires_grad_()
    report, _ = checked(FUNCTIONS["masked"], (sparse,))
    assert report.verdict == verdict_of_torch(FUNCTIONS["masked"], (sparse,))
    assert codes(report) == ["overlapping_input"]
