"""The inspector panel: the sentence of the step, then all values that belong to it."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gradviz.analysis.arithmetic.element_arithmetic import Arithmetic
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.training.value_series import ValueSeries, value_series
from gradviz.document.facts.current_facts import current_facts, facts_of_node, shows_selection
from gradviz.document.facts.fact_rows import InspectorFacts
from gradviz.store.errors import TraceError
from gradviz.text.arithmetic import arithmetic_text
from gradviz.text.narration import describe_missing_run
from gradviz.viewer.actions import Actions
from gradviz.viewer.arithmetic.controller import ArithmeticController
from gradviz.viewer.arithmetic.element_frames import colored_parts
from gradviz.viewer.background import PATIENCE_MS, Background
from gradviz.viewer.inspector import KEYS
from gradviz.viewer.inspector.inspector_body import InspectorBody, InspectorScroll, SectionView
from gradviz.viewer.inspector.inspector_header import InspectorHeader
from gradviz.viewer.inspector.row_filling import RowSource
from gradviz.viewer.inspector.row_widgets import RowPool
from gradviz.viewer.inspector.tensor_controller import TensorController
from gradviz.viewer.inspector.value_sparkline import ValueSparkline
from gradviz.viewer.local_keys import pressed
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_view.large.tensor_windows import TensorWindows
from gradviz.viewer.tensor_view.storage_letters import StorageLetters
from gradviz.viewer.tensor_view.tensor_loader import TensorLoader
from gradviz.viewer.view_requests import ViewRequests
from gradviz.viewer.widgets.fitted_text import FittedText
from gradviz.viewer.widgets.focus_ring import FocusRing
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel
from gradviz.viewer.widgets.screen_reader import announce

_LEAST_WIDTH = 280
_SIDE = 12


LANE = "value-series"

_REST_MS = 120
"""Time without a step after which the values are read, so that stepping does not wait for it."""


class ValueSeriesController(QObject):
    """Shows the current step's value in all iterations; in each of them, it is read only once."""

    def __init__(
        self,
        state: ViewerState,
        requests: ViewRequests,
        sparkline: ValueSparkline,
        background: Background | None,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._state, self._background, self._sparkline = state, background, sparkline
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._read)
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._patience.timeout.connect(sparkline.show_nothing)
        state.step_changed.connect(self._on_state_step_changed)
        state.trace_changed.connect(self._on_state_trace_changed)
        state.revealed_changed.connect(self._update)
        sparkline.clicked.connect(lambda: requests.show_series(sparkline.series))

    @property
    def is_resting(self) -> bool:
        """Whether nothing is about to be read."""
        return not self._rest.isActive()

    def _on_state_trace_changed(self, index: object) -> None:
        if self._background is not None:
            self._background.cancel(LANE)
        self._take(None)

    def _on_state_step_changed(self, number: int) -> None:
        self._rest.stop()
        current, series = self._state.iterations.current, self._sparkline.series
        is_same = series is not None and any(each.step == number for each in series.points)
        if current is None or is_same:
            # Outside of all iterations, or the same step of another one.
            self._take(series if is_same else None)
            return
        if self._background is not None:
            self._background.cancel(LANE)
        self._rest.start()
        if not self._patience.isActive():
            self._patience.start()

    def _read(self) -> None:
        index, scope, number = self._state.index, self._state.iterations, self._state.number
        current = scope.current
        if index is None or current is None:
            return
        if self._background is None:
            self._take(value_series(index, scope.all, current, number))
            return
        self._background.start(
            lambda job: value_series(index, scope.all, current, number, job.pause),
            self._take,
            lane=LANE,
            expected=(TraceError,),
            computes=True,
        )

    def _take(self, series: ValueSeries | None) -> None:
        self._patience.stop()
        self._show(series)

    def _update(self) -> None:
        self._show(self._sparkline.series)

    def _show(self, series: ValueSeries | None) -> None:
        current, revealed = self._state.iterations.current, self._state.revealed
        hides = not revealed.is_complete
        if current is None or series is None or hides or len(series.points) < 2:
            self._sparkline.show_series(None, 0)
        else:
            self._sparkline.show_series(series, current.number)


