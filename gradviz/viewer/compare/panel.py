"""The Compare tab: two graphs that step together, with the values of both steps below."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QPalette
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QSizePolicy,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from gradviz.analysis.compare.graph_marks import GraphMarks
from gradviz.analysis.compare.run_comparison import RunComparison
from gradviz.analysis.compare.step_pairing import StepPair
from gradviz.analysis.index.node_steps import next_step_of
from gradviz.analysis.values.non_finite_reach import NonFiniteReach
from gradviz.catalogue.language import format_count
from gradviz.text.compare import comparison_summary, mismatch_lines, side_title
from gradviz.text.narration import describe_step
from gradviz.text.scope import scope_notes
from gradviz.viewer.actions import Actions, tip_of
from gradviz.viewer.background import Background
from gradviz.viewer.canvas.graph_notice import GraphNotice
from gradviz.viewer.canvas.layout.graph_space import preference
from gradviz.viewer.compare.candidates import CompareCandidate
from gradviz.viewer.compare.compare_graph import CompareGraph
from gradviz.viewer.compare.value_pairs import (
    PAIR_WIDTHS,
    PairedValue,
    ValuePairView,
    pairs_document,
    value_pairs_of,
)
from gradviz.viewer.rows.rows_view import RowsView
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.trace_values import TraceReaderProtocol
from gradviz.viewer.widgets.action_button import ActionButton
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip
from gradviz.viewer.widgets.screen_reader import announce

_BELOW = 200
"""Initial height of the values; the graphs take the remaining space."""

_MOST_PLACES = 500
"""Longest list of differences; further ones are reached with Next Difference."""


_WIDEST = 380
_LEAST = 12
"""Visible characters of a combo box in the narrowest window."""

_EDGE = 30


class CompareBar(QWidget):
    """Chooses the run to compare with and navigates its differences.

    Signals:
        chosen: The `CompareCandidate` that was picked.
        place_chosen: Index of the chosen entry in the list of differences, from 0.
    """

    chosen = Signal(object)
    place_chosen = Signal(object)

    def __init__(self, theme: Theme, actions: Actions) -> None:
        super().__init__()
        self._choices: list[CompareCandidate | None] = []
        self._shown: CompareCandidate | None = None
        self.label = PlainLabel(self.tr("Compare with"))
        self.choice = self._box(self.tr("Compare with"))
        self.label.setBuddy(self.choice)
        self.places = self._box(self.tr("Differing steps"))
        self.places.hide()
        self.previous = self._button(
            actions.previous_compare_difference, self.tr("Previous difference")
        )
        self.next = self._button(actions.next_compare_difference, self.tr("Next difference"))
        self._lay_out()
        self._theme = theme
        for widget in (self.choice, self.places, self.previous, self.next):
            set_theme_font(widget, theme, SMALL_PIXELS)
        self.update_theme()
        self.choice.activated.connect(self._on_choice_activated)
        self.places.activated.connect(self._on_places_activated)

    def _box(self, name: str) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        box.setSizeAdjustPolicy(box.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(_LEAST)
        box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        return box

    def _button(self, action: QAction, text: str) -> ActionButton:
        action.setToolTip(tip_of(action, text))
        button = ActionButton(action)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        button.setAccessibleName(text)
        return button

    def _lay_out(self) -> None:
        self.label.setWordWrap(False)
        self.label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        lay_out(
            QHBoxLayout(self),
            self.label,
            (self.choice, 4),
            1,
            (self.places, 3),
            self.previous,
            self.next,
            margins=(10, 6, 10, 2),
            gap=8,
        )

    def offer(self, choices: Sequence[CompareCandidate], shown: CompareCandidate | None) -> None:
        """List the choices; ``shown`` is the one whose run is shown on the right."""
        self.choice.clear()
        self._choices = [None]
        self.choice.addItem(self.tr("Choose what to compare with…"))
        kind = ""
        for choice in choices:
            if kind and _group(choice) != kind:
                self.choice.insertSeparator(self.choice.count())
                self._choices.append(None)
            kind = _group(choice)
            self.choice.addItem(choice.title)
            self._choices.append(choice)
        self.show_shown(shown)

    def show_shown(self, shown: CompareCandidate | None) -> None:
        """Select the choice whose run is shown on the right, or else one of its title."""
        self._shown = shown
        ranks = [_unlikeness(choice, shown) for choice in self._choices]
        # The first entry is no run.
        self.choice.setCurrentIndex(ranks.index(min(ranks)) if ranks else 0)

    def list_places(self, head: str, places: Sequence[str]) -> None:
        """List the differences.

        Args:
            head: Summary, shown while the list is closed.
            places: One line for each difference.
        """
        self.places.clear()
        self.places.addItem(head)
        self.places.addItems([*places])
        self.places.setEnabled(bool(places))
        self.places.setToolTip(plain_tooltip(self.tr("Go to a step that differs")))
        self.places.view().setMinimumWidth(self.places.view().sizeHintForColumn(0) + _EDGE)

    def update_theme(self) -> None:
        """Apply the theme's sizes."""
        self.choice.setMaximumWidth(self._theme.px(_WIDEST))
        self.places.setMaximumWidth(self._theme.px(_WIDEST))

    def _on_places_activated(self, at: int) -> None:
        # The closed list shows the summary again.
        self.places.setCurrentIndex(0)
        if at > 0:
            self.place_chosen.emit(at - 1)

    def _on_choice_activated(self, at: int) -> None:
        choice = self._choices[at] if 0 <= at < len(self._choices) else None
        if choice is None:
            # Whatever was picked, the shown run stays.
            self.show_shown(self._shown)
        else:
            self.chosen.emit(choice)


