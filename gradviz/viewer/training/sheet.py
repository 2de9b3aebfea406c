"""The pages of the Training panel: curves with a legend, and a table."""

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
"""Maximum number of parameters whose norms are plotted; the table lists all."""


class Sheet(QObject):
    """The plots and the table of a training; importing this module imports pyqtgraph.

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
        """The curves page and the table page."""
        return self._curves, self.table

    def show_training(self, training: Training, told: float) -> None:
        """Show a training up to the step of the run that may be revealed."""
        losses = [_until(each, told) for each in training.losses]
        title = ", ".join(each.name for each in losses)
        drawn = sorted(training.norms, key=_largest, reverse=True)[:MOST_CURVES]
        # The largest ones, but in the optimizer's order.
        norms = [_until(each, told) for each in training.norms if each in drawn]
        self.loss.show_series(losses, title, loss_words(training, told))
        self.loss.widget.setVisible(bool(training.loss.points))
        self.norms.show_series(norms, norm_title(training), norm_words(training))
        more = len(training.norms) - len(norms)
        text = self.tr("and {0:,} more in the table").format(more) if more else ""
        self.legend.show_names([each.name for each in norms], text)
        self.table.show_training(training, told)

    def show_number(self, number: int) -> None:
        """Mark the current step of the run."""
        self.loss.show_number(number)
        self.norms.show_number(number)
        self.table.show_number(number)

    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme."""
        for part in (self.loss, self.norms, self.legend, self.table):
            part.set_theme(theme)


def _until(series: Series, told: float) -> Series:
    return replace(series, points=tuple(point for point in series.points if point.step <= told))


def _largest(series: Series) -> float:
    return max((point.value for point in series.points if point.value == point.value), default=0.0)
