"""A table of trials under other conditions, failures first."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gradviz.document.trials import trials_document
from gradviz.model.diagnosis import Trial, TrialOutcome
from gradviz.viewer.rows.rows_delegate import ROW_PIXELS
from gradviz.viewer.rows.rows_view import ColumnWidth, RowsView
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip

_ORDER: tuple[TrialOutcome, ...] = ("raises", "fails", "skipped", "passes")
_WIDTHS = (ColumnWidth(120, grows=1), ColumnWidth(90), ColumnWidth(240, grows=1, drop=1))
_MOST_ROWS = 9


def worst_first(trials: Sequence[Trial]) -> tuple[Trial, ...]:
    """Sort trials: raised, failed, skipped, passed; each in the original order."""
    return tuple(sorted(trials, key=lambda trial: _ORDER.index(trial.outcome)))


class TrialsList(QWidget):
    """A table of trials, with the result of the selected one in a sentence below."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.trials: tuple[Trial, ...] = ()
        self.table = RowsView(theme, _WIDTHS)
        self.table.setAccessibleName(name)
        self._sentence = PlainLabel()
        self.copy_button = QPushButton(self.tr("Copy"))
        self.copy_button.setToolTip(
            plain_tooltip(self.tr("Copy all rows with tab-separated columns"))
        )
        foot = QHBoxLayout()
        foot.addWidget(self._sentence, 1)
        foot.addWidget(self.copy_button, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.table)
        column.addLayout(foot)
        self.table.current_changed.connect(self._on_table_current_changed)
        self.copy_button.clicked.connect(self.table.copy_table)
        set_theme_font(self.copy_button, theme)
        self.update_theme()

    @property
    def sentence(self) -> str:
        """Result of the selected trial."""
        return self._sentence.text()

    def show_trials(self, trials: Sequence[Trial]) -> None:
        """Show other trials, and select the first row."""
        self.trials = worst_first(trials)
        self.table.show_document(trials_document(self.trials))
        self.update_theme()
        if self.trials:
            self.table.go_to(0)

    def update_theme(self) -> None:
        """Fit the height to the rows."""
        rows = min(len(self.trials), _MOST_ROWS) + 1
        self.table.setFixedHeight(self._theme.px(ROW_PIXELS) * rows + self._theme.px(8))

    @Slot(object)
    def _on_table_current_changed(self, key: Hashable | None) -> None:
        self._sentence.setText(self.trials[key].message if isinstance(key, int) else "")
