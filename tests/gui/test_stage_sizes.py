"""Presenter Mode on small, wide and tall screens, with text of each size: nothing is cut."""

from __future__ import annotations

import itertools

import pytest

from gradviz.analysis.scene_of_trace import scene_of
from gradviz.gallery.registry import offer_of, scene
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.presenter.presenter import Presenter
from gradviz.viewer.session.run_controller import RunController
from tests.gui.conftest import WindowDriver
from tests.viewer.painted_texts import PaintedText, painted_texts

SCENE = "functional-linear"
SIZES = [(1024, 600), (1280, 800), (1920, 1080), (1080, 1920)]
SCALES = [1.0, 1.5, 2.0]
OVER = 2.0
"""Pixels by which boxes of texts may touch."""


def faults_of(driver: WindowDriver, presenter: Presenter) -> list[str]:
    parts = presenter.parts
    assert parts is not None
    texts = [each for each in painted_texts(driver.window) if each.owner != "GraphView"]
    faults = [f"cut: {each.text!r}" for each in texts if each.is_cut]
    faults += [
        f"{one.text!r} on {other.text!r}"
        for one, other in itertools.combinations(texts, 2)
        if overlap(one, other)
    ]
    faults += [f"no numbers: {each.name}" for each in parts.values.tensors if each.is_only_colored]
    if not parts.code.current:
        faults.append("no current line of code")
    return faults


def overlap(one: PaintedText, other: PaintedText) -> bool:
    shared = one.rect.intersected(other.rect)
    return shared.width() > OVER and shared.height() > OVER


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_nothing_on_the_stage_is_cut_at_any_size_of_text(
    driver: WindowDriver, size: tuple[int, int]
) -> None:
    presenter, state = driver.controller.presenter, driver.state
    driver.window.resize(*size)
    presenter.enter(full_screen=False)
    driver.window.parts[RunController].run_offer(offer_of(scene(SCENE)))
    driver.qtbot.waitUntil(lambda: driver.at_rest() and scene_of(state.index) == SCENE)
    found = []
    for scale in SCALES:
        state.preferences.set_text_scale(scale)
        # The stage settles after a change of its size.
        driver.qtbot.wait(100)
        driver.wait()
        for number in range(1, state.count + 1):
            state.go_to(number)
            driver.qtbot.wait(1)
            where = f"{driver.window.size().toTuple()} at {scale}, step {number}"
            found += [f"{where}: {fault}" for fault in faults_of(driver, presenter)]
    assert found == []
    parts, graph = presenter.parts, driver.window.parts[GraphPanel]
    assert parts is not None
    below = parts.code.mapTo(driver.window, parts.code.rect().topLeft()).y()
    ends = graph.mapTo(driver.window, graph.rect().bottomLeft()).y()
    assert (below > ends) == (size[1] > size[0]), "a tall stage has the code below the graph"
    presenter.leave()
