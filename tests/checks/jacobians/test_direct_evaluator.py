"""The direct evaluator gives the general one's bits, and declines where it cannot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function, graph
from torch.autograd.function import BackwardCFunction, once_differentiable

from gradviz.checks.jacobians import evaluator
from gradviz.checks.jacobians.evaluator import (
    DirectCtx,
    UnsupportedFunctionError,
    direct_forward,
)
from gradviz.checks.stages import sequence
from gradviz.gallery.scenes.functional_linear import FunctionalLinear
from gradviz.gallery.scenes.linear_split import LinearFunction
from gradviz.model.jacobian_report import JacobianReport
from tests.checks import sample_functions
from tests.checks.broken.corpus import made
from tests.checks.sample_functions import (
    Kept,
    assert_equal_to_torch,
    checked,
    codes,
    randn,
    verdict_of_torch,
)

LEAST = evaluator.LEAST_ELEMENTS


class Calls:
    """How often the general evaluator was used."""

    def __init__(self) -> None:
        self.forward = 0
        self.backward = 0


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[Calls]:
    """Counts applications of the Function and passes of the engine; every size is worth it."""
    counted = Calls()
    run = vars(graph)["_engine_run_backward"]
    apply = vars(Function)["apply"]

    def counting_run(*args: Any, **kwargs: Any) -> Any:
        counted.backward += 1
        return run(*args, **kwargs)

    def counting_apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        counted.forward += 1
        return apply.__get__(None, cls)(*args, **kwargs)

    monkeypatch.setattr(evaluator, "LEAST_ELEMENTS", 8)
    monkeypatch.setattr(graph, "_engine_run_backward", counting_run)
    monkeypatch.setattr(Function, "apply", classmethod(counting_apply))
    # What is tried to find out why asks nothing but the engine, and is not what is counted here.
    monkeypatch.setattr(sequence, "run_diagnosis", lambda case: None)
    yield counted
    monkeypatch.undo()


def agreed(function: Any, arguments: tuple[Any, ...]) -> tuple[JacobianReport, Kept]:
    """A report that agrees with torch; counts of the fixture end before torch is asked."""
    told: list[tuple[int, int]] = []
    report, sink = checked(
        function, arguments, progress=lambda done, total: told.append((done, total))
    )
    assert told[-1][0] == report.evaluations
    assert told[-1][1] == report.evaluations or report.verdict == "error"
    return report, sink


def test_the_engine_is_asked_for_probes_only(calls: Calls) -> None:
    arguments = (randn(5, 4), randn(6, 4), randn(6))
    report, sink = agreed(LinearFunction, arguments)
    # The first run, 3 probes above and below for the two larger inputs, all of bias, 1 undefined
    # gradient with a Function of ours.
    assert calls.forward == 1 + 6 + 6 + 12 + 2
    # 3 probes, one pass from zeros, one undefined.
    assert calls.backward == 3 + 1 + 1
    assert_equal_to_torch(LinearFunction.apply, arguments, report, sink)
    assert report.verdict == "match"


class Once(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        ctx.set_materialize_grads(False)
        ctx.power = 2
        assert ctx.needs_input_grad == (True,)
        return x**ctx.power

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return None if gradients[0] is None else 2 * x * gradients[0]


class ComplexSquare(Function):
    @staticmethod
    def forward(ctx: Any, z: Tensor) -> Tensor:
        ctx.save_for_backward(z)
        return z.real**2 + z.imag**3

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (z,) = ctx.saved_tensors
        return gradients[0] * torch.complex(2 * z.real, 3 * z.imag**2), None, None


class NamedVjp(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def vjp(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * 2


class Boxed(Function):
    """Takes a list of gradients in versions of torch that know the attribute."""

    boxed_grads_call = True

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        received = gradients[0] if hasattr(BackwardCFunction, "apply_boxed") else list(gradients)
        return received.pop() * 2


SHORT: dict[str, tuple[Any, Any]] = {
    "sums like the engine": (FunctionalLinear, lambda: (randn(4, 3), randn(4, 3), randn(4))),
    "an object": (sample_functions.Scale, lambda: (randn(10), 2.0, 2.0)),
    "wrong": (sample_functions.Scale, lambda: (randn(10), 2.0, 3.0)),
    "one of two inputs": (sample_functions.Multiply, lambda: (randn(9).detach(), randn(9), None)),
    "not contiguous": (sample_functions.Multiply, lambda: (randn(4, 3).t(), randn(4, 3), None)),
    "once differentiable": (Once, lambda: (randn(9),)),
    "complex, more Nones": (ComplexSquare, lambda: (randn(9, dtype=torch.complex128),)),
    "float32": (sample_functions.Multiply, lambda: (single(9), single(9), None)),
    "an undefined gradient": (
        made(lambda x, y: x * 2, lambda g, x, y: (g[0] * 2, None)),
        lambda: (randn(9), randn(3)),
    ),
    "vjp": (NamedVjp, lambda: (randn(9),)),
    "boxed gradients": (Boxed, lambda: (randn(9),)),
}


def single(count: int) -> Tensor:
    return torch.linspace(0, 1, count, dtype=torch.float32).requires_grad_()


@pytest.mark.parametrize("name", SHORT)
def test_functions_that_fit_take_the_short_way(name: str, calls: Calls) -> None:
    function, arguments = SHORT[name][0], SHORT[name][1]()
    if name == "not contiguous":
        arguments = (arguments[0].detach().requires_grad_(), arguments[1].detach().t(), None)
    report, sink = agreed(function, arguments)
    assert calls.backward <= 3 + 1 + 1
    assert report.verdict == verdict_of_torch(function.apply, arguments)
    assert_equal_to_torch(function.apply, arguments, report, sink)


class AsksItsName(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * len(ctx.name())

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * len(ctx.name())


class Hides(Function):
    """Catches any exception of the replacement."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        try:
            return x * len(ctx.name())
        except Exception:  # noqa: BLE001
            return x * 0

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * len(ctx.name())


