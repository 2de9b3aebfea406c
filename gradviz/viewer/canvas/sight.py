"""What part of the graph is in sight, and the way to bring something into sight."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect

MARGIN = 40
"""Pixels between what was brought into sight and the edge, where there is so much room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A part of the graph, as a view shows it.

    Attributes:
        scale: 1 is 100 %.
        across: Of the scroll bar.
        down: Of the scroll bar.
        fitted: Whether it is the whole graph, and stays that in another size.
    """

    scale: float
    across: int
    down: int
    fitted: bool


def way_into(box: QRect, room: QRect) -> QPointF:
    """How far to move what is shown so that a box lies in a room, with a margin; in pixels."""
    margin = min(MARGIN, room.height() // 8, room.width() // 8)
    inner = room.adjusted(margin, margin, -margin, -margin)
    across = _way(box.left(), box.right(), inner.left(), inner.right())
    return QPointF(across, _way(box.top(), box.bottom(), inner.top(), inner.bottom()))


def _way(low: int, high: int, least: int, most: int) -> int:
    """The low end of a span comes before its high one, where there is no room for both."""
    if low < least or high - low > most - least:
        return least - low
    return min(0, most - high)
