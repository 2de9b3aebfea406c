"""Lists every text that a scene shows, with its rectangle, for legibility tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QRectF

from gradviz.drawing.face import SHAPES
from gradviz.drawing.placed import PlacedText
from gradviz.viewer.canvas.card_paint import NOW_MARK, is_marked
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.outline import around, mark_place
from gradviz.viewer.canvas.type import measure, metrics_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownText:
    """A text, or the elements of a tensor, in scene units.

    Attributes:
        text: The text; empty for elements.
        rect: Area that it covers.
        owner: Index of its card, or -1.
        fits: Whether it stays inside its card's outline or its label's background.
    """

    text: str
    rect: QRectF
    owner: int
    fits: bool


def texts_of(scene: GraphScene) -> list[ShownText]:
    """All texts of a scene at its current step, visible or not."""
    found = [text for card in range(len(scene.picture.nodes)) for text in _of_card(scene, card)]
    for ground, rect, text in scene.labels.shown():
        fits = ground.adjusted(-0.1, -0.1, 0.1, 0.1).contains(rect)
        found.append(ShownText(text=text, rect=rect, owner=-1, fits=fits))
    for frame in scene.picture.frames:
        box = QRectF(*frame.box)
        for placed in frame.face.texts:
            rect = _rect(box, placed, placed.text)
            found.append(ShownText(text=placed.text, rect=rect, owner=-1, fits=box.contains(rect)))
    for card, word in scene.troubles.words.items():
        found.append(ShownText(text=word, rect=scene.troubles.rect(card), owner=-1, fits=True))
    for card, word in scene.beside.words.items():
        found.append(ShownText(text=word, rect=scene.beside.rect(card), owner=-1, fits=True))
    if scene.place.word is not None:
        card, word = scene.place.word
        rect = scene.place.rect()
        box = scene.box(card)
        fits = box.left() <= rect.left() and rect.right() <= box.right()
        found.append(ShownText(text=word, rect=rect, owner=-1, fits=fits))
    for card, sign in scene.storages.signs.items():
        rect = scene.storages.rect(card)
        found.append(ShownText(text=sign.text, rect=rect, owner=-1, fits=True))
    return found


def marks_of(scene: GraphScene) -> dict[int, QRectF]:
    """Largest possible area of each card's progress mark, by card index."""
    found = {}
    for card, node in enumerate(scene.picture.nodes):
        if is_marked(node.kind):
            middle, size = mark_place(SHAPES[node.kind], scene.box(card)), 2 * NOW_MARK
            found[card] = QRectF(middle.x() - NOW_MARK, middle.y() - NOW_MARK, size, size)
    return found


def _of_card(scene: GraphScene, card: int) -> Iterator[ShownText]:
    node, face, box = scene.picture.nodes[card], scene.picture.faces[card], scene.box(card)
    outline = around(SHAPES[node.kind], box, 0.0)
    placed = [(each, each.text) for each in face.texts]
    if face.tally is not None:
        placed.append((face.tally, scene.tallies.texts.get(card, "")))
    for room, text in placed:
        rect = _rect(box, room, text)
        yield ShownText(text=text, rect=rect, owner=card, fits=outline.contains(rect))
    for part in (face.thumbnail, *face.samples):
        if part is not None:
            rect = QRectF(box.x() + part.x, box.y() + part.y, part.width, part.height)
            yield ShownText(text="", rect=rect, owner=card, fits=outline.contains(rect))


def _rect(box: QRectF, room: PlacedText, text: str) -> QRectF:
    """Rectangle of a line from ascent to descent, with the width that Qt measures."""
    metrics = metrics_of(room.style)
    width = measure(text, room.style)[0]
    left = room.x - width / 2 if room.centred else room.x
    top = room.baseline - metrics.ascent()
    return QRectF(box.x() + left, box.y() + top, width, metrics.ascent() + metrics.descent())
