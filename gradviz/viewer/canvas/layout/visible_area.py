"""The visible part of the graph, and how far to scroll to show something."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect

MARGIN = 40
"""Margin around a revealed box in pixels, if there is space."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleArea:
    """The visible part of the graph, as stored and restored by a view.

    Attributes:
        scale: 1 is 100%.
        across: Value of the horizontal scroll bar.
        down: Value of the vertical scroll bar.
        fitted: Whether the whole graph is shown and is refitted when the view is resized.
    """

    scale: float
    across: int
    down: int
    fitted: bool


def scroll_into_view(box: QRect, space: QRect) -> QPointF:
    """Scroll distance in pixels that brings a box into a rectangle with a margin."""
    # In a small view, full margins would leave no space between them.
    margin = min(MARGIN, space.height() // 8, space.width() // 8)
    inner = space.adjusted(margin, margin, -margin, -margin)
    across = _shift(box.left(), box.right(), inner.left(), inner.right())
    return QPointF(across, _shift(box.top(), box.bottom(), inner.top(), inner.bottom()))


def _shift(low: int, high: int, least: int, most: int) -> int:
    """If the span is longer than the space, its low end is shown."""
    if low < least or high - low > most - least:
        return least - low
    return min(0, most - high)
