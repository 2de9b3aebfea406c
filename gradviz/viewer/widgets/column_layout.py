"""A vertical stack of widgets that is laid out in one pass, fast enough for each step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.viewer.widgets.flow_layout import flowing


class ColumnLayoutWidget(QWidget):
    """A widget that lays out its own parts; subclasses implement `place`.

    Nested Qt layouts query each label's height repeatedly at every level; this class queries it
    once. Call `refresh` after changing the contents.

    Attributes:
        held: Whether layout is suspended.

    Signals:
        height_changed: The required height differs from the current one.
    """

    height_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        # Qt would lay it out in its preferred size when it is shown; its owner resizes it anyway.
        self.setAttribute(Qt.WidgetAttribute.WA_Resized)
        self._placed = 0
        self._height = 0
        self.held = False

    def place(self, width: int, *, move: bool) -> int:
        """Return the height for a width, and move the parts if asked to.

        Args:
            width: Width in pixels.
            move: Whether to move the parts rather than only measure them.
        """
        raise NotImplementedError

    def settle(self, width: int) -> int:
        """Move the parts into place for a width; return the height."""
        self._placed = width
        self._height = self.place(width, move=True)
        return self._height

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Suspend layout of this column and those inside; the caller refreshes it afterward."""
        self.held = True
        try:
            yield
        finally:
            self.held = False

    def refresh(self) -> None:
        """Lay out the parts again after a change."""
        if self._is_held():
            return
        if self.settle(self.width()) != self.height():
            self.updateGeometry()
            self.height_changed.emit()

    def update_theme(self) -> None:
        """Lay out the parts again in another theme."""
        self.refresh()

    def _is_held(self) -> bool:
        widget: QWidget | None = self
        while widget is not None:
            if isinstance(widget, ColumnLayoutWidget) and widget.held:
                return True
            widget = widget.parentWidget()
        return False

    def hasHeightForWidth(self) -> bool:
        """Return True."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height for a width, in pixels."""
        # Cached, as Qt queries it repeatedly.
        return self._height if width == self._placed else self.place(width, move=False)

    def sizeHint(self) -> QSize:
        """Return the current width and the height it requires."""
        width = max(self.width(), 40)
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        """Return a small width and the full height."""
        return QSize(40, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out the parts again if the width has changed."""
        super().resizeEvent(event)
        # New rows get Qt's default size first, in which they are never seen.
        if self.width() == self._placed or self._is_held():
            return
        if self.settle(self.width()) != self.height():
            # A layout limits the height to that of the former width.
            self.updateGeometry()


def height_of(part: QWidget, width: int, *, move: bool = False) -> int:
    """Return a part's height for a width; with ``move``, also lay out a column."""
    if isinstance(part, ColumnLayoutWidget):
        return part.settle(width) if move else part.place(width, move=False)
    if part.hasHeightForWidth():
        return part.heightForWidth(width)
    return part.sizeHint().height()


GUTTER = 84
"""Space between two columns, for an arrow with a few words."""

_LEAST_COLUMN = 150
"""Columns that would be narrower stand below each other."""


def halves(width: int, gutter: int = GUTTER) -> int:
    """Return the width of each of two columns with a gutter; 0 if they would be too narrow."""
    half = (width - gutter) // 2
    return half if half >= _LEAST_COLUMN else 0


def stack(
    parts: Iterable[QWidget], width: int, gap: int, *, move: bool, top: int = 0, left: int = 0
) -> int:
    """Place parts below each other; return the bottom of the last one."""
    y = top
    for part in parts:
        if part.isHidden():
            continue
        y += gap if y > top else 0
        height = height_of(part, width, move=move)
        if move:
            part.setGeometry(left, y, width, height)
        y += height
    return y


def flow(
    parts: Iterable[QWidget],
    width: int,
    gap: int,
    *,
    move: bool,
    top: int = 0,
    left: int = 0,
) -> int:
    """Place parts side by side, wrapping at the width like words.

    Each part has its preferred width and is vertically centered in its line.

    Args:
        parts: The parts; hidden ones are skipped.
        width: Width of a line, in pixels.
        gap: Space between two parts.
        move: Whether to move the parts rather than only measure them.
        top: Top of the first line.
        left: Left edge of the lines.

    Returns:
        The bottom of the last line.
    """
    shown = [part for part in parts if not part.isHidden()]
    places, height = flowing([part.sizeHint() for part in shown], width, gap)
    for part, place in zip(shown, places, strict=True) if move else ():
        part.setGeometry(place.translated(left, top))
    return top + height
