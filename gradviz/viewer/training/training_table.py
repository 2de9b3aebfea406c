"""The tables of the Training panel: iterations, and what one of them did to each parameter."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Hashable
from operator import itemgetter

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from gradviz.analysis.training.iteration_changes import IterationChanges, ParameterChange
from gradviz.analysis.training.training_curves import TrainingRun
from gradviz.catalogue.language import format_count, percent_text
from gradviz.catalogue.numbers import number_text
from gradviz.document.document import Field, Row, document_of
from gradviz.text.punctuation import join_sentences
from gradviz.viewer.rows.rows_view import ColumnWidth, RowsView
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.elided_label import ElidedLabel
from gradviz.viewer.widgets.layouts import lay_out

_MOST_CELLS = 20_000
_LEAST_ROWS = 50


class TrainingTable(RowsView):
    """Loss and gradient norms by iteration; a click or Enter goes to the step of the run.

    Signals:
        step_requested: Number of a step of the run.
    """

    step_requested = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, (ColumnWidth(60),))
        self._steps: list[dict[int, int]] = []
        self._known: list[tuple[int, int]] = []
        self.setAccessibleName(self.tr("Loss and gradient norms by iteration"))
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
        titles = (self.tr("iteration"), *(each.name for each in columns))
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


class ParameterTable(QWidget):
    """The parameters in the order of the updates, and the dead units of the iteration.

    Signals:
        step_requested: Number of the optimizer step of the parameter that was chosen.
    """

    step_requested = Signal(object)

    def __init__(self, theme: Theme, buttons: tuple[QToolButton, ...]) -> None:
        super().__init__()
        self.rows = RowsView(theme, (ColumnWidth(120),))
        self.rows.setAccessibleName(self.tr("Changes of the parameters"))
        self.rows.chosen.connect(self._on_rows_chosen)
        self.words = ElidedLabel(keeps=True)
        self._steps: list[int] = []
        row = lay_out(QHBoxLayout(), *buttons, gap=0)
        row.addStretch(1)
        lay_out(QVBoxLayout(self), self.words, (self.rows, 1), row, gap=2)

    def show_changes(self, changes: IterationChanges) -> None:
        """Replace the contents."""
        here, there = changes.iteration.number, changes.other.number
        titles = (
            self.tr("parameter"),
            self.tr("gradient norm"),
            self.tr("update ÷ weight"),
            self.tr("differs from iteration {0}").format(format_count(there)),
        )
        made = [
            Row(fields=tuple(Field(text=text, is_number=at > 0) for at, text in enumerate(texts)))
            for texts in map(self._texts, changes.parameters)
        ]
        self._steps = [each.step for each in changes.parameters]
        self.rows.set_widths(
            [ColumnWidth(120, grows=1, most=240), *map(ColumnWidth, (96, 124, 172))]
        )
        self.rows.show_document(document_of(titles, made))
        self.words.setText(join_sentences((self._apart(changes, here), self._dead(changes))))

    def _texts(self, change: ParameterChange) -> tuple[str, ...]:
        numbers = (change.gradient, change.apart)
        gradient, apart = ("–" if each is None else number_text(each) for each in numbers)
        ratio = "–" if change.ratio is None else percent_text(number_text(100 * change.ratio))
        return change.name, gradient, ratio, apart

    def _apart(self, changes: IterationChanges, here: int) -> str:
        known = [each for each in changes.parameters if each.apart is not None]
        if not known or here == changes.other.number:
            return ""
        most = max(known, key=lambda each: each.apart or 0.0)
        text = self.tr("Iterations {0} and {1}: {2} differs most, by up to {3}.")
        numbers = sorted((here, changes.other.number))
        return text.format(*map(format_count, numbers), most.name, number_text(most.apart))

    def _dead(self, changes: IterationChanges) -> str:
        if not changes.dead:
            return ""
        parts = [
            self.tr("{0} of {1} (step {2})").format(
                format_count(each.dead), format_count(each.units), format_count(each.step)
            )
            for each in changes.dead
        ]
        return self.tr("ReLU units that are 0 for the whole batch: {0}.").format(", ".join(parts))

    def _on_rows_chosen(self, key: Hashable, column: int) -> None:
        if isinstance(key, int) and key < len(self._steps):
            self.step_requested.emit(self._steps[key])
