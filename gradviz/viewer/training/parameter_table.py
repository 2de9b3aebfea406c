"""What the current iteration changed, parameter by parameter, beside another iteration."""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from gradviz.analysis.training.iteration_changes import IterationChanges, ParameterChange
from gradviz.catalogue.language import format_count, percent_text
from gradviz.catalogue.numbers import number_text
from gradviz.document.document import Field, Row, document_of
from gradviz.text.punctuation import join_sentences
from gradviz.viewer.rows.rows_view import ColumnWidth, RowsView
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.elided_label import ElidedLabel
from gradviz.viewer.widgets.layouts import lay_out


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
