"""The lists of a report: pairs with their verdicts, worst elements, and trials."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import cast

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gradviz.document.document import Document, Field, Row, document_of
from gradviz.document.trials import trials_document
from gradviz.drawing.cells.pair_matrices import PairMatrices
from gradviz.model.diagnosis import Trial, TrialOutcome
from gradviz.model.jacobian_report import JacobianReport
from gradviz.viewer.commands.context_menu import copy_text
from gradviz.viewer.jacobians import check_text
from gradviz.viewer.jacobians.report import element_text
from gradviz.viewer.rows.rows_view import ROW_PIXELS, ColumnWidth, RowsView
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip

_MOST_PAIRS = 3
"""Maximum number of pairs shown without scrolling."""


class PairList(RowsView):
    """One entry for each pair, whose key is its index among the blocks of the report."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Pairs of output and input"))

    def show_report(self, report: JacobianReport) -> None:
        """List the pairs of another report, and select the most informative one."""
        rows = list(_rows_of(report))
        self.go_to(None)
        self.show_document(document_of(("",), rows))
        self._fit_height()
        if report.blocks:
            self.go_to(most_telling_pair(report))
        elif report.unfinished:
            self.go_to(0)

    def update_theme(self) -> None:
        """Repaint in another theme."""
        super().update_theme()
        self._fit_height()

    def _fit_height(self) -> None:
        """Set the height to the number of rows, up to a limit."""
        rows = max(1, min(self.rows.rowCount(), _MOST_PAIRS))
        self.setFixedHeight(rows * self._theme.px(ROW_PIXELS) + 6)


def _rows_of(report: JacobianReport) -> Iterator[Row]:
    for block in report.blocks:
        text = check_text.block_short(block)
        found = [check_text.title_of(each.code) for each in report.diagnoses_of(block)]
        if found:
            text = f"{text} · {found[0]}"
        name = Field(text=check_text.pair_name(block), icon="error" if block.wrong else "check")
        yield Row(fields=(name, Field(text=text)))
    for pair in report.unfinished:
        name = Field(text=check_text.pair_name(pair), icon="warning")
        yield Row(fields=(name, Field(text=translate("Jacobians", "not finished"))))


def most_telling_pair(report: JacobianReport) -> int:
    """Index of the block of the first diagnosis of a fault; else that with the largest error."""
    for each in report.diagnoses:
        for at, block in enumerate(report.blocks):
            if not each.is_harmless and each.place == block.place:
                return at
    excesses = [block.worst.excess if block.worst else -1.0 for block in report.blocks]
    return max(range(len(excesses)), key=excesses.__getitem__)


Cell = tuple[int, int]
"""Row and column of an element."""


class WorstList(RowsView):
    """One entry for each of the worst elements; Ctrl+C copies all of them.

    Signals:
        cell_requested: Row and column of the element that the user chose.
    """

    cell_requested = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, wraps=True)
        self._matrices: PairMatrices | None = None
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(
            self.tr("Elements with the largest errors relative to the tolerance")
        )
        self.setToolTip(self.tr("Press Ctrl+C to copy the list with all digits"))
        self.current_changed.connect(self._request_element)
        # A click on the current row changes no row, but must still go to the element.
        self.chosen.connect(self._request_element)

    def show_matrices(self, matrices: PairMatrices) -> None:
        """List the worst elements of other matrices."""
        self._matrices = matrices
        rows = {}
        for bad in matrices.worst_elements:
            name = "error" if bad.excess > 1 else "check"
            field = Field(text=element_text.bad_line(matrices, bad), icon=name)
            rows[bad.row, bad.column] = Row(fields=(field,))
        with QSignalBlocker(self):
            self.go_to(None)
        self.show_document(Document(keys=tuple(rows), row=lambda key: rows[cast("Cell", key)]))

    def mark(self, cell: Cell | None) -> None:
        """Select the entry of an element, or none."""
        # The mark follows the cursor, so it must not request to move it.
        with QSignalBlocker(self):
            self.go_to(cell)

    def copy_row(self) -> None:
        """Copy the list as a tab-separated table."""
        if self._matrices is not None:
            copy_text(element_text.bad_table(self._matrices))

    def _request_element(self, cell: Cell | None) -> None:
        if cell is not None:
            self.cell_requested.emit(cell)


_ORDER: tuple[TrialOutcome, ...] = ("raises", "fails", "skipped", "passes")
_WIDTHS = (ColumnWidth(120, grows=1), ColumnWidth(90), ColumnWidth(240, grows=1, drop=1))
_MOST_TRIALS = 9


def worst_first(trials: Sequence[Trial]) -> tuple[Trial, ...]:
    """Sort trials: raised, failed, skipped, passed; each in the original order."""
    return tuple(sorted(trials, key=lambda trial: _ORDER.index(trial.outcome)))


class TrialsList(QWidget):
    """A table of trials, with the result of the selected one in a sentence below.

    Attributes:
        trials: The trials, those that failed first.
        table: The table.
        sentence: Result of the selected trial.
    """

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self.trials: tuple[Trial, ...] = ()
        self.table = RowsView(theme, _WIDTHS)
        self.table.setAccessibleName(name)
        self.sentence = PlainLabel()
        self.copy_button = QPushButton(self.tr("Copy"))
        self.copy_button.setToolTip(
            plain_tooltip(self.tr("Copy all rows with tab-separated columns"))
        )
        foot = lay_out(
            QHBoxLayout(), (self.sentence, 1), (self.copy_button, 0, Qt.AlignmentFlag.AlignTop)
        )
        lay_out(QVBoxLayout(self), self.table, foot, gap=4)
        self.table.current_changed.connect(self._on_table_current_changed)
        self.copy_button.clicked.connect(self.table.copy_table)
        set_theme_font(self.copy_button, theme)
        self.update_theme()

    def show_trials(self, trials: Sequence[Trial]) -> None:
        """Show other trials, and select the first row."""
        self.trials = worst_first(trials)
        self.table.show_document(trials_document(self.trials))
        self.update_theme()
        if self.trials:
            self.table.go_to(0)

    def update_theme(self) -> None:
        """Fit the height to the rows."""
        rows = min(len(self.trials), _MOST_TRIALS) + 1
        self.table.setFixedHeight(self._theme.px(ROW_PIXELS) * rows + self._theme.px(8))

    def _on_table_current_changed(self, key: Hashable | None) -> None:
        self.sentence.setText(self.trials[key].message if isinstance(key, int) else "")
