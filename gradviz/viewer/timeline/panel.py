"""The strip at the bottom of the window: step controls, the row of steps, and the status."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, QSize
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QToolTip, QVBoxLayout, QWidget

from gradviz.analysis.index.step_queries import phase_of, step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import Level, TracePosition
from gradviz.catalogue.language import format_count
from gradviz.document.facts.step_facts import title_of
from gradviz.document.location_text import location_words
from gradviz.text.narration import describe_revealed
from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background
from gradviz.viewer.commands.context_menu import ContextMenu, copy_text, fill
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import origin_query_of_steps
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.theme.theme_update import update_theme_inside
from gradviz.viewer.timeline.alerts import AlertChips, AlertCounter
from gradviz.viewer.timeline.iteration_strip import IterationStrip
from gradviz.viewer.timeline.timeline_bar import TimelineBar
from gradviz.viewer.timeline.timeline_controls import Player, PositionCrumbs, TimelineControls
from gradviz.viewer.timeline.timeline_marks import TimelineMark, mark_of_breakpoint
from gradviz.viewer.translation import translate
from gradviz.viewer.view_requests import ViewRequests
from gradviz.viewer.widgets.elided_label import ElidedLabel
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import plain_tooltip

if TYPE_CHECKING:
    from gradviz.viewer.rows.rows_view import RowsView


_LEAST_WIDTH = 640
"""Width in pixels of everything at scale 1, and the least width of the strip."""

_BETWEEN = 12


def position_text(state: ViewerState) -> str:
    """Return ``backward · step 5 of 8``, within it ``backward · step 5 of 8 · line 24``."""
    index, place = state.index, state.place
    step = None if index is None or place is None else step_at(index, place.step)
    if index is None or place is None or step is None:
        return translate("Timeline", "no steps")
    if state.level == "pass":
        return _phase_text(index, place)
    texts = {
        "forward": translate("Timeline", "forward · step {0} of {1}"),
        "backward": translate("Timeline", "backward · step {0} of {1}"),
        "update": translate("Timeline", "optimizer · step {0} of {1}"),
    }
    phase = phase_of(step)
    whole = texts[phase].format(format_count(place.step), format_count(state.count))
    words = location_words(index, place)
    # The stage that is named like the phase says nothing new.
    words = words[1:] if words[:1] == (phase,) else words
    return " · ".join((whole, *words))


def count_text(state: ViewerState) -> str:
    """Return ``step 5 of 8``, without what the breadcrumb says."""
    if not state.count:
        return translate("Timeline", "no steps")
    text = translate("Timeline", "step {0} of {1}")
    return text.format(format_count(state.number), format_count(state.count))


def _phase_text(index: TraceIndex, place: TracePosition) -> str:
    phases = index.phases
    at = next(at for at, each in enumerate(phases) if each.first <= place.step <= each.last)
    kinds = {
        "forward": translate("Timeline", "forward"),
        "backward": translate("Timeline", "backward"),
        "update": translate("Timeline", "optimizer"),
    }
    kind = kinds[phases[at].kind]
    text = translate("Timeline", "phase {0} of {1} · {2} · steps {3}–{4}")
    return text.format(
        format_count(at + 1),
        format_count(len(phases)),
        kind,
        format_count(phases[at].first),
        format_count(phases[at].last),
    )


def revealed_sentence(state: ViewerState, place: TracePosition, level: Level) -> str:
    """Return the sentence for a place, or only a question or a name if it is hidden."""
    index = state.index
    step = None if index is None else step_at(index, place.step)
    if index is None or step is None:
        return ""
    return describe_revealed(state.revealed, place, level) or title_of(index, step)


def next_text(state: ViewerState) -> str:
    """Return what comes next; only its name if it is hidden."""
    if state.index is None or not state.count:
        return ""
    if state.revealed.hides_answer:
        return translate("Timeline", "next: the answer")
    if state.next_target is None:
        return translate("Timeline", "end of run")
    return translate("Timeline", "next: {0}").format(revealed_sentence(state, *state.next_target))


def hover_text(state: ViewerState, number: int, marks: Iterable[TimelineMark]) -> str:
    """Return a step's sentence and marks, or only its name if it is hidden."""
    step_text = revealed_sentence(state, TracePosition(step=number), "node")
    if not step_text:
        return ""
    shown = state.revealed.shows(number)
    notes = (mark.text for mark in marks if mark.number == number and shown)
    return "\n".join(
        (translate("Timeline", "step {0}: {1}").format(format_count(number), step_text), *notes)
    )


