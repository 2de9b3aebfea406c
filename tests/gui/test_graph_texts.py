"""No two texts of the graph overlap and each lies in its box, by the scene's own rectangles."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QRectF

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.gallery.registry import SCENES, offer_of
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.visible_texts import marks_of, texts_of
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.theme.theme import Theme
from tests.gui.conftest import Desk
from tests.viewer.traces import linear_reader

TRANSFORMER = """
import torch

torch.manual_seed(0)
_LAYER = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
encoder = torch.nn.TransformerEncoder(_LAYER, 12, enable_nested_tensor=False)
EXAMPLES = {"encoder": (torch.randn(1, 2, 8, requires_grad=True),)}
"""


def faults_of(scene: GraphScene) -> list[str]:
    """What is wrong with the texts, in words; empty for nothing."""
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


def faults_at_all_steps(desk: Desk, stride: int = 1) -> dict[int, list[str]]:
    scene = desk.window.parts[GraphPanel].scene
    assert scene is not None
    found = {}
    for number in range(1, desk.state.count + 1, stride):
        desk.state.go_to(number)
        found[number] = faults_of(scene)
    return {number: faults for number, faults in found.items() if faults}


def faults_at_all_places(desk: Desk) -> dict[TracePosition, list[str]]:
    """The same inside of steps, where a few words say how far one has gone in."""
    scene = desk.window.parts[GraphPanel].scene
    assert scene is not None
    desk.state.set_level("op")
    desk.state.first_step()
    found, marked = {}, 0
    while True:
        place = desk.state.place
        assert place is not None
        found[place] = faults_of(scene)
        marked += scene.place.word is not None
        if desk.state.next_target is None:
            break
        desk.state.next_step()
    desk.state.set_level("node")
    assert marked
    return {place: faults for place, faults in found.items() if faults}


def test_these_faults_are_found_where_there_are_some(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.start()
    desk.wait()
    scene = desk.window.parts[GraphPanel].scene
    assert scene is not None
    desk.state.last_step()
    scene.labels.set_labels(dict.fromkeys(scene.labels.labels, "x" * 200), {}, frozenset())
    assert any("lies on" in fault for fault in faults_of(scene))
    monkeypatch.setattr(
        "gradviz.viewer.canvas.visible_texts.measure", lambda text, style: (400.0, 10.0)
    )
    assert any("leaves its box" in fault for fault in faults_of(scene))


@pytest.mark.parametrize("turn", [0, pytest.param(1, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("group", sorted({scene.group.id for scene in SCENES}))
def test_all_scenes_at_all_steps_in_both_themes(desk: Desk, group: str, turn: int) -> None:
    """Each turn has one theme for each scene; the first has the places of one scene."""
    desk.start()
    for number, scene in enumerate(each for each in SCENES if each.group.id == group):
        desk.window.parts[RunController].run_offer(offer_of(scene))
        desk.qtbot.waitUntil(lambda: desk.session.activity == "running")
        desk.wait()
        if desk.state.index is None or not desk.state.index.trace.nodes:
            continue
        desk.state.set_theme(Theme(name="dark" if (number + turn) % 2 else "light"))
        assert faults_at_all_steps(desk) == {}, scene.id
        if (number == 0) is (turn == 0):
            assert faults_at_all_places(desk) == {}, scene.id


def test_themes_place_texts_alike(desk: Desk) -> None:
    """So a theme for each scene is enough."""
    desk.state.show(linear_reader())
    desk.wait()
    scene = desk.window.parts[GraphPanel].scene
    assert scene is not None
    desk.state.last_step()
    placed = []
    for name in ("light", "dark"):
        desk.state.set_theme(Theme(name=name))
        placed.append([(each.text, each.rect, each.fits) for each in texts_of(scene)])
    assert placed[0] == placed[1] != []
    desk.state.show(None)


def test_a_transformer_folded_and_opened(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "encoder.py"
    path.write_text(TRANSFORMER)
    desk.start()
    desk.window.parts[RunController].open_path(path)
    desk.qtbot.waitUntil(lambda: desk.session.activity == "running", timeout=30_000)
    desk.wait()
    shown = []
    for _ in range(3):
        picture = desk.window.parts[GraphPanel].stage.picture
        assert picture is not None
        shown.append(len(picture.nodes))
        assert faults_at_all_steps(desk, stride=61) == {}
        groups = [node.group for node in picture.nodes if node.group]
        desk.state.open_groups(groups[:2])
        desk.wait()
    assert shown[0] < shown[1] < shown[2]
