"""The strip below the graph: what shapes, marks and lines mean."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.drawing.drawn import DrawnKind
from gradviz.model.palette import Role
from gradviz.viewer.canvas.card_paint import CardPaint, paint_mark
from gradviz.viewer.canvas.outline import chamfered
from gradviz.viewer.canvas.progress import DONE, NOW, TO_COME
from gradviz.viewer.theme import LIGHT, Theme

_SWATCH = 20.0
_GAP = 10.0
_MARKS: dict[int, Role] = {
    DONE: "status_done",
    NOW: "status_now",
    TO_COME: "status_to_come",
}
Paint = Callable[[QPainter, QRectF], None]


class Legend(QWidget):
    """Shows as many entries as fit, the most needed first."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._font = LIGHT.font(11)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Legend"))
        self.setAccessibleDescription(
            self.tr(
                "Filled mark: done. Ringed mark: now. Hollow mark and dashed border: to come. "
                "Cut corners and a thick border: a custom Function."
            )
        )

    def set_theme(self, theme: Theme) -> None:
        """Draws with another theme."""
        self._theme = theme
        self.update()

    def _entries(self) -> list[tuple[str, Paint]]:
        return [
            (self.tr("done"), lambda p, r: self._mark(p, r, DONE)),
            (self.tr("now"), lambda p, r: self._mark(p, r, NOW)),
            (self.tr("to come"), lambda p, r: self._mark(p, r, TO_COME)),
            (self.tr("custom Function"), lambda p, r: self._box(p, r, "custom")),
            (self.tr("built-in"), lambda p, r: self._box(p, r, "builtin")),
            (self.tr("leaf"), lambda p, r: self._box(p, r, "leaf")),
            (self.tr("output"), lambda p, r: self._box(p, r, "output")),
            (self.tr("saved"), lambda p, r: self._box(p, r, "saved")),
            (self.tr("gradient has flowed"), self._line),
        ]

    def _mark(self, painter: QPainter, room: QRectF, state: int) -> None:
        ink = self._theme.colour(_MARKS[state])
        paint_mark(painter, room.center(), state, ink, self._theme.colour("canvas"))

    def _box(self, painter: QPainter, room: QRectF, kind: DrawnKind) -> None:
        box = room.adjusted(1, 3, -1, -3)
        if kind == "custom":
            painter.setPen(QPen(self._theme.colour("custom_border"), 2))
            painter.setBrush(self._theme.colour("custom_fill"))
            painter.drawPolygon(chamfered(box, 3.5))
        elif kind == "output":
            painter.setPen(QPen(self._theme.colour("output_border"), 1.2))
            painter.setBrush(self._theme.colour("output_fill"))
            painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        else:
            CardPaint(self._theme).body(painter, kind, box, DONE)

    def _line(self, painter: QPainter, room: QRectF) -> None:
        ink = self._theme.colour("edge_done")
        middle = room.center().y()
        painter.setPen(QPen(ink, 2.4))
        painter.drawLine(QPointF(room.left(), middle), QPointF(room.right() - 7, middle))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        corners = ((room.right(), 0.0), (room.right() - 8, -4.0), (room.right() - 8, 4.0))
        painter.drawPolygon(QPolygonF([QPointF(x, middle + y) for x, y in corners]))

    def sizeHint(self) -> QSize:
        """One line."""
        return QSize(200, 26)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws the entries from left to right."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._font)
        metrics = QFontMetricsF(self._font)
        left, height = 12.0, float(self.height())
        for text, paint in self._entries():
            width = metrics.horizontalAdvance(text)
            if left + _SWATCH + 6 + width + _GAP > self.width():
                break
            paint(painter, QRectF(left, (height - 18) / 2, _SWATCH, 18))
            painter.setPen(self._theme.colour("text_muted"))
            baseline = (height + metrics.ascent() - metrics.descent()) / 2
            painter.drawText(QPointF(left + _SWATCH + 6, baseline), text)
            left += _SWATCH + 6 + width + _GAP
