"""A legend of the marks on the maps."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.viewer.jacobians.signs import paint_corner, paint_ring
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.tensor_view.outline import paint_outline

_SIGN = 14
_GAP = 6


class SignLegend(QWidget):
    """One line: corner and ring mark elements outside the tolerance, an outline the worst."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._wrong = self.tr("outside the tolerance")
        self._worst = self.tr("worst, cursor")
        self.setFont(theme.font(SMALL_PIXELS))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self._theme = theme
        self.setFont(theme.font(SMALL_PIXELS))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Size of the line."""
        metrics = QFontMetrics(self.font())
        words = sum(metrics.horizontalAdvance(text) for text in (self._wrong, self._worst))
        width = words + 3 * (_SIGN + _GAP) + 4 * _GAP
        return QSize(width, max(_SIGN, metrics.height()) + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the marks and their texts, centered."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = QFontMetrics(self.font())
        widths = [metrics.horizontalAdvance(text) for text in (self._wrong, self._worst)]
        x = max(0.0, (self.width() - sum(widths) - 3 * (_SIGN + _GAP) - 4 * _GAP) / 2)
        y = (self.height() - _SIGN) / 2
        for sign in ("corner", "ring"):
            box = QRectF(x, y, _SIGN, _SIGN)
            painter.fillRect(box, self._theme.colour("raised"))
            if sign == "corner":
                paint_corner(painter, box)
            else:
                paint_ring(painter, box.center(), _SIGN / 2 - 3)
            x += _SIGN + _GAP
        x = self._write(painter, x, self._wrong, widths[0]) + 3 * _GAP
        box = QRectF(x, y, _SIGN, _SIGN)
        painter.fillRect(box, self._theme.colour("raised"))
        paint_outline(painter, box, 2)
        self._write(painter, x + _SIGN + _GAP, self._worst, widths[1])
        painter.end()

    def _write(self, painter: QPainter, x: float, text: str, width: int) -> float:
        painter.setPen(self._theme.colour("text_muted"))
        box = QRectF(x, 0, width + 2, self.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        return x + width
