"""How one field of a row is painted: its text, what stands at the end of a list's row, pictures."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QBrush, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gradviz.document.document import Field, Row
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.viewer.rows.rows_model import AnyIndex, RowsModel
from gradviz.viewer.tensor_view.cell_painter import paint_thumbnail, thumbnail_size
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme

ROW_PIXELS, LINE_PIXELS = 26, 16
"""Height of a row of one line, and of one that is a line of text, in an unscaled theme."""

_EDGE, _GAP, _BAR = 4, 8, 3
_DECORATION = Qt.ItemDataRole.DecorationRole
_MOST_SHARE = 0.6
"""Largest part of a field that a picture before a text takes."""

_PICTURE, _WIDE = (66, 44), 110
"""Largest sizes of pictures, in high rows and in those of one line."""


class RowRoom(Protocol):
    """What the delegate asks its view."""

    @property
    def is_list(self) -> bool:
        """Whether rows have no columns: the second field of each stands at its right end."""

    @property
    def row_pixels(self) -> int:
        """Height of a row of one line, in pixels of an unscaled theme."""

    def wordWrap(self) -> bool:
        """Tell whether rows may have several lines."""

    def room_of(self, place: AnyIndex) -> int:
        """Return the width of a field, in pixels."""


class RowsDelegate(QStyledItemDelegate):
    """Makes rows high enough to be read and hit, and paints what is not the text of a field.

    Args:
        theme: Colors and fonts.
        rows: The rows.
        room: The view.
        parent: The view, too.
    """

    def __init__(self, theme: Theme, rows: RowsModel, room: RowRoom, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme
        self._rows, self._room = rows, room

    def initStyleOption(self, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Give a selected field the same colors in every style, focused or not."""
        super().initStyleOption(option, index)
        if option.state & QStyle.StateFlag.State_Selected:
            option.state &= ~QStyle.StateFlag.State_Selected
            option.backgroundBrush = QBrush(self.theme.color("selection"))
            palette = QPalette(option.palette)
            palette.setColor(QPalette.ColorRole.Text, self.theme.color("selection_text"))
            option.palette = palette

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paint one field."""
        row, field = self._rows.row_at(index), self._rows.field_at(index)
        end, note = self._end_of(row), row.note if self._room.is_list else ""
        if end or note:
            self._paint_list_row(painter, option, index, (end, note))
        elif field.tensor is not None:
            self._paint_picture(painter, option, index, field)
        else:
            super().paint(painter, option, index)
        if field.share is not None:
            box, height = QRectF(option.rect).adjusted(_EDGE, 0, -_EDGE, 0), self.theme.px(_BAR)
            box.setTop(box.bottom() - height)
            box.setWidth(max(1.0, box.width() * field.share))
            painter.fillRect(box, self.theme.color("accent"))

    def _paint_list_row(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: AnyIndex,
        texts: tuple[str, str],
    ) -> None:
        """Paint a row with a text at its end, and another one below."""
        end, note = texts
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if is_chosen:
            painter.fillRect(option.rect, self.theme.color("selection"))
        box = option.rect.adjusted(_EDGE, 0, -_EDGE, 0)
        own = QStyleOptionViewItem(option)
        own.rect = option.rect.adjusted(0, 0, -self._end_width(end, box.width()), 0)
        if note:
            own.rect = own.rect.adjusted(0, 0, 0, -self._note_height())
        super().paint(painter, own, index)
        quiet: PaletteRole = "selection_text" if is_chosen else "text_muted"
        painter.save()
        painter.setFont(self.theme.font(SMALL_PIXELS))
        painter.setPen(self.theme.color(quiet))
        upper = QRect(box.left(), own.rect.top(), box.width(), own.rect.height())
        right, left = Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignLeft
        middle, metrics = Qt.AlignmentFlag.AlignVCenter, painter.fontMetrics()
        shown = metrics.elidedText(end, Qt.TextElideMode.ElideMiddle, box.width() // 2)
        painter.drawText(upper, right | middle, shown)
        # Only this tells how wide a picture before the text is.
        self.initStyleOption(own, index)
        before = own.decorationSize.width() + _EDGE if index.data(_DECORATION) else 0
        lower = QRect(box.left(), own.rect.bottom(), box.width(), self._note_height())
        lower.setLeft(lower.left() + before)
        painter.drawText(
            lower,
            left | Qt.AlignmentFlag.AlignTop,
            metrics.elidedText(note, Qt.TextElideMode.ElideRight, lower.width()),
        )
        painter.restore()

    def _paint_picture(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: AnyIndex,
        field: Field,
    ) -> None:
        """Paint the picture of a tensor, and the text after it."""
        assert field.tensor is not None
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, self.theme.color("selection"))
        space = QRectF(option.rect).adjusted(_EDGE, 0, -_EDGE, 0)
        size = thumbnail_size(field.tensor, self._most)
        top, width = space.center().y() - size.height() / 2, min(size.width(), space.width())
        if field.text:
            width = min(width, space.width() * _MOST_SHARE)
        own = QStyleOptionViewItem(option)
        own.rect = option.rect.adjusted(int(width) + _GAP, 0, 0, 0)
        super().paint(painter, own, index)
        box = QRectF(space.left(), top, width, size.height())
        paint_thumbnail(painter, box, field.tensor, self.theme, field.limit)

    @property
    def _most(self) -> QSizeF:
        """Largest size of a picture."""
        if self._room.wordWrap():
            return QSizeF(*_PICTURE)
        return QSizeF(_WIDE, self.theme.px(self._room.row_pixels) - _EDGE)

    def _end_of(self, row: Row) -> str:
        return row.fields[1].text if self._room.is_list and len(row.fields) > 1 else ""

    def _end_width(self, end: str, room: int) -> int:
        """The width of the text at a row's end with its gap, at most half of the room."""
        if not end:
            return 0
        metrics = QFontMetrics(self.theme.font(SMALL_PIXELS))
        return min(metrics.horizontalAdvance(end), room // 2) + _GAP

    def _note_height(self) -> int:
        return QFontMetrics(self.theme.font(SMALL_PIXELS)).height() + _EDGE

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Return the height of a row, whose texts have the width of their columns."""
        row, field, height = self._rows.row_at(index), self._rows.field_at(index), 0
        if self._room.wordWrap():
            room = self._room.room_of(index)
            room -= self._end_width(self._end_of(row), room)
            # Qt ignores an empty one.
            option.rect = QRect(0, 0, max(room, 1), 1)
            if field.tensor is not None:
                picture = thumbnail_size(field.tensor, self._most)
                height = int(picture.height()) + 2 * _EDGE
        size = super().sizeHint(option, index)
        size = size.expandedTo(QSize(0, max(height, self.theme.px(self._room.row_pixels))))
        return size + QSize(0, self._note_height() if row.note and self._room.is_list else 0)
