"""Central differences leave the input unchanged, even if the function fails."""

from __future__ import annotations

import pytest
import torch

from gradviz.checks.jacobians.numerical import numerical_jacobians
from gradviz.checks.output_parts import as_tuple, parts_of
from tests.checks.sample_functions import randn


def test_the_input_has_its_values_back_after_an_exception() -> None:
    x = randn(2, 3)
    before = x.detach().clone()
    left = iter(range(5))

    def evaluate() -> tuple[torch.Tensor, ...]:
        next(left)
        return as_tuple(x * 2)

    parts = parts_of((x * 2,), differentiable=True)
    with pytest.raises(StopIteration):
        numerical_jacobians(evaluate, x, parts, 1e-6)
    assert torch.equal(x.detach(), before)


@pytest.mark.parametrize("transposed", [False, True])
def test_some_rows_are_the_rows_of_all(transposed: bool) -> None:
    x = randn(3, 4).detach()
    x = (x.t() if transposed else x).requires_grad_()
    parts = parts_of((x.sin(),), differentiable=True)
    (whole,) = numerical_jacobians(lambda: (x.sin(),), x, parts, 1e-6)
    (some,) = numerical_jacobians(lambda: (x.sin(),), x, parts, 1e-6, [0, 5, 11])
    assert torch.equal(some, whole[[0, 5, 11]])


def test_a_version_is_not_counted() -> None:
    x = randn(3)
    y = x.exp()
    parts = parts_of((y,), differentiable=True)
    numerical_jacobians(lambda: (x * 2,), x, parts, 1e-6)
    torch.testing.assert_close(torch.autograd.grad(y.sum(), x)[0], x.exp())
    z = x.sin()
    numerical_jacobians(lambda: (x * 2,), x, parts, 1e-6)
    z.sum().backward()  # It saved x, and would complain about a change.
