"""The legend of the curves: color, marker and name."""

from __future__ import annotations

from collections.abc import Sequence

from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.model.palette import curve_colour
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.training.curves import SYMBOLS

_ROW, _SIGN, _WIDTH = 18, 26, 190


class Legend(QWidget):
    """Lists the curves' names in the order of their colors."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._names: tuple[str, ...] = ()
        self._more = ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        self.setAccessibleName(self.tr("Legend"))

    @property
    def names(self) -> tuple[str, ...]:
        """The names shown."""
        return self._names

    def show_names(self, names: Sequence[str], more: str) -> None:
        """Replace the names; ``more`` is a last line about curves that are not drawn."""
        self._names, self._more = tuple(names), more
        self.setAccessibleDescription(", ".join((*names, more) if more else names))
        self.updateGeometry()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme."""
        self._theme = theme
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the width of the longest name, up to a maximum."""
        metrics = QFontMetrics(self._theme.font(SMALL_PIXELS))
        texts = (*self._names, self._more)
        widest = max((metrics.horizontalAdvance(each) for each in texts), default=0)
        width = min(widest + self._theme.px(_SIGN + 12), self._theme.px(_WIDTH))
        return QSize(width, self._theme.px(_ROW * len(texts)))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a line with its marker, and the name, for each curve."""
        theme = self._theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(SMALL_PIXELS))
        row, sign = theme.px(_ROW), theme.px(_SIGN)
        for position, name in enumerate((*self._names, self._more)):
            top = position * row
            if position < len(self._names):
                self._paint_sign(painter, position, QPointF(sign / 2, top + row / 2))
            painter.setPen(theme.colour("text" if position < len(self._names) else "text_muted"))
            where = QRect(sign + 4, top, self.width() - sign - 8, row)
            text = painter.fontMetrics().elidedText(
                name, Qt.TextElideMode.ElideMiddle, where.width()
            )
            painter.drawText(
                where, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text
            )

    def _paint_sign(self, painter: QPainter, position: int, middle: QPointF) -> None:
        theme = self._theme
        colour = QColor(curve_colour(position, theme.name))
        half = theme.px(_SIGN - 6) / 2
        painter.setPen(QPen(colour, 1.8 * theme.scale))
        painter.drawLine(middle - QPointF(half, 0), middle + QPointF(half, 0))
        painter.save()
        painter.translate(middle)
        painter.scale(theme.px(7), theme.px(7))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPath(Symbols[SYMBOLS[position % len(SYMBOLS)]])
        painter.restore()
