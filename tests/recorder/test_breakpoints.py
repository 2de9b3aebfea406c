"""Breakpoints in real recordings are hit where the executed code says they must be."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from torch.autograd import Function

from gradviz.analysis.breakpoints.breakpoint import (
    AtFunction,
    AtLine,
    AtNode,
    BreakpointTarget,
    WhenDtype,
    WhenNorm,
    WhenNotFinite,
    WhenRaised,
    WhenShape,
    WhenSign,
)
from gradviz.analysis.breakpoints.finder import BreakpointFinder
from gradviz.analysis.breakpoints.hits import BreakpointHits
from gradviz.analysis.index.trace_index import index_reader
from gradviz.analysis.position.trace_position import TracePosition, line_at, op_at
from gradviz.model.step import AccumulateStep
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.recording import Recording
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN


class Root(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        shifted = x - 2.0
        doubled = shifted * 2.0
        result = doubled.sqrt()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (result,) = ctx.saved_tensors
        half = grad / result
        return half


class Changing(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        y = x
        y = y.reshape(-1)
        y = y.float()
        y = -y
        return y

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad.reshape(2, 2).double()


class InPlace(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        y = x.clone()
        y.sub_(5.0)
        y.sqrt_()
        return y

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad


class WithNumpy(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        array = x.numpy()
        with np.errstate(all="ignore"):
            logarithm = np.log(array - 5.0)
        return torch.from_numpy(logarithm)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad


class Summed(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return x + b

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        # The engine sums the second one over the rows, and makes it float32.
        return grad, grad


class Raising(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        wrong = grad.reshape(7, 7)
        return wrong


class Recorded:
    """A trace on disk, open during the test."""

    def __init__(self, path: Path, code: Any, level: str = "all", **options: Any) -> None:
        origin = replace(ORIGIN, level=level)  # type: ignore[arg-type]
        writer = TraceWriter(path / "run.gradviz", origin)
        try:
            with Recording(writer, RecordingOptions(level=level, strict=True, **options)):  # type: ignore[arg-type]
                code()
        except RuntimeError:
            pass
        finally:
            writer.close()
        self.reader = open_trace(path / "run.gradviz")
        self.index = index_reader(self.reader)
        self.look = BreakpointFinder(self.index)

    def found(self, target: BreakpointTarget) -> BreakpointHits:
        return self.look.positions_of(target)

    def lines(self, target: BreakpointTarget) -> list[tuple[int, str, int]]:
        """Step, stage and line of each position, counted from the method's ``def``."""
        return [
            (place.step, place.stage or "", self._line(place))
            for place in self.found(target).places
        ]

    def _line(self, place: TracePosition) -> int:
        line = line_at(self.index, place)
        return 0 if line is None else line.location.line


def first_line(method: Any) -> int:
    """The line of the ``def``, after the decorator."""
    return inspect.getsourcelines(method)[1] + 1


def negative() -> None:
    x = torch.tensor([1.0, 6.0], dtype=torch.float64, requires_grad=True)
    Root.apply(x).sum().backward()


@pytest.fixture
def root(tmp_path: Path) -> Any:
    recorded = Recorded(tmp_path, negative)
    yield recorded
    recorded.reader.close()


def test_a_nan_appears_in_the_third_line_of_forward(root: Recorded) -> None:
    found = root.found(WhenNotFinite(kind="nan"))
    line = first_line(Root.forward) + 3
    assert root.lines(WhenNotFinite(kind="nan"))[0] == (1, "forward", line)
    op = op_at(root.index, found.places[0])
    assert op is not None
    assert op.name == "aten::sqrt"
    # The loss and the gradient are made from it: there it does not appear, it is there.
    assert len(found.places) == 1
    everywhere = root.found(WhenNotFinite(kind="nan", appears=False)).places
    assert everywhere[0] == found.places[0]
    assert {place.step for place in everywhere} > {1}


def test_without_ops_and_lines_it_appears_in_the_step(tmp_path: Path) -> None:
    recorded = Recorded(tmp_path, negative, "nodes")
    assert recorded.found(WhenNotFinite(kind="nan")).places == (TracePosition(step=1),)
    line = first_line(Root.forward) + 3
    assert recorded.found(AtLine(path=__file__, line=line)).why == "no lines"
    recorded.reader.close()


def test_lines_are_met_where_they_ran(root: Recorded) -> None:
    begin = first_line(Root.forward)
    for number in range(1, 6):
        target = AtLine(path=__file__, line=begin + number)
        assert root.lines(target) == [(1, "forward", begin + number)]
    # Where a method is defined, its stage is met.
    for number in (begin - 1, begin):
        found = root.found(AtLine(path=__file__, line=number)).places
        assert found == (TracePosition(step=1, stage="forward"),)
    half = first_line(Root.backward) + 2
    node = next(node.id for node in root.index.trace.nodes if node.kind == "custom")
    assert root.lines(AtLine(path=__file__, line=half)) == [
        (root.index.visits[node][0], "backward", half)
    ]
    calling = inspect.getsourcelines(negative)[1] + 2
    assert 1 in [place.step for place in root.found(AtLine(path=__file__, line=calling)).places]


