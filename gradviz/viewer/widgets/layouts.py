"""Rows, columns and scroll areas of widgets, each filled by one call."""

from __future__ import annotations

from typing import Any, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QLayout, QScrollArea, QWidget

LayoutPart = QWidget | QLayout | int | tuple[Any, ...]
"""A widget or a layout, also with its stretch factor and alignment; or the stretch of a space."""

_Box = TypeVar("_Box", bound=QBoxLayout)


def lay_out(
    box: _Box,
    *parts: LayoutPart,
    margins: int | tuple[int, int, int, int] | None = 0,
    gap: int | None = None,
) -> _Box:
    """Fill a row or a column, and return it.

    Args:
        box: The layout.
        parts: Its content, in order.
        margins: Space around it: the same on all sides, or left, top, right and bottom; None for
            that of the style.
        gap: Space between two parts; None for that of the style.
    """
    if margins is not None:
        box.setContentsMargins(*([margins] * 4 if isinstance(margins, int) else margins))
    if gap is not None:
        box.setSpacing(gap)
    for each in parts:
        part, *rest = each if isinstance(each, tuple) else (each,)
        if isinstance(part, int):
            box.addStretch(part)
        elif isinstance(part, QLayout):
            box.addLayout(part, *rest[:1])
        else:
            box.addWidget(part, *rest)
    return box


def scroll(area: QScrollArea, inside: QWidget) -> None:
    """Let an area without a frame scroll a widget, in which the tab stops are."""
    area.setWidget(inside)
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
