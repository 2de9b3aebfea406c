"""A collapsible legend in a corner of the graph: what shapes, marks and lines mean."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QAction, QFontMetricsF, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QToolButton, QWidget

from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.legend_signs import (
    SIGN_HEIGHT,
    SIGN_WIDTH,
    Entry,
    entries_of,
)
from gradviz.viewer.look.icons import icon
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme

_SIGN_SCALE = 0.62
"""Scale of the signs relative to the graph at 100 %."""

_PAD, _ROW, _GAP, _BETWEEN = 10, 21, 8, 7


class Legend(QWidget):
    """Table of the signs that occur in the graph."""

    def __init__(self, theme: Theme, action: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)
        self.setAccessibleName(self.tr("Legend"))
        self._fold = QToolButton(self)
        self._fold.setAutoRaise(True)
        self._fold.setAccessibleName(self.tr("Hide the legend"))
        self._fold.setToolTip(self.tr("Hide the legend"))
        self._fold.clicked.connect(action.trigger)
        self._groups: list[list[Entry]] = entries_of(None)
        self._made: QPixmap | None = None
        self.setAccessibleDescription(", ".join(self.texts))
        self.set_theme(theme)

    @property
    def texts(self) -> list[str]:
        """Texts of all entries, from top to bottom."""
        return [entry.text for group in self._groups for entry in group]

    @property
    def scale(self) -> float:
        """Font scale of the legend."""
        return self._theme.scale

    @property
    def tops(self) -> list[float]:
        """Top of each entry's row, in pixels."""
        theme, found = self._theme, []
        top = float(theme.px(_PAD / 2) + theme.px(_ROW))
        for group in self._groups:
            found += [top + at * theme.px(_ROW) for at in range(len(group))]
            top += len(group) * theme.px(_ROW) + theme.px(_BETWEEN)
        return found

    def explain(self, scene: GraphScene | None) -> None:
        """List the signs that occur in a scene."""
        before = self.texts
        self._groups = entries_of(scene)
        if self.texts != before:
            self.setAccessibleDescription(", ".join(self.texts))
            self._resize()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self._theme = theme
        self._font = theme.font(SMALL_PIXELS)
        self._bold = theme.font(SMALL_PIXELS, bold=True)
        side = theme.px(14)
        self._fold.setIcon(icon("collapse", theme))
        self._fold.setIconSize(QSize(side, side))
        self._resize()

    def _resize(self) -> None:
        theme, metrics = self._theme, QFontMetricsF(self._font)
        widest = max(metrics.horizontalAdvance(text) for text in self.texts)
        self._sign_width = SIGN_WIDTH * _SIGN_SCALE * theme.scale
        width = self._sign_width + widest + theme.px(2 * _PAD + _GAP)
        rows = 1 + len(self.texts)
        height = theme.px(rows * _ROW + len(self._groups) * _BETWEEN + _PAD)
        self.resize(round(width), height)
        size = self._fold.sizeHint()
        self._fold.setGeometry(
            self.width() - size.width() - 4, 4, size.width(), min(size.height(), theme.px(_ROW))
        )
        self._made = None
        self.update()

    def _baseline(self, top: float) -> float:
        metrics = QFontMetricsF(self._font)
        return top + (self._theme.px(_ROW) + metrics.capHeight()) / 2

    def _paint_entry(self, painter: QPainter, entry: Entry, top: float) -> None:
        theme = self._theme
        left, row = theme.px(_PAD), theme.px(_ROW)
        painter.save()
        scale = _SIGN_SCALE * theme.scale
        painter.translate(left, top + (row - SIGN_HEIGHT * scale) / 2)
        painter.scale(scale, scale)
        entry.paint(painter, theme)
        painter.restore()
        painter.setPen(theme.colour("text"))
        text_left = left + self._sign_width + theme.px(_GAP)
        painter.drawText(QPointF(text_left, self._baseline(top)), entry.text)

    def _paint(self, painter: QPainter) -> None:
        theme = self._theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.colour("border"))
        painter.setBrush(theme.colour("panel"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        painter.setFont(self._bold)
        painter.setPen(theme.colour("text_muted"))
        title = QPointF(theme.px(_PAD), self._baseline(theme.px(_PAD / 2)))
        painter.drawText(title, self.accessibleName())
        painter.setFont(self._font)
        entries = [entry for group in self._groups for entry in group]
        for entry, top in zip(entries, self.tops, strict=True):
            self._paint_entry(painter, entry, top)

    def sizeHint(self) -> QSize:
        """Always the current size."""
        return self.size()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the table from a cached pixmap, since every move of the graph repaints it."""
        ratio = self.devicePixelRatioF()
        if self._made is None or self._made.devicePixelRatioF() != ratio:
            self._made = QPixmap((QSizeF(self.size()) * ratio).toSize())
            self._made.setDevicePixelRatio(ratio)
            self._made.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._made)
            self._paint(painter)
            painter.end()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._made)
        painter.end()
