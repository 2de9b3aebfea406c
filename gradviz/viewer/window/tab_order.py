"""Tab order in reading order, independent of the order in which widgets were created."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMainWindow, QScrollArea, QTabBar, QToolBar, QWidget

_Coordinate = Callable[[QWidget], int]


def tab_stops(window: QMainWindow, also: QWidget | None = None) -> list[QWidget]:
    """Return the widgets that can have the focus, in reading order.

    Qt uses the order of creation, but panels recreate some widgets at each step.

    Args:
        window: The window.
        also: A widget to list in its place even if it is disabled or hidden.
    """
    found: list[QWidget] = []
    for part in _parts(window, also):
        found += [part] if is_stop(part) or part is also else []
        found += stops_in(part, also)
    return found


def is_stop(widget: QWidget) -> bool:
    """Return whether Tab can give a widget the focus."""
    # A widget with a proxy passes the focus on, and the proxy is a stop itself.
    wanted = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return wanted and widget.focusProxy() is None and widget.isVisible() and widget.isEnabled()


def is_stale(part: QWidget, window: QMainWindow) -> bool:
    """Return whether Qt keeps a tab bar of docks that are not tabbed, or not shown, any more."""
    center = window.centralWidget()
    covered = center is not None and part.geometry().intersects(center.geometry())
    is_outside = not part.geometry().intersects(window.rect())
    return is_outside or (isinstance(part, QTabBar) and covered)


def stops_in(widget: QWidget, also: QWidget | None = None) -> Iterator[QWidget]:
    """Yield the widgets inside of another one that Tab can give the focus, in reading order."""
    for child in _rows(_children(widget, also)):
        if is_stop(child) or child is also:
            yield child
        yield from stops_in(child, also)


def focus_next(window: QMainWindow, *, forward: bool) -> bool:
    """Move the focus to the next or previous widget, wrapping around at the ends.

    Returns:
        Whether there is any widget that can have the focus.
    """
    focused: QWidget | None = window.focusWidget()
    order = tab_stops(window)
    works = focused is None or (focused.isEnabled() and focused.isVisible())
    if not works or _stop_of(focused, order) is None:
        # A widget that has just been disabled or hidden passes the focus on to its neighbor, and
        # so does a text to which Qt has given the focus of what it replaces.
        order = tab_stops(window, focused)
    if not order:
        return False
    current = _stop_of(focused, order)
    step = 1 if forward else -1
    # Without a focus, Tab starts at the first widget, Shift+Tab at the last.
    at = -1 if current is None and forward else 0 if current is None else order.index(current)
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    chosen = order[(at + step) % len(order)]
    chosen.setFocus(reason)
    _bring_into_sight(chosen)
    return True


def _stop_of(widget: QWidget | None, order: list[QWidget]) -> QWidget | None:
    """Return the widget in the order that has the focus itself or contains it."""
    while widget is not None and widget not in order:
        widget = widget.parentWidget()
    return widget


def _parts(window: QMainWindow, also: QWidget | None) -> list[QWidget]:
    """Return the window's parts: bars at the top, columns from the left, bars at the bottom."""
    shown = (each for each in _children(window, also) if not is_stale(each, window))
    parts = [each for each in shown if each is not window.menuBar()]
    bars = [each for each in parts if isinstance(each, QToolBar)]
    columns = [each for each in parts if each not in bars]
    middle = window.height() // 2
    above = [bar for bar in bars if bar.y() < middle]
    below = [bar for bar in bars if bar.y() >= middle]
    return [*_rows(above), *_columns(columns), *_rows(below)]


def _children(widget: QWidget, also: QWidget | None) -> list[QWidget]:
    """Return the visible widgets in a widget, and the one that is or contains another."""
    children = [each for each in widget.children() if isinstance(each, QWidget)]
    return [
        each
        for each in children
        if not each.isWindow() and (each.isVisible() or _contains(each, also))
    ]


def _contains(widget: QWidget, inner: QWidget | None) -> bool:
    return inner is not None and (widget is inner or widget.isAncestorOf(inner))


def _rows(widgets: Sequence[QWidget]) -> list[QWidget]:
    """Sort top to bottom, then left to right."""
    return _in_lines(widgets, QWidget.y, QWidget.height, QWidget.x)


def _columns(widgets: Sequence[QWidget]) -> list[QWidget]:
    """Sort left to right, then top to bottom."""
    return _in_lines(widgets, QWidget.x, QWidget.width, QWidget.y)


def _in_lines(
    widgets: Sequence[QWidget], start: _Coordinate, size: _Coordinate, along: _Coordinate
) -> list[QWidget]:
    """Group widgets into lines; a widget whose center is within the first one's extent joins."""
    lines: list[list[QWidget]] = []
    end = None
    for widget in sorted(widgets, key=start):
        if end is None or start(widget) + size(widget) / 2 >= end:
            lines.append([])
            end = start(widget) + size(widget)
        lines[-1].append(widget)
    return [widget for line in lines for widget in sorted(line, key=along)]


def _bring_into_sight(widget: QWidget) -> None:
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QScrollArea):
            seen = parent.viewport().rect()
            corner = widget.mapTo(parent.viewport(), QPoint())
            if not seen.contains(widget.rect().translated(corner)):
                parent.ensureWidgetVisible(widget)
        parent = parent.parentWidget()
