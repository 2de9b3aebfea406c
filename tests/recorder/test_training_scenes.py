"""Recordings of the scenes about training and modules."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from gradviz.analysis.index.step_queries import module_path
from gradviz.analysis.index.trace_index import index_reader
from gradviz.analysis.training.training_curves import training_of
from gradviz.drawing.content.drawn_graph import DrawnGraph, DrawnNode
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.content.graph_progress import DONE, MADE, UNTOUCHED
from gradviz.drawing.content.graph_state import graph_states
from gradviz.gallery.registry import scene
from gradviz.model.step import AccumulateStep, ForwardStep, OptimizerStep
from gradviz.store.reader import open_trace
from tests.recorder.recorded_run import RecordedRun, record_run


def trained(path: Path, scene_id: str, bias: bool) -> RecordedRun:
    path.mkdir(exist_ok=True)
    entry = scene(scene_id)
    run: Any = getattr(importlib.import_module(entry.module), entry.callable_name)
    torch.manual_seed(0)
    x, target = torch.randn(8, 3).double(), torch.randn(8, 2).double()
    torch.manual_seed(1)
    return record_run(path, lambda: run(x, target, bias, 5))


def leaf_boxes(path: Path) -> list[DrawnNode]:
    with open_trace(path / "run.gradviz") as reader:
        graph = drawn_graph(index_reader(reader))
    assert isinstance(graph, DrawnGraph)
    return [box for box in graph.nodes if box.kind == "leaf"]


def losses(path: Path) -> list[float]:
    with open_trace(path / "run.gradviz") as reader:
        training = training_of(index_reader(reader))
    assert training is not None
    assert training.rounds == 5
    return [point.value for point in training.loss.points]


@pytest.mark.parametrize("bias", [True, False])
def test_a_custom_layer_trains_like_torchs(bias: bool, tmp_path: Path) -> None:
    own = trained(tmp_path / "own", "my-own-layer", bias)
    theirs = trained(tmp_path / "torch", "my-own-layer-torch", bias)
    recorded = losses(tmp_path / "own")
    np.testing.assert_allclose(recorded, losses(tmp_path / "torch"), rtol=0, atol=1e-12)
    assert recorded == sorted(recorded, reverse=True)
    assert len(set(recorded)) == 5
    names = ["layer.weight", "layer.bias"][: 2 if bias else 1]
    for recording in (own, theirs):
        steps = recording.steps(OptimizerStep)
        assert [[item.name for item in step.before] for step in steps] == [names] * 5
        leaves = {node.variable_name for node in recording.trace.nodes if node.kind == "accumulate"}
        assert leaves == set(names)
        seen = {
            (step.pass_id, recording.index.node[step.node].variable_name): recording.of(step.leaf)
            for step in recording.steps(AccumulateStep)
        }
        assert seen == {
            (number, item.name): recording.of(item)
            for number, step in enumerate(steps, 1)
            for item in step.before
        }
    # Their values hold only in some of the steps.
    boxes = leaf_boxes(tmp_path / "own")
    assert {(box.title, box.thumbnail) for box in boxes} == {(name, None) for name in names}


def test_the_alias_of_apply_is_recorded_in_its_module(tmp_path: Path) -> None:
    recording = trained(tmp_path, "my-own-layer", True)
    calls = [step for step in recording.steps(ForwardStep) if step.op == "FunctionalLinear"]
    assert len(calls) == 5
    assert {module_path(recording.index, step.node) for step in calls} == {"layer"}
    tanh = recording.named(ForwardStep, "tanh")
    assert module_path(recording.index, tanh.node) == "network"
    printed = "".join(text.text for text in recording.trace.console)
    assert printed.startswith("MyOwnLayer(in_features=3, out_features=2, bias=True)\n")


def test_a_module_trains_one_parameter(tmp_path: Path) -> None:
    module = importlib.import_module(scene("module-instead").module)
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    recording = record_run(tmp_path, lambda: module.run(x))
    totals = {
        recording.index.node[step.node].variable_name: recording.of(step.total)
        for step in recording.steps(AccumulateStep)
    }
    assert totals == {"scale.s": 3.0, "x": [3.0, 3.0]}
    assert {box.title: box.thumbnail is None for box in leaf_boxes(tmp_path)} == {
        "scale.s = 3": True,
        "x": False,
    }


def test_what_a_module_does_not_know_has_no_path(tmp_path: Path) -> None:
    module = importlib.import_module(scene("nn-linear").module)
    x = torch.arange(6, dtype=torch.float64).view(2, 3).requires_grad_()
    recording = record_run(tmp_path, lambda: module.run(x, True))
    leaves = {node.variable_name for node in recording.trace.nodes if node.kind == "accumulate"}
    assert {"linear.weight", "linear.bias"} <= leaves
    # It has the place that the source names, not the path of a parameter.
    assert {name for name in leaves if "gain" in name} == {"self.gain[0]"}
    printed = "".join(text.text for text in recording.trace.console)
    assert "parameters: ['linear.weight', 'linear.bias']" in printed


def test_a_manual_training_loop_is_a_training(tmp_path: Path) -> None:
    def by_hand() -> list[float]:
        w = torch.tensor([2.0, 0.0], requires_grad=True)
        norms = []
        for _ in range(3):
            w.square().sum().backward()
            assert w.grad is not None
            norms.append(float(w.grad.norm()))
            with torch.no_grad():
                w -= 0.25 * w.grad
                w.grad.zero_()
        return norms

    norms = record_run(tmp_path, by_hand).result
    with open_trace(tmp_path / "run.gradviz") as reader:
        training = training_of(index_reader(reader))
    assert training is not None
    assert training.norm_of == "after_pass"
    (series,) = training.norms
    assert series.name == "w"
    assert [point.value for point in series.points] == norms == [4.0, 2.0, 1.0]


def test_no_box_is_solid_before_it_exists(tmp_path: Path) -> None:
    trained(tmp_path, "my-own-layer", True)
    with open_trace(tmp_path / "run.gradviz") as reader:
        index = index_reader(reader)
        graph = drawn_graph(index)
        assert isinstance(graph, DrawnGraph)
        made = {box.id: int(index.times.made(box.nodes).min()) for box in graph.nodes if box.nodes}
        numbers = range(1, len(index.trace.steps) + 1)
        for number, state in zip(numbers, graph_states(index, graph, numbers), strict=True):
            boxes = zip(graph.nodes, state.boxes, strict=True)
            solid = {box.id for box, status in boxes if status in (MADE, DONE)}
            assert {name for name in solid if made.get(name, 0) > number} == set(), number
        # The last update shows the gradients that it uses; none is still to come.
        edges = zip(graph.edges, state.edges, strict=True)
        flowing = {each for edge, each in edges if edge.kind in ("gradient", "root", "leaf")}
        assert flowing == {UNTOUCHED, DONE}