class Inspector(QWidget):
    """Shows the current step, or the selected node with a button back to the step.

    Args:
        state: The state to show and to update.
        requests: Receives what other parts of the window are asked for.
        parent: Parent widget.
        background: Reads large tensors in the background; without it, they are read at once.
        actions: The commands of the Down and Up keys; without them, the keys only scroll.

    Signals:
        message_emitted: A sentence on what was saved, and its kind: ``info`` or ``error``.
    """

    message_emitted = Signal(str, str)

    def __init__(
        self,
        state: ViewerState,
        requests: ViewRequests,
        parent: QWidget | None = None,
        *,
        background: Background | None = None,
        actions: Actions | None = None,
    ) -> None:
        super().__init__(parent)
        self._levels = {} if actions is None else {"into": actions.into, "out": actions.out}
        self._state = state
        self._marks = StorageLetters(None)
        self._folded = state.preferences.folded_sections
        self.facts: InspectorFacts | None = None
        self._shown: tuple[object, ...] = ()
        self._place: TracePosition | None = None
        self._tensors = TensorController(state, requests, self)
        self._loader = TensorLoader(state, background, self)
        self._make_parts()
        self._lay_out()
        self._connect()
        self._on_state_trace_changed(state.index)
        self._show()

    def _make_parts(self) -> None:
        theme = self._state.theme
        self.head = InspectorHeader(theme)
        self._hint = PlainLabel()
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._hint.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._body = InspectorBody(theme, RowPool(self._tensors, self))
        self._scroll = InspectorScroll(self._body)
        self._scroll.setAccessibleName(self.tr("Values of the step"))
        self._arithmetic = FittedText(theme)
        self._arithmetic.hide()
        self.sparkline = ValueSparkline(theme)
        FocusRing(self._scroll)

    def _lay_out(self) -> None:
        # Qt would lay out the whole window again for each longer or shorter sentence if the parts
        # were in a layout of the panel itself.
        self._column = QWidget(self)
        # Below the values, so that they stay where they are when it appears.
        margins = lay_out(QHBoxLayout(), self._arithmetic, margins=(_SIDE, 2, _SIDE, 4))
        lay_out(
            QVBoxLayout(self._column),
            *(self.head, (self._hint, 1), (self._scroll, 1), margins, self.sparkline),
            gap=4,
        )
        self.setMinimumWidth(_LEAST_WIDTH)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self._body.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("Inspector"))

    def _connect(self) -> None:
        state = self._state
        state.trace_changed.connect(self._on_state_trace_changed)
        state.place_changed.connect(self._on_state_place_changed)
        state.selection_changed.connect(self._show)
        state.reports_changed.connect(self._show)
        state.reach_changed.connect(self._show_again)
        state.arithmetic_changed.connect(self._on_state_arithmetic_changed)
        self.head.back_requested.connect(lambda: state.select(None))
        self._body.folded_changed.connect(self._on_body_folded_changed)
        self._body.more_requested.connect(self._show_again)
        self._loader.loaded.connect(self._show_again)
        self._loader.failed.connect(self._show_again)
        self._tensors.message_emitted.connect(self.message_emitted)
        state.preferences.changed.connect(self._on_preferences_changed)

    @property
    def arithmetic(self) -> str:
        """How the pinned element was computed; empty if that is not shown."""
        return "" if self._arithmetic.isHidden() else self._arithmetic.text

    @property
    def sections(self) -> tuple[SectionView, ...]:
        """The visible sections, from the top."""
        return self._body.sections

    def prepare_for(self, activity: str) -> None:
        """Create the widgets of the first trace while it is being recorded or read."""
        if activity in ("opening", "running"):
            self._body.prepare()

    def _show(self) -> None:
        index, number = self._state.index, self._state.number
        selection = self._state.selection
        elsewhere = index is not None and shows_selection(index, number, selection)
        revealed, place, level = self._state.revealed, self._state.place, self._state.level
        facts = current_facts(revealed, number, place=place, level=level)
        if elsewhere and selection is not None:
            facts = facts_of_node(revealed, selection, number)
        shown = (facts, elsewhere, id(index), id(self._marks), self._state.preferences.same_scale)
        if facts is None or shown != self._shown:
            self._shown = shown
            self._show_facts(facts, elsewhere=elsewhere)

    def _show_facts(self, facts: InspectorFacts | None, *, elsewhere: bool) -> None:
        previous_texts = _accessible_texts(self.facts)
        self.facts = facts
        self.head.show_facts(facts, elsewhere=elsewhere)
        self._scroll.setVisible(facts is not None)
        self._hint.setVisible(facts is None)
        index = self._state.index
        self._hint.setText(
            (describe_missing_run(index) if index is not None else "")
            or self.tr("The values of each step appear here.")
        )
        same = self._state.preferences.same_scale
        self._body.show_facts(facts, self._source(), same=same, folded=self._folded)
        # Otherwise no view has a mark: showing a tensor removes it.
        if self._state.element is not None or self._state.arithmetic is not None:
            self._tensors.mark_all()
        self._scroll.fit()
        if facts is not None:
            where = ", ".join((facts.place, *(crumb.text for crumb in facts.crumbs[1:])))
            self.setAccessibleDescription(f"{where}: {facts.sentence}")
            if _accessible_texts(facts) != previous_texts:
                announce(self, facts.sentence)

    def _source(self) -> RowSource | None:
        state = self._state
        if state.index is None:
            return None
        return RowSource(
            index=state.index,
            number=state.number,
            marks=self._marks,
            lineage=state.lineage,
            is_harmful=state.is_harmful,
            loader=self._loader,
            theme=state.theme,
        )

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        self._marks = StorageLetters(index, self._state.lineage)
        self._show()

    def _on_state_place_changed(self, place: TracePosition | None) -> None:
        self._show()
        if place != self._place:
            self._place = place
            self._scroll.verticalScrollBar().setValue(0)

    def update_theme(self) -> None:
        """Fit fonts, icons and sizes to the theme."""
        self._scroll.fit()

    def _on_state_arithmetic_changed(self, arithmetic: Arithmetic | None) -> None:
        index = self._state.index
        shown = arithmetic is not None and index is not None
        if arithmetic is not None and index is not None:
            text = arithmetic_text(index, arithmetic, self._state.number)
            self._arithmetic.show_parts(colored_parts(text))
            announce(self._arithmetic, text.line)
        self._arithmetic.setVisible(shown)

    def _on_body_folded_changed(self, change: tuple[str, bool]) -> None:
        self._folded[change[0]] = change[1]
        self._state.preferences.folded_sections = self._folded
        if not change[1]:
            # Folded sections have no row widgets yet.
            self._show_again()

    def _on_preferences_changed(self, name: str) -> None:
        if name == "same_scale":
            self._show()

    def _show_again(self) -> None:
        """Show the same facts again, whose values or signs may have changed."""
        self._shown = ()
        self._show()

    def sizeHint(self) -> QSize:
        """Return the preferred size of sentence and sections."""
        return self._column.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """Return the minimum size of sentence and sections."""
        return self._column.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fill the panel with the parts."""
        super().resizeEvent(event)
        self._column.setGeometry(self.rect())

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Move the focus in reading order, also in a floating dock."""
        # Only now, as ordering all rows at each step would take longer than showing one of them.
        self._body.order_tabs()
        return super().focusNextPrevChild(forward)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the stepping keys.

        Right and Left go to the next and previous step, Home and End to the first and last one.
        Down and Up step in and out; if there is nothing to step into or out of, they scroll.
        """
        moves = {
            "next": self._state.next_step,
            "previous": self._state.previous_step,
            "first": self._state.first_step,
            "last": self._state.last_step,
        }
        command = pressed(KEYS, event)
        action = self._levels.get(command)
        if command in moves:
            moves[command]()
        elif action is not None and action.isEnabled():
            action.trigger()
        elif command:
            self._scroll.scroll_with(event)
        else:
            super().keyPressEvent(event)


def _accessible_texts(facts: InspectorFacts | None) -> tuple[str, str]:
    """The text that a screen reader announces, with the position in the run.

    Two consecutive steps can have the same sentence, and both must be announced.
    """
    return ("", "") if facts is None else (facts.place, facts.sentence)


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel and the windows in which its tensors are enlarged."""
    state, requests, window = context.state, context.requests, context.window
    background = context.background
    panel = Inspector(state, requests, background=background, actions=context.actions)
    tensors = TensorWindows(window, state, requests, background, remember=window.remembers)
    ArithmeticController(state, panel)
    context.parts.add(ValueSeriesController(state, requests, panel.sparkline, background, panel))
    for each in (panel, tensors):
        each.message_emitted.connect(window.messages.say)
    context.parts.add(tensors)
    return context.parts.add(panel)
