"""Which module call created a node, compared with independent module hooks."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.modules import module as torch_module
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from torch.utils.checkpoint import checkpoint

from gradviz.analysis.index.step_queries import module_path
from gradviz.model.graph import ModuleCall, Node
from tests.recorder.programs import Scale
from tests.recorder.recorded_run import RecordedRun, record_run

Place = tuple[str, ...]
"""Class names of the modules that run, outermost first."""


@contextmanager
def counted() -> Iterator[Counter[Place]]:
    """Counts module calls by their enclosing modules."""
    calls: Counter[Place] = Counter()
    running: list[str] = []

    def before(module: nn.Module, _args: Any) -> None:
        running.append(type(module).__name__)
        calls[tuple(running)] += 1

    def after(_module: nn.Module, _args: Any, _output: Any) -> None:
        running.pop()

    handles = [
        register_module_forward_pre_hook(before),
        register_module_forward_hook(after, always_call=True),
    ]
    try:
        yield calls
    finally:
        for handle in handles:
            handle.remove()


def place_of(recording: RecordedRun, call: ModuleCall) -> Place:
    outer = () if call.parent is None else place_of(recording, recording.index.module[call.parent])
    return (*outer, call.class_name)


def places_of(recording: RecordedRun) -> Counter[Place]:
    return Counter(place_of(recording, call) for call in recording.trace.modules)


def nodes_in(recording: RecordedRun, call: ModuleCall) -> list[Node]:
    return [node for node in recording.trace.nodes if node.module_call == call.id]


def nodes_named(recording: RecordedRun, name: str) -> list[Node]:
    return [node for node in recording.trace.nodes if node.name == name]


class Cell(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mix = nn.Linear(3, 3)

    def forward(self, state: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.mix(state))


class Recurrent(nn.Module):
    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count
        self.cell = Cell()

    def forward(self, state: torch.Tensor) -> torch.Tensor:
        for _ in range(self.count):
            state = self.cell(state)
        return state


def encoder() -> nn.Module:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    return nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)


def step_of(model: nn.Module, *shape: int) -> Callable[[], None]:
    x = torch.randn(*shape)
    return lambda: model(x).sum().backward()


@pytest.mark.parametrize(
    ("model", "shape"),
    [
        (Recurrent(5), (2, 3)),
        (encoder(), (2, 4, 8)),
        (nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.Linear(3, 2), nn.ReLU())), (4, 3)),
    ],
    ids=["recurrent", "encoder", "nested"],
)
def test_calls_are_those_that_hooks_see(
    model: nn.Module, shape: tuple[int, ...], tmp_path: Path
) -> None:
    step = step_of(model, *shape)
    with counted() as calls:
        step()
    assert places_of(record_run(tmp_path, step)) == calls


def test_each_call_of_a_shared_module_has_its_own_nodes(tmp_path: Path) -> None:
    recording = record_run(tmp_path, step_of(Recurrent(300), 2, 3))
    cells = [call for call in recording.trace.modules if call.path == "cell"]
    mixes = [call for call in recording.trace.modules if call.path == "cell.mix"]
    assert {(call.class_name, call.parent) for call in cells} == {("Cell", 1)}
    assert [call.parent for call in mixes] == [call.id for call in cells]
    assert len(cells) == 300
    for cell, mix in zip(cells, mixes, strict=True):
        assert [node.name for node in nodes_in(recording, cell)] == ["TanhBackward0"]
        assert "AddmmBackward0" in [node.name for node in nodes_in(recording, mix)]


def test_nodes_outside_of_any_module_have_no_call(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 1)))

    def run() -> None:
        model(torch.ones(1, 2)).relu().sum().backward()

    recording = record_run(tmp_path, run)
    paths = {
        module_path(recording.index, node.id) for node in nodes_named(recording, "AddmmBackward0")
    }
    assert paths == {"0", "1.0"}
    outside = [*nodes_named(recording, "ReluBackward0"), *nodes_named(recording, "SumBackward0")]
    leaves = [node for node in recording.trace.nodes if node.kind == "accumulate"]
    assert {node.module_call for node in (*outside, *leaves)} == {None}
    assert {node.variable_name for node in leaves} == {
        "model.0.weight",
        "model.0.bias",
        "model.1.0.weight",
        "model.1.0.bias",
    }


def test_custom_functions_belong_to_the_call_around_them(tmp_path: Path) -> None:
    class Scaled(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return Scale.apply(x)

    model = nn.Sequential(nn.Linear(2, 2), Scaled())
    recording = record_run(tmp_path, step_of(model, 1, 2))
    (node,) = nodes_named(recording, "ScaleBackward")
    assert module_path(recording.index, node.id) == "1"


def test_a_call_that_makes_no_node_leaves_no_record(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Identity())

    def run() -> None:
        with torch.no_grad():
            model(torch.ones(1, 2))
        model(torch.ones(1, 2)).sum().backward()

    recording = record_run(tmp_path, run)
    assert places_of(recording) == {("Sequential",): 1, ("Sequential", "Linear"): 1}


class Fails(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise ValueError(f"no more than {(x * 2).sum()}")


def test_modules_that_raise_are_left(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(2, 2), Fails())

    def run() -> None:
        x = torch.ones(1, 2)
        for _ in range(2):
            with pytest.raises(ValueError, match="no more"):
                model(x)
        (x.requires_grad_() + 1).sum().backward()

    recording = record_run(tmp_path, run)
    assert [call.path for call in recording.trace.modules] == ["model", "0", "1"] * 2
    (outside,) = nodes_named(recording, "AddBackward0")
    assert outside.module_call is None


def test_a_second_order_node_belongs_to_no_call(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Tanh())

    def run() -> None:
        x = torch.ones(1, 2, requires_grad=True)
        (slope,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
        slope.square().sum().backward()

    recording = record_run(tmp_path, run)
    second = [node for node in recording.trace.nodes if node.made_by is not None]
    assert second
    assert {node.module_call for node in second} == {None}


def test_a_module_that_differentiates_owns_what_its_backward_makes(tmp_path: Path) -> None:
    class Slope(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.autograd.grad(x.sin().sum(), x, create_graph=True)[0]

    def run() -> None:
        x = torch.ones(2, requires_grad=True)
        Slope()(x).sum().backward()

    recording = record_run(tmp_path, run)
    second = [node for node in recording.trace.nodes if node.made_by is not None]
    assert {module_path(recording.index, node.id) for node in second} == {"Slope"}


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_checkpoint_rerun_keeps_its_module_path(reentrant: bool, tmp_path: Path) -> None:
    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = Cell()

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return checkpoint(self.inner, x, use_reentrant=reentrant)

    def run() -> None:
        Outer()(torch.ones(1, 3, requires_grad=True)).sum().backward()

    recording = record_run(tmp_path, run)
    paths = Counter(call.path for call in recording.trace.modules)
    assert set(paths) == {"Outer", "inner", "inner.mix"}
    assert paths["inner"] == (1 if reentrant else 2)


def test_each_thread_has_its_own_modules(tmp_path: Path) -> None:
    barrier = threading.Barrier(2)

    class Meets(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            barrier.wait(10)
            y = x * 2
            barrier.wait(10)
            return y

    def work(width: int) -> None:
        model = nn.Sequential(nn.Linear(width, width), Meets())
        model(torch.ones(1, width)).sum().backward()

    def run() -> None:
        threads = [threading.Thread(target=work, args=(width,)) for width in (2, 3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    recording = record_run(tmp_path, run)
    assert places_of(recording) == {
        ("Sequential",): 2, ("Sequential", "Linear"): 2, ("Sequential", "Meets"): 2
    }  # fmt: skip
    assert [
        len(nodes_in(recording, call)) for call in recording.trace.modules if call.path == "1"
    ] == [
        1,
        1,
    ]


def test_parts_that_are_no_children_have_their_class_for_a_path(tmp_path: Path) -> None:
    class Hidden(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.parts = [Cell()]

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.parts[0](x)

    recording = record_run(tmp_path, step_of(Hidden(), 1, 3))
    assert [call.path for call in recording.trace.modules] == ["model", "Cell", "Cell.mix"]


def test_a_part_that_is_moved_between_steps_has_its_new_path(tmp_path: Path) -> None:
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)

    class Chosen(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return second(first(x))

    model = Chosen()

    def run() -> None:
        model.parts = nn.ModuleList([first, second])
        model(torch.ones(2)).sum().backward()
        model.parts = nn.ModuleList([second, first])
        model(torch.ones(2)).sum().backward()
        del model.parts
        model.own, model.parts = first, nn.Sequential()
        model.parts.add_module("inner", second)
        model(torch.ones(2)).sum().backward()
        del model.own
        model(torch.ones(2)).sum().backward()

    recording = record_run(tmp_path, run)
    paths = [call.path for call in recording.trace.modules if call.path != "model"]
    moved = ["own", "parts.inner", "Linear", "parts.inner"]
    assert paths == ["parts.0", "parts.1", "parts.1", "parts.0", *moved]


def test_a_module_that_calls_itself_keeps_its_path(tmp_path: Path) -> None:
    class Again(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.mix = nn.Linear(2, 2)

        def forward(self, x: torch.Tensor, depth: int = 2) -> torch.Tensor:
            return self.mix(x if depth == 0 else self(x, depth - 1))

    recording = record_run(tmp_path, step_of(Again(), 1, 2))
    assert Counter(call.path for call in recording.trace.modules) == {"model": 3, "mix": 3}


def test_a_shared_parameter_is_known_by_all_its_names(tmp_path: Path) -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encode = nn.Linear(2, 2, bias=False)
            self.decode = nn.Linear(2, 2, bias=False)
            self.again = nn.Linear(2, 2, bias=False)
            self.decode.weight = self.again.weight = self.encode.weight

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.decode(self.encode(x))

    model = Tied()
    x = torch.randn(1, 2)

    def run() -> None:
        for _ in range(2):
            model(x).sum().backward()

    recording = record_run(tmp_path, run)
    leaves = {node.variable_name for node in recording.trace.nodes if node.kind == "accumulate"}
    assert leaves == {"encode.weight"}
    (finding,) = [each for each in recording.trace.findings if each.code == "shared_parameter"]
    assert finding.message.startswith("encode.weight is also decode.weight, again.weight: several ")
    paths = [call.path for call in recording.trace.modules]
    assert paths == ["model", "encode", "decode"] * 2


def test_torch_sees_only_global_hooks_of_the_program(tmp_path: Path) -> None:
    # A compiled module warns at each call if there are any.
    has_hooks = vars(torch_module)["_has_any_global_hook"]
    seen: list[bool] = []

    def run() -> None:
        ask = vars(torch_module)["_has_any_global_hook"]
        seen.append(bool(ask()))
        with counted():
            seen.append(bool(ask()))

    record_run(tmp_path, run)
    assert seen == [False, True]
    assert vars(torch_module)["_has_any_global_hook"] is has_hooks
