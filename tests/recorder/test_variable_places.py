"""Tensors and modules that no plain variable holds for good are named by their place."""

from __future__ import annotations

import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - as users write it
from torch import nn

from gradviz.model.step import ForwardStep
from gradviz.recorder import variable_places
from gradviz.recorder.sources import current_frame
from gradviz.recorder.variable_places import find_place
from tests.recorder.recorded_run import record_run
from tests.recorder.test_tensor_names import WEIGHTS, inputs_of, leaf_names


def _leaf() -> torch.Tensor:
    return torch.ones(2, requires_grad=True)


def test_what_a_loop_goes_through_names_its_leaves(tmp_path: Path) -> None:
    def run() -> None:
        weights, xs = [_leaf(), _leaf()], (_leaf(), _leaf())
        params = {"a": _leaf(), 1: _leaf()}
        held = SimpleNamespace(parts=[_leaf()])
        plain = _leaf()
        total = torch.stack([x.sin().sum() for x in xs]).sum()
        for i in range(2):
            total = total + weights[i].sum()
        for p in params.values():
            total = total + p.sum()
        for each in [*held.parts, plain]:
            total = total + each.sum()
        total.backward()

    assert leaf_names(record_run(tmp_path, run)) == {
        *("weights[0]", "weights[1]", "xs[0]", "xs[1]", "params['a']", "params[1]"),
        *("held.parts[0]", "plain"),
    }


def test_a_leaf_that_a_loop_makes_has_the_name_of_its_variable(tmp_path: Path) -> None:
    def run() -> None:
        for _ in range(2):
            x = _leaf()
            x.sum().backward()
        for w in map(torch.Tensor.requires_grad_, torch.ones(2, 1)):
            w.exp().backward()

    assert leaf_names(record_run(tmp_path, run)) == {"x", "x#2", "w", "w#2"}


def test_values_in_containers_are_named_as_in_the_source(tmp_path: Path) -> None:
    head = nn.Linear(2, 2)

    def run() -> None:
        batch = {"x": torch.ones(3, 2), "y": torch.tensor([0, 1, 0])}
        key, pairs = "x", [torch.ones(3, 2)]
        out = {"logits": head(batch["x"])}
        loss = F.cross_entropy(out["logits"], batch["y"]) + (out["logits"] * batch[key]).sum()
        (loss + (out["logits"][:, 0] * pairs[0][1:, 0].sum()).sum()).backward()

    recording = record_run(tmp_path, run)
    assert inputs_of(recording, "cross_entropy")[:2] == ["out['logits']", "batch['y']"]
    muls = [s.inputs for s in recording.steps(ForwardStep) if s.op == "mul"]
    names = [[item.name for item in inputs] for inputs in muls]
    assert names == [["out['logits']", "batch[key]"], ["out['logits'][:, 0]", "other"]]


def test_a_layer_of_torch_has_the_parameters_of_the_user(tmp_path: Path) -> None:
    head, cell = nn.Linear(2, 2), nn.RNNCell(2, 2)

    def run() -> None:
        x = _leaf()
        head(cell(x[None])).sum().backward()

    recording = record_run(tmp_path, run)
    assert inputs_of(recording, "linear") == ["input", "head.weight", "head.bias"]
    assert inputs_of(recording, "rnn_tanh_cell")[2:] == [
        f"cell.{kind}_{of}" for kind in WEIGHTS for of in ("ih", "hh")
    ]


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> Any:
        return self.fc(x)


def _both(first: nn.Module, second: nn.Module | None = None) -> Any:
    y = first(torch.ones(1, 2))
    return (y if second is None else second(y)).sum()


def test_each_of_two_models_has_its_variable(tmp_path: Path) -> None:
    first, second = Net(), Net()
    recording = record_run(tmp_path, lambda: _both(first, second).backward())
    assert leaf_names(recording) == {
        f"{of}.fc.{name}" for of in ("first", "second") for name in WEIGHTS
    }


def test_a_single_model_has_the_paths_of_its_state_dict(tmp_path: Path) -> None:
    model = Net()
    recording = record_run(tmp_path, lambda: _both(model).backward())
    assert leaf_names(recording) == model.state_dict().keys()
    assert [each.path for each in recording.trace.modules] == ["first", "fc"]


