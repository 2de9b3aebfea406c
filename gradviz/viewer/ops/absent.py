"""The notice that explains why there are no ops, and how to record them."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from gradviz.model.places import stages_of
from gradviz.model.query import step_at
from gradviz.viewer.actions import Actions
from gradviz.viewer.look.icons import icon
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.state import ViewerState
from gradviz.viewer.widgets.plain_text import PlainLabel

_EDGE, _GAP = 16, 8


class AbsentOps(QWidget):
    """A sentence, and a button if another recording would include ops."""

    def __init__(
        self, state: ViewerState, actions: Actions | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._actions = actions
        self._sentence = PlainLabel(muted=True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.button = QPushButton(self.tr("Record Ops and Run Again"))
        self.button.clicked.connect(self._on_button_clicked)
        column = QVBoxLayout(self)
        column.setContentsMargins(_EDGE, _GAP, _EDGE, _GAP)
        column.setSpacing(_GAP)
        column.addStretch(1)
        column.addWidget(self._sentence)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)
        if actions is not None:
            actions.run.changed.connect(self._on_run_changed)
        self.set_theme(state.theme)
        self.show_reason()

    @property
    def text(self) -> str:
        """The sentence shown."""
        return self._sentence.text()

    def show_reason(self) -> None:
        """Update the reason why the current step has no ops."""
        shallow = self._is_shallow()
        can_run = self._actions is not None and self._actions.run.isEnabled()
        self.button.setVisible(shallow and can_run)
        self._sentence.setText(self._reason(can_run=can_run))

    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme."""
        self._sentence.set_theme(theme)
        self.button.setFont(theme.font())
        self.button.setIcon(icon("run", theme))

    def _is_shallow(self) -> bool:
        """Return whether the run was recorded without ops, and Quiz Mode does not hide the step."""
        index = self._state.index
        shallow = index is not None and index.trace.origin.level == "nodes"
        return shallow and not self._state.concealed

    def _reason(self, *, can_run: bool) -> str:
        state = self._state
        index = state.index
        if index is None:
            return self.tr("The ops within a step are listed here.")
        if state.concealed:
            return self.tr("The contents of this step are hidden until the answer is revealed.")
        if index.trace.origin.level == "nodes" and can_run:
            return self.tr("This run was recorded node by node, without the ops within nodes.")
        if index.trace.origin.level == "nodes":
            return self.tr(
                "This run was recorded node by node, without the ops within nodes. To "
                "record them, use gradviz record --level ops."
            )
        if not stages_of(index, step_at(index, state.number)):
            return self.tr("This step only marks a point in the run; it computes nothing.")
        return self.tr("No ops were recorded in this step.")

    @Slot()
    def _on_run_changed(self) -> None:
        if self.isVisible():
            self.show_reason()

    @Slot()
    def _on_button_clicked(self) -> None:
        if self._actions is not None:
            self._actions.record_lines.trigger()
