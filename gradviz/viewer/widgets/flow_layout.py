"""A layout that places widgets in a row and wraps like words in a paragraph."""

from __future__ import annotations

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
        x, y, height = rect.x(), rect.y(), 0
        line: list[tuple[QLayoutItem, QRect]] = []
        for item in self._shown():
            size = item.sizeHint()
            width = min(size.width(), rect.width())
            if x > rect.x() and x + width > rect.x() + rect.width():
                self._place(line, height, move)
                x, y, height, line = rect.x(), y + height + self._gap // 2, 0, []
            line.append((item, QRect(QPoint(x, y), QSize(width, size.height()))))
            x += width + self._gap
            height = max(height, size.height())
        self._place(line, height, move)
        return y + height - rect.y()

    def _place(self, line: list[tuple[QLayoutItem, QRect]], height: int, move: bool) -> None:
        """Place the items of one line, aligned vertically."""
        for item, place in line if move else ():
            below = 0 if self._at_top else (height - place.height()) // 2
            item.setGeometry(place.translated(0, below))