def _unlikeness(choice: CompareCandidate | None, shown: CompareCandidate | None) -> int:
    if choice is None or shown is None or choice.title != shown.title:
        return 2
    return int(choice.kind != shown.kind)


def _group(choice: CompareCandidate) -> str:
    """Return the separated group of the list that a choice belongs to."""
    return {"browse": "file", "offer": "file", "trace": "file", "scene": "scene"}.get(
        choice.kind, "near"
    )


class ComparePanel(QWidget):
    """Shows the comparison of two runs at the current step.

    Signals:
        pair_changed: Another pair of steps is shown.
        iteration_left: The window shows a step outside of the iteration on the left.
    """

    pair_changed = Signal()
    iteration_left = Signal()

    def __init__(self, state: ViewerState, background: Background, actions: Actions) -> None:
        super().__init__()
        self._state = state
        self.found: RunComparison | None = None
        self.pair: StepPair = (None, None)
        preferences = state.preferences
        self._states = (
            ViewerState(state.theme, self, preferences=preferences),
            ViewerState(state.theme, self, preferences=preferences),
        )
        self.left = CompareGraph(self._states[0], background, actions, "left")
        self.right = CompareGraph(self._states[1], background, actions, "right")
        self.bar = CompareBar(state.theme, actions)
        self.summary = PlainLabel(bold=True)
        self.summary.setIndent(10)
        self.table = RowsView(state.theme, PAIR_WIDTHS, wraps=True)
        self.table.setAccessibleName(self.tr("Values in both runs"))
        self.values = ValuePairView(state.theme)
        self.notice = GraphNotice(state.theme)
        self._lay_out()
        for side, shown in zip((self.left, self.right), self._states, strict=True):
            side.settled.connect(self._on_graph_settled)
            side.view.card_clicked.connect(lambda _, shown=shown: self._go_to_selected(shown))
        self._states[0].step_changed.connect(self._on_left_step_changed)
        self._states[1].step_changed.connect(self._on_right_step_changed)
        self.bar.place_chosen.connect(self._on_bar_place_chosen)
        self.table.current_changed.connect(self._on_table_current_changed)
        state.step_changed.connect(self._on_state_step_changed)
        state.revealed_changed.connect(self._update_hidden)

    def _lay_out(self) -> None:
        graphs, below = QSplitter(), QSplitter()
        for splitter, parts in (
            (graphs, (self.left, self.right)),
            (below, (self.table, self.values)),
        ):
            splitter.setChildrenCollapsible(False)
            for part in parts:
                splitter.addWidget(part)
        graphs.setSizes([1, 1])
        below.setSizes([11, 9])
        whole = QSplitter(Qt.Orientation.Vertical)
        whole.setChildrenCollapsible(False)
        whole.addWidget(graphs)
        whole.addWidget(below)
        whole.setStretchFactor(0, 1)
        whole.setStretchFactor(1, 0)
        whole.setSizes([300, self._state.theme.px(_BELOW)])
        self._whole = whole
        self._pages = QStackedLayout()
        self._ordinary = QWidget()
        lay_out(QVBoxLayout(self), self._ordinary)
        lay_out(QVBoxLayout(self._ordinary), self.bar, self.summary, (self._pages, 1), gap=0)
        # Only now: without a parent, the first page would open as a window and take the keyboard.
        self._pages.addWidget(self.notice)
        self._pages.addWidget(whole)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("Compare"))

    @property
    def is_settled(self) -> bool:
        """Whether both graphs are laid out."""
        return self.left.is_settled and self.right.is_settled

    @property
    def is_awaiting_reveal(self) -> bool:
        """Whether the comparison is hidden because it would reveal an answer."""
        return not self._state.revealed.is_complete

    def say(self, title: str, text: str) -> None:
        """Show a message in place of a comparison."""
        self.forget()
        self.notice.say(title, text)
        self._pages.setCurrentWidget(self.notice)
        self.summary.hide()

    def forget(self) -> None:
        """Drop both runs, since their traces may be about to be closed."""
        self.found, self.pair = None, (None, None)
        self.summary.setText("")
        self.bar.places.hide()
        for each in self._states:
            each.show(None)
        self._show_values(())
        self.pair_changed.emit()

    def show_runs(
        self,
        found: RunComparison,
        readers: tuple[TraceReaderProtocol, TraceReaderProtocol],
        marks: tuple[GraphMarks, GraphMarks],
        reaches: tuple[NonFiniteReach, NonFiniteReach],
    ) -> None:
        """Show two runs.

        Args:
            found: Their comparison.
            readers: Readers of the left and the right trace.
            marks: The differences in both graphs.
            reaches: Which NaN and Inf of both runs are red.
        """
        self.found, self.pair = None, (None, None)
        for each, reader, index in zip(
            self._states, readers, (found.left, found.right), strict=True
        ):
            each.show(reader, index)
        for state, reach in zip(self._states, reaches, strict=True):
            state.set_reach(reach)
        self.found = found
        traces = (found.left.trace, found.right.trace)
        titles = [side_title(each) for each in (found.left, found.right)]
        facts = [" · ".join((*scope_notes(each.scope), each.origin.device)) for each in traces]
        texts = (self.tr("Left: {0} ({1})"), self.tr("Right: {0} ({1})"))
        sides = (self.left, self.right)
        for side, text, title, fact, mark in zip(sides, texts, titles, facts, marks, strict=True):
            side.name(text.format(title, fact))
            side.show_marks(mark)
        self._count()
        self._update_hidden()
        self._on_state_step_changed(self._state.number)
        if not self.is_awaiting_reveal:
            announce(self, self.summary.text())

    def show_pair(self, pair: StepPair) -> None:
        """Show two steps, one of which may be None; the window moves to the left one."""
        left, _ = pair
        if left is not None and left != self._state.number:
            self._state.go_to(left)
        if self._state.number == left or left is None:
            self._show_pair(pair)

    def _show_pair(self, pair: StepPair) -> None:
        found = self.found
        if found is None:
            return
        self.pair = pair
        sides = (self.left, self.right)
        indices = (found.left, found.right)
        for side, state, index, number in zip(sides, self._states, indices, pair, strict=True):
            if number is None:
                side.say(self.tr("Only the other side has this step."), absent=True)
                continue
            state.go_to(number)
            text = describe_step(index, index.trace.steps[number - 1]).splitlines()[0]
            side.say(self.tr("Step {0}: {1}").format(format_count(number), text), absent=False)
        self._show_values(value_pairs_of(found, *pair))
        self.pair_changed.emit()

    def _show_values(self, values: Sequence[PairedValue]) -> None:
        self.table.show_document(pairs_document(values, "run"))
        self.table.go_to(values[0] if values else None)
        self._on_table_current_changed(self.table.current_key)

    def _count(self) -> None:
        found = self.found
        if found is None:
            return
        self.summary.setText(comparison_summary(found))
        differing = sum(each.verdict == "differs" for each in found.mismatches)
        alone = len(found.mismatches) - differing
        parts = []
        if differing:
            parts.append(self.tr("%Ln step(s) differ", "", differing))
        if alone:
            parts.append(self.tr("%Ln step(s) occur on only one side", "", alone))
        head = " · ".join(parts) or self.tr("No step differs")
        self.bar.list_places(head, mismatch_lines(found, _MOST_PLACES))

    def _update_hidden(self) -> None:
        """Hide the comparison until all is revealed: the other run has the same gradients."""
        if self.found is None:
            return
        hidden = self.is_awaiting_reveal
        self.summary.setVisible(not hidden)
        self.bar.places.setVisible(not hidden)
        if hidden:
            title = self.tr("Hidden in quiz mode")
            self.notice.say(title, self.tr("The other run would reveal the answer."))
        self._pages.setCurrentWidget(self.notice if hidden else self._whole)

    def _on_state_step_changed(self, number: int) -> None:
        if self.found is None or not number or not self.isVisible():
            return
        if number in self.found.pairs.steps[0]:
            self._show_pair((number, self.found.pairs.right(number)))
        else:
            self.iteration_left.emit()

    def _on_graph_settled(self) -> None:
        """Give both graphs the same arrangement, so that equal nodes look alike."""
        chosen = [self.left.arrangement, self.right.arrangement]
        found = [each for each in chosen if each is not None]
        if self.is_settled and len(found) == 2 and found[0] != found[1]:
            for side in (self.left, self.right):
                side.arrange(max(found, key=preference))

    def _go_to_selected(self, side: ViewerState) -> None:
        """Go to the next step of the clicked node."""
        if side.index is not None and side.selection is not None:
            step = next_step_of(side.index, side.selection, side.number)
            if step is not None:
                side.go_to(step)

    def _on_left_step_changed(self, number: int) -> None:
        if self.found is not None and number and number != self.pair[0]:
            self.show_pair((number, self.found.pairs.right(number)))

    def _on_right_step_changed(self, number: int) -> None:
        if self.found is not None and number and number != self.pair[1]:
            self.show_pair((self.found.pairs.left(number), number))

    def _on_bar_place_chosen(self, at: int) -> None:
        if self.found is not None and at < len(self.found.mismatches):
            mismatch = self.found.mismatches[at]
            self.show_pair((mismatch.left, mismatch.right))

    def _on_table_current_changed(self, key: Hashable | None) -> None:
        pair = key if isinstance(key, PairedValue) else None
        sides = () if pair is None else (pair.left.record, pair.right.record)
        red = [
            record is not None and number is not None and state.is_harmful(record.id, number)
            for state, record, number in zip(self._states, sides, self.pair, strict=False)
        ]
        self.values.show_pair(pair, red)

    def showEvent(self, event: object) -> None:
        """Catch up with step changes that occurred while the tab was hidden."""
        self._on_state_step_changed(self._state.number)
