"""Differences between the changed run and the original: in total and at this position."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from gradviz.model.differences import Differences
from gradviz.viewer.actions import Actions
from gradviz.viewer.changes.rows import Row
from gradviz.viewer.changes.table import DifferencesTable
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.tensor_view.announce import announce
from gradviz.viewer.widgets.plain_text import PlainLabel

_SAME = ("equal", "alike", "unknown")


class Compared(QWidget):
    """Summary of the run, summary of the current position, and the position's values."""

    def __init__(self, theme: Theme, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.whole = PlainLabel(bold=True)
        self.here = PlainLabel(muted=True)
        self.table = DifferencesTable(theme)
        self._buttons = [QToolButton(self), QToolButton(self)]
        row = QHBoxLayout()
        said = QVBoxLayout()
        said.setSpacing(0)
        said.addWidget(self.whole)
        said.addWidget(self.here)
        row.addLayout(said, 1)
        for button, action in zip(
            self._buttons, (actions.next_difference, actions.mark_differences), strict=True
        ):
            button.setDefaultAction(action)
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 2, 6, 0)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self.table, 1)
        self.set_theme(theme)

    def show_whole(self, differences: Differences | None, count: int) -> None:
        """Show how many steps differ; None while the comparison is in progress.

        Args:
            differences: The result of the comparison.
            count: Number of steps of the changed run.
        """
        text = self.tr("Comparing the runs…")
        if differences is not None:
            text = self._whole_text(differences, count)
            announce(self, text)
        self.whole.setText(text)

    def _whole_text(self, found: Differences, count: int) -> str:
        if not found.steps and found.alignment.diverged is None:
            text = self.tr("No differences: all {0:,} steps are equal bit for bit.")
            sentences = [text.format(count)]
        elif len(found.steps) == 1:
            text = self.tr("1 of {0:,} steps differs: step {1:,}.")
            sentences = [text.format(count, found.steps[0])]
        elif found.steps:
            text = self.tr("{0:,} of {1:,} steps differ, starting with step {2:,}.")
            sentences = [text.format(len(found.steps), count, found.steps[0])]
        else:
            sentences = []
        if found.alignment.diverged is not None:
            text = self.tr("From step {0:,} on, the two runs take different steps.")
            sentences.append(text.format(found.alignment.diverged))
        if found.uncertain:
            sentences.append(
                self.tr(
                    "Some large values were stored only in part; only these parts were compared."
                )
            )
        return " ".join(sentences)

    def show_place(self, rows: Sequence[Row], *, hidden: bool, alone: bool) -> None:
        """Show the values at the current position.

        Args:
            rows: The values; may be empty.
            hidden: Whether quiz mode hides them.
            alone: Whether only the changed run has this position.
        """
        # A low panel shows few rows, so differences come first.
        self.table.show_rows(sorted(rows, key=lambda row: row.verdict in _SAME))
        self.table.setVisible(bool(rows))
        differing = sum(row.verdict not in _SAME for row in rows)
        if hidden:
            text = self.tr("Hidden in quiz mode until the answer is revealed.")
        elif alone:
            text = self.tr("Only the changed run has this step.")
        elif not rows:
            text = self.tr("There is nothing to compare in this step.")
        elif not differing:
            text = self.tr("No value differs here.")
        elif len(rows) == 1:
            text = self.tr("The only value here differs.")
        else:
            text = self.tr("{0:,} of {1:,} values differ here.").format(differing, len(rows))
        self.here.setText(text)

    def set_theme(self, theme: Theme) -> None:
        """Apply another theme."""
        self.whole.set_theme(theme)
        self.here.set_theme(theme)
        self.table.set_theme(theme)
        for button in self._buttons:
            button.setFont(theme.font(SMALL_PIXELS))