class TimelinePanel(QWidget):
    """Shows the current step of the state and lets the user change it."""

    def __init__(
        self, state: ViewerState, actions: Actions, background: Background | None = None
    ) -> None:
        super().__init__()
        self._state = state
        self._actions = actions
        self._shown_marks: tuple[TimelineMark, ...] | None = None
        self._commands = {
            "next": actions.next,
            "previous": actions.previous,
            "first": actions.first,
            "last": actions.last,
            "play": actions.play,
            "into": actions.into,
            "out": actions.out,
        }
        self.player = Player(state, self)
        self._theme = replace(state.theme)
        self.controls = TimelineControls(self._theme, actions)
        self.crumbs = PositionCrumbs(state, actions.into, self._theme)
        self.strip = IterationStrip(self._theme)
        self.bar = TimelineBar(self._theme)
        self.ranks: RowsView | None = None
        self.where = ElidedLabel(muted=True, keeps=True)
        self.alerts = AlertCounter(background, self)
        self.chips = AlertChips(self._theme)
        self._lay_out()
        self._connect()
        self.update_theme()
        self._on_state_trace_changed(state.index)
        self._on_state_step_changed(state.number)
        self._on_state_place_changed(state.place)

    @property
    def theme(self) -> Theme:
        """The theme of the window, with the text size that fits."""
        return self._theme

    def place_status(self, work: QWidget, facts: QWidget) -> None:
        """Add the status of the window above the row of steps.

        Args:
            work: Shown in place of the step number while `hide_where` hides that.
            facts: What else to know about the run.
        """
        at = self._above.indexOf(self.where)
        self._above.insertWidget(at, facts)
        self._above.insertWidget(at + 1, work)

    def place_ranks(self, ranks: RowsView) -> None:
        """Add the ranks of a distributed program above the row of steps."""
        self.ranks = ranks
        self._column.insertWidget(1, ranks)

    def hide_where(self, hidden: bool) -> None:
        """Hide the step number while the status shows work or a message."""
        self.where.setVisible(not hidden)

    def _lay_out(self) -> None:
        self._head = QWidget()
        self._above = lay_out(
            QHBoxLayout(self._head),
            self.controls,
            (self.crumbs, 1),
            self.where,
            self.chips,
            gap=_BETWEEN,
        )
        self._column = lay_out(
            QVBoxLayout(self), self._head, self.strip, self.bar, margins=None, gap=2
        )
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Timeline"))

    def update_theme(self) -> None:
        """Limit the text size to what fits beside the row of steps."""
        self._theme.become(self._fitting_theme())
        update_theme_inside(self)
        self._fit_sizes()

    def _fitting_theme(self) -> Theme:
        theme = self._state.theme
        if not self.isVisible():
            return theme
        # In steps, so that dragging the window's edge rarely changes it.
        most = max(1.0, math.floor(20 * self.width() / _LEAST_WIDTH) / 20)
        return replace(theme, scale=min(theme.scale, most))

    def _fit_sizes(self) -> None:
        px = self._theme.px
        self._column.setContentsMargins(px(12), px(3), px(12), 0)

    def _connect(self) -> None:
        state, actions = self._state, self._actions
        for action, go in (
            (actions.first, state.first_step),
            (actions.previous, self._previous),
            (actions.next, self._next),
            (actions.last, state.last_step),
        ):
            action.triggered.connect(self.player.pause)
            action.triggered.connect(go)
        actions.play.triggered.connect(self.player.toggle)
        self.bar.valueChanged.connect(self._state.go_to)
        self.bar.sliderPressed.connect(self.player.pause)
        self.bar.hovered.connect(self._on_bar_hovered)
        self.bar.command_requested.connect(self._on_bar_command_requested)
        self.bar.place_requested.connect(self._state.go_to_place)
        self.player.playing_changed.connect(self._on_player_playing_changed)
        actions.speeds.triggered.connect(self._on_speeds_triggered)
        self.alerts.changed.connect(self._show_marks)
        self.alerts.reach_found.connect(state.set_reach)
        state.differences_changed.connect(self.alerts.show_differences)
        self.chips.step_requested.connect(self.player.pause)
        self.chips.step_requested.connect(state.go_to)
        self.strip.iteration_requested.connect(state.iterations.go_to)
        state.iterations.changed.connect(self._show_iterations)
        state.trace_changed.connect(self._on_state_trace_changed)
        state.step_changed.connect(self._on_state_step_changed)
        state.place_changed.connect(self._on_state_place_changed)
        state.revealed_changed.connect(self._show_marks)
        state.clicks.changed.connect(self._show_enabled)

    def _show_words(self) -> None:
        index = self._state.index
        self.where.setText("" if index is None else count_text(self._state))
        self.controls.show_next(next_text(self._state))
        where = "" if index is None else position_text(self._state)
        place, level = self._state.place, self._state.level
        now = "" if place is None else revealed_sentence(self._state, place, level)
        self.bar.setAccessibleDescription(f"{where}. {now}")

    def _show_enabled(self) -> None:
        state, actions = self._state, self._actions
        back, on = state.previous_target is not None, state.next_target is not None
        actions.first.setEnabled(back)
        actions.previous.setEnabled(back or state.clicks.has_previous)
        actions.next.setEnabled(not state.is_at_end or state.clicks.has_next)
        actions.last.setEnabled(on)
        actions.play.setEnabled(back or on)
        self.bar.setEnabled(state.count > 0)

    def _revealed_marks(self) -> tuple[TimelineMark, ...]:
        revealed = self._state.revealed
        # Quiz mode does not tell yet what a later step reveals.
        return tuple(
            mark
            if mark.since is None or revealed.shows(mark.since)
            else replace(mark, kind="isolated", since=None)
            for mark in self.alerts.marks
            if revealed.shows(mark.number)
        )

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        self._shown_marks = None
        self.bar.show_index(index)
        self._show_iterations()
        self.alerts.collect(index)

    def _show_iterations(self) -> None:
        """Show the steps of the current iteration below all iterations, or all steps."""
        iterations = self._state.iterations
        shown = iterations.shown
        self.strip.show_iterations(iterations.all, shown)
        self.bar.show_part(None if shown is None else range(shown.first, shown.last + 1))

    def _on_state_step_changed(self, number: int) -> None:
        self.bar.show_step(number)
        self.chips.show_step(number)

    def _on_state_place_changed(self, place: TracePosition | None) -> None:
        self.bar.show_place(self._state.index, place, self._state.level)
        self._show_words()
        self._show_enabled()

    def minimumSizeHint(self) -> QSize:
        """Return the least width whatever the text size, so that the window need not grow."""
        return QSize(_LEAST_WIDTH, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the text size to the width."""
        super().resizeEvent(event)
        if self._fitting_theme() != self._theme:
            self.update_theme()

    def _show_marks(self) -> None:
        shown = self._revealed_marks()
        if shown != self._shown_marks:
            self._shown_marks = shown
            self.bar.show_marks(shown)
            self.strip.show_marks(shown)
            self.chips.show_marks(shown)

    def _on_speeds_triggered(self, action: QAction) -> None:
        self.player.set_speed(action.data())

    def _on_bar_hovered(self, number: int, place: QPoint) -> None:
        marks = self.alerts.marks
        if self.bar.has_breakpoint(number):
            marks = (*marks, mark_of_breakpoint(number))
        text = hover_text(self._state, number, marks)
        QToolTip.showText(place, plain_tooltip(text), self.bar)

    def _on_bar_command_requested(self, command: str) -> None:
        self._commands[command].trigger()

    def _on_player_playing_changed(self, playing: bool) -> None:
        self._actions.play.setText(self.tr("Pause") if playing else self.tr("Play"))
        self.controls.show_playing(playing)

    def _previous(self) -> None:
        if not self._state.clicks.back():
            self._state.previous_step()

    def _next(self) -> None:
        if not self._state.clicks.forward():
            self._state.next_step()


class TimelineMenu:
    """The timeline's context menu: go to the step, copy its sentence, find a NaN's origin."""

    def __init__(
        self, state: ViewerState, requests: ViewRequests, bar: TimelineBar, actions: Actions
    ) -> None:
        self._state = state
        self._requests = requests
        self._bar = bar
        self._actions = actions
        self.menu = ContextMenu(bar, self._fill, self._place)

    def _fill(self, menu: QMenu, at: QPoint | None) -> None:
        index, actions = self._state.index, self._actions
        number = self._state.number if at is None else self._bar.number_under(QPointF(at))
        step = None if index is None else step_at(index, number)
        if index is None or step is None:
            return
        if number != self._state.number:
            go = menu.addAction(
                translate("ContextMenus", "&Go to Step {0}").format(format_count(number))
            )
            go.triggered.connect(lambda: self._state.go_to(number))
        copy = menu.addAction(
            translate("ContextMenus", "&Copy Description of Step {0}").format(format_count(number))
        )
        sentence = revealed_sentence(self._state, TracePosition(step=number), "node")
        copy.triggered.connect(partial(copy_text, sentence))
        shown = (number,) if self._state.revealed.shows(number) else ()
        query = origin_query_of_steps(index, shown)
        if query is not None:
            find = menu.addAction(translate("ContextMenus", "Find Origin of Its NaN or &Inf"))
            find.triggered.connect(lambda: self._requests.find_origin(query))
        fill(menu, [None, actions.first, actions.previous, actions.play])
        fill(menu, [actions.next, actions.last])

    def _place(self) -> QPoint:
        return QPoint(round(self._bar.x_of(self._state.number)), self._bar.height() // 2)
