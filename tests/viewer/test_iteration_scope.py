"""One iteration is shown alone: in the graph, and in the lower level of the timeline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot
from torch import nn

from gradviz.drawing.content.graph_progress import DONE
from gradviz.drawing.graphviz.graph_layout import GraphLayout
from gradviz.drawing.graphviz.layout_engine import LayoutRequest
from gradviz.drawing.grouping.groups import FoldState
from gradviz.store.reader import open_trace
from gradviz.viewer.actions import Actions
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.canvas.layout import graph_arranger
from gradviz.viewer.state import ViewerState
from gradviz.viewer.timeline.panel import TimelinePanel
from tests.recorder.recorded_run import record_run
from tests.viewer.canvas.conftest import GraphDriver
from tests.viewer.traces import linear_reader


def _train() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        net(torch.ones(1, 2)).square().sum().backward()
        optimizer.step()


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("training")
    record_run(folder, _train)
    return folder / "run.gradviz"


@pytest.fixture
def driver(qtbot: QtBot, trace: Path) -> Iterator[GraphDriver]:
    driver = GraphDriver(qtbot)
    qtbot.addWidget(driver.panel)
    driver.panel.show()
    with open_trace(trace) as reader:
        driver.state.show(reader)
        driver.wait()
        yield driver
        driver.state.show(None)


def _nodes(panel: GraphPanel) -> set[int]:
    assert panel.scene is not None
    return {node for drawn in panel.scene.picture.nodes for node in drawn.nodes}


def test_the_graph_is_that_of_the_current_iteration(driver: GraphDriver) -> None:
    index, iterations = driver.state.index, driver.state.iterations
    assert index is not None
    seen = []
    for number in (1, 2, 3):
        iterations.go_to(number)
        driver.wait()
        seen.append(_nodes(driver.panel))
    assert {index.node[node].kind for node in seen[0] & seen[1]} <= {"accumulate"}
    assert len({len(nodes) for nodes in seen}) == 1
    iterations.show_all(True)
    driver.wait()
    assert _nodes(driver.panel) == set.union(*seen)


def test_equal_iterations_are_laid_out_once(
    driver: GraphDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid_out: list[int] = []
    lay_out = graph_arranger.lay_out_all

    def counted(requests: list[LayoutRequest], **options: Any) -> list[GraphLayout]:
        laid_out.append(driver.state.number)
        return lay_out(requests, **options)

    iterations, index = driver.state.iterations, driver.state.index
    # Longer numbers need larger boxes, so each structure and size is laid out for itself.
    for number in (3, 2):
        iterations.go_to(number)
        driver.wait()
    monkeypatch.setattr(graph_arranger, "lay_out_all", counted)
    before = _nodes(driver.panel)
    for number in (3, 2, 3):
        iterations.go_to(number)
        driver.wait()
    assert laid_out == []
    # The boxes are nevertheless those of the third iteration.
    assert index is not None
    shared = _nodes(driver.panel) & before
    assert {index.node[node].kind for node in shared} <= {"accumulate"}
    assert driver.panel.stage.current_box() is not None


def test_the_step_and_the_zoom_stay_in_another_iteration(driver: GraphDriver) -> None:
    state, view = driver.state, driver.panel.view
    state.go_to(4)
    view.zoom_to(2.5)
    place = view.mapToScene(view.viewport().rect().center())
    state.iterations.go_by(1)
    driver.wait()
    first, second, _ = state.iterations.all
    assert state.number - second.first == 4 - first.first
    assert view.scale_factor == pytest.approx(2.5)
    moved = view.mapToScene(view.viewport().rect().center()) - place
    assert moved.manhattanLength() < 40


def test_the_update_shows_the_gradients_that_it_used(driver: GraphDriver) -> None:
    second = driver.state.iterations.all[1]
    driver.state.go_to(second.updates[0])
    driver.wait()
    picture = driver.scene.picture
    state_of = driver.scene.edges.state
    flowing = [at for at, curve in enumerate(picture.curves) if curve.edge.kind == "gradient"]
    assert flowing
    assert {state_of(at) for at in flowing} == {DONE}


def test_groups_stay_open_and_closed_in_another_iteration(driver: GraphDriver) -> None:
    hierarchy = driver.panel.arranger.hierarchy
    assert hierarchy is not None
    key = next(group.key for group in hierarchy.groups if group.kind == "module")
    driver.state.close_group(key)
    driver.wait()
    before = [drawn.kind for drawn in driver.scene.picture.nodes]
    assert "folded" in before
    driver.state.iterations.go_by(1)
    driver.wait()
    assert driver.state.folds not in (FoldState(), FoldState(closed=frozenset([key])))
    assert [drawn.kind for drawn in driver.scene.picture.nodes] == before


def test_a_selection_of_another_iteration_is_cleared(driver: GraphDriver) -> None:
    driver.state.go_to(1)
    assert driver.state.index is not None
    node = next(iter(driver.state.index.made_at))
    driver.state.select(node)
    driver.state.iterations.go_by(1)
    assert driver.state.selection is None


@pytest.fixture
def timeline(qtbot: QtBot, state: ViewerState, trace: Path) -> Iterator[TimelinePanel]:
    timeline = TimelinePanel(state, Actions(state))
    qtbot.addWidget(timeline)
    timeline.resize(900, 120)
    timeline.show()
    with open_trace(trace) as reader:
        state.show(reader)
        yield timeline
        state.show(None)


def test_the_timeline_has_the_steps_of_one_iteration_below_all(
    timeline: TimelinePanel, state: ViewerState, qtbot: QtBot
) -> None:
    second = state.iterations.all[1]
    place = timeline.strip.area_of(second).center().toPoint()
    qtbot.mouseClick(timeline.strip, Qt.MouseButton.LeftButton, pos=place)
    assert state.number == second.first
    assert (timeline.bar.span.start, timeline.bar.span.end) == (second.first - 1, second.last)
    span = timeline.bar.span
    state.go_to(second.last)
    assert timeline.bar.span is span
    state.iterations.show_all(True)
    assert timeline.bar.span.is_all
    timeline.grab()


def test_a_run_without_iterations_has_one_level(
    timeline: TimelinePanel, state: ViewerState
) -> None:
    assert timeline.strip.isVisible()
    state.show(linear_reader())
    assert not timeline.strip.isVisible()
    assert timeline.bar.number_under(QPointF(890, 20)) == state.count
