"""The two pages of the Training panel: curves with their legend, and the table of the same."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from gradviz.model.training import Series, Training
from gradviz.model.training_words import loss_words, norm_title, norm_words
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.training.curves import CurvesPlot
from gradviz.viewer.training.legend import Legend
from gradviz.viewer.training.table import TrainingTable

MOST_CURVES = 8
"""Parameters whose norms are drawn; all of them stand in the table."""


class Sheet(QObject):
    """Shows a training; importing it brings pyqtgraph.

    Signals:
        step_requested: Number of a step of the run.
    """

    step_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.loss = CurvesPlot(theme, logarithmic=False, parent=self)
        self.norms = CurvesPlot(theme, logarithmic=True, parent=self)
        self.legend = Legend(theme)
        self.table = TrainingTable(theme)
        self._curves = QWidget()
        row = QHBoxLayout(self._curves)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.loss.widget, 2)
        row.addWidget(self.norms.widget, 3)
        row.addWidget(self.legend)
        for part in (self.loss, self.norms, self.table):
            part.step_requested.connect(self.step_requested)

    @property
    def pages(self) -> tuple[QWidget, QWidget]:
        """The curves, and the table."""
        return self._curves, self.table

    def show_training(self, training: Training, told: float) -> None:
        """Shows another training, up to the step of the run that may be told of."""
        losses = [_until(each, told) for each in training.losses]
        title = ", ".join(each.name for each in losses)
        drawn = sorted(training.norms, key=_largest, reverse=True)[:MOST_CURVES]
        # In the order of the optimizer, whichever are the largest.
        norms = [_until(each, told) for each in training.norms if each in drawn]
        self.loss.show_series(losses, title, loss_words(training, told))
        self.loss.widget.setVisible(bool(training.loss.points))
        self.norms.show_series(norms, norm_title(training), norm_words(training))
        more = len(training.norms) - len(norms)
        text = self.tr("and {0:,} more in the table").format(more) if more else ""
        self.legend.show_names([each.name for each in norms], text)
        self.table.show_training(training, told)

    def show_number(self, number: int) -> None:
        """Marks the present step of the run."""
        self.loss.show_number(number)
        self.norms.show_number(number)
        self.table.show_number(number)

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        for part in (self.loss, self.norms, self.legend, self.table):
            part.set_theme(theme)


def _until(series: Series, told: float) -> Series:
    return replace(series, points=tuple(point for point in series.points if point.step <= told))


def _largest(series: Series) -> float:
    return max((point.value for point in series.points if point.value == point.value), default=0.0)
