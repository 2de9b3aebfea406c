"""A table of trials under other conditions, failures first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QPushButton, QVBoxLayout, QWidget

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.model.diagnosis import Trial, TrialOutcome
from gradviz.viewer.theme.dress import wear
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.header_font import set_header_font
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip
from gradviz.viewer.widgets.row_model import Cell
from gradviz.viewer.widgets.row_table import RowTable

_ORDER: tuple[TrialOutcome, ...] = ("raises", "fails", "skipped", "passes")
_SIGNS: dict[TrialOutcome, tuple[str, PaletteRole]] = {
    "raises": ("error", "error"),
    "fails": ("error", "error"),
    "skipped": ("info", "text_muted"),
    "passes": ("check", "ok"),
}
_ROW, _MOST_ROWS = 22, 9


def outcome_word(outcome: TrialOutcome) -> str:
    """Outcome in one word."""
    words = {
        "raises": translate("TrialsList", "raises"),
        "fails": translate("TrialsList", "fails"),
        "skipped": translate("TrialsList", "skipped"),
        "passes": translate("TrialsList", "passes"),
    }
    return words[outcome]


def worst_first(trials: Sequence[Trial]) -> tuple[Trial, ...]:
    """Sort trials: raised, failed, skipped, passed; each in the original order."""
    return tuple(sorted(trials, key=lambda trial: _ORDER.index(trial.outcome)))


class TrialsList(QWidget):
    """A table of trials, with the result of the selected one in a sentence below."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._trials: tuple[Trial, ...] = ()
        self._table = _Table(self)
        self._table.setAccessibleName(name)
        self._sentence = PlainLabel()
        self._copy = QPushButton(self.tr("Copy"))
        self._copy.setToolTip(plain_tooltip(self.tr("Copy all rows with tab-separated columns")))
        foot = QHBoxLayout()
        foot.addWidget(self._sentence, 1)
        foot.addWidget(self._copy, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self._table)
        column.addLayout(foot)
        self._table.row_changed.connect(self._on_table_row_changed)
        self._copy.clicked.connect(self._on_copy_clicked)
        wear(self._table, theme, SMALL_PIXELS)
        wear(self._copy, theme)
        self.dress()

    @property
    def table(self) -> RowTable:
        """Table with one row for each trial."""
        return self._table

    @property
    def copy_button(self) -> QPushButton:
        """Button that copies all rows."""
        return self._copy

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Trials in the order of the rows."""
        return self._trials

    @property
    def sentence(self) -> str:
        """Result of the selected trial."""
        return self._sentence.text()

    def show_trials(self, trials: Sequence[Trial]) -> None:
        """Show other trials, and select the first row."""
        self._trials = worst_first(trials)
        self._table.row_model.show(map(self._cells, self._trials))
        self._table.as_text = self.as_text()
        self._fit()
        if self._trials:
            self._table.go_to(0)

    def as_text(self) -> str:
        """All rows as text with tab-separated columns."""
        rows = ((each.name, outcome_word(each.outcome), each.message) for each in self._trials)
        return "\n".join("\t".join(row) for row in rows)

    def dress(self) -> None:
        """Repaint in another theme."""
        set_header_font(self._table.horizontalHeader(), self._theme.font(SMALL_PIXELS, bold=True))
        self._table.verticalHeader().setDefaultSectionSize(self._theme.px(_ROW))
        self._table.row_model.update(map(self._cells, self._trials))
        self._fit()

    def _cells(self, trial: Trial) -> tuple[Cell, Cell]:
        tip = f"{trial.name}\n{trial.message}"
        name, role = _SIGNS[trial.outcome]
        sign = icon(name, self._theme, role)
        outcome = Cell(text=outcome_word(trial.outcome), tip=tip, sign=sign)
        return Cell(text=trial.name, tip=tip), outcome

    def _fit(self) -> None:
        rows = min(len(self._trials), _MOST_ROWS) + 1
        self._table.setFixedHeight(self._theme.px(_ROW) * rows + self._theme.px(8))

    @Slot(int)
    def _on_table_row_changed(self, row: int) -> None:
        self._sentence.setText(self._trials[row].message if row >= 0 else "")

    @Slot()
    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self.as_text())


class _Table(RowTable):
    """Table of conditions and outcomes; the copy shortcut copies all rows."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.as_text = ""
        self.row_model.set_titles((self.tr("Condition"), self.tr("Outcome")))
        head = self.horizontalHeader()
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        head.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy all rows on the standard shortcut."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.as_text)
            return
        super().keyPressEvent(event)
