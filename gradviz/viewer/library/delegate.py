"""Paints the library's entries: headings, names, and file and line."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gradviz.viewer.look.theme import SMALL_PIXELS, UI_PIXELS, Theme

WHERE = Qt.ItemDataRole.UserRole + 2
"""Item data role of the text next to a name: file and line."""

_ENTRY, _HEADING = 26, 30
_INDENT = 10
_MARGIN = 10
_GAP = 8


class LibraryDelegate(QStyledItemDelegate):
    """Delegate that marks the selected entry with background, border and bold text.

    Args:
        theme: Colors and fonts.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint an entry or a heading."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if index.parent().isValid():
            self._paint_entry(painter, option, index)
        else:
            self._paint_heading(painter, option.rect, str(index.data()))
        painter.restore()

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return the height of one line; the width is that of the view."""
        return QSize(0, self.theme.px(_ENTRY if index.parent().isValid() else _HEADING))

    def _paint_heading(self, painter: QPainter, box: QRect, text: str) -> None:
        theme = self.theme
        font = theme.font(SMALL_PIXELS, bold=True)
        place = box.adjusted(_MARGIN, theme.px(6), -_MARGIN, 0)
        painter.setFont(font)
        painter.setPen(theme.colour("text_muted"))
        shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, shown)

    def _paint_entry(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        theme, states = self.theme, QStyle.StateFlag
        chosen = bool(option.state & states.State_Selected)
        ground = QRectF(option.rect).adjusted(6.5, 1.5, -6.5, -1.5)
        if chosen or option.state & states.State_MouseOver:
            focused = chosen and bool(option.state & states.State_HasFocus)
            border = theme.colour("focus" if focused else "accent")
            painter.setPen(QPen(border, 2 if focused else 1) if chosen else Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("selection" if chosen else "raised"))
            painter.drawRoundedRect(ground, 5, 5)
        box = QRect(option.rect).adjusted(_MARGIN + theme.px(_INDENT), 0, -_MARGIN - 2, 0)
        painter.setPen(theme.colour("selection_text" if chosen else "text_muted"))
        box.setRight(self._paint_where(painter, box, str(index.data(WHERE) or "")))
        font = theme.font(UI_PIXELS, bold=chosen)
        painter.setFont(font)
        painter.setPen(theme.colour("selection_text" if chosen else "text"))
        metrics = QFontMetrics(font)
        text = metrics.elidedText(str(index.data()), Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_where(self, painter: QPainter, box: QRect, text: str) -> int:
        """Paint file and line on the right, at most half as wide; return the left edge."""
        if not text:
            return box.right()
        font = self.theme.font(SMALL_PIXELS)
        metrics = QFontMetrics(font)
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, box.width() // 2)
        painter.setFont(font)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(box, right, shown)
        return box.right() - metrics.horizontalAdvance(shown) - self.theme.px(_GAP)
