"""What differs between the changed run and the original: everywhere, and at the current place."""

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
    """A sentence on the whole run, one on the place, and the values of the place."""

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
        """Says what differs in the run; None while that is being found out.

        Args:
            differences: What was found.
            count: Steps of the changed run.
        """
        text = self.tr("Comparing the runs…")
        if differences is not None:
            text = self._whole_text(differences, count)
            announce(self, text)
        self.whole.setText(text)

    def _whole_text(self, found: Differences, count: int) -> str:
        if not found.steps and found.alignment.diverged is None:
            text = self.tr("Nothing differs: all {0:,} steps are equal, bit for bit.")
            sentences = [text.format(count)]
        elif len(found.steps) == 1:
            text = self.tr("1 of {0:,} steps differs: step {1:,}.")
            sentences = [text.format(count, found.steps[0])]
        elif found.steps:
            text = self.tr("{0:,} of {1:,} steps differ, the first is step {2:,}.")
            sentences = [text.format(len(found.steps), count, found.steps[0])]
        else:
            sentences = []
        if found.alignment.diverged is not None:
            text = self.tr("From step {0:,} on, the two runs are not the same steps any more.")
            sentences.append(text.format(found.alignment.diverged))
        if found.uncertain:
            sentences.append(
                self.tr("Of some large values not all was kept; what was kept of them is compared.")
            )
        return " ".join(sentences)

    def show_place(self, rows: Sequence[Row], *, hidden: bool, alone: bool) -> None:
        """Shows the values of a place.

        Args:
            rows: The values; empty where there are none.
            hidden: Whether a room has to guess them first.
            alone: Whether only the changed run has the place.
        """
        # In a low panel there is room for few: first those that one looks for.
        self.table.show_rows(sorted(rows, key=lambda row: row.verdict in _SAME))
        self.table.setVisible(bool(rows))
        differing = sum(row.verdict not in _SAME for row in rows)
        if hidden:
            text = self.tr("The values of this step are hidden until they are revealed.")
        elif alone:
            text = self.tr("Only the changed run has this step.")
        elif not rows:
            text = self.tr("There is nothing to compare in this step.")
        elif not differing:
            text = self.tr("Here nothing differs.")
        elif len(rows) == 1:
            text = self.tr("Here the one value differs.")
        else:
            text = self.tr("Here {0:,} of {1:,} values differ.").format(differing, len(rows))
        self.here.setText(text)

    def set_theme(self, theme: Theme) -> None:
        """Draws with another theme."""
        self.whole.set_theme(theme)
        self.here.set_theme(theme)
        self.table.set_theme(theme)
        for button in self._buttons:
            button.setFont(theme.font(SMALL_PIXELS))
