"""A row of widgets that goes on in the next line where the width ends, like words do."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Lays out its widgets from left to right, line by line, each as wide as it likes to be.

    Args:
        parent: The widget to lay out; None where it goes into another layout.
        gap: Pixels between two widgets.
        at_top: Whether widgets of one line stand at its top, instead of in its middle.
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
        """Appends an item."""
        self._items.append(item)
        self.invalidate()

    def count(self) -> int:
        """How many items there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """One item, or None."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Removes one item."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """One item, or None."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """The height follows from the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height in pixels at a width."""
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        """Places all items."""
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        """The size it likes to have."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """The size of its largest item."""
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
        """Moves the widgets of one line, each to its place in the line's height."""
        for item, place in line if move else ():
            below = 0 if self._at_top else (height - place.height()) // 2
            item.setGeometry(place.translated(0, below))