def test_nodes_and_functions(root: Recorded) -> None:
    index = root.index
    for node in index.trace.nodes:
        steps = [place.step for place in root.found(AtNode(node=node.id, name=node.name)).places]
        made = [index.made_at[node.id]] if node.id in index.made_at else []
        assert steps == [*made, *index.visits[node.id]]
    assert len(root.found(AtFunction(name="Root")).places) == 2
    assert len(root.found(AtFunction(name="aten::sqrt")).places) == 1
    assert len(root.found(AtFunction(name="AccumulateGrad")).places) == 1


@pytest.mark.parametrize(("function", "line"), [(InPlace, 3), (WithNumpy, 3)])
def test_a_nan_that_is_made_in_place_or_by_numpy(tmp_path: Path, function: Any, line: int) -> None:
    recorded = Recorded(
        tmp_path, lambda: function.apply(torch.ones(2, requires_grad=True)).sum().backward()
    )
    expected = [(1, "forward", first_line(function.forward) + line)]
    assert recorded.lines(WhenNotFinite(kind="nan")) == expected
    recorded.reader.close()


def test_variables_that_change(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
        Changing.apply(x).sum().backward()

    recorded = Recorded(tmp_path, code)
    begin = first_line(Changing.forward)
    assert recorded.lines(WhenShape()) == [(1, "forward", begin + 2)]
    assert recorded.lines(WhenDtype()) == [(1, "forward", begin + 3)]
    sign = WhenSign(name="y", element=(3,), gradient=False)
    assert recorded.lines(sign) == [(1, "forward", begin + 4)]
    assert not recorded.found(WhenShape()).unexamined.lines
    recorded.reader.close()


def test_what_the_engine_sums_and_casts(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.ones(3, 2, dtype=torch.float64, requires_grad=True)
        b = torch.ones(2, dtype=torch.float32, requires_grad=True)
        Summed.apply(x, b).sum().backward()

    recorded = Recorded(tmp_path, code)
    shapes = recorded.found(WhenShape()).places
    dtypes = recorded.found(WhenDtype()).places
    assert [place.stage for place in shapes] == ["engine"]
    assert dtypes == shapes
    recorded.reader.close()


def test_where_it_raised(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.ones(3, requires_grad=True)
        Raising.apply(x).sum().backward()

    recorded = Recorded(tmp_path, code)
    ((_, stage, line),) = recorded.lines(WhenRaised())
    assert (stage, line) == ("backward", first_line(Raising.backward) + 1)
    recorded.reader.close()


def test_signs_and_norms_of_a_leaf_over_passes(tmp_path: Path) -> None:
    factors = (1.0, -3.0, 5.0, 0.0, -20.0)
    totals: list[torch.Tensor] = []

    def code() -> None:
        w = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
        for factor in factors:
            (w * torch.tensor([factor, 1.0], dtype=torch.float64)).sum().backward()
            assert w.grad is not None
            totals.append(w.grad.clone())

    recorded = Recorded(tmp_path, code)
    index = recorded.index
    steps = [step for step in index.trace.steps if isinstance(step, AccumulateStep)]
    name = index.node[steps[0].node].variable_name
    known = [float(total[0]) for total in totals]
    turns = [
        step.number
        for step, before, after in zip(steps[1:], known, known[1:], strict=False)
        if before * after < 0
    ]
    assert len(turns) == 3
    assert [
        place.step for place in recorded.found(WhenSign(name=name, element=(0,))).places
    ] == turns
    assert recorded.found(WhenSign(name=name, element=(1,))).why == "never"
    large = recorded.found(WhenNorm(above=15.0, appears=False)).places
    numbers = {step.number for step in steps}
    over = [step.number for step, total in zip(steps, totals, strict=True) if total.norm() > 15.0]
    assert [place.step for place in large if place.step in numbers] == over
    recorded.reader.close()


def test_an_optimizer_turns_the_sign_of_a_leaf(tmp_path: Path) -> None:
    def code() -> None:
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        for _ in range(3):
            (w * w).sum().backward()
            with torch.no_grad():
                w -= torch.tensor([1.5, 0.0])

    recorded = Recorded(tmp_path, code)
    leaf = next(node for node in recorded.index.trace.nodes if node.variable is not None)
    found = recorded.found(WhenSign(name=leaf.variable_name, element=(0,), gradient=False))
    assert len(found.places) == 1
    assert found.places[0].step > recorded.index.passes[0].last
    recorded.reader.close()
