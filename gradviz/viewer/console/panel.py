"""The Console panel: the run's output linked to its steps, and a check's output, folded."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gradviz.catalogue.language import format_count
from gradviz.model.console import ConsoleActivity
from gradviz.viewer.console.console_menu import ConsoleMenu
from gradviz.viewer.console.console_view import (
    ConsoleLine,
    ConsoleView,
    lines_in,
    lines_of,
)
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.state import ViewerState
from gradviz.viewer.translation import plural
from gradviz.viewer.widgets.plain_text import PlainLabel
from gradviz.viewer.widgets.section import SectionBox

_CHECK_HEIGHT = 110
_LEAST_HEIGHT = 48


class ConsolePanel(QWidget):
    """Shows the console output of a trace; clicking a line goes to the step that printed it."""

    def __init__(self, state: ViewerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._run = ConsoleView(state.theme)
        self._run.setAccessibleName(self.tr("Output of the run"))
        self._run_cut = PlainLabel()
        self._check = ConsoleView(state.theme)
        self._check.setAccessibleName(self.tr("Output of the check"))
        self._check.setMinimumHeight(_LEAST_HEIGHT)
        self._run.setMinimumHeight(_LEAST_HEIGHT)
        self._check_cut = PlainLabel()
        self._box: SectionBox | None = None
        self._hint = PlainLabel(muted=True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._lay_out()
        self._run.step_requested.connect(self._on_run_step_requested)
        state.reports_changed.connect(self._on_state_reports_changed)
        state.step_changed.connect(self._on_state_step_changed)
        state.revealed_changed.connect(self._show)
        self.update_theme()
        self._show()

    @property
    def view(self) -> ConsoleView:
        """The output of the run."""
        return self._run

    @property
    def check_box(self) -> SectionBox | None:
        """The foldable output of the check; None if it printed nothing."""
        return self._box

    @property
    def notices(self) -> tuple[str, ...]:
        """Visible notices: the hint of an empty console, and how much output was not kept."""
        labels = (self._hint, self._run_cut, self._check_cut)
        return tuple(label.text() for label in labels if not label.isHidden())

    def _lay_out(self) -> None:
        self._check_body = QWidget()
        body = QVBoxLayout(self._check_body)
        body.setContentsMargins(0, 0, 0, 0)
        body.addWidget(self._check)
        body.addWidget(self._check_cut)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(4, 4, 4, 4)
        self._column.setSpacing(4)
        self._column.addWidget(self._hint, 1)
        self._column.addWidget(self._run, 1)
        self._column.addWidget(self._run_cut)
        self._column.addWidget(self._check_body)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("Console"))

    def _show(self) -> None:
        revealed = self._state.revealed
        self._run.show_lines(lines_in(revealed.console("run")))
        self._run.show_step(self._state.number)
        self._run.setVisible(bool(self._run.lines))
        hint = self.tr("The run printed nothing.")
        if revealed.index is None:
            hint = self.tr("The output of a run appears here, linked to its steps.")
        elif not revealed.is_complete:
            hint = self.tr("The output of the run is hidden until the answer is revealed.")
        self._hint.setText(hint)
        self._hint.setVisible(not self._run.lines)
        self._show_cut(self._run_cut, "run")
        self._show_cut(self._check_cut, "check")
        self._show_check(lines_of(revealed.console("check")))

    def _show_cut(self, label: PlainLabel, activity: ConsoleActivity) -> None:
        index = self._state.index
        cuts = () if index is None else index.trace.cuts
        cut = next((each for each in cuts if each.activity == activity), None)
        label.setVisible(cut is not None)
        if cut is not None:
            text = plural.tr("{characters} more character(s) were not kept.", "", cut.characters)
            if cut.lines and cut.characters > 1:
                text = plural.tr(
                    "{characters} more characters in %Ln line(s) were not kept.", "", cut.lines
                )
            label.setText(text.format(characters=format_count(cut.characters)))

    def _show_check(self, lines: list[ConsoleLine]) -> None:
        """Recreate the foldable part, because its header contains the number of lines."""
        self._check.show_lines(lines)
        folded = self._box is None or self._box.folded
        # Keep it as a child: a widget without a parent would become a window and outlive the panel.
        self._check_body.setParent(self)
        self._check_body.hide()
        if self._box is not None:
            self._column.removeWidget(self._box)
            self._box.deleteLater()
            self._box = None
        if lines:
            title = self.tr("output of the Jacobian check")
            hint = self.tr("%Ln line(s)", "", len(lines))
            self._box = SectionBox("check", title, hint, self._state.theme)
            self._box.body.addWidget(self._check_body)
            self._check_body.show()
            self._box.fold(folded)
            self._column.addWidget(self._box)

    @Slot(object)
    def _on_state_reports_changed(self, reports: object) -> None:
        # A check adds the output of its evaluations to the same trace.
        self._show_cut(self._check_cut, "check")
        self._show_check(lines_of(self._state.revealed.console("check")))

    @Slot(object)
    def _on_state_step_changed(self, number: int) -> None:
        self._run.show_step(number)

    @Slot(object)
    def _on_run_step_requested(self, number: int) -> None:
        self._state.go_to(number)

    def update_theme(self) -> None:
        """Fit fonts, icons and sizes to the theme."""
        self._check.setMaximumHeight(self._state.theme.px(_CHECK_HEIGHT))


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel with its context menu."""
    panel = context.parts.add(ConsolePanel(context.state))
    ConsoleMenu(panel.view)
    return panel
