"""The pages of the Training panel: curves with a legend, and a table."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import replace
from operator import itemgetter

from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QObject, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from gradviz.analysis.training.training_curves import TrainingCurve, TrainingRun
from gradviz.catalogue.language import format_count
from gradviz.catalogue.numbers import number_text
from gradviz.document.document import Field, Row, document_of
from gradviz.drawing.appearance.palette import curve_color
from gradviz.text.training_curves import loss_words, norm_title, norm_words
from gradviz.viewer.rows.rows_view import ColumnWidth, RowsView
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.training.curves_plot import SYMBOLS, CurvesPlot
from gradviz.viewer.widgets.layouts import lay_out

_MOST_CELLS = 20_000
_LEAST_ROWS = 50


class TrainingTable(RowsView):
    """Loss and gradient norms by step; a click or Enter goes to the step of the run.

    Signals:
        step_requested: Number of a step of the run.
    """

    step_requested = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, (ColumnWidth(60),))
        self._steps: list[dict[int, int]] = []
        self._known: list[tuple[int, int]] = []
        self.setAccessibleName(self.tr("Loss and gradient norms by step"))
        self.chosen.connect(self._on_self_chosen)

    def show_training(self, training: TrainingRun, last_step: float) -> None:
        """Replace the table's contents.

        Args:
            training: The training to show.
            last_step: The last step of the run that may be revealed.
        """
        columns = [series for series in (*training.losses, *training.norms) if series.points]
        places = sorted({point.at for series in columns for point in series.points})
        most = max(_LEAST_ROWS, _MOST_CELLS // (len(columns) + 1))
        rows = {at: row for row, at in enumerate(places[:most])}
        texts = [[number_text(at), *[""] * len(columns)] for at in rows]
        self._steps = [{} for _ in rows]
        for column, series in enumerate(columns, start=1):
            for point in series.points:
                if point.at in rows and point.step <= last_step:
                    text = self.tr("NaN, Inf or not recorded")
                    if math.isfinite(point.value):
                        text = number_text(point.value)
                    texts[rows[point.at]][column] = text
                    self._steps[rows[point.at]][column] = point.step
        if len(places) > most:
            text = self.tr("{0} more: use gradviz steps --format json")
            texts.append([text.format(format_count(len(places) - most))])
        made = [Row(fields=tuple([Field(text=each, is_number=True) for each in t])) for t in texts]
        titles = (self.tr("step"), *(each.name for each in columns))
        self.set_widths([ColumnWidth(60), *[ColumnWidth(90, grows=1, most=240)] * len(columns)])
        self.show_document(document_of(titles, made))
        told_of = ((step, row) for row, steps in enumerate(self._steps) for step in steps.values())
        self._known = sorted(told_of)

    def show_number(self, number: int) -> None:
        """Select the row of the current step of the run."""
        at = bisect_right(self._known, number, key=itemgetter(0)) - 1
        if at >= 0:
            self.go_to(self._known[at][1])
        else:
            self.clearSelection()

    def _on_self_chosen(self, key: Hashable, column: int) -> None:
        """Go to the cell's step, or to the first one of its row."""
        assert isinstance(key, int)
        steps = self._steps[key] if key < len(self._steps) else {}
        if steps:
            self.step_requested.emit(steps.get(column, next(iter(steps.values()))))


_ROW, _SIGN, _WIDTH = 18, 26, 190


class TrainingLegend(QWidget):
    """Lists the curves' names in the order of their colors."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.names: tuple[str, ...] = ()
        self._more = ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        self.setAccessibleName(self.tr("Legend"))

    def show_names(self, names: Sequence[str], more: str) -> None:
        """Replace the names; ``more`` is a last line about curves that are not drawn."""
        self.names, self._more = tuple(names), more
        self.setAccessibleDescription(", ".join((*names, more) if more else names))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the width of the longest name, up to a maximum."""
        metrics = QFontMetrics(self._theme.font(SMALL_PIXELS))
        texts = (*self.names, self._more)
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
        for position, name in enumerate((*self.names, self._more)):
            top = position * row
            if position < len(self.names):
                self._paint_sign(painter, position, QPointF(sign / 2, top + row / 2))
            painter.setPen(theme.color("text" if position < len(self.names) else "text_muted"))
            where = QRect(sign + 4, top, self.width() - sign - 8, row)
            text = painter.fontMetrics().elidedText(
                name, Qt.TextElideMode.ElideMiddle, where.width()
            )
            painter.drawText(
                where, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text
            )

    def _paint_sign(self, painter: QPainter, position: int, middle: QPointF) -> None:
        theme = self._theme
        color = QColor(curve_color(position, theme.name))
        half = theme.px(_SIGN - 6) / 2
        painter.setPen(QPen(color, 1.8 * theme.scale))
        painter.drawLine(middle - QPointF(half, 0), middle + QPointF(half, 0))
        painter.save()
        painter.translate(middle)
        painter.scale(theme.px(7), theme.px(7))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawPath(Symbols[SYMBOLS[position % len(SYMBOLS)]])
        painter.restore()


MOST_CURVES = 8
"""Maximum number of parameters whose norms are plotted; the table lists all."""


class TrainingPages(QObject):
    """The plots and the table of a training; importing this module imports pyqtgraph.

    Signals:
        step_requested: Number of a step of the run.
    """

    step_requested = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.loss = CurvesPlot(theme, logarithmic=False, parent=self)
        self.norms = CurvesPlot(theme, logarithmic=True, parent=self)
        self.legend = TrainingLegend(theme)
        self.table = TrainingTable(theme)
        self._has_loss = False
        self._curves = QWidget()
        lay_out(
            QHBoxLayout(self._curves),
            (self.loss.widget, 2),
            (self.norms.widget, 3),
            self.legend,
            gap=8,
        )
        for part in (self.loss, self.norms, self.table):
            part.step_requested.connect(self.step_requested)

    @property
    def pages(self) -> tuple[QWidget, QWidget]:
        """The curves page and the table page."""
        return self._curves, self.table

    def show_training(self, training: TrainingRun, last_step: float) -> None:
        """Show a training up to the step of the run that may be revealed."""
        losses = [_until(each, last_step) for each in training.losses]
        title = ", ".join(each.name for each in losses)
        drawn = sorted(training.norms, key=_largest, reverse=True)[:MOST_CURVES]
        # The largest ones, but in the optimizer's order.
        norms = [_until(each, last_step) for each in training.norms if each in drawn]
        step = (
            self.tr("training step")
            if training.begins_with_the_run
            else self.tr("recorded training step")
        )
        self.loss.show_series(losses, (title, step), loss_words(training, last_step))
        self._has_loss = bool(training.loss.points)
        self._show_parts()
        self.norms.show_series(norms, (norm_title(training), step), norm_words(training))
        more = len(training.norms) - len(norms)
        text = self.tr("and {0} more in the table").format(format_count(more)) if more else ""
        self.legend.show_names([each.name for each in norms], text)
        self.table.show_training(training, last_step)

    def _show_parts(self) -> None:
        self.loss.widget.setVisible(self._has_loss)
        self.legend.setVisible(self.norms.widget.isVisibleTo(self._curves))

    def show_number(self, number: int) -> None:
        """Mark the current step of the run."""
        self.loss.show_number(number)
        self.norms.show_number(number)
        self.table.show_number(number)


def _until(series: TrainingCurve, last_step: float) -> TrainingCurve:
    return replace(
        series, points=tuple(point for point in series.points if point.step <= last_step)
    )


def _largest(series: TrainingCurve) -> float:
    return max((point.value for point in series.points if point.value == point.value), default=0.0)
