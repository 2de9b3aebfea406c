from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
import torch
from msgspec.structs import replace
from torch import Tensor
from torch.autograd.function import FunctionCtx

from gradviz.checks.run.jacobian_check import check
from gradviz.model.check_settings import CheckSettings
from gradviz.model.jacobian_report import JacobianReport
from gradviz.model.tensor import TensorValue

Array = npt.NDArray[np.float64]
SETTINGS = CheckSettings(battery=False)


class Watched:
    """A sink in memory that is always due."""

    def __init__(self, due: bool = True) -> None:
        self.due = due
        self.values: dict[int, TensorValue] = {}
        self.free: list[int] = []
        self.seen: list[JacobianReport] = []
        self.shown: list[dict[int, Array]] = []

    def store(self, value: TensorValue) -> int:
        number = self.free.pop(0) if self.free else len(self.values) + 1
        self.values[number] = value
        return number

    def is_due(self) -> bool:
        return self.due

    def keep(self, value: TensorValue, number: int | None) -> int:
        number = self.store(value) if number is None else number
        self.values[number] = value
        return number

    def release(self, number: int) -> None:
        self.free.append(number)

    def look(self, report: JacobianReport) -> None:
        if report.unfinished:
            self.seen.append(report)
            self.shown.append({number: value.array() for number, value in self.values.items()})


class Product(torch.autograd.Function):
    """A custom Function that the direct evaluator checks."""

    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x @ w.t()

    @staticmethod
    def backward(ctx: FunctionCtx, grad: Tensor) -> tuple[Tensor, Tensor]:
        x, w = ctx.saved_tensors  # type: ignore[attr-defined]
        return grad @ w, grad.t() @ x


def two_outputs(x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
    return x @ w.t(), (x * 2).sum(dim=0)


def inputs() -> list[Tensor]:
    torch.manual_seed(1)
    return [torch.randn(n, 7, dtype=torch.float64, requires_grad=True) for n in (6, 5)]


@pytest.mark.parametrize("function", [Product.apply, Product, two_outputs])
def test_partial_matrices_are_part_of_the_final_ones(
    function: Callable[..., object],
) -> None:
    sink = Watched()
    report = check(function, inputs(), sink=sink, partial=sink.look, settings=SETTINGS)
    assert report.verdict == "match"
    assert report.unfinished == ()
    whole = {(block.output, block.input): block for block in report.blocks}
    grown = set()
    for seen, shown in zip(sink.seen, sink.shown, strict=True):
        assert seen.verdict == "incomplete"
        for block in seen.unfinished:
            last = whole[block.output, block.input]
            rows, columns = shown[block.numerical], shown[block.analytical]
            numerical = sink.values[last.numerical].array()
            analytical = sink.values[last.analytical].array()
            assert rows.tobytes() == numerical[: len(rows)].tobytes()
            assert columns.tobytes() == analytical[:, : columns.shape[1]].tobytes()
            grown.add((block.output, block.input, len(rows), columns.shape[1]))
    assert len(grown) > 40


class Scale(torch.autograd.Function):
    """Multiplies by a tensor without dimensions, whose gradient is a sum."""

    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, factor: Tensor) -> Tensor:
        ctx.save_for_backward(x, factor)
        return x * factor

    @staticmethod
    def backward(ctx: FunctionCtx, grad: Tensor) -> tuple[Tensor, Tensor]:
        x, factor = ctx.saved_tensors  # type: ignore[attr-defined]
        return grad * factor.conj(), (grad * x.conj()).sum()


def loss(x: Tensor) -> Tensor:
    return (x * x).sum()


def leaf(*shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
    count = torch.Size(shape).numel()
    return torch.arange(1, 1 + count).to(dtype).view(shape).requires_grad_()


FUNCTIONS: dict[str, tuple[Callable[..., object], Callable[[], list[Tensor]]]] = {
    "custom": (Product, inputs),
    "two outputs": (two_outputs, inputs),
    "no dimensions": (Scale, lambda: [leaf(3), leaf()]),
    "one element": (Scale, lambda: [leaf(1), leaf(1)]),
    "complex": (Scale, lambda: [leaf(2, dtype=torch.complex128), leaf(dtype=torch.complex128)]),
    "float32": (Scale, lambda: [leaf(3, dtype=torch.float32), leaf(dtype=torch.float32)]),
    "scalar loss": (loss, lambda: [leaf(3)]),
    "scalar loss of one element": (loss, lambda: [leaf(1)]),
    "no elements": (loss, lambda: [leaf(0)]),
}
OTHER_SETTINGS = [
    SETTINGS,
    replace(SETTINGS, forward_mode="on"),
    replace(SETTINGS, batched=True),
    replace(SETTINGS, fast=True),
    replace(SETTINGS, cast=True),
]


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("settings", OTHER_SETTINGS, ids=["full", "jvp", "vmap", "fast", "cast"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_partial_matrices_do_not_change_the_result(
    name: str, settings: CheckSettings, order: int
) -> None:
    function, arguments = FUNCTIONS[name]
    reports, kept = [], []
    for due in (True, False):
        sink = Watched(due)
        torch.manual_seed(2)  # For the gradients of order 2 and the vectors of the fast mode.
        report = check(
            function,
            arguments(),
            sink=sink,
            partial=sink.look,
            settings=settings,
            order=order,
        )
        blocks = tuple(
            replace(each, numerical=0, analytical=0, forward=None) for each in report.blocks
        )
        reports.append(replace(report, duration_ns=0, blocks=blocks))
        kept.append([sink.values[n].data for each in report.blocks for n in each.matrices])
    assert reports[0] == reports[1]
    assert kept[0] == kept[1]


def test_nothing_is_left_behind() -> None:
    sink = Watched()
    report = check(two_outputs, inputs(), sink=sink, settings=SETTINGS)
    used = {number for block in report.blocks for number in block.matrices}
    assert set(sink.values) == used


def test_a_cancelled_check_keeps_what_there_was() -> None:
    sink, asked = Watched(), iter(range(1000))
    report = check(
        two_outputs,
        inputs(),
        sink=sink,
        partial=sink.look,
        cancelled=lambda: next(asked) > 100,
        settings=SETTINGS,
    )
    assert report.verdict == "incomplete"
    assert report.unfinished
    rows = [len(sink.values[block.numerical].array()) for block in report.unfinished]
    assert max(rows) > 0
    assert report.unfinished == sink.seen[-1].unfinished


def test_a_part_that_raises_does_not_lend_its_numbers_to_the_next() -> None:
    def forward(x: Tensor) -> tuple[Tensor, Tensor]:
        return Raises.apply(x), x * 3  # type: ignore[no-untyped-call]

    sink = Watched()
    check(forward, inputs()[:1], sink=sink, partial=sink.look, settings=SETTINGS)
    for seen, shown in zip(sink.seen, sink.shown, strict=True):
        for block in seen.unfinished:
            columns = shown[block.analytical]
            expected = np.eye(42)[:, : columns.shape[1]] * (2 if block.output == 0 else 3)
            assert (columns == expected).all()


class Raises(torch.autograd.Function):
    """Its backward works a few times."""

    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor) -> Tensor:
        ctx.left = 5  # type: ignore[attr-defined]
        return x * 2

    @staticmethod
    def backward(ctx: FunctionCtx, grad: Tensor) -> Tensor:
        ctx.left -= 1  # type: ignore[attr-defined]
        if ctx.left < 0:  # type: ignore[attr-defined]
            raise RuntimeError("no more")
        return grad * 2
