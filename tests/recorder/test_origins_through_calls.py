"""Origins through generated programs, NumPy, nested Functions and a whole model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.autograd import Function

from gradviz.analysis.provenance.origin_tracer import OriginTracer
from gradviz.text.provenance import origin_sentence
from tests.recorder.origin_queries import NAN, LogFunction, last_total, name, only, value_origins
from tests.sweeps import thinned


def _program(seed: int) -> tuple[list[tuple[str, int, int]], int]:
    """A random program on 3x3 matrices: ops with the positions of their inputs."""
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


@pytest.mark.parametrize("seed", thinned(range(25), 5))
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
    found, _ = value_origins(
        tmp_path, lambda: Generated.apply(torch.from_numpy(x).requires_grad_()), NAN
    )
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

    value_origin = only(value_origins(tmp_path, code))
    assert name(value_origin) == "aten::log"
    assert not value_origin.path[0].sure
    assert value_origin.path[-1].sure


def test_numpys_own_nan_is_reported_by_its_line(tmp_path: Path) -> None:
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

    found, index = value_origins(tmp_path, code, level="all")
    (value_origin,) = found
    first = ByNumpy.forward.__code__.co_firstlineno
    assert origin_sentence(index, OriginTracer(index), value_origin) == (
        f"NaN first appears in ByNumpy.forward, line {first + 4}: result[1] is nan. No recorded op"
        " computed it, as happens with NumPy."
    )
    assert all(each.sure for each in value_origin.path)


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

    for level in ("ops", "all"):
        folder = tmp_path / level
        folder.mkdir()
        value_origin = only(value_origins(folder, code, level=level))
        assert (name(value_origin), value_origin.kind) == ("aten::log", "made")


def test_lines_are_reported_where_they_were_recorded(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.arange(6.0).reshape(2, 3).requires_grad_()
        LogFunction.apply(x)

    found, index = value_origins(tmp_path, code, level="all")
    tracer = OriginTracer(index)
    first = LogFunction.forward.__code__.co_firstlineno
    # The decorator counts as the first line.
    assert f"LogFunction.forward, line {first + 4}, aten::log: " in origin_sentence(
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

    found, _ = value_origins(tmp_path, code, where=last_total)
    assert found
    assert found[0].kind == "given"
    assert found[0].first.element == (1, 2)
