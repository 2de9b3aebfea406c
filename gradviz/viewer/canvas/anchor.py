"""Finds the anchor that stays in place when groups of the graph are opened or closed."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF

from gradviz.viewer.canvas.picture import Picture
from gradviz.viewer.canvas.walk import box_of


@dataclass(frozen=True, slots=True)
class Anchor:
    """One item's rectangle in two pictures of the same graph.

    Attributes:
        before: Rectangle in the old picture.
        after: Rectangle in the new picture.
    """

    before: QRectF
    after: QRectF


def anchor_of(before: Picture, after: Picture, node: int | None) -> Anchor | None:
    """Find what must not move: the opened or closed group, else the box of `node`."""
    opened = set(_cards(before)) & set(_frames(after))
    closed = set(_frames(before)) & set(_cards(after))
    # If several groups changed, the outermost one comes first in its picture.
    for key in _frames(after):
        if key in opened:
            return Anchor(_cards(before)[key], _frames(after)[key])
    for key in _frames(before):
        if key in closed:
            return Anchor(_frames(before)[key], _cards(after)[key])
    old, new = box_of(before, node), box_of(after, node)
    if node is None or old is None or new is None:
        return None
    return Anchor(QRectF(*before.boxes[old].tolist()), QRectF(*after.boxes[new].tolist()))


def _cards(picture: Picture) -> dict[str, QRectF]:
    return {
        drawn.group: QRectF(*picture.boxes[at].tolist())
        for at, drawn in enumerate(picture.nodes)
        if drawn.group
    }


def _frames(picture: Picture) -> dict[str, QRectF]:
    return {frame.drawn.group: QRectF(*frame.box) for frame in picture.frames}
