"""Paints the rows of the op table: headings across all columns, and bars for times."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from gradviz.viewer.look.icons import icon
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.ops.headings import Heading
from gradviz.viewer.ops.model import HEADING_ROLE, NOW_ROLE, OP, SHARE_ROLE, TIME

_SIGN, _EDGE, _STEP, _GAP = 14, 6, 9, 10
_BAR = 3


class OpsDelegate(QStyledItemDelegate):
    """Paints cells and headings, with an arrow in the current row."""

    def __init__(self, theme: Theme, view: QTableView) -> None:
        super().__init__(view)
        self._theme = theme
        self._view = view

    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme."""
        self._theme = theme

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint one cell."""
        painter.save()
        painter.setClipRect(option.rect)
        self._paint_ground(painter, option, index)
        heading = index.data(HEADING_ROLE)
        if isinstance(heading, Heading):
            self._paint_heading(painter, option, heading)
        else:
            self._paint_cell(painter, option, index)
        if index.column() == OP and index.data(NOW_ROLE):
            self._paint_sign(painter, option.rect)
        painter.restore()

    def _paint_ground(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        heading = index.data(HEADING_ROLE)
        if index.data(NOW_ROLE):
            painter.fillRect(option.rect, self._theme.colour("current_line"))
        elif isinstance(heading, Heading) and heading.outer:
            painter.fillRect(option.rect, self._theme.colour("raised"))
        if option.state & QStyle.StateFlag.State_Selected and self._view.hasFocus():
            painter.setPen(self._theme.colour("focus"))
            rect = option.rect.adjusted(0, 0, 0, -1)
            painter.drawLine(rect.topLeft(), rect.topRight())
            painter.drawLine(rect.bottomLeft(), rect.bottomRight())

    def _paint_heading(
        self, painter: QPainter, option: QStyleOptionViewItem, heading: Heading
    ) -> None:
        theme = self._theme
        header = self._view.horizontalHeader()
        left = -header.offset() + theme.px(_SIGN + _EDGE + (0 if heading.outer else _STEP))
        room = QRect(
            left,
            option.rect.top(),
            self._view.viewport().width() - left - theme.px(_EDGE),
            option.rect.height(),
        )
        bold = theme.font(SMALL_PIXELS, bold=heading.outer)
        painter.setPen(theme.colour("text" if heading.outer else "text_muted"))
        room = _put(painter, room, heading.title, bold, theme.px(_GAP))
        painter.setPen(theme.colour("text"))
        room = _put(
            painter, room, heading.code, theme.font(SMALL_PIXELS, mono=True), theme.px(_GAP)
        )
        painter.setPen(theme.colour("text_muted"))
        _put(painter, room, heading.hint, theme.font(SMALL_PIXELS), 0)

    def _paint_cell(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        theme = self._theme
        own = QStyleOptionViewItem(option)
        self.initStyleOption(own, index)
        before = theme.px(_SIGN + _EDGE + 2 * _STEP) if index.column() == OP else theme.px(_EDGE)
        rect = option.rect.adjusted(before, 0, -theme.px(_EDGE), 0)
        share = index.data(SHARE_ROLE)
        if index.column() == TIME and isinstance(share, float):
            # Below the number, so that its background is the same as in other cells.
            height = theme.px(_BAR)
            bar = QRectF(
                rect.left(), rect.bottom() - height, max(1.0, rect.width() * share), height
            )
            painter.fillRect(bar, theme.colour("accent"))
        painter.setFont(own.font)
        painter.setPen(own.palette.color(QPalette.ColorRole.Text))
        text = own.fontMetrics.elidedText(own.text, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)

    def _paint_sign(self, painter: QPainter, rect: QRect) -> None:
        side = self._theme.px(_SIGN)
        top = rect.top() + (rect.height() - side) // 2
        place = QRect(rect.left() + self._theme.px(_EDGE) // 2, top, side, side)
        icon("next", self._theme, "accent").paint(painter, place)


def _put(painter: QPainter, room: QRect, text: str, font: QFont, gap: int) -> QRect:
    """Write text at the left of a rectangle; return the rest of the rectangle."""
    if not text or room.width() <= 0:
        return room
    painter.setFont(font)
    metrics = QFontMetrics(font)
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
    return room.adjusted(metrics.horizontalAdvance(shown) + gap, 0, 0, 0)
