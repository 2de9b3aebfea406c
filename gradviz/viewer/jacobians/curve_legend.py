"""The legend of the eps curve: a sample and a name for each line."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.model.palette import Role
from gradviz.viewer.jacobians.eps_curve import paint_mark
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme

_SAMPLE, _GAP = 22, 8

_Line = tuple[Role, Qt.PenStyle, str, str]


class CurveLegend(QWidget):
    """Samples of the lines with their names."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        solid, dashed = Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine
        self._lines: tuple[_Line, ...] = (
            ("text", solid, "round", self.tr("|analytical − numerical|")),
            ("forward", solid, "square", self.tr("right − left difference")),
            ("backward", Qt.PenStyle.DashDotLine, "", self.tr("expected rounding error")),
            ("error", dashed, "", self.tr("tolerance")),
            ("accent", dashed, "", self.tr("eps of this check")),
            ("ok", Qt.PenStyle.NoPen, "ring", self.tr("best eps tried")),
        )
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self._theme = theme
        self.setFont(theme.font(SMALL_PIXELS))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Height of all rows."""
        return QSize(200, len(self._lines) * (QFontMetrics(self.font()).height() + 2))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint one row for each line."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        height, sample = QFontMetrics(self.font()).height() + 2, self._theme.px(_SAMPLE)
        for row, (role, style, mark, text) in enumerate(self._lines):
            middle = row * height + height / 2
            colour = self._theme.colour(role)
            painter.setPen(QPen(colour, 1.6 * self._theme.scale, style))
            painter.drawLine(QPointF(0, middle), QPointF(sample, middle))
            painter.setPen(QPen(colour, 1.6 * self._theme.scale))
            place, radius = QPointF(sample / 2, middle), 3 * self._theme.scale
            if mark == "ring":
                painter.drawEllipse(place, radius + 2, radius + 2)
            elif mark:
                painter.setBrush(colour)
                paint_mark(painter, place, radius, is_round=mark == "round")
                painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(self._theme.colour("text_muted"))
            painter.drawText(
                self.rect().adjusted(sample + _GAP, row * height, 0, 0),
                Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop,
                text,
            )
        painter.end()
