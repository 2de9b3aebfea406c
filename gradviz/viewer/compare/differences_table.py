"""Table with both values and their difference as small images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gradviz.model.tensor import TensorValue
from gradviz.viewer.compare.value_pairs import PairedValue
from gradviz.viewer.tensor_view.small.thumbnail import paint_thumbnail, thumbnail_size
from gradviz.viewer.theme.dress import wear
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.header_font import set_header_font
from gradviz.viewer.widgets.row_model import Cell
from gradviz.viewer.widgets.row_table import RowTable

_PICTURE = Qt.ItemDataRole.UserRole
_LIMIT = Qt.ItemDataRole.UserRole + 1
_WIDTHS = (82, 74, 74, 74)
_MOST = QSizeF(66, 44)
_EDGE = 6


class DifferencesTable(RowTable):
    """One row for each value at a position."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pairs: Sequence[PairedValue] = ()
        self.row_model.set_titles(
            (
                self.tr("Value"),
                self.tr("Original"),
                self.tr("Changed"),
                self.tr("Difference"),
                self.tr("Largest difference"),
            )
        )
        self._delegate = _Pictures(theme, self)
        self.setItemDelegate(self._delegate)
        self.horizontalHeader().setStretchLastSection(True)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        self.setShowGrid(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAccessibleName(self.tr("Values in both runs"))
        wear(self, theme, SMALL_PIXELS)
        self.dress()

    def show_pairs(self, pairs: Sequence[PairedValue]) -> None:
        """Show other values."""
        self._pairs = pairs
        self.row_model.show(map(self._cells, pairs))
        for at, pair in enumerate(pairs):
            self.setRowHeight(at, self._height(pair))

    def dress(self) -> None:
        """Apply another theme."""
        set_header_font(self.horizontalHeader(), self._theme.font(SMALL_PIXELS))
        for column, width in enumerate(_WIDTHS):
            self.setColumnWidth(column, self._theme.px(width))
        self.row_model.update(map(self._cells, self._pairs))

    def _cells(self, pair: PairedValue) -> tuple[Cell, ...]:
        difference = "" if pair.difference is None else pair.comparison
        return (
            self._cell(pair, self.tr("{0}\n{1}").format(pair.name, pair.role)),
            self._cell(pair, pair.left.text, pair.left.value),
            self._cell(pair, pair.right.text, pair.right.value),
            self._cell(pair, difference, pair.difference),
            self._comparison_cell(pair),
        )

    def _comparison_cell(self, pair: PairedValue) -> Cell:
        tip = self.tr("{0}\nIn parentheses: relative to the original element.")
        return replace(self._cell(pair, pair.comparison), tip=tip.format(pair.comparison))

    def _cell(self, pair: PairedValue, text: str, picture: TensorValue | None = None) -> Cell:
        more: dict[int, object] = {_PICTURE: picture, _LIMIT: pair.limit}
        if pair.same:
            more[Qt.ItemDataRole.ForegroundRole] = self._theme.color("text_muted")
        return Cell(
            text=text if picture is None else "",
            tip=text,
            spoken=text or self.tr("empty"),
            more=more,
        )

    def _height(self, pair: PairedValue) -> int:
        lines = 2 * self.fontMetrics().lineSpacing()
        values = [
            each
            for each in (pair.left.value, pair.right.value, pair.difference)
            if each is not None
        ]
        tallest = max((picture_size(each).height() for each in values), default=0.0)
        return int(max(lines, tallest)) + 2 * _EDGE


def picture_size(value: TensorValue) -> QSizeF:
    """Return the size of a value's thumbnail in the table."""
    return thumbnail_size(value, _MOST)


class _Pictures(QStyledItemDelegate):
    def __init__(self, theme: Theme, view: QWidget) -> None:
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
