"""The value of the current step over the iterations of a run, as one small curve."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QEnterEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from gradviz.analysis.training.curve_bands import is_logarithmic
from gradviz.analysis.training.value_series import ValueSeries
from gradviz.catalogue.language import format_count
from gradviz.catalogue.numbers import number_text
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.training.value_axis import ValueAxis

_HEIGHT, _SIDE, _GAP = 34, 12, 12
_TEXT = 0.42
"""Share of the width that the text has."""


class ValueSparkline(QAbstractButton):
    """Shows a `ValueSeries` with the current iteration marked; a click asks for all of it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.series: ValueSeries | None = None
        self.number = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip(self.tr("Show this value over all iterations in the Training tab"))
        self.hide()

    def show_series(self, series: ValueSeries | None, number: int) -> None:
        """Show a value of another step, or in another iteration; None hides it."""
        self.series, self.number = series, number
        self.setVisible(series is not None)
        self.setAccessibleName(self.words)
        self.update()

    def show_nothing(self) -> None:
        """Keep the space, without what belongs to another step, while a value is being read."""
        self.series = None
        self.setAccessibleName("")
        self.update()

    @property
    def words(self) -> str:
        """The name of the value, and the value in the current iteration."""
        if self.series is None:
            return ""
        here = [each.value for each in self.series.points if each.at == self.number]
        value = self.tr("unknown")
        if here and not math.isnan(here[0]):
            value = number_text(here[0])
        name = self.series.name or self.tr("value")
        text = self.tr("{0} = {1}") if self.series.is_scalar else self.tr("norm of {0} = {1}")
        return text.format(name, value)

    def sizeHint(self) -> QSize:
        """Return the height of two lines."""
        return QSize(200, self._theme.px(_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint text, curve and the current iteration."""
        series, theme = self.series, self._theme
        if series is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        whole = QRectF(self.rect())
        if self.underMouse() or self.hasFocus():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("raised"))
            painter.drawRoundedRect(whole, 4, 4)
        side = theme.px(_SIDE)
        text = QRectF(side, 0, whole.width() * _TEXT - side, whole.height())
        lines = (
            self.words,
            self.tr("over {0} iterations").format(format_count(len(series.points))),
        )
        colors = (theme.color("text"), theme.color("text_muted"))
        for at, (line, color) in enumerate(zip(lines, colors, strict=True)):
            painter.setFont(theme.font(SMALL_PIXELS, bold=not at))
            painter.setPen(color)
            metrics = painter.fontMetrics()
            row = QRectF(text.left(), at * text.height() / 2, text.width(), text.height() / 2)
            shown = metrics.elidedText(line, Qt.TextElideMode.ElideMiddle, int(row.width()))
            painter.drawText(row, Qt.AlignmentFlag.AlignVCenter, shown)
        margin = theme.px(5)
        left = text.right() + theme.px(_GAP)
        area = QRectF(left, margin, whole.width() - side - left, whole.height() - 2 * margin)
        self._paint_curve(painter, series, area)

    def _paint_curve(self, painter: QPainter, series: ValueSeries, area: QRectF) -> None:
        theme = self._theme
        values = np.array([each.value for each in series.points], np.float64)
        places = np.array([each.at for each in series.points], np.float64)
        span = max(1.0, float(places[-1] - places[0]))
        xs = area.left() + (places - places[0]) / span * area.width()
        axis = ValueAxis(values, area, logarithmic=is_logarithmic(values))
        painter.setPen(QPen(theme.color("text_muted"), 1.4 * theme.scale))
        finite = np.isfinite(values)
        # A value that is unknown, NaN or Inf is a gap.
        for part in np.split(np.arange(len(values)), np.flatnonzero(~finite)):
            points = [QPointF(xs[at], axis.y_of(values[at])) for at in part if finite[at]]
            painter.drawPolyline(points)
        painter.setPen(Qt.PenStyle.NoPen)
        for at in np.flatnonzero(~finite):
            painter.fillRect(QRectF(xs[at] - 1, area.top(), 2, area.height()), self._faint_error())
        for at in np.flatnonzero(places == self.number):
            y = axis.y_of(values[at]) if finite[at] else area.center().y()
            painter.setBrush(theme.color("status_now"))
            painter.drawEllipse(QPointF(xs[at], y), *[theme.px(3.5)] * 2)

    def _faint_error(self) -> QColor:
        color = QColor(self._theme.color("error"))
        color.setAlphaF(0.5)
        return color

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show that it can be clicked."""
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Show that it is not under the mouse any more."""
        self.update()
