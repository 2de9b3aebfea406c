"""The Training panel: loss and gradient norms over the steps, as curves or a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QHBoxLayout,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.training.training_curves import TrainingRun, is_training, training_of
from gradviz.store.errors import TraceError
from gradviz.text.punctuation import join_sentences
from gradviz.text.training_curves import loss_words, norm_words
from gradviz.viewer.background import Background, BackgroundJob
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import set_style_sheet
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel
from gradviz.viewer.widgets.segment_switch import segment_style

if TYPE_CHECKING:
    from gradviz.viewer.training.training_pages import TrainingPages


class TrainingController(QObject):
    """Shows the dock as a tab behind the visible ones, never in front of them."""

    def __init__(
        self,
        state: ViewerState,
        dock: QDockWidget,
        neighbours: tuple[QDockWidget, ...],
        parent: QWidget,
    ) -> None:
        """Follow the runs of a window.

        Args:
            state: The window's state.
            dock: The panel's dock.
            neighbours: The docks it shares tabs with; if all of them are hidden, it stays hidden.
            parent: The window.
        """
        super().__init__(parent)
        self._dock = dock
        self._neighbours = neighbours
        self._wanted = False
        self._before = neighbours[:1]
        dock.toggleViewAction().triggered.connect(self._on_dock_toggled)
        state.trace_changed.connect(self._on_state_trace_changed)
        self._on_state_trace_changed(state.index)

    def _on_dock_toggled(self, on: bool) -> None:
        """Keep the dock visible if the user opened it."""
        # A tab behind others is not closed but comes to the front.
        self._wanted = on or not self._dock.isHidden()

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        trained = index is not None and is_training(index)
        if not trained:
            if not self._wanted and not self._dock.isHidden():
                # Qt would bring any of the others to the front.
                front = self._in_front() or self._before
                self._dock.hide()
                _raise(front)
            return
        if self._dock.isHidden() and any(not each.isHidden() for each in self._neighbours):
            self._before = self._in_front() or self._before
            self._dock.show()
            _raise(self._before)

    def _in_front(self) -> tuple[QDockWidget, ...]:
        return tuple(each for each in self._neighbours if not each.visibleRegion().isEmpty())


def _raise(docks: tuple[QDockWidget, ...]) -> None:
    for dock in docks:
        if not dock.isHidden():
            dock.raise_()


LANE = "training"


class TrainingPanel(QWidget):
    """Shows the training in a run; plots are created when there is something to draw."""

    def __init__(self, state: ViewerState, background: Background | None = None) -> None:
        super().__init__()
        self._state = state
        self._background = background
        self.training: TrainingRun | None = None
        self._stale = True
        self.sheet: TrainingPages | None = None
        self._hint = PlainLabel(muted=True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._summary = PlainLabel()
        self.as_table = QToolButton()
        self.as_table.setText(self.tr("Table"))
        self.as_table.setToolTip(self.tr("Show the numbers, one row per step"))
        self.as_table.setCheckable(True)
        self._stack = QStackedWidget()
        self.as_table.toggled.connect(lambda on: self._stack.setCurrentIndex(int(on)))
        self._lay_out()
        state.trace_changed.connect(self._on_state_trace_changed)
        state.step_changed.connect(self._on_state_step_changed)
        state.revealed_changed.connect(self._show)
        set_theme_font(self.as_table, state.theme)
        self.update_theme()
        self._say(self.tr("Runs with several training steps are plotted here."))

    @property
    def summary(self) -> str:
        """A summary of the training in words, or the hint if there is no training."""
        return self._hint.text() if self.training is None else self._summary.text()

    def _lay_out(self) -> None:
        head = lay_out(QHBoxLayout(), (self._summary, 1), self.as_table)
        self._body = QWidget()
        self._parts = body = QVBoxLayout(self._body)
        body.setContentsMargins(8, 4, 8, 4)
        body.setSpacing(2)
        body.addLayout(head)
        body.addWidget(self._stack, 1)
        lay_out(QVBoxLayout(self), (self._hint, 1), (self._body, 1))
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("Training"))

    def _say(self, hint: str) -> None:
        self._hint.setText(hint)
        self._hint.show()
        self._body.hide()

    def _collect(self) -> None:
        """Start reading the curves if the panel is visible."""
        index = self._state.index
        if not self._stale or not self.isVisible() or index is None:
            return
        self._stale = False
        if self._background is None:
            self._take(training_of(index))
            return

        def read(job: BackgroundJob) -> TrainingRun | None:
            return training_of(index, job.cancelled)

        self._background.start(
            read,
            self._take,
            self._on_reading_failed,
            lane=LANE,
            expected=(TraceError,),
            computes=True,
        )

    def _take(self, training: TrainingRun | None) -> None:
        self.training = training
        if training is None:
            self._say(self.tr("This run has fewer than two training steps."))
            return
        if self.sheet is None:
            # Import late: pyqtgraph is not needed until a training is shown.
            from gradviz.viewer.training.training_pages import TrainingPages

            self.sheet = TrainingPages(self._state.theme)
            self.sheet.step_requested.connect(self._state.go_to)
            for page in self.sheet.pages:
                self._stack.addWidget(page)
        self._show()

    def _show(self) -> None:
        if self.training is None or self.sheet is None:
            return
        until = self._state.revealed.until
        loss, norms = loss_words(self.training, until), norm_words(self.training)
        self._summary.setText(join_sentences((loss, norms)))
        self.sheet.show_training(self.training, until)
        self.sheet.show_number(self._state.number)
        self._hint.hide()
        self._body.show()

    def _on_reading_failed(self, error: Exception) -> None:
        self._say(str(error))

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        self._stale = True
        self.training = None
        if self._background is not None:
            self._background.cancel(LANE)
        self._say(self.tr("Runs with several training steps are plotted here."))
        self._collect()

    def _on_state_step_changed(self, number: int) -> None:
        if self.sheet is not None and self.training is not None:
            self.sheet.show_number(number)

    def update_theme(self) -> None:
        """Fit fonts, icons and sizes to the theme."""
        set_style_sheet(self.as_table, segment_style(self._state.theme))

    def showEvent(self, event: QShowEvent) -> None:
        """Read the curves if that has not happened yet."""
        super().showEvent(event)
        self._collect()


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel; its dock is shown when a run contains training."""
    panel = context.parts.add(TrainingPanel(context.state, context.background))
    docks = context.window.docks
    neighbors = tuple(docks[name] for name in ("source", "ops", "console", "doctor"))
    TrainingController(context.state, context.dock, neighbors, context.window)
    return panel