class MarksDirty(Function):
    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x.mul_(2)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.mark_dirty(inputs[0])

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * 2


CASTS = made(lambda x: x / 3, lambda g, x: g[0].float() / 3)
"""Its gradient has another dtype, which the engine casts."""


class Cunning(Function):
    """Computes something else if ctx is not torch's."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * (1 if isinstance(ctx, DirectCtx) else 2)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * 2


class FewerGradients(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * 2


def hooks_by_step() -> Tensor:
    x = randn(9)
    x.register_hook(lambda gradient: gradient * 2)
    return x


def twice() -> tuple[Tensor, Tensor, None]:
    x = randn(9)
    return x, x, None


# What goes the long way: forward, backward, or both.
LONG: dict[str, tuple[Any, Any, str]] = {
    "asks ctx for more": (AsksItsName, lambda: (randn(9),), "forward"),
    "hides that it asks": (Hides, lambda: (randn(9),), "forward"),
    "computes something else": (Cunning, lambda: (randn(9),), "forward"),
    "hook on the input": (
        sample_functions.Multiply,
        lambda: (hooks_by_step(), randn(9), None),
        "backward",
    ),
    "an input given twice": (sample_functions.Multiply, twice, "backward"),
    "an input with a history": (
        sample_functions.Multiply,
        lambda: (randn(9) * 1, randn(9), None),
        "backward",
    ),
    "two outputs": (sample_functions.SinAndCube, lambda: (randn(9),), "backward"),
    "cast by the engine": (CASTS, lambda: (randn(9),), "backward"),
    "too few gradients": (FewerGradients, lambda: (randn(9), randn(9)), ""),
    "a gradient for an object": (
        made(lambda x, factor: x * factor, lambda g, x: (g[0], g[0])),
        lambda: (randn(9), 1.0),
        "",
    ),
    "refused by the engine": (sample_functions.WrongShape, lambda: (randn(9),), ""),
    "raises": (sample_functions.Raises, lambda: (randn(9), "backward"), ""),
    "noise": (sample_functions.Noisy, lambda: (randn(9),), "backward"),
}


@pytest.mark.parametrize("name", LONG)
def test_functions_that_do_not_fit_go_the_long_way(name: str, calls: Calls) -> None:
    function, make, long_way = LONG[name]
    arguments = make()
    report, sink = agreed(function, arguments)
    gone = {"forward": calls.forward >= 18, "backward": calls.backward >= 18}
    assert [way for way, long in gone.items() if long] == ([long_way] if long_way else [])
    assert report.verdict == verdict_of_torch(function.apply, arguments)
    if report.blocks and name != "noise":
        assert_equal_to_torch(function.apply, arguments, report, sink)
    if report.verdict == "error":
        assert codes(report)[0] == "raised"


def test_a_sparse_gradient_goes_the_long_way(calls: Calls) -> None:
    report, sink = agreed(made(lambda x: x * 2, lambda g, x: (2 * g[0]).to_sparse()), (randn(9),))
    assert calls.backward >= 18
    (block,) = report.blocks
    assert torch.equal(sink.tensor(block.analytical), 2 * torch.eye(9, dtype=torch.float64))


def test_small_functions_are_not_worth_it(calls: Calls) -> None:
    agreed(sample_functions.Multiply, (randn(7), randn(7), None))
    assert calls.backward >= 14


def test_a_callable_around_a_function_goes_the_long_way(calls: Calls) -> None:
    agreed(lambda x: sample_functions.Scale.apply(x, 2.0, 2.0), (randn(10),))
    assert calls.backward >= 20


def test_a_function_that_changes_its_input_does_not_fit() -> None:
    run = direct_forward(MarksDirty, (randn(2).detach(),))
    with pytest.raises(UnsupportedFunctionError):
        run()


@pytest.mark.parametrize("name", ["saved_tensors", "next_functions", "anything"])
def test_a_stand_in_refuses_questions(name: str) -> None:
    with pytest.raises(UnsupportedFunctionError):
        getattr(DirectCtx((True,)), name)


def test_a_replacement_evaluator_uses_the_given_values() -> None:
    ctx = DirectCtx((True, False))
    ctx.save_for_backward(randn(2), None)
    ctx.mark_non_differentiable(randn(2))
    ctx.set_materialize_grads(False)
    ctx.constant = 3  # type: ignore[attr-defined]
    assert (ctx.constant, ctx.needs_input_grad) == (3, (True, False))


@pytest.mark.parametrize(("size", "expected"), [(64, {1, 2}), (40_000, {2})])
def test_small_tensors_are_computed_with_one_thread(size: int, expected: set[int]) -> None:
    seen: set[int] = set()
    weight = torch.ones(size, dtype=torch.float64)

    class Threads(Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor, weight: Tensor) -> Tensor:
            seen.add(torch.get_num_threads())
            ctx.save_for_backward(weight)
            return x * weight[:LEAST]

        @staticmethod
        def backward(ctx: Any, *gradients: Tensor) -> Any:
            seen.add(torch.get_num_threads())
            return gradients[0] * ctx.saved_tensors[0][:LEAST], None

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        report, _ = checked(Threads, (randn(LEAST), weight))
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    assert report.verdict == "match"
    # The engine's probes run with all threads, as gradcheck does.
    assert seen == expected
