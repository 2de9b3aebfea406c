"""Ops of libraries, which may call custom Functions while they run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.step import ForwardStep
from gradviz.recorder.torch_functions import torch_function
from gradviz.text.narration import describe_position
from tests.recorder.programs import Scale
from tests.recorder.recorded_run import RecordedRun, record_run

NAME = "gradviz_test_ops"


def _plain(x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    return (x * scale - 1).exp().sqrt()


def _nested(x: torch.Tensor, scale: torch.Tensor) -> Any:
    later = scale.exp()
    return Scale.apply(x * scale - 1).add(1).mul(later)


def _last(x: torch.Tensor, scale: torch.Tensor) -> Any:
    return Scale.apply(x * scale - 1)


def _twice(x: torch.Tensor, scale: torch.Tensor) -> Any:
    return Scale.apply(Scale.apply(x * scale - 1) + 1).sqrt()


def _many(x: torch.Tensor, scale: torch.Tensor) -> Any:
    return Scale.apply((x * scale - 1).exp().sqrt() / 2).neg().sin()


OPS = {"plain": _plain, "nested": _nested, "last": _last, "twice": _twice, "many": _many}


@pytest.fixture(scope="module", autouse=True)
def _library() -> Iterator[None]:
    with torch.library._scoped_library(NAME, "DEF") as library:  # noqa: SLF001 - ends it
        for name, kernel in OPS.items():
            library.define(f"{name}(Tensor x, Tensor scale) -> Tensor")
            library.impl(name, kernel, "CompositeImplicitAutograd")
        yield


def test_what_is_known_of_an_op_with_objects_of_a_library_is_found_out_once() -> None:
    # Optimizers of torch call it at each step.
    op = torch.ops.profiler._record_function_exit._RecordFunction  # noqa: SLF001 - as torch does
    assert torch_function(op) is torch_function(op)
    assert torch_function(op).name == "profiler._record_function_exit._RecordFunction"


class Cell(nn.Module):
    def __init__(self, name: str, kind: str) -> None:
        super().__init__()
        packet = getattr(getattr(torch.ops, NAME), name)
        self.op = packet if kind == "packet" else packet.default
        self.scale = nn.Parameter(torch.full((3,), 2.0))

    def forward(self, x: torch.Tensor) -> Any:
        return self.op(x, self.scale)


def _recorded(name: str, kind: str, tmp_path: Path, level: Any) -> RecordedRun:
    network = nn.Sequential(nn.Linear(3, 3), Cell(name, kind))

    def run() -> list[torch.Tensor]:
        # What precedes the op belongs to other steps.
        network(torch.ones(2, 3).requires_grad_()).sum().backward()
        return [each.grad for each in network.parameters() if each.grad is not None]

    return record_run(tmp_path, run, level=level)


@pytest.mark.parametrize("level", ["nodes", "ops"])
@pytest.mark.parametrize("kind", ["packet", "overload"])
@pytest.mark.parametrize("name", OPS)
def test_each_node_belongs_to_the_module_and_the_step_that_made_it(
    name: str, kind: str, level: str, tmp_path: Path
) -> None:
    recording = _recorded(name, kind, tmp_path, level)
    index, trace = recording.index, recording.trace
    makers = {
        node: step for step in recording.steps(ForwardStep) for node in step.nodes or (step.node,)
    }
    assert sum(len(step.nodes or (step.node,)) for step in recording.steps(ForwardStep)) == len(
        makers
    ), "a node belongs to two steps"
    paths = {each.id: each.path for each in trace.modules}
    for node in trace.nodes:
        if node.kind == "accumulate":
            continue
        step = makers[node.id]
        expected = {"linear": "0", "sum": None}.get(step.op, "1")
        assert (node.module_call and paths[node.module_call]) == expected, node.name
        assert step.op in ("linear", "sum", "Scale", f"{NAME}.{name}")
    op = recording.named(ForwardStep, f"{NAME}.{name}")
    made = [index.node[node].sequence_nr for node in op.nodes]
    assert made == sorted(each for each in made if each is not None)
    text = describe_position(index, TracePosition(step=op.number), "node")
    names = [index.node[node].name for node in op.nodes]
    assert f"{NAME}.{name} takes x 2×3 and network.1.scale [3]" in text
    assert all(each in text for each in names[-3:])
    assert ("autograd adds 7 nodes (" in text) == (name == "many")


def test_a_custom_op_is_one_step_with_its_name_and_arguments(tmp_path: Path) -> None:
    name = f"{NAME}::scaled"

    @torch.library.custom_op(name, mutates_args=())
    def scaled(x: torch.Tensor, k: float) -> torch.Tensor:
        return x * k

    scaled.register_autograd(lambda ctx, grad: (grad * 2, None))

    def run() -> None:
        a, factor = torch.ones(2, requires_grad=True), 2.0
        scaled(a, factor).sum().backward()

    recording = record_run(tmp_path, run)
    first = recording.steps(ForwardStep)[0]
    assert (first.op, [each.name for each in first.inputs]) == (
        name.replace("::", "."),
        ["a", "factor"],
    )
    leaves = [each.variable_name for each in recording.trace.nodes if each.kind == "accumulate"]
    assert leaves == ["a"]
