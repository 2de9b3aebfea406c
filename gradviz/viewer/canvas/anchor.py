"""What two pictures of one graph have in common when groups were opened or closed between them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF

from gradviz.viewer.canvas.picture import Picture
from gradviz.viewer.canvas.walk import box_of


@dataclass(frozen=True, slots=True)
class Anchor:
    """The same thing in two pictures.

    Attributes:
        before: Where it was.
        after: Where it is.
    """

    before: QRectF
    after: QRectF


def anchor_of(before: Picture, after: Picture, node: int | None) -> Anchor | None:
    """What stays in its place: the group that was opened or closed, else the box of a node."""
    opened = set(_cards(before)) & set(_frames(after))
    closed = set(_frames(before)) & set(_cards(after))
    # Of several, the outermost comes first in its picture.
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
