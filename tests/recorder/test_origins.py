"""Origins of problems in real runs: the op, the element and its inputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.autograd import Function

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.provenance.origin_tracer import ElementLocation, OriginTracer
from gradviz.analysis.provenance.value_problem import ValueProblem
from gradviz.model.item import Item
from gradviz.model.step import PassEndStep
from gradviz.text.provenance import origin_sentence
from tests.recorder.origin_queries import (
    INFINITY,
    NAN,
    ZERO,
    LogFunction,
    last_total,
    name,
    only,
    value_origins,
)


def test_log_of_a_negative_in_a_forward(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.arange(6.0).reshape(2, 3).requires_grad_()
        (LogFunction.apply(x) + 1).sum()

    found, index = value_origins(tmp_path, code)
    first = found[0]
    assert {name(value_origin) for value_origin in found} == {"aten::log"}
    # Elements 0 and 1 of x, less 1.5, are negative; both come up in the one op.
    (value_origin,) = found
    assert value_origin.kind == "made"
    assert first.first.element == (0, 0)
    (source,) = value_origin.sources
    assert source.elements == ((0, 0),)
    value = index.value(source.tensor)
    assert value is not None
    assert value.array()[0, 0] == -1.5
    assert value_origin.producer is not None
    assert value_origin.producer.place.stage == "forward"
    ops = [each.place for each in value_origin.path]
    assert [(place.step, place.op) for place in ops][-1] == (3, None)
    assert all(each.sure for each in value_origin.path)


@pytest.mark.parametrize("of_leaf", [True, False])
def test_a_sum_that_autograd_grad_returns(of_leaf: bool, tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([0.0], requires_grad=True)
        y = x * 2
        given = x if of_leaf else y
        # Infinity through exp / given, minus infinity through 1 / given.
        torch.autograd.grad((given.exp() / given).sum(), given)

    found, index = value_origins(tmp_path, code, where=last_returned)
    value_origin = only((found, index))
    assert value_origin.kind == "made"
    assert value_origin.producer is not None
    assert value_origin.producer.kind == "sum"
    values = [index.value(each.tensor) for each in value_origin.sources]
    assert sorted(value.array()[0] for value in values if value) == [-np.inf, np.inf]


def last_returned(index: TraceIndex) -> tuple[TracePosition, Item]:
    step = index.trace.steps[-1]
    assert isinstance(step, PassEndStep)
    return TracePosition(step=step.number), step.results[0]


def test_zero_times_infinity_in_a_backward(tmp_path: Path) -> None:
    class Scaled(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            return x.clone()

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            (x,) = ctx.saved_tensors
            inverse = 1 / x
            return grad * 0 * inverse

    def code() -> None:
        x = torch.tensor([1.0, 0.0, 2.0], requires_grad=True)
        Scaled.apply(x).sum().backward()

    found = value_origins(tmp_path, code, where=last_total)
    value_origin = only(found)
    assert name(value_origin) == "aten::mul"
    assert value_origin.first.element == (1,)
    assert value_origin.first.place.stage == "backward"
    values = {source.name: found[1].value(source.tensor) for source in value_origin.sources}
    assert [value.array()[1] for value in values.values() if value] == [0.0, np.inf]
    infinite = next(each for each in value_origin.sources if each.name == "other")
    seen = ElementLocation(
        place=value_origin.first.place,
        name="other",
        tensor=infinite.tensor,
        element=infinite.elements[0],
    )
    (cause,) = OriginTracer(found[1]).value_origins(INFINITY, seen)
    assert name(cause) in ("aten::reciprocal", "aten::div")
    assert cause.first.place.step == value_origin.first.place.step


def test_square_root_of_zero_gives_an_infinite_gradient(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([4.0, 0.0], requires_grad=True)
        torch.sqrt(x).sum().backward()

    value_origin = only(value_origins(tmp_path, code, INFINITY, last_total))
    assert (name(value_origin), value_origin.first.element) == ("aten::div", (1,))
    assert value_origin.first.place.stage == "backward"


@pytest.mark.parametrize("level", ["nodes", "ops"])
def test_overflow_of_a_half(tmp_path: Path, level: str) -> None:
    def code() -> None:
        x = torch.tensor([1.0, 12.0], dtype=torch.float16, requires_grad=True)
        (torch.exp(x) * 1).sum()

    value_origin = only(value_origins(tmp_path, code, INFINITY, level=level))
    assert name(value_origin).removeprefix("aten::") == "exp"
    assert value_origin.first.element == (1,)
    assert value_origin.sources[0].elements == ((1,),)


def test_underflow_of_a_half(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([1e-5, 1.0], dtype=torch.float16, requires_grad=True)
        (x * x) * 3

    value_origin = only(value_origins(tmp_path, code, ZERO))
    assert (name(value_origin), value_origin.first.element) == ("aten::mul", (0,))
    assert value_origin.first.place.step == 1


def test_division_by_zero(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        y = torch.tensor([1.0, 0.0])
        (x / y).t().contiguous() + 1

    found, _ = value_origins(tmp_path, code, INFINITY)
    assert {name(value_origin) for value_origin in found} == {"aten::div"}
    assert found[0].sources[1].elements == ((1,),)


def test_a_nan_that_was_given(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([1.0, torch.nan], requires_grad=True)
        (x * 2).exp().sum()

    value_origin = only(value_origins(tmp_path, code))
    assert value_origin.kind == "given"
    assert value_origin.producer is None
    assert (value_origin.first.name, value_origin.first.element) == (
        "x",
        (1,),
    ) or value_origin.first.name == "self"


def test_memory_that_numpy_did_not_set(tmp_path: Path) -> None:
    class Unset(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            result = np.empty(3)
            result[:2] = x.detach().numpy()[:2]
            result[2] = np.nan
            return torch.from_numpy(result)

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad

    def code() -> None:
        x = torch.ones(3, dtype=torch.float64, requires_grad=True)
        Unset.apply(x) * 2

    value_origin = only(value_origins(tmp_path, code))
    assert value_origin.kind == "made"
    assert value_origin.first.place.step == 1
    assert value_origin.first.element == (2,)
    assert value_origin.producer is not None
    assert value_origin.producer.kind in ("unseen", "call")


def test_a_nan_that_the_forward_masks_away(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([0.0, 4.0], requires_grad=True)
        kept = torch.where(x > 0, x / x, torch.zeros(()))
        kept.sum().backward()

    forward, index = value_origins(tmp_path, code)
    assert forward == ()
    place, item = last_total(index)
    assert item.tensor is not None
    seen = ElementLocation(place=place, name=item.name, tensor=item.tensor, element=None)
    found = OriginTracer(index).value_origins(NAN, seen)
    assert found
    first = found[0]
    # Its gradient is 0, the divisor 0: 0/0 in the backward of a division that went wrong before.
    assert first.first.element == (0,)
    assert first.kind == "made"
    assert first.first.place.step <= place.step


def test_growth_along_a_chain(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.ones(2, 2, requires_grad=True)
        w = torch.full((2, 2), 10.0)
        for _ in range(5):
            x = x.mm(w)

    found, _ = value_origins(tmp_path, code, ValueProblem(kind="large", limit=1e4))
    assert {name(value_origin) for value_origin in found} == {"aten::mm"}
    # 20, 400, 8,000, 160,000: the fourth product is the first beyond the limit.
    assert found[0].first.place.step == 4
    assert found[0].sources[0].count == 2


def test_a_dead_relu(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([-1.0, 2.0], requires_grad=True)
        (torch.relu(x * 3) * 5).sum().backward()

    value_origin = only(value_origins(tmp_path, code, ZERO, last_total))
    assert (name(value_origin), value_origin.first.element) == ("aten::threshold_backward", (0,))
    assert [source.name for source in value_origin.sources] == ["grad_output", "self"]


def test_two_origins(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([-1.0, 4.0, -1.0, 2.0], requires_grad=True)
        low = torch.log(x[:2])
        high = torch.sqrt(x[2:])
        low * 2 + high

    found, _ = value_origins(tmp_path, code)
    assert [name(value_origin) for value_origin in found] == ["aten::log", "aten::sqrt"]


def test_a_complex_nan(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([1 + 1j, 0j], requires_grad=True)
        (x / x) * 2

    value_origin = only(value_origins(tmp_path, code))
    assert (name(value_origin), value_origin.first.element) == ("aten::div", (1,))


def test_gradients_that_the_engine_adds(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([1.0, 0.0], requires_grad=True)
        y = x * 1
        (torch.sqrt(y) + y * 3).sum().backward()

    value_origin = only(value_origins(tmp_path, code, INFINITY, last_total))
    assert name(value_origin) == "aten::div"
    steps = [each.place.step for each in value_origin.path]
    assert steps == sorted(steps)


def test_on_the_node_level_the_node_is_reported(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.arange(6.0).reshape(2, 3).requires_grad_()
        (LogFunction.apply(x) + 1).sum()

    value_origin = only(value_origins(tmp_path, code, level="nodes"))
    assert (name(value_origin), value_origin.kind) == ("LogFunction", "made")
    assert value_origin.sources[0].elements is None


@pytest.mark.parametrize("budget", [0, 1 << 20], ids=["statistics", "preview"])
def test_of_statistics_alone_no_element_is_reported(tmp_path: Path, budget: int) -> None:
    def code() -> None:
        x = torch.arange(6.0).reshape(2, 3).requires_grad_()
        (LogFunction.apply(x) + 1).sum()

    def before_the_sum(index: TraceIndex) -> tuple[TracePosition, Item]:
        return TracePosition(step=2), index.trace.steps[1].outputs[0]  # type: ignore[union-attr]

    value_origin = only(
        value_origins(tmp_path, code, where=before_the_sum, whole_elements=0, budget_bytes=budget)
    )
    assert value_origin.first.element is None
    assert name(value_origin) == "aten::log"


def test_in_place_on_a_view(tmp_path: Path) -> None:
    class Through(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            result = x * 1
            result[0].log_()
            return result

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad

    def code() -> None:
        x = torch.tensor([[-1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        Through.apply(x) * 2

    value_origin = only(value_origins(tmp_path, code))
    assert name(value_origin) == "aten::log_"


def test_each_step_of_a_way_is_later_than_the_one_before(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([[1.5, 2.0], [3.0, 4.0]], requires_grad=True)
        LogFunction.apply(x * 1).sum().backward()

    value_origin = only(value_origins(tmp_path, code, INFINITY, last_total))
    steps = [each.place.step for each in value_origin.path]
    assert steps == sorted(steps)
    assert steps[-1] > steps[0]
    assert name(value_origin) == "aten::div"


def test_of_many_sources_the_first_are_named(tmp_path: Path) -> None:
    class Sum(Function):
        apply: Any

        @staticmethod
        def forward(ctx: Any, *given: torch.Tensor) -> torch.Tensor:
            return torch.stack(given).sum(0)

        @staticmethod
        def backward(ctx: Any, grad_output: torch.Tensor) -> Any:
            return (grad_output,) * 10

    def code() -> None:
        given = [torch.tensor([float(n)], requires_grad=True) for n in range(10)]
        given[0].data.fill_(np.inf)
        given[1].data.fill_(-np.inf)
        Sum.apply(*given)

    value_origin = only(found := value_origins(tmp_path, code, level="nodes"))
    index = found[1]
    sentence = origin_sentence(index, OriginTracer(index), value_origin)
    assert "and 4 more" in sentence
