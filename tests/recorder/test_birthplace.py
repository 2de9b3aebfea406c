"""Where trouble was born in real runs: the op, its element and what it was made from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.autograd import Function

from gradviz.model.birth_words import headline
from gradviz.model.birthplace import Birth, Spotted, Tracer
from gradviz.model.index import Index, index_of
from gradviz.model.item import Item
from gradviz.model.levels import Place
from gradviz.model.step import AccumulateStep, ForwardStep
from gradviz.model.trouble import Trouble
from gradviz.store.reader import open_trace
from tests.recorder.taping import tape

NAN, INFINITY, ZERO = Trouble(kind="nan"), Trouble(kind="infinity"), Trouble(kind="zero")

Where = Callable[[Index], tuple[Place, Item]]


def last_total(index: Index) -> tuple[Place, Item]:
    """The ``.grad`` of the leaf that came last."""
    step = [each for each in index.trace.steps if isinstance(each, AccumulateStep)][-1]
    return Place(step=step.number), step.total


def first_total(index: Index) -> tuple[Place, Item]:
    step = next(each for each in index.trace.steps if isinstance(each, AccumulateStep))
    return Place(step=step.number), step.total


def last_output(index: Index) -> tuple[Place, Item]:
    step = [each for each in index.trace.steps if isinstance(each, ForwardStep)][-1]
    return Place(step=step.number), step.outputs[0]


def births(
    path: Path,
    code: Callable[[], Any],
    trouble: Trouble = NAN,
    where: Where = last_output,
    spot: tuple[int, ...] | None = None,
    **options: Any,
) -> tuple[tuple[Birth, ...], Index]:
    tape(path, code, **{"level": "ops", **options})
    with open_trace(path / "run.gradviz") as reader:
        trace = reader.trace()
        values = {each.id: reader.value(each.id) for each in trace.tensors}
        index = index_of(trace, values.get)
        place, item = where(index)
        assert item.tensor is not None
        seen = Spotted(place=place, name=item.name, tensor=item.tensor, spot=spot)
        return Tracer(index).births(trouble, seen), index


def only(found: tuple[tuple[Birth, ...], Index]) -> Birth:
    (birth,) = found[0]
    return birth


def name(birth: Birth) -> str:
    assert birth.making is not None
    return birth.making.name


class LogFunction(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        shifted = x - 1.5
        turned = shifted.t()
        result = turned.log()
        ctx.save_for_backward(shifted)
        return result * 2

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (shifted,) = ctx.saved_tensors
        return 2 * grad.t() / shifted


def test_log_of_a_negative_in_a_forward(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.arange(6.0).reshape(2, 3).requires_grad_()
        (LogFunction.apply(x) + 1).sum()

    found, index = births(tmp_path, code)
    first = found[0]
    assert {name(birth) for birth in found} == {"aten::log"}
    # Elements 0 and 1 of x, less 1.5, are negative; both come up in the one op.
    (birth,) = found
    assert birth.kind == "made"
    assert first.first.spot == (0, 0)
    (source,) = birth.sources
    assert source.spots == ((0, 0),)
    value = index.value(source.tensor)
    assert value is not None
    assert value.array()[0, 0] == -1.5
    assert birth.making is not None
    assert birth.making.place.stage == "forward"
    ops = [each.place for each in birth.path]
    assert [(place.step, place.op) for place in ops][-1] == (3, None)
    assert all(each.sure for each in birth.path)


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

    found = births(tmp_path, code, where=last_total)
    birth = only(found)
    assert name(birth) == "aten::mul"
    assert birth.first.spot == (1,)
    assert birth.first.place.stage == "backward"
    values = {source.name: found[1].value(source.tensor) for source in birth.sources}
    assert [value.array()[1] for value in values.values() if value] == [0.0, np.inf]
    infinite = next(each for each in birth.sources if each.name == "other")
    seen = Spotted(
        place=birth.first.place, name="other", tensor=infinite.tensor, spot=infinite.spots[0]
    )
    (cause,) = Tracer(found[1]).births(INFINITY, seen)
    assert name(cause) in ("aten::reciprocal", "aten::div")
    assert cause.first.place.step == birth.first.place.step


def test_square_root_of_zero_gives_an_infinite_gradient(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([4.0, 0.0], requires_grad=True)
        torch.sqrt(x).sum().backward()

    birth = only(births(tmp_path, code, INFINITY, last_total))
    assert (name(birth), birth.first.spot) == ("aten::div", (1,))
    assert birth.first.place.stage == "backward"


@pytest.mark.parametrize("level", ["nodes", "ops"])
def test_overflow_of_a_half(tmp_path: Path, level: str) -> None:
    def code() -> None:
        x = torch.tensor([1.0, 12.0], dtype=torch.float16, requires_grad=True)
        (torch.exp(x) * 1).sum()

    birth = only(births(tmp_path, code, INFINITY, level=level))
    assert name(birth).removeprefix("aten::") == "exp"
    assert birth.first.spot == (1,)
    assert birth.sources[0].spots == ((1,),)


def test_underflow_of_a_half(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([1e-5, 1.0], dtype=torch.float16, requires_grad=True)
        (x * x) * 3

    birth = only(births(tmp_path, code, ZERO))
    assert (name(birth), birth.first.spot) == ("aten::mul", (0,))
    assert birth.first.place.step == 1


def test_division_by_zero(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        y = torch.tensor([1.0, 0.0])
        (x / y).t().contiguous() + 1

    found, _ = births(tmp_path, code, INFINITY)
    assert {name(birth) for birth in found} == {"aten::div"}
    assert found[0].sources[1].spots == ((1,),)


def test_a_nan_that_was_given(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([1.0, torch.nan], requires_grad=True)
        (x * 2).exp().sum()

    birth = only(births(tmp_path, code))
    assert birth.kind == "given"
    assert birth.making is None
    assert (birth.first.name, birth.first.spot) == ("x", (1,)) or birth.first.name == "self"


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

    birth = only(births(tmp_path, code))
    assert birth.kind == "made"
    assert birth.first.place.step == 1
    assert birth.first.spot == (2,)
    assert birth.making is not None
    assert birth.making.kind in ("unseen", "call")


def test_a_nan_that_the_forward_masks_away(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([0.0, 4.0], requires_grad=True)
        kept = torch.where(x > 0, x / x, torch.zeros(()))
        kept.sum().backward()

    forward, index = births(tmp_path, code)
    assert forward == ()
    place, item = last_total(index)
    assert item.tensor is not None
    seen = Spotted(place=place, name=item.name, tensor=item.tensor, spot=None)
    found = Tracer(index).births(NAN, seen)
    assert found
    first = found[0]
    # Its gradient is 0, the divisor 0: 0/0 in the backward of a division that went wrong before.
    assert first.first.spot == (0,)
    assert first.kind == "made"
    assert first.first.place.step <= place.step


def test_growth_along_a_chain(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.ones(2, 2, requires_grad=True)
        w = torch.full((2, 2), 10.0)
        for _ in range(5):
            x = x.mm(w)

    found, _ = births(tmp_path, code, Trouble(kind="large", limit=1e4))
    assert {name(birth) for birth in found} == {"aten::mm"}
    # 20, 400, 8,000, 160,000: the fourth product is the first beyond the limit.
    assert found[0].first.place.step == 4
    assert found[0].sources[0].count == 2


def test_a_dead_relu(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([-1.0, 2.0], requires_grad=True)
        (torch.relu(x * 3) * 5).sum().backward()

    birth = only(births(tmp_path, code, ZERO, last_total))
    assert (name(birth), birth.first.spot) == ("aten::threshold_backward", (0,))
    assert [source.name for source in birth.sources] == ["grad_output", "self"]


def test_two_births(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([-1.0, 4.0, -1.0, 2.0], requires_grad=True)
        low = torch.log(x[:2])
        high = torch.sqrt(x[2:])
        low * 2 + high

    found, _ = births(tmp_path, code)
    assert [name(birth) for birth in found] == ["aten::log", "aten::sqrt"]


def test_a_complex_nan(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([1 + 1j, 0j], requires_grad=True)
        (x / x) * 2

    birth = only(births(tmp_path, code))
    assert (name(birth), birth.first.spot) == ("aten::div", (1,))


def test_gradients_that_the_engine_adds(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([1.0, 0.0], requires_grad=True)
        y = x * 1
        (torch.sqrt(y) + y * 3).sum().backward()

    birth = only(births(tmp_path, code, INFINITY, last_total))
    assert name(birth) == "aten::div"
    steps = [each.place.step for each in birth.path]
    assert steps == sorted(steps)


def test_on_the_node_level_the_node_is_told(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.arange(6.0).reshape(2, 3).requires_grad_()
        (LogFunction.apply(x) + 1).sum()

    birth = only(births(tmp_path, code, level="nodes"))
    assert (name(birth), birth.kind) == ("LogFunction", "made")
    assert birth.sources[0].spots is None


@pytest.mark.parametrize("budget", [0, 1 << 20], ids=["statistics", "preview"])
def test_of_statistics_alone_no_element_is_told(tmp_path: Path, budget: int) -> None:
    def code() -> None:
        x = torch.arange(6.0).reshape(2, 3).requires_grad_()
        (LogFunction.apply(x) + 1).sum()

    def before_the_sum(index: Index) -> tuple[Place, Item]:
        return Place(step=2), index.trace.steps[1].outputs[0]  # type: ignore[union-attr]

    birth = only(
        births(tmp_path, code, where=before_the_sum, whole_elements=0, budget_bytes=budget)
    )
    assert birth.first.spot is None
    assert name(birth) == "aten::log"


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

    birth = only(births(tmp_path, code))
    assert name(birth) == "aten::log_"


def test_each_step_of_a_way_is_later_than_the_one_before(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([[1.5, 2.0], [3.0, 4.0]], requires_grad=True)
        LogFunction.apply(x * 1).sum().backward()

    birth = only(births(tmp_path, code, INFINITY, last_total))
    steps = [each.place.step for each in birth.path]
    assert steps == sorted(steps)
    assert steps[-1] > steps[0]
    assert name(birth) == "aten::div"


def _program(seed: int) -> tuple[list[tuple[str, int, int]], int]:
    """A random program on 3 by 3 matrices: ops with the positions of what they take."""
    random = np.random.default_rng(seed)
    ops = [("x", 0, 0)]
    for _ in range(12):
        known = len(ops)
        op = str(random.choice(["add", "mul", "mm", "t", "sum", "log", "neg"]))
        ops.append((op, int(random.integers(known)), int(random.integers(known))))
    return ops, len(ops) - 1


def _run(ops: list[tuple[str, int, int]], x: Any, library: Any) -> list[Any]:
    values: list[Any] = [x]
    for op, one, other in ops[1:]:
        a, b = values[one], values[other]
        match op:
            case "add":
                made = a + b
            case "mul":
                made = a * b
            case "mm":
                made = a @ b
            case "t":
                made = a.T
            case "sum":
                made = a.sum(1)[:, None] * b
            case "log":
                made = library.log(a + 0.5)
            case _:
                made = -a
        values.append(made)
    return values


@pytest.mark.parametrize("seed", range(25))
def test_generated_runs_against_what_went_into_what(tmp_path: Path, seed: int) -> None:
    ops, last = _program(seed)
    x = np.random.default_rng(seed).normal(size=(3, 3))

    class Generated(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return _run(ops, x, torch)[last].clone()

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad

    with np.errstate(all="ignore"):
        values = _run(ops, x, np)
    takes = [
        (one, other) if op in ("add", "mul", "mm", "sum") else (one,) for op, one, other in ops
    ]
    needed = {last}
    for at in range(last, 0, -1):
        needed |= set(takes[at]) if at in needed else set()
    born = [
        at
        for at in sorted(needed)
        if at
        and np.isnan(values[at]).any()
        and not any(np.isnan(values[each]).any() for each in takes[at])
    ]
    found, _ = births(tmp_path, lambda: Generated.apply(torch.from_numpy(x).requires_grad_()), NAN)
    assert bool(found) == bool(np.isnan(values[last]).any())
    if found:
        kinds = {"log": "aten::log", "mm": "aten::mm", "mul": "aten::mul", "add": "aten::add"}
        assert name(found[0]) == kinds[ops[born[0]][0]]


def test_through_numpy_the_way_is_only_likely(tmp_path: Path) -> None:
    class ByNumpy(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return torch.from_numpy(x.detach().numpy() * 2.0)

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad * 2

    def code() -> None:
        x = torch.tensor([1.0, -1.0], requires_grad=True)
        ByNumpy.apply(torch.log(x)) * 3

    birth = only(births(tmp_path, code))
    assert name(birth) == "aten::log"
    assert not birth.path[0].sure
    assert birth.path[-1].sure


def test_numpys_own_nan_is_told_by_its_line(tmp_path: Path) -> None:
    class ByNumpy(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            array = x.detach().numpy()
            with np.errstate(invalid="ignore"):
                result = np.log(array)
            return torch.as_tensor(result)

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad

    def code() -> None:
        ByNumpy.apply(torch.tensor([1.0, -1.0], requires_grad=True)) * 2

    found, index = births(tmp_path, code, level="lines")
    (birth,) = found
    first = ByNumpy.forward.__code__.co_firstlineno
    assert headline(index, Tracer(index), birth) == (
        f"NaN first comes up in ByNumpy.forward, line {first + 4}: result[1] is NaN. No op was seen"
        " to make it, as happens with NumPy."
    )
    assert all(each.sure for each in birth.path)


def test_a_function_within_another(tmp_path: Path) -> None:
    class Outer(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            with torch.enable_grad():
                inner = LogFunction.apply(x * 1)
            return inner.detach() * 3

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad

    def code() -> None:
        x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        Outer.apply(x) + 1

    for level in ("ops", "lines"):
        folder = tmp_path / level
        folder.mkdir()
        birth = only(births(folder, code, level=level))
        assert (name(birth), birth.kind) == ("aten::log", "made")


def test_lines_are_told_where_they_were_recorded(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.arange(6.0).reshape(2, 3).requires_grad_()
        LogFunction.apply(x)

    found, index = births(tmp_path, code, level="lines")
    tracer = Tracer(index)
    first = LogFunction.forward.__code__.co_firstlineno
    # The decorator counts as the first line.
    assert f"LogFunction.forward, line {first + 4}, aten::log: " in headline(
        index, tracer, found[0]
    )


def test_a_whole_model(tmp_path: Path) -> None:
    def code() -> None:
        torch.manual_seed(0)
        model = torch.nn.Sequential(
            torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.LayerNorm(4), torch.nn.Linear(4, 2)
        )
        x = torch.ones(2, 3)
        x[1, 2] = torch.nan
        torch.nn.functional.cross_entropy(model(x), torch.tensor([0, 1])).backward()

    found, _ = births(tmp_path, code, where=last_total)
    assert found
    assert found[0].kind == "given"
    assert found[0].first.spot == (1, 2)