def test_parts_of_a_list_of_modules_have_the_paths_of_the_list(tmp_path: Path) -> None:
    layers = nn.ModuleList(nn.Linear(2, 2) for _ in range(2))

    def run() -> None:
        x = torch.ones(1, 2)
        for layer in layers:
            x = layer(x)
        x.sum().backward()

    recording = record_run(tmp_path, run)
    assert [each.path for each in recording.trace.modules] == ["layers.0", "layers.1"]
    assert leaf_names(recording) == {f"layers.{at}.{name}" for at in (0, 1) for name in WEIGHTS}


def test_a_model_and_its_wrapper_are_one(tmp_path: Path) -> None:
    def run() -> None:
        model = Net()
        wrapped = nn.Sequential(model)
        model(torch.ones(1, 2)).sum().backward()
        assert len(wrapped) == 1

    names = leaf_names(record_run(tmp_path, run))
    assert names == {f"wrapped.0.fc.{name}" for name in WEIGHTS}


class Gate(nn.Module):
    """A model without layers, of which only a method is called."""

    def __init__(self) -> None:
        super().__init__()
        self.threshold = nn.Parameter(torch.zeros(2))

    def loss(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x - self.threshold).sum()


def test_parameters_of_a_model_that_is_only_used_through_a_method(tmp_path: Path) -> None:
    def run() -> None:
        gate, gates = Gate(), [Gate()]
        for each in gates:
            each.loss(torch.ones(2)).backward()
        gate.loss(torch.ones(2)).backward()

    assert leaf_names(record_run(tmp_path, run)) == {"gate.threshold", "gates[0].threshold"}


def test_modules_that_are_made_or_held_inside_of_another(tmp_path: Path) -> None:
    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = nn.Linear(2, 2)
            self.layers = [nn.Linear(2, 2)]

        def forward(self, x: torch.Tensor) -> Any:
            extra = nn.Linear(2, 2)
            for layer in self.layers:
                x = layer(x)
            return extra(self.fc(x))

    outer = Outer()
    recording = record_run(tmp_path, lambda: outer(torch.ones(1, 2)).sum().backward())
    assert leaf_names(recording) == {
        f"{of}.{name}" for of in ("fc", "layers[0]", "extra") for name in WEIGHTS
    }


def test_a_plain_variable_names_the_call_of_its_module(tmp_path: Path) -> None:
    head, layers = nn.Linear(2, 2), [nn.Tanh(), nn.Linear(2, 2)]

    def run() -> None:
        x = head(torch.ones(1, 2))
        for layer in layers:
            x = layer(x)
        x.sum().backward()

    calls = [(each.path, each.class_name) for each in record_run(tmp_path, run).trace.modules]
    assert calls == [("head", "Linear"), ("layers[0]", "Tanh"), ("layers[1]", "Linear")]


class Hostile:
    """An object whose attributes and comparisons run code that raises."""

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError(name)

    def __eq__(self, other: object) -> bool:
        raise AssertionError

    __hash__ = object.__hash__


def test_a_search_runs_no_code_of_the_user_and_keeps_nothing_alive(tmp_path: Path) -> None:
    class Value:
        """An object with weak references."""

    alive: list[bool] = []

    def run() -> None:
        hostile, value, xs = Hostile(), Value(), [_leaf()]
        hidden = {hostile: [value], "value": value}
        reference = weakref.ref(value)
        for x in xs:
            x.sum().backward()
        del value, hidden
        alive.append(reference() is not None)

    assert leaf_names(record_run(tmp_path, run)) == {"xs[0]"}
    assert alive == [False]


def test_a_search_looks_at_few_objects(monkeypatch: Any) -> None:
    monkeypatch.setattr(variable_places, "_MOST_OBJECTS", 10)
    wanted = object()
    large = [[object()] for _ in range(1000)]
    near = [wanted]
    assert find_place(wanted, current_frame(0)) == "wanted"
    del wanted
    assert find_place(near[0], current_frame(0)) in ("near[0]", "")
    assert len(large) == 1000
