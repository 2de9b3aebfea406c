"""Stepping through real runs on every level, in both directions; all panels agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.analysis.index.step_queries import node_at_step, step_at
from gradviz.analysis.position.trace_position import LEVELS, Level, TracePosition, line_at, op_at
from gradviz.export.steps.text import steps_text
from gradviz.gallery.registry import offer_of, scene
from gradviz.model.step import NodeStep, PassBeginStep
from gradviz.text.narration import describe_position
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.ops.panel import OpsPanel
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.timeline.panel import TimelinePanel
from tests.gui.conftest import WindowDriver

BLOCK = """
import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(x, factor):
        return x * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.factor = inputs

    @staticmethod
    def backward(ctx, grad_output):
        return (
            grad_output
            * ctx.factor
        ), None


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)
        self.norm = torch.nn.LayerNorm(4)

    def forward(self, x):
        hidden = Scale.apply(self.linear(x), 2.0)
        return torch.relu(self.norm(hidden)) + x


torch.manual_seed(0)
block = Block()
EXAMPLES = {"block": (torch.randn(3, 4, requires_grad=True),)}
"""

each_level = pytest.mark.parametrize("level", LEVELS)


def walk(driver: WindowDriver, level: Level) -> list[TracePosition]:
    """Steps to the end and back, and checks all panels on the way, and what `steps` prints."""
    state = driver.state
    assert state.index is not None
    printed = " ".join(" ".join(steps_text(state.index, level)).split())
    state.set_level("node")
    state.first_step()
    state.set_level(level)
    state.first_step()
    there = [place_that_is_told_everywhere(driver)]
    while state.next_target is not None:
        state.next_step()
        there.append(place_that_is_told_everywhere(driver))
    back = [there[-1]]
    while state.previous_target is not None:
        state.previous_step()
        back.append(place_that_is_told_everywhere(driver))
    assert back == there[::-1]
    for place in there:
        assert describe_position(state.index, place, level) in printed
    return there


def place_that_is_told_everywhere(driver: WindowDriver) -> TracePosition:
    state, window = driver.state, driver.window
    index, place = state.index, state.place
    assert index is not None
    assert place is not None
    sentence = describe_position(index, place, state.level)
    assert sentence
    assert window.parts[TimelinePanel].bar.accessibleDescription().endswith(sentence)
    assert window.parts[TimelinePanel].bar.value() == place.step
    assert window.parts[Inspector].facts is not None
    assert window.parts[Inspector].facts.sentence == sentence
    assert window.parts[Inspector].accessibleDescription().endswith(sentence)
    look_at_graph(driver, place)
    look_at_source(driver, place)
    if place.op is not None:
        ops = window.parts[OpsPanel]
        assert ops.step is not None
        assert ops.view.current_key == ops.step.key_of(place)
        row = ops.view.rows.row_at(ops.view.currentIndex())
        assert row.sentence == f"Current: {sentence}"
    return place


def look_at_graph(driver: WindowDriver, place: TracePosition) -> None:
    index, scene_ = driver.state.index, driver.window.parts[GraphPanel].scene
    assert index is not None
    assert scene_ is not None
    node = node_at_step(index, place.step)
    if node is None or isinstance(step_at(index, place.step), PassBeginStep):
        return
    assert any(node in scene_.picture.nodes[card].nodes for card in scene_.cards_now)
    marks = scene_.place.marks
    # Of brief cards, only those of custom Functions have room for the position.
    roomy = not scene_.picture.detail.brief or index.node[node].kind == "custom"
    assert bool(marks) == (place.stage is not None and roomy)
    assert marks.keys() <= set(scene_.cards_now)


def look_at_source(driver: WindowDriver, place: TracePosition) -> None:
    index, shown = driver.state.index, driver.window.parts[SourcePanel].shown
    assert index is not None
    line, op = line_at(index, place), op_at(index, place)
    if line is not None:
        assert shown.active is not None
        assert shown.active.source.id == line.location.source
        assert shown.active.block == (line.location.line, line.last_line)
        assert shown.where is not None
        assert shown.where.line == line.location.line
        assert driver.window.parts[SourcePanel].columns
    elif op is not None and op.location is not None and op.location.source is not None:
        assert shown.where is not None


def open_scene(driver: WindowDriver, name: str) -> None:
    driver.start()
    driver.window.parts[RunController].run_offer(offer_of(scene(name)))
    driver.qtbot.waitUntil(lambda: driver.session.activity == "running")
    driver.wait()
    bring_ops(driver)


def bring_ops(driver: WindowDriver) -> None:
    """Ops are shown only where they can be seen: not behind the source."""
    driver.window.docks["ops"].setFloating(True)
    driver.window.docks["ops"].show()
    driver.qtbot.waitUntil(driver.window.parts[OpsPanel].isVisible)


@pytest.mark.parametrize("name", ["linear-wrong", "functional-linear"])
def test_a_scene_has_the_same_sentences_in_all_views(driver: WindowDriver, name: str) -> None:
    open_scene(driver, name)
    counts = {level: len(walk(driver, level)) for level in LEVELS}
    assert counts["node"] == driver.state.count
    assert counts["pass"] == 2
    assert counts["node"] < counts["stage"] < counts["line"] <= counts["op"]


def test_a_module_has_the_same_sentences_in_all_views(driver: WindowDriver, tmp_path: Path) -> None:
    path = tmp_path / "block.py"
    path.write_text(BLOCK)
    driver.start()
    with driver.begins():
        driver.window.parts[RunController].open_path(path)
    driver.wait()
    bring_ops(driver)
    index = driver.state.index
    assert index is not None
    assert index.trace.modules
    counts = {level: len(walk(driver, level)) for level in LEVELS}
    assert counts["stage"] < counts["op"]
    # The statement of the backward that spans four lines is one step.
    backward = next(
        step.number
        for step in index.trace.steps
        if isinstance(step, NodeStep) and index.node[step.node].kind == "custom"
    )
    driver.state.go_to_place(TracePosition(step=backward, stage="backward"), "line")
    line = line_at(index, driver.state.place or TracePosition(step=backward))
    assert line is not None
    assert line.last_line - line.location.line == 3


@pytest.mark.quick
def test_the_last_value_of_each_gradient_is_what_the_run_returned(driver: WindowDriver) -> None:
    """The last gradients inside backward equal the returned ones on the node level."""
    open_scene(driver, "linear-wrong")
    index, state = driver.state.index, driver.state
    assert index is not None
    step = step_at(index, 5)
    assert isinstance(step, NodeStep)
    inside = index.inside[5].part("backward")
    assert inside is not None
    result = [line.result for line in inside.lines if line.result is not None]
    assert len(result) == 1
    returned = {item.name: item.tensor for item in step.returned if item.tensor is not None}
    changed = {
        item.name: item.tensor
        for line in inside.lines
        for item in line.changes
        if item.tensor is not None
    }
    for name, tensor in returned.items():
        assert changed[f"grad_{name.removeprefix('grad_')}"] == tensor
        assert state.value(tensor) is not None
