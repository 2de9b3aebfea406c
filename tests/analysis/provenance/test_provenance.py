"""Where tensors come from, and where a wrong value begins."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.provenance.tensor_lineage import TensorLineage
from gradviz.analysis.provenance.value_problem import ValueProblem, problem_of_value
from gradviz.model.item import tensor_item
from gradviz.model.statistics import statistics_of
from gradviz.model.step import AccumulateStep, DispatchStep, ForwardStep, NodeStep
from tests.builders import linear_trace
from tests.recorder.recorded_run import record_run

# Where tensors come from, and which records belong to one value and its gradients.


# input, weight, output, L, its gradient, grad_output, grad_input, grad_weight.
INPUT, WEIGHT, OUTPUT, LOSS, START, GRAD_OUTPUT, GRAD_INPUT, GRAD_WEIGHT = range(1, 9)


@pytest.fixture(scope="module")
def lineage() -> TensorLineage:
    return TensorLineage(index_trace(linear_trace()))


@pytest.mark.parametrize(
    ("tensor", "step"),
    [(INPUT, None), (OUTPUT, 1), (LOSS, 2), (START, 3), (GRAD_OUTPUT, 4), (GRAD_WEIGHT, 5)],
)
def test_a_tensor_is_made_where_it_is_found_first(
    lineage: TensorLineage, tensor: int, step: int | None
) -> None:
    assert lineage.made_at(tensor) == step


@pytest.mark.parametrize(
    ("one", "other"),
    [(WEIGHT, GRAD_WEIGHT), (INPUT, GRAD_INPUT), (OUTPUT, GRAD_OUTPUT), (LOSS, START), (5, 5)],
)
def test_a_value_and_its_gradient_are_related(lineage: TensorLineage, one: int, other: int) -> None:
    assert lineage.related(one, other)
    assert lineage.related(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [(WEIGHT, GRAD_OUTPUT), (WEIGHT, OUTPUT), (GRAD_INPUT, GRAD_WEIGHT), (LOSS, OUTPUT)],
)
def test_equal_shapes_alone_relate_nothing(lineage: TensorLineage, one: int, other: int) -> None:
    assert not lineage.related(one, other)


def test_the_newest_gradient_as_of_a_step(lineage: TensorLineage) -> None:
    at = lineage.at(GRAD_WEIGHT, 8)
    assert at is not None
    assert (at.name, at.step) == ("weight", 7)
    assert at.key is not None
    assert lineage.latest(at.key, "gradient", 4) is None
    found = lineage.latest(at.key, "gradient", 6)
    assert found is not None
    assert (found.step, found.role, found.tensor) == (5, "passed", GRAD_WEIGHT)
    total = lineage.latest(at.key, "total", 8)
    assert total is not None
    assert total.step == 7
    assert lineage.named("weight", "gradient") == at.key
    assert lineage.named("bias", "gradient") is None


def test_a_contribution_and_a_total_belong_to_their_leaf() -> None:
    trace = linear_trace()
    step = trace.steps[6]
    assert isinstance(step, AccumulateStep)
    summed = replace(step, total=tensor_item("weight", START))
    found = TensorLineage(
        index_trace(replace(trace, steps=(*trace.steps[:6], summed, trace.steps[7])))
    )
    assert found.related(START, WEIGHT)
    assert found.related(START, GRAD_WEIGHT)


class _Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return grad * 2 * x


class _Logged(torch.Tensor):
    @classmethod
    def __torch_function__(
        cls, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return super().__torch_function__(function, types, args, kwargs or {})


def _differentiable_backward() -> None:
    x = torch.ones(2, requires_grad=True)
    torch.autograd.grad(_Square.apply(x).sum(), x, create_graph=True)


def _overridden_call() -> None:
    _ = torch.ones(2, requires_grad=True).as_subclass(_Logged) * 2


@pytest.mark.parametrize("code", [_differentiable_backward, _overridden_call])
def test_what_a_step_returns_is_made_by_the_innermost_call(
    tmp_path: Path, code: Callable[[], None]
) -> None:
    index = record_run(tmp_path, code).index
    steps = index.trace.steps
    outer = next(
        each
        for each in steps
        if isinstance(each, DispatchStep) or (isinstance(each, NodeStep) and each.returned)
    )
    inner = next(each for each in reversed(steps) if isinstance(each, ForwardStep))
    assert inner.number > outer.number
    (returned,) = outer.outputs if isinstance(outer, DispatchStep) else outer.returned
    assert inner.outputs[0].tensor == returned.tensor is not None
    assert TensorLineage(index).made_at(returned.tensor) == inner.number


# Which values count as a problem, compared with NumPy and plain Python.


VALUES = [0.0, -0.0, 1.0, -2e7, 1e6, math.nan, math.inf, -math.inf]
COMPLEX = [0j, 1 + 1j, complex(math.nan, 0), complex(0, math.inf), complex(math.nan, math.inf)]


@pytest.mark.parametrize("values", [VALUES, COMPLEX], ids=["float", "complex"])
def test_each_kind(values: list[complex]) -> None:
    array = np.array(values)
    nan = [cmath.isnan(each) for each in values]
    assert ValueProblem(kind="nan").mask(array).tolist() == nan
    infinite = [cmath.isinf(each) and not cmath.isnan(each) for each in values]
    assert ValueProblem(kind="infinity").mask(array).tolist() == infinite
    assert ValueProblem(kind="zero").mask(array).tolist() == [each == 0 for each in values]


def test_large_is_beyond_the_limit() -> None:
    array = np.array(VALUES)
    large = [False, False, False, True, False, False, True, True]
    assert ValueProblem(kind="large").mask(array).tolist() == large
    assert ValueProblem(kind="large", limit=0.5).mask(np.array([-1, 0, 1])).tolist() == [
        *(True, False, True)
    ]


def test_integers_and_booleans_never_have_a_problem() -> None:
    for array in (np.array([0, 1]), np.array([False, True])):
        assert not ValueProblem(kind="nan").mask(array).any()
        assert not ValueProblem(kind="infinity").mask(array).any()
        assert ValueProblem(kind="zero").mask(array).tolist() == [True, False]


@pytest.mark.parametrize("kind", ["nan", "infinity", "zero", "large"])
@pytest.mark.parametrize("value", VALUES)
def test_statistics_give_the_same_result(kind: str, value: float) -> None:
    problem = ValueProblem(kind=kind)  # type: ignore[arg-type]
    array = np.array([1.0, value])
    assert problem.counted(statistics_of(array)) == bool(problem.mask(array).any())


def test_what_is_wrong_with_one_element() -> None:
    kinds = [problem_of_value(np.float64(value)) for value in VALUES]
    assert [None if each is None else each.kind for each in kinds] == [
        *("zero", "zero", None, None, None, "nan", "infinity", "infinity")
    ]
