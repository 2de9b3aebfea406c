"""A layout that places widgets in a row and wraps like words in a paragraph."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """A layout from left to right, line by line, each widget at its preferred width.

    Args:
        parent: The widget to lay out; None to add it to another layout.
        gap: Space between two widgets, in pixels.
        at_top: Whether widgets are aligned to the top of their line rather than centered.
    """

    def __init__(
        self, parent: QWidget | None = None, *, gap: int = 6, at_top: bool = False
    ) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap = gap
        self._at_top = at_top
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        """Append an item."""
        self._items.append(item)
        self.invalidate()

    def count(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item, or None if the index is out of range."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove and return an item, or return None if the index is out of range."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Return no directions, so that the layout takes no extra space."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Return True."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height for a width, in pixels."""
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        """Place all items within a rectangle."""
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        """Return the minimum size."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """Return the minimum size of the largest item."""
        size = QSize()
        for item in self._shown():
            size = size.expandedTo(item.minimumSize())
        return size

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        items = self._shown()
        sizes = [item.sizeHint() for item in items]
        places, height = flowing(sizes, rect.width(), self._gap, at_top=self._at_top)
        for item, place in zip(items, places, strict=True) if move else ():
            item.setGeometry(place.translated(rect.topLeft()))
        return height


def flowing(
    sizes: Iterable[QSize], width: int, gap: int, *, at_top: bool = False
) -> tuple[list[QRect], int]:
    """Arrange sizes side by side, wrapping at the width like words.

    Args:
        sizes: The sizes; too wide ones are reduced to the width.
        width: Width of a line, in pixels.
        gap: Space between two of them; between lines, half of that.
        at_top: Whether they are aligned to the top of their line rather than centered.

    Returns:
        Their places, and the height of all lines.
    """
    lines: list[list[QRect]] = [[]]
    x = y = height = 0
    for size in sizes:
        own = min(size.width(), width)
        if x and x + own > width:
            lines.append([])
            x, y, height = 0, y + height + gap // 2, 0
        lines[-1].append(QRect(QPoint(x, y), QSize(own, size.height())))
        x, height = x + own + gap, max(height, size.height())
    for line in lines if not at_top else ():
        tallest = max((place.height() for place in line), default=0)
        for place in line:
            place.moveTop(place.top() + (tallest - place.height()) // 2)
    return [place for line in lines for place in line], y + height
