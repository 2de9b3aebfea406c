"""Presenter mode, measured: size of every text, nothing cut, no scroll bar, code in sight."""

from __future__ import annotations

import pytest

from gradviz.analysis.scene_of_trace import scene_of
from gradviz.drawing.appearance.text_styles import FONTS
from gradviz.gallery.registry import SCENES, offer_of, scene
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.presenter.presenter import Presenter
from gradviz.viewer.session.run_controller import RunController
from tests.gui.conftest import WindowDriver
from tests.viewer.painted_texts import PaintedText, painted_texts, visible_scroll_bars

LEAST = 18
SIZES = [(1280, 800), (1920, 1080)]
PARTS = 6


def faults_of(driver: WindowDriver, presenter: Presenter) -> list[str]:
    """Return everything that would not be readable from the last row at this step."""
    parts = presenter.parts
    assert parts is not None
    texts = [each for each in painted_texts(driver.window) if each.owner != "GraphView"]
    faults = [f"small: {text_line(each)}" for each in texts if round(each.pixels) < LEAST]
    faults += [f"cut: {text_line(each)}" for each in texts if each.is_cut]
    faults += [f"scroll bar: {owner}" for owner in visible_scroll_bars(driver.window)]
    if not parts.code.lines and not parts.code.reason:
        faults.append("no code")
    if parts.code.lines and not parts.code.current:
        faults.append("no current line")
    whole = parts.values.rect()
    faults += [
        f"outside: {each.name}"
        for each in parts.values.tensors
        if each.isVisible()
        and not whole.contains(
            each.rect().translated(each.mapTo(parts.values, each.rect().topLeft()))
        )
    ]
    return faults + graph_faults(driver.window.parts[GraphPanel])


def graph_faults(panel: GraphPanel) -> list[str]:
    """Return current cards that are cut, too small texts, and cards below a mark."""
    scene, view = panel.scene, panel.view
    if scene is None or not view.isVisible():
        return []
    space = view.viewport().rect().toRectF().adjusted(-1, -1, 1, 1)
    cards = {at: view.card_rect(at) for at in range(len(scene.picture.nodes))}
    titles = [node.title for node in scene.picture.nodes]
    faults = [f"cut: {titles[at]}" for at in scene.cards_now if not space.contains(cards[at])]
    least = min(FONTS[text.style].size for face in scene.picture.faces for text in face.texts)
    if round(least * view.scale_factor, 1) < LEAST:
        faults.append(f"graph: {least * view.scale_factor:.1f} px")
    for mark in panel.surroundings.outside.rects.values():
        under = [at for at, rect in cards.items() if rect.intersects(mark.toRectF())]
        faults += [f"covered: {titles[at]}" for at in under if space.contains(cards[at])]
    return faults


def text_line(text: PaintedText) -> str:
    return f"{text.owner} {text.text!r} {text.pixels:.1f} px at {text.rect.getRect()}"


def faults_of_scene(driver: WindowDriver, name: str) -> list[str]:
    """Return the faults of all steps and pages of a scene; the stage keeps its places."""
    driver.window.parts[RunController].run_offer(offer_of(scene(name)))
    presenter, state = driver.controller.presenter, driver.state
    driver.qtbot.waitUntil(
        lambda: driver.at_rest() and scene_of(state.index) == name and state.count > 0,
    )
    assert presenter.parts is not None
    places, found = set(), []
    for number in range(1, state.count + 1):
        state.go_to(number)
        driver.qtbot.wait(1)
        page = 1
        while True:
            places.add(geometry(presenter))
            where = f"{name}, step {number}, page {page}"
            found += [f"{where}: {fault}" for fault in faults_of(driver, presenter)]
            if not state.clicks.forward():
                break
            page += 1
    assert len(places) == 1
    return found


def geometry(presenter: Presenter) -> tuple[object, ...]:
    parts = presenter.parts
    assert parts is not None
    window = parts.head.window()
    return tuple(
        (each.mapTo(window, each.rect().topLeft()).toTuple(), each.size().toTuple())
        for each in (parts.head, parts.code, parts.values)
    )


def test_every_step_is_readable_from_the_last_row(driver: WindowDriver) -> None:
    driver.controller.presenter.enter(full_screen=False)
    driver.qtbot.wait(100)
    for name in ("functional-linear", "cube-wrong"):
        assert faults_of_scene(driver, name) == []
    driver.controller.presenter.leave()


@pytest.mark.sweep
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("part", range(PARTS))
def test_every_step_of_every_scene_is_readable(
    driver: WindowDriver, part: int, size: tuple[int, int]
) -> None:
    driver.window.resize(*size)
    driver.controller.presenter.enter(full_screen=False)
    driver.qtbot.wait(200)
    scenes = SCENES[part::PARTS]
    faults = [fault for each in scenes for fault in faults_of_scene(driver, each.id)]
    assert not faults, "\n".join(faults)
    driver.controller.presenter.leave()
