"""The numbers of a training run as a table."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Hashable
from operator import itemgetter

from PySide6.QtCore import Signal

from gradviz.analysis.training.training_curves import TrainingRun
from gradviz.catalogue.language import format_count
from gradviz.catalogue.numbers import number_text
from gradviz.document.document import Field, Row, document_of
from gradviz.viewer.rows.rows_view import ColumnWidth, RowsView
from gradviz.viewer.theme.theme import Theme

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
