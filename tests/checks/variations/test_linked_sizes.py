"""Linked dimensions are found by trial."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from gradviz.checks.arguments import CheckSubject
from gradviz.checks.names import argument_names
from gradviz.checks.run.progress import Evaluations, ignore_progress, never_cancelled
from gradviz.checks.variations.variation import (
    VariationRunner,
    resized,
    sizes_that_go_together,
    smaller,
)
from tests.checks.sample_functions import randn


def runner(function: Callable[..., Any], arguments: tuple[Any, ...]) -> VariationRunner:
    names = argument_names(function, len(arguments))
    subject = CheckSubject(function=function, arguments=arguments, names=names)
    return VariationRunner(subject, Evaluations(ignore_progress, never_cancelled))


def groups(function: Callable[..., Any], *arguments: Tensor) -> list[set[tuple[int, int]]]:
    return [set(each) for each in sizes_that_go_together(runner(function, arguments), arguments)]


LINEAR = [{(0, 0)}, {(0, 1), (1, 1)}, {(1, 0), (2, 0)}]


@pytest.mark.parametrize("sizes", [(2, 3, 4), (3, 3, 3), (2, 2, 3), (4, 3, 3)], ids=str)
def test_a_linear_layer(sizes: tuple[int, int, int]) -> None:
    batch, inner, outer = sizes
    arguments = randn(batch, inner), randn(outer, inner), randn(outer)
    assert groups(torch.nn.functional.linear, *arguments) == LINEAR


def test_element_by_element() -> None:
    found = groups(torch.add, randn(2, 3), randn(2, 3))
    assert found == [{(0, 0), (1, 0)}, {(0, 1), (1, 1)}]


def test_a_convolution() -> None:
    found = groups(torch.nn.functional.conv1d, randn(2, 3, 6), randn(4, 3, 2), randn(4))
    assert found == [{(0, 0)}, {(0, 1), (1, 1)}, {(0, 2)}, {(1, 0), (2, 0)}, {(1, 2)}]


def test_what_cannot_be_resized_is_in_no_group() -> None:
    assert groups(lambda x: x.view(2, 3), randn(2, 3)) == []


def test_three_that_go_together() -> None:
    found = groups(lambda x, y, z: x * y * z, randn(4), randn(4), randn(4))
    assert found == [{(0, 0), (1, 0), (2, 0)}]


@pytest.mark.parametrize("size", [0, 1, 2, 5])
def test_resized(size: int) -> None:
    x = randn(2, 3)
    (found,) = resized((x,), [(0, 1)], size)
    assert found.shape == (2, size)
    assert (found.requires_grad, found.is_leaf) == (True, True)
    assert torch.equal(found.detach()[:, : min(size, 3)], x.detach()[:, : min(size, 3)])


def test_new_values_lie_between_those_there_are() -> None:
    x = randn(3, 4).detach().exp()
    (found,) = resized((x,), [(0, 0)], 4)
    assert bool((found > 0).all())
    assert bool((found[3] <= torch.maximum(x[0], x[2])).all())
    square = randn(3, 3).detach()
    (larger,) = resized(resized((square,), [(0, 0)], 4), [(0, 1)], 4)
    assert abs(float(torch.linalg.det(larger))) > 1e-3


def test_smaller_sizes_differ_where_they_may() -> None:
    arguments = randn(20, 30), randn(40, 30), randn(40)
    function = torch.nn.functional.linear
    run = runner(function, arguments)
    found = smaller(run, arguments, sizes_that_go_together(run, arguments))
    assert [tuple(each.shape) for each in found] == [(2, 3), (4, 3), (4,)]
