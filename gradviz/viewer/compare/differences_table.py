"""Table with both values and their difference as small images."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from gradviz.model.tensor import TensorValue
from gradviz.viewer.compare.value_pairs import PairedValue
from gradviz.viewer.tensor_view.small.thumbnail import paint_thumbnail, thumbnail_size
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.focus_ring import FocusRing
from gradviz.viewer.widgets.header_font import set_header_font
from gradviz.viewer.widgets.plain_text import plain_tooltip

_PICTURE = Qt.ItemDataRole.UserRole
_LIMIT = Qt.ItemDataRole.UserRole + 1
_SAME = Qt.ItemDataRole.UserRole + 2
_WIDTHS = (82, 74, 74, 74)
_MOST = QSizeF(66, 44)
_EDGE = 6


class DifferencesTable(QTableWidget):
    """One row for each value at a position."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(0, 5, parent)
        self._theme = theme
        self._delegate = _Pictures(theme, self)
        self.setItemDelegate(self._delegate)
        self.setHorizontalHeaderLabels(
            [
                self.tr("Value"),
                self.tr("Original"),
                self.tr("Changed"),
                self.tr("Difference"),
                self.tr("Largest difference"),
            ]
        )
        self.verticalHeader().hide()
        self.horizontalHeader().setStretchLastSection(True)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setWordWrap(True)
        self.setAccessibleName(self.tr("Values in both runs"))
        FocusRing(self)
        self.set_theme(theme)

    def show_rows(self, rows: Sequence[PairedValue]) -> None:
        """Show other values."""
        self.setRowCount(len(rows))
        for at, row in enumerate(rows):
            name = self.tr("{0}\n{1}").format(row.name, row.role)
            self._put(at, 0, name, None, row)
            self._put(at, 1, row.left.text, row.left.value, row)
            self._put(at, 2, row.right.text, row.right.value, row)
            self._put(at, 3, "" if row.difference is None else row.comparison, row.difference, row)
            last = self._put(at, 4, row.comparison, None, row)
            tip = self.tr("{0}\nIn parentheses: relative to the original element.")
            last.setToolTip(plain_tooltip(tip.format(row.comparison)))
            self.setRowHeight(at, self._height(row))

    def set_theme(self, theme: Theme) -> None:
        """Apply another theme."""
        self._theme = theme
        self._delegate.theme = theme
        self.setFont(theme.font(SMALL_PIXELS))
        set_header_font(self.horizontalHeader(), theme.font(SMALL_PIXELS))
        for column, width in enumerate(_WIDTHS):
            self.setColumnWidth(column, theme.px(width))
        for cell in itertools.product(range(self.rowCount()), range(self.columnCount())):
            item = self.item(*cell)
            if item is not None:
                self._color(item)
        self.viewport().update()

    def _put(
        self, at: int, column: int, text: str, picture: TensorValue | None, row: PairedValue
    ) -> QTableWidgetItem:
        item = QTableWidgetItem(text if picture is None else "")
        item.setData(_PICTURE, picture)
        item.setData(_LIMIT, row.limit)
        item.setToolTip(plain_tooltip(text))
        item.setData(Qt.ItemDataRole.AccessibleTextRole, text or self.tr("empty"))
        item.setData(_SAME, row.same)
        self._color(item)
        self.setItem(at, column, item)
        return item

    def _color(self, item: QTableWidgetItem) -> None:
        if item.data(_SAME):
            item.setForeground(self._theme.color("text_muted"))

    def _height(self, row: PairedValue) -> int:
        lines = 2 * self.fontMetrics().lineSpacing()
        values = [
            each for each in (row.left.value, row.right.value, row.difference) if each is not None
        ]
        tallest = max((picture_size(each).height() for each in values), default=0.0)
        return int(max(lines, tallest)) + 2 * _EDGE


def picture_size(value: TensorValue) -> QSizeF:
    """Return the size of a value's thumbnail in the table."""
    return thumbnail_size(value, _MOST)


class _Pictures(QStyledItemDelegate):
    def __init__(self, theme: Theme, view: QTableWidget) -> None:
        super().__init__(view)
        self.theme = theme

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint the default background, then the thumbnail."""
        super().paint(painter, option, index)
        value = index.data(_PICTURE)
        if isinstance(value, TensorValue):
            size = picture_size(value)
            space = QRectF(option.rect).adjusted(4, 0, -4, 0)
            left, top = space.left(), space.center().y() - size.height() / 2
            rect = QRectF(left, top, min(size.width(), space.width()), size.height())
            paint_thumbnail(painter, rect, value, self.theme, index.data(_LIMIT))

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return the size of the thumbnail."""
        value = index.data(_PICTURE)
        if isinstance(value, TensorValue):
            return picture_size(value).toSize()
        return super().sizeHint(option, index)
