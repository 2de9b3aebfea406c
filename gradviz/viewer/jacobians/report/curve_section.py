"""A section with the eps curve of a pair, its summary and its legend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.model.diagnosis import ErrorCurve
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.viewer.jacobians.report.curve_text import allowed_at, curve_of, element_text, summary
from gradviz.viewer.theme.theme import SMALL_PIXELS, UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from gradviz.viewer.jacobians.report.eps_curve import EpsCurve

_SAMPLE, _GAP = 22, 8

_LegendEntry = tuple[PaletteRole, Qt.PenStyle, str, str]


class CurveLegend(QWidget):
    """Samples of the lines with their names."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        solid, dashed = Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine
        self._lines: tuple[_LegendEntry, ...] = (
            ("text", solid, "round", self.tr("|analytical − numerical|")),
            ("forward", solid, "square", self.tr("right − left difference")),
            ("backward", Qt.PenStyle.DashDotLine, "", self.tr("expected rounding error")),
            ("error", dashed, "", self.tr("tolerance")),
            ("accent", dashed, "", self.tr("eps of this check")),
            ("ok", Qt.PenStyle.NoPen, "ring", self.tr("best eps tried")),
        )
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        set_theme_font(self, theme, SMALL_PIXELS)

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
            color = self._theme.color(role)
            painter.setPen(QPen(color, 1.6 * self._theme.scale, style))
            painter.drawLine(QPointF(0, middle), QPointF(sample, middle))
            painter.setPen(QPen(color, 1.6 * self._theme.scale))
            place, radius = QPointF(sample / 2, middle), 3 * self._theme.scale
            if mark == "ring":
                painter.drawEllipse(place, radius + 2, radius + 2)
            elif mark:
                painter.setBrush(color)
                side = QPointF(radius, radius)
                box = QRectF(place - side, place + side)
                (painter.drawEllipse if mark == "round" else painter.drawRect)(box)
                painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(self._theme.color("text_muted"))
            painter.drawText(
                self.rect().adjusted(sample + _GAP, row * height, 0, 0),
                Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop,
                text,
            )
        painter.end()


class CurveSection(QWidget):
    """Title, plot, summary, and legend."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.curve: ErrorCurve | None = None
        self._plot: EpsCurve | None = None
        self._title = PlainLabel(muted=True)
        self._says = PlainLabel(pixels=UI_PIXELS)
        self._legend = CurveLegend(theme)
        self._column = lay_out(QVBoxLayout(self), self._title, self._says, self._legend, gap=4)

    @property
    def plot(self) -> EpsCurve:
        """The plot; made at the first access."""
        if self._plot is None:
            # Imported here because pyqtgraph takes longer to load than the window.
            from gradviz.viewer.jacobians.report.eps_curve import EpsCurve

            self._plot = EpsCurve(self._theme)
            self._column.insertWidget(1, self._plot)
        return self._plot

    @property
    def texts(self) -> tuple[str, str]:
        """Title and summary."""
        return self._title.text(), self._says.text()

    def show_pair(self, report: JacobianReport, block: JacobianBlock | None) -> None:
        """Show the curve of a pair, if it has one."""
        self.curve = None if block is None else curve_of(report, block)
        if self.curve is None or block is None:
            return
        self._title.setText(element_text(block, self.curve))
        self._says.setText(summary(self.curve, report.eps))
        self.plot.show_curve(self.curve, report.eps, allowed_at(report, block, self.curve))
