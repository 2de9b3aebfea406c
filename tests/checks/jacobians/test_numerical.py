"""Central differences leave the input unchanged, even if the function fails."""

from __future__ import annotations

import pytest
import torch

from gradviz.checks.jacobians.numerical import numerical_jacobians
from gradviz.checks.output_parts import OutputPart, as_tuple, parts_of
from gradviz.checks.run.progress import MatrixProgress
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


@pytest.mark.parametrize("count", [1, 2])
def test_unfinished_rows_can_be_read_at_any_time(count: int) -> None:
    x = randn(150)
    whole = numerical_jacobians(lambda: (x.sin(), x * x)[:count], x, parts(x)[:count], 1e-6)
    growth = MatrixProgress()
    begun = 0

    def evaluate() -> tuple[torch.Tensor, ...]:
        nonlocal begun
        for k in range(count):
            # Two evaluations for each row.
            if begun in (20, 140, 141, 142):
                assert torch.equal(growth.rows(k), whole[k][: begun // 2])
        begun += 1
        return (x.sin(), x * x)[:count]

    found = numerical_jacobians(evaluate, x, parts(x)[:count], 1e-6, growth=growth)
    assert all(map(torch.equal, found, whole))


def parts(x: torch.Tensor) -> tuple[OutputPart, ...]:
    return parts_of((x.sin(), x * x), differentiable=True)


def test_outputs_in_one_buffer_are_kept_apart() -> None:
    x = randn(5)
    buffer = torch.empty(5, dtype=torch.float64)

    def evaluate() -> tuple[torch.Tensor, ...]:
        return (buffer.copy_(x.detach() * 2),)

    (found,) = numerical_jacobians(evaluate, x, parts(x)[:1], 1e-6)
    torch.testing.assert_close(found, 2 * torch.eye(5, dtype=torch.float64))
