"""Which part of a graph to show when the whole graph does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QPointF, QRect, QRectF

AxisSpan = tuple[float, float]
"""Start and end along one axis, in scene units."""


def find_center(
    visible: QRectF,
    graph: QRectF,
    needed: Sequence[QRectF],
    wanted: Iterable[QRectF],
    *,
    slack: float,
    tidy: bool = False,
) -> QPointF | None:
    """Return the center of the part to show, or None if the visible part may stay.

    Args:
        visible: The visible part.
        graph: Bounds of the whole graph.
        needed: Areas that must be visible, most important first; those that do not fit together
            with the ones before them are left out.
        wanted: Areas to add until one does not fit, so that the view need not move for them later.
            They are ignored if the view may stay.
        slack: Length in scene units that counts as nothing, such as a rounding error.
        tidy: Whether the view must also move if it extends beyond the graph more than needed.
    """
    seen = visible.adjusted(-slack, -slack, slack, slack)
    shown = QRectF(needed[0])
    for area in needed[1:]:
        shown = shown | area if _fits(shown | area, visible) else shown
    stays = seen.contains(shown)
    if stays and not tidy:
        return None
    if not stays:
        for area in wanted:
            if not _fits(shown | area, visible):
                break
            shown |= area
    now = visible.center()
    # If the view may stay, it moves only as far as the empty space beyond the graph requires.
    kept = visible if stays else shown
    center = QPointF(
        middle_of(visible.width(), _span_x(graph), _span_x(kept), _span_x(needed[0])),
        middle_of(visible.height(), _span_y(graph), _span_y(kept), _span_y(needed[0])),
    )
    moved = center - now
    return None if max(abs(moved.x()), abs(moved.y())) <= slack else center


def middle_of(length: float, graph: AxisSpan, now: AxisSpan, card: AxisSpan) -> float:
    """Return the center of the view along one axis.

    The whole graph if it fits, else everything active in this step. The current card is always
    visible, and the view does not extend beyond the graph more than needed.
    """
    if graph[1] - graph[0] <= length:
        return (graph[0] + graph[1]) / 2
    place = (now[0] + now[1]) / 2
    half = length / 2
    if card[1] - card[0] <= length:
        place = max(card[1] - half, min(place, card[0] + half))
    return max(graph[0] + half, min(place, graph[1] - half))


def _fits(area: QRectF, space: QRectF) -> bool:
    return area.width() <= space.width() and area.height() <= space.height()


def _span_x(rect: QRectF) -> AxisSpan:
    return rect.left(), rect.right()


def _span_y(rect: QRectF) -> AxisSpan:
    return rect.top(), rect.bottom()


MARGIN = 40
"""Margin around a revealed box in pixels, if there is space."""


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
