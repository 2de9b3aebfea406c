"""Lists every text that a scene shows, with its rectangle, for legibility tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QRectF

from gradviz.analysis.index.derivative_orders import short_order_text
from gradviz.drawing.display.cards import NOW_MARK, is_marked
from gradviz.drawing.display.outlines import mark_place, outline_around
from gradviz.drawing.display.parts import circle
from gradviz.drawing.geometry.box_geometry import SHAPES
from gradviz.drawing.geometry.rect import PlacedText
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.layers.graph_text import measure, metrics_of
from gradviz.viewer.canvas.layers.part_painter import qt_path
from gradviz.viewer.tensor_view.cell_painter import qt_rect, rect_of


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleText:
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


def texts_of(scene: GraphScene) -> list[VisibleText]:
    """All texts of a scene at its current step, visible or not."""
    found = [text for card in range(len(scene.picture.nodes)) for text in _of_card(scene, card)]
    for ground, rect, text in scene.labels.shown():
        fits = ground.adjusted(-0.1, -0.1, 0.1, 0.1).contains(rect)
        found.append(VisibleText(text=text, rect=rect, owner=-1, fits=fits))
    for frame in scene.picture.frames:
        box = QRectF(*frame.box)
        for placed in frame.face.texts:
            rect = _rect(box, placed, placed.text)
            found.append(
                VisibleText(text=placed.text, rect=rect, owner=-1, fits=box.contains(rect))
            )
    orders = {card: short_order_text(order) for card, order in scene.orders.marks.items()}
    signs = {card: sign.text for card, sign in scene.storages.marks.items()}
    for layer, words in (
        (scene.node_problems, scene.node_problems.marks),
        (scene.orders, orders),
        (scene.differences, scene.differences.marks),
        (scene.storages, signs),
    ):
        found += [
            VisibleText(text=word, rect=layer.rect(card), owner=-1, fits=True)
            for card, word in words.items()
        ]
    for card, word in scene.place.marks.items():
        rect, box = scene.place.rect(card), scene.box(card)
        fits = box.left() <= rect.left() and rect.right() <= box.right()
        found.append(VisibleText(text=word, rect=rect, owner=-1, fits=fits))
    return found


def marks_of(scene: GraphScene) -> dict[int, QRectF]:
    """Largest possible area of each card's progress mark, by card index."""
    found = {}
    for card, node in enumerate(scene.picture.nodes):
        if is_marked(node.kind):
            box, brief = rect_of(scene.box(card)), scene.picture.detail.brief
            middle = mark_place(SHAPES[node.kind], box, brief=brief)
            found[card] = qt_rect(circle(middle, NOW_MARK).rect)
    return found


def _of_card(scene: GraphScene, card: int) -> Iterator[VisibleText]:
    node, face, box = scene.picture.nodes[card], scene.picture.faces[card], scene.box(card)
    outline = qt_path(outline_around(SHAPES[node.kind], rect_of(box), 0.0))
    placed = [(each, each.text) for each in face.texts]
    if face.group_progress is not None:
        placed.append((face.group_progress, scene.group_progresses.marks.get(card, "")))
    for space, text in placed:
        rect = _rect(box, space, text)
        yield VisibleText(text=text, rect=rect, owner=card, fits=outline.contains(rect))
    for part in (face.thumbnail, *face.samples):
        if part is not None:
            rect = QRectF(box.x() + part.x, box.y() + part.y, part.width, part.height)
            yield VisibleText(text="", rect=rect, owner=card, fits=outline.contains(rect))


def _rect(box: QRectF, space: PlacedText, text: str) -> QRectF:
    """Rectangle of a line from ascent to descent, with the width that Qt measures."""
    metrics = metrics_of(space.style)
    width = measure(text, space.style)[0]
    left = space.x - width / 2 if space.centred else space.x
    top = space.baseline - metrics.ascent()
    return QRectF(box.x() + left, box.y() + top, width, metrics.ascent() + metrics.descent())
