"""Texts of the graph don't overlap and stay inside their boxes."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest
import torch
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.drawing.appearance.text_styles import FONTS
from gradviz.drawing.cells.thumbnail import NUMBER_SIZE
from gradviz.drawing.display.marks import BREAKPOINT_OUT, BREAKPOINT_RADIUS, breakpoint_mark
from gradviz.drawing.geometry.rect import Rect
from gradviz.gallery.registry import GROUPS, SCENES, offer_of
from gradviz.host.pool import run_blocking
from gradviz.protocol.messages import RunRequest
from gradviz.store.reader import open_trace
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.layers.part_painter import PartPainter
from gradviz.viewer.theme.theme import LIGHT, Theme
from tests.recorder.recorded_run import record_run
from tests.sweeps import representative_scenes
from tests.viewer.canvas.conftest import GraphDriver
from tests.viewer.canvas.visible_texts import marks_of, texts_of


def faults_of(scene: GraphScene) -> list[str]:
    """Problems of the texts; empty if there are none."""
    texts = texts_of(scene)
    faults = [f"{each.text!r} leaves its box" for each in texts if not each.fits]
    texts.sort(key=lambda each: each.rect.top())
    for at, first in enumerate(texts):
        for second in texts[at + 1 :]:
            if second.rect.top() > first.rect.bottom():
                break
            # A hair's breadth for the rounding of measures.
            if first.rect.intersects(second.rect.adjusted(0.1, 0.1, -0.1, -0.1)):
                faults.append(f"{first.text!r} lies on {second.text!r}")
    boxes = [QRectF(*box) for box in scene.picture.boxes.tolist()]
    for ground, _, text in scene.labels.shown():
        inner = ground.adjusted(0.5, 0.5, -0.5, -0.5)
        faults += [f"the label {text!r} lies on a card" for box in boxes if box.intersects(inner)]
    for card, mark in marks_of(scene).items():
        over = (each.text for each in texts if each.rect.intersects(mark))
        faults += [f"the mark of card {card} lies on {text!r}" for text in over]
    return faults


def show_all_iterations(driver: GraphDriver) -> None:
    """Show the same picture at all steps, even in training."""
    driver.state.iterations.show_all(True)
    driver.wait()


def faults_at_all_steps(driver: GraphDriver, stride: int = 1) -> dict[int, list[str]]:
    show_all_iterations(driver)
    scene = driver.scene
    found = {}
    for number in range(1, driver.state.count + 1, stride):
        driver.state.go_to(number)
        found[number] = faults_of(scene)
    return {number: faults for number, faults in found.items() if faults}


def faults_at_places(driver: GraphDriver, stride: int) -> dict[TracePosition, list[str]]:
    """The same inside steps, where a few words show the position."""
    show_all_iterations(driver)
    scene = driver.scene
    driver.state.set_level("op")
    driver.state.first_step()
    found, marked = {}, 0
    for number in count():
        place = driver.state.place
        assert place is not None
        if number % stride == 0:
            found[place] = faults_of(scene)
        marked += len(scene.place.marks)
        if driver.state.next_target is None:
            break
        driver.state.next_step()
    driver.state.set_level("node")
    # Only custom Functions have room for the position on brief cards.
    custom = any(drawn.kind == "custom" for drawn in scene.picture.nodes)
    assert marked or (scene.picture.detail.brief and not custom)
    return {place: faults for place, faults in found.items() if faults}


def test_these_faults_are_found_where_there_are_some(
    driver: GraphDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = driver.scene
    driver.state.last_step()
    scene.labels.set_labels(dict.fromkeys(scene.labels.labels, "x" * 200), {}, frozenset())
    assert any("lies on" in fault for fault in faults_of(scene))
    monkeypatch.setattr(
        "tests.viewer.canvas.visible_texts.measure", lambda text, style: (400.0, 10.0)
    )
    assert any("leaves its box" in fault for fault in faults_of(scene))


def least_text_pixels(driver: GraphDriver) -> float:
    """Height of the smallest text of a graph that is entirely visible."""
    scene, view = driver.scene, driver.panel.view
    visible = view.mapToScene(view.viewport().rect()).boundingRect()
    assert visible.adjusted(-2, -2, 2, 2).contains(scene.graph_rect())
    sizes = [FONTS[text.style].size for face in scene.picture.faces for text in face.texts]
    if any(face.thumbnail for face in scene.picture.faces):
        sizes.append(NUMBER_SIZE)
    return min(sizes) * view.scale_factor


@pytest.mark.parametrize("turn", [0, pytest.param(1, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("group", sorted(each.id for each in GROUPS))
def test_all_scenes_at_all_steps_in_both_themes(
    driver: GraphDriver, group: str, turn: int, tmp_path: Path, warm_workers: None
) -> None:
    """Each turn has one theme for each scene.

    The first has every third step of the representative scenes, and every third place of one of
    them, the second all steps and every third place of all scenes.
    """
    wanted = {scene.id for scene in SCENES} if turn else representative_scenes()
    scenes = (
        scene for each in GROUPS if each.id == group for scene in each.scenes if scene.id in wanted
    )
    for number, scene in enumerate(scenes):
        stride = 1 if turn else 3
        path = tmp_path / f"{scene.id}.gradviz"
        run_blocking(RunRequest(offer=offer_of(scene), trace=str(path), level="all"))
        with open_trace(path) as reader:
            driver.state.show(reader)
            driver.wait()
            assert driver.state.index is not None
            if not driver.state.index.trace.nodes:
                continue
            driver.state.set_theme(Theme(name="dark" if (number + turn) % 2 else "light"))
            small = len(driver.state.index.trace.nodes) <= 12
            # The space in a window of 1280x800.
            driver.panel.resize(755, 680)
            driver.wait()
            assert not small or least_text_pixels(driver) >= 12.0, scene.id
            assert faults_at_all_steps(driver, stride) == {}, scene.id
            if number == 0 or turn:
                assert faults_at_places(driver, stride=3) == {}, scene.id
            driver.state.show(None)


def test_themes_have_the_same_text_positions(driver: GraphDriver) -> None:
    """So a theme for each scene is enough."""
    scene = driver.scene
    driver.state.last_step()
    placed = []
    for name in ("light", "dark"):
        driver.state.set_theme(Theme(name=name))
        placed.append([(each.text, each.rect, each.fits) for each in texts_of(scene)])
    assert placed[0] == placed[1] != []


def test_a_transformer_folded_and_opened(driver: GraphDriver, tmp_path: Path) -> None:
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    encoder = torch.nn.TransformerEncoder(layer, 12, enable_nested_tensor=False)
    record_run(tmp_path, lambda: encoder(torch.randn(1, 2, 8, requires_grad=True)).sum().backward())
    shown = []
    with open_trace(tmp_path / "run.gradviz") as reader:
        driver.state.show(reader)
        driver.wait()
        for _ in range(3):
            picture = driver.panel.stage.picture
            assert picture is not None
            shown.append(len(picture.nodes))
            assert faults_at_all_steps(driver, stride=61) == {}
            groups = [node.group for node in picture.nodes if node.group]
            driver.state.open_groups(groups[:2])
            driver.wait()
        driver.state.show(None)
    assert shown[0] < shown[1] < shown[2]


def test_a_mark_covers_no_text(driver: GraphDriver) -> None:
    scene = driver.scene
    cards = range(len(scene.picture.nodes))
    scene.breakpoints.show(dict.fromkeys(cards, True))
    for card in cards:
        mark = scene.breakpoints.rect(card)
        assert mark.intersects(scene.box(card))
        assert scene.graph_rect().contains(mark)
        assert [text.text for text in texts_of(scene) if text.rect.intersects(mark)] == []


def test_one_that_is_switched_off_is_hollow() -> None:
    middles = []
    for enabled in (True, False):
        image = QImage(40, 40, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        box = Rect(x=20 + BREAKPOINT_OUT, y=0, width=20, height=40)
        mark = breakpoint_mark(box, 3 * BREAKPOINT_RADIUS, enabled=enabled)
        PartPainter(LIGHT).paint(painter, mark.parts)
        painter.end()
        middles.append(image.pixelColor(20, 20))
        assert image.pixelColor(20, 9) == LIGHT.color("breakpoint")
    assert middles == [LIGHT.color("breakpoint"), LIGHT.color("canvas")]
