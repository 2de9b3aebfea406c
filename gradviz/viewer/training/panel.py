"""The upper part of the Training tab: values over the iterations, or about a single pass."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.training.iteration_changes import iteration_changes
from gradviz.analysis.training.iterations import Iteration, nearest_iteration
from gradviz.analysis.training.jumps import MOST_BEFORE, passes_around
from gradviz.analysis.training.training_curves import TrainingRun, training_of
from gradviz.analysis.training.unusual_values import find_unusual_value
from gradviz.analysis.training.value_series import ValueSeries
from gradviz.catalogue.language import format_count
from gradviz.model.settings.recording_scope import PassRange
from gradviz.model.step import PassBeginStep
from gradviz.store.errors import TraceError
from gradviz.text.punctuation import join_sentences
from gradviz.text.training_curves import loss_words, norm_words
from gradviz.viewer.actions import Actions, tip_of
from gradviz.viewer.background import Background, BackgroundJob
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import set_style_sheet
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.training.iteration_plot import IterationPlot
from gradviz.viewer.training.pass_pages import LANE as PASS_LANE
from gradviz.viewer.training.pass_pages import PassPages
from gradviz.viewer.training.training_table import ParameterTable, TrainingTable
from gradviz.viewer.training.training_tracks import iteration_marks, training_tracks
from gradviz.viewer.training.unusual_line import UnusualLine
from gradviz.viewer.widgets.elided_label import ElidedLabel
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip
from gradviz.viewer.widgets.segment_switch import segment_style

LANE = "training"

_Searched = TypeVar("_Searched")


class TrainingPanel(QWidget):
    """Shows a training run; reads its values in the background when it is first visible.

    Of a run without iterations, it shows what it has too: layers and saved memory.

    Attributes:
        training: The training that is shown, or None.
        plot: The curves.
        table: The same numbers.
        unusual: What differs in the current iteration from those before it.
        as_table: Switches from the curves to the table.
        of_pass: Gradients by layer and saved memory of the current pass.

    Signals:
        comparison_requested: Number of the iteration to compare the current one with.
        recording_requested: The `PassRange` to record of a further run, and the number of the
            iteration that is wanted.
        page_changed: Another page is shown, or other curves; so `least_height` may have changed.
    """

    comparison_requested = Signal(object)
    recording_requested = Signal(object, object)
    page_changed = Signal()

    def __init__(
        self, state: ViewerState, actions: Actions, background: Background | None = None
    ) -> None:
        super().__init__()
        self._state = state
        self._background = background
        self.training: TrainingRun | None = None
        self._searched: Iteration | None = None
        self._stale = True
        self._has_single = False
        self._is_repeatable, self._wanted = False, 0
        self.plot = IterationPlot(state.theme)
        self.table = TrainingTable(state.theme)
        self.unusual = UnusualLine(state.theme)
        self.record_around = self._record_button()
        self._hint = PlainLabel(muted=True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._title = ElidedLabel(bold=True, pixels=15)
        self.as_table = self._button(self.tr("Table"), self.tr("Show the numbers, one row each"))
        self._all = self._button(
            self.tr("All Iterations"),
            tip_of(actions.all_iterations, self.tr("Show the graph of the whole run")),
        )
        self._all.clicked.connect(actions.all_iterations.trigger)
        actions.all_iterations.toggled.connect(self._all.setChecked)
        self.as_changes = self._button(
            self.tr("Changes"), self.tr("Show what this iteration changed in each parameter")
        )
        self.mark_other = self._action_button(
            self.tr("Compare other iterations with this one"), self._on_mark_other_clicked
        )
        self.compare_other = self._action_button(
            self.tr("Compare all values of both iterations"),
            lambda: self.comparison_requested.emit(self._other_iteration.number),
        )
        self.changes = ParameterTable(state.theme, (self.mark_other, self.compare_other))
        self._other = 1
        self._series: ValueSeries | None = None
        self.as_layers = self._button(
            self.tr("Layers"), self.tr("Show the gradients of this pass by layer")
        )
        self.as_memory = self._button(
            self.tr("Memory"), self.tr("Show what is saved for this pass")
        )
        self.of_pass = PassPages(state, background)
        self._pages: dict[QToolButton, QWidget] = {
            self.as_changes: self.changes,
            self.as_layers: self.of_pass.flow_page,
            self.as_memory: self.of_pass.memory_page,
            self.as_table: self.table,
        }
        self._stack = QStackedWidget()
        self._stack.addWidget(self.plot)
        for button, page in self._pages.items():
            self._stack.addWidget(page)
            button.toggled.connect(partial(self._on_button_toggled, button))
        self._lay_out()
        self._connect()
        self.update_theme()
        self._on_state_trace_changed(state.index)

    def _connect(self) -> None:
        self.plot.iteration_requested.connect(self._on_plot_iteration_requested)
        self.plot.comparison_requested.connect(self.comparison_requested)
        self.plot.move_requested.connect(self._state.iterations.go_by)
        self.table.step_requested.connect(self._state.go_to)
        self.changes.step_requested.connect(self._state.go_to)
        self.unusual.step_requested.connect(self._state.go_to)
        self._state.trace_changed.connect(self._on_state_trace_changed)
        self._state.step_changed.connect(self._on_state_step_changed)
        self._state.revealed_changed.connect(self._show)
        self._state.selection_changed.connect(self._show)

    @property
    def summary(self) -> str:
        """The training in words, or why there is none."""
        if self.training is None:
            return self._hint.text() or self.title
        until = self._state.revealed.until
        return join_sentences((loss_words(self.training, until), norm_words(self.training)))

    @property
    def title(self) -> str:
        """What the current iteration consists of."""
        return self._title.text()

    @property
    def least_height(self) -> int:
        """Height in which the curves can be told apart; 0 while a list is shown instead."""
        if self._stack.currentWidget() is not self.plot:
            return 0
        layout = self._body.layout()
        others = (
            0 if layout is None else layout.sizeHint().height() - self._stack.sizeHint().height()
        )
        return self.plot.low_height + others

    def _button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        button.setCheckable(True)
        set_theme_font(button, self._state.theme)
        return button

    def _action_button(self, tip: str, action: Callable[[], None]) -> QToolButton:
        button = self._button("", tip)
        button.setCheckable(False)
        button.clicked.connect(action)
        return button

    def _record_button(self) -> QToolButton:
        tip = self.tr(
            "Run the program again and record these iterations, to see what led to this one. "
            "If it sets no seed, it may take another course."
        )
        button = self._action_button(tip, self._on_record_around_clicked)
        # As high as the line beside it, so that the graph keeps its height when it goes.
        button.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        return button

    def _lay_out(self) -> None:
        head = lay_out(QHBoxLayout(), (self._title, 1), self._all, *self._pages, gap=0)
        self._body = QWidget()
        line = lay_out(QHBoxLayout(), (self.unusual, 1), self.record_around)
        rows = (head, line, (self._stack, 1))
        lay_out(QVBoxLayout(self._body), *rows, margins=(12, 6, 12, 2), gap=2)
        lay_out(QVBoxLayout(self), (self._hint, 1), (self._body, 1))
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("Training"))

    def _say(self, hint: str) -> None:
        self._hint.setText(hint)
        self._hint.show()
        self._body.hide()

    def _collect(self) -> None:
        """Start reading the values if the panel is visible."""
        index = self._state.index
        if not self._stale or not self.isVisible() or index is None:
            return
        self._stale = False
        if self._state.iterations.all:
            self._say(self.tr("Reading losses and gradients…"))
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
        index = self._state.index
        if training is not None:
            self._show()
        elif index is None or not index.passes:
            self._say(self.tr("This run has fewer than two iterations."))
        else:
            self._show_single()

    def _show_single(self) -> None:
        """Show the pages on a pass alone, as there are no iterations."""
        self._has_single = True
        self._hint.setText("")
        text = self.tr("No curves: fewer than two iterations")
        self._title.setText(text)
        self._show_body()
        if not self.as_memory.isChecked():
            self.as_layers.setChecked(True)
        self.of_pass.collect()

    def _show_body(self) -> None:
        for button in (self.as_changes, self.as_table, self._all, self.unusual):
            button.setVisible(not self._has_single)
        self._hint.hide()
        self._body.show()

    def _show(self) -> None:
        if self._has_single:
            self.of_pass.show()
        if self.training is None:
            return
        until = self._state.revealed.until
        kept = [each.number for each in self.training.iterations]
        self.plot.show_tracks(
            self.training.rounds,
            training_tracks(self.training, until, self._selected_parameter(), self._series),
            iteration_marks(self.training, self._state.revealed),
            kept if len(kept) < self.training.rounds else (),
        )
        self.plot.setToolTip(plain_tooltip(self.summary))
        self.table.show_training(self.training, until)
        self.of_pass.show()
        self._on_state_step_changed(self._state.number)
        self._show_body()
        self.page_changed.emit()

    def show_series(self, series: ValueSeries | None) -> None:
        """Show the curves, with those of another value."""
        self._series = series
        for button in self._pages:
            button.setChecked(False)
        self._show()

    def _selected_parameter(self) -> str:
        """Name of the leaf that is selected in the graph, or empty."""
        index, selection = self._state.index, self._state.selection
        if index is None or selection is None:
            return ""
        node = index.node[selection]
        return node.variable_name if node.kind == "accumulate" else ""

    def _on_reading_failed(self, error: Exception) -> None:
        self._say(str(error))

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        self._stale = True
        self.training = self._searched = None
        if self._has_single:
            self._has_single = False
            self.as_layers.setChecked(False)
        self._other = 1
        self._series = None
        if self._background is not None:
            self._background.cancel(LANE)
            self._background.cancel(PASS_LANE)
            self._background.cancel(f"{LANE} unusual")
        self._say(self.tr("Runs with several iterations are plotted here."))
        self._collect()

    def _on_state_step_changed(self, number: int) -> None:
        current = self._state.iterations.current
        if self.training is not None and current is not None:
            self.plot.show_number(current.number)
            self.table.show_number(number)
            self._title.setText(self._title_of(current))
            self._show_recording(current)
            self._read_changes(current)
            self._find_unusual(current)
        shows_pass = self.as_layers.isChecked() or self.as_memory.isChecked()
        is_known = self.training is not None or self._has_single
        if is_known and shows_pass and self.isVisible():
            self.of_pass.collect()

    def show_repeatable(self, is_repeatable: bool) -> None:
        """Show whether the run can be made again, to record other iterations."""
        self._is_repeatable = is_repeatable
        if self._state.iterations.current is not None:
            self._show_recording(self._state.iterations.current)

    def _show_recording(self, current: Iteration) -> None:
        """Offer to record what led to the iteration that was clicked, or to the current one."""
        is_shown = nearest_iteration(self._state.iterations.all, self._wanted) is current
        # A click hardly tells one iteration from the next.
        if not is_shown or abs(self._wanted - current.number) <= MOST_BEFORE:
            self._wanted = current.number
        index = self._state.index
        kept = () if index is None else index.trace.scope.kept
        (_, (first, last)) = self._around(current).rows
        if index is not None and index.trace.scope.run_passes:
            last = min(last, index.trace.scope.run_passes)  # As far as the run goes.
        is_known = any(begin <= first and self._wanted <= end for begin, end in kept)
        self.record_around.setVisible(self._is_repeatable and bool(kept) and not is_known)
        text = self.tr("Record {0} to {1}")
        self.record_around.setText(text.format(format_count(first), format_count(last)))

    def _around(self, current: Iteration) -> PassRange:
        return passes_around(self._wanted, max(1, len(current.passes)))

    def _on_record_around_clicked(self) -> None:
        current = self._state.iterations.current
        if current is not None:
            self.recording_requested.emit(self._around(current), self._wanted)

    def _on_plot_iteration_requested(self, number: int) -> None:
        # The nearest one with steps is shown.
        self._wanted = number
        self._state.iterations.go_to(number)
        self._on_state_step_changed(self._state.number)

    def _read_changes(self, current: Iteration) -> None:
        """Read what an iteration changed, while that is shown and may be known."""
        index, other = self._state.index, self._other_iteration
        is_shown = self._stack.currentWidget() is self.changes and self.isVisible()
        text = self.tr("Compare Others With Iteration {0}")
        self.mark_other.setText(text.format(format_count(current.number)))
        text = self.tr("Compare With Iteration {0}")
        self.compare_other.setText(text.format(format_count(other.number)))
        self.compare_other.setEnabled(other is not current)
        if index is None or not is_shown or not self._state.revealed.shows(current.last):
            return
        find = partial(iteration_changes, index, current, other)
        self._find("changes", find, self.changes.show_changes)

    def _find_unusual(self, current: Iteration) -> None:
        """Find what is unusual about an iteration, unless that is known or may not be."""
        index, every = self._state.index, self._state.iterations.all
        if index is None or not self.isVisible() or not self._state.revealed.shows(current.last):
            self._searched = None
            self.unusual.show_search(None)
            return
        if current is self._searched:
            return
        self._searched = current
        self.unusual.show_search(None)
        find = partial(find_unusual_value, index, every, current)
        self._find("unusual", find, self.unusual.show_search)

    def _find(
        self,
        name: str,
        find: Callable[[Callable[[], None]], _Searched],
        show: Callable[[_Searched], None],
    ) -> None:
        """Find something about the iteration and show it, in the background if there is one."""
        if self._background is None:
            show(find(lambda: None))
            return
        self._background.start(
            lambda job: find(job.pause),
            show,
            self._on_reading_failed,
            lane=f"{LANE} {name}",
            expected=(TraceError,),
            computes=True,
        )

    @property
    def _other_iteration(self) -> Iteration:
        """The iteration that others are compared with."""
        return nearest_iteration(self._state.iterations.all, self._other)

    def _on_mark_other_clicked(self) -> None:
        current = self._state.iterations.current
        if current is not None:
            self._other = current.number
            self._read_changes(current)

    def _on_button_toggled(self, button: QToolButton, on: bool) -> None:
        """Show the page of a button, or the curves if no button is on and there are curves."""
        if on:
            for other in self._pages:
                other.setChecked(other is button)
        elif self._has_single and not any(each.isChecked() for each in self._pages):
            button.setChecked(True)
        pages = (page for each, page in self._pages.items() if each.isChecked())
        self._stack.setCurrentWidget(next(pages, self.plot))
        self.page_changed.emit()
        self._on_state_step_changed(self._state.number)

    def _title_of(self, iteration: Iteration) -> str:
        """Say what was run, as an iteration is not the same in every program."""
        count = self._state.iterations.all[-1].number
        if self.training is not None:
            count = self.training.rounds
        numbers = format_count(iteration.number), format_count(count)
        updates = len(iteration.updates)
        index, parts = self._state.index, []
        first = None if index is None else step_at(index, iteration.first)
        if index is not None and index.trace.scope.kept and isinstance(first, PassBeginStep):
            # Its loss has jumped, which was known only after its forward.
            parts.append(self.tr("no forward"))
        if (len(iteration.passes), updates) == (1, 1):
            # As in most programs.
            text = (
                self.tr("Iteration {0} of {1}: {2}") if parts else self.tr("Iteration {0} of {1}")
            )
            return text.format(*numbers, *parts)
        parts.append(self.tr("%Ln pass(es)", "", len(iteration.passes)))
        is_known = bool(updates) or self.training is None or self.training.knows_updates
        if is_known and any(each.updates for each in self._state.iterations.all):
            parts.append(self.tr("%Ln update(s)", "", updates) if updates else self.tr("no update"))
        text = self.tr("Iteration {0} of {1}: {2}")
        return text.format(*numbers, ", ".join(parts))

    def update_theme(self) -> None:
        """Fit the buttons to the theme."""
        for button in (
            *self._pages,
            self._all,
            self.mark_other,
            self.compare_other,
            self.record_around,
        ):
            set_style_sheet(button, segment_style(self._state.theme, side=6))

    def showEvent(self, event: QShowEvent) -> None:
        """Read the values if that has not happened yet."""
        super().showEvent(event)
        self._collect()
