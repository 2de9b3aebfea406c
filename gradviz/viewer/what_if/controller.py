"""Controller of the What If panel, from choosing a value to comparing the two runs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from gradviz.analysis.compare.exact_differences import (
    DifferenceDetail,
    ExactDifferences,
    ExactVerdict,
    compare_exactly,
    detail_of,
)
from gradviz.analysis.compare.item_pairs import ValuePair, matching_position, pairs_at_position
from gradviz.analysis.compare.what_if_targets import Candidate
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.language import format_count, percent_text
from gradviz.catalogue.numbers import number_text
from gradviz.model.inputs import Offer
from gradviz.model.what_if import ChangeTarget, WhatIfChange
from gradviz.store.errors import TraceError
from gradviz.text.what_if import changes_line
from gradviz.viewer.background import Background
from gradviz.viewer.commands.node_commands import NodeCommands
from gradviz.viewer.compare.value_pairs import PairedValue, paired_value, side_by_side
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.session.session import Session
from gradviz.viewer.session.session_runs import Baseline
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import ElementRef
from gradviz.viewer.translation import translate
from gradviz.viewer.what_if.change_list import ChangeList
from gradviz.viewer.what_if.change_menus import ChangeMenus
from gradviz.viewer.what_if.knob import Knob
from gradviz.viewer.what_if.panel import WhatIfPanel
from gradviz.viewer.what_if.run_repeater import RunRepeater
from gradviz.viewer.what_if.value_editor import OriginalValues

LANE = "differences"


def value_differences_at(
    old: TraceIndex, new: TraceIndex, differences: ExactDifferences, place: TracePosition
) -> list[PairedValue]:
    """Return the values at a position of the new run and the matching one of the old run."""
    before = matching_position(old, new, place, differences.alignment.old(place.step))
    pairs = pairs_at_position(old, new, before, place)
    return side_by_side([_row(old, new, pair, differences.judge.verdict(pair)) for pair in pairs])


def _row(old: TraceIndex, new: TraceIndex, pair: ValuePair, verdict: ExactVerdict) -> PairedValue:
    agrees = verdict in ("equal", "alike", "unknown")
    row = paired_value((old, new), pair, comparison="", agrees=agrees, same=verdict == "equal")
    detail, values = None, (row.left.value, row.right.value)
    if verdict == "differs" and values[0] is not None and values[1] is not None:
        alike = (values[0].dtype, values[0].shape) == (values[1].dtype, values[1].shape)
        whole = row.right.record is not None and row.right.record.content == "whole"
        detail = detail_of(values[0], values[1], whole=whole) if alike else None
    return replace(row, comparison=change_text(verdict, detail))


def change_text(verdict: ExactVerdict, detail: DifferenceDetail | None) -> str:
    """Describe how much two values differ."""
    match verdict:
        case "equal":
            return translate("Changes", "equal bit for bit")
        case "alike":
            return translate("Changes", "equal in the stored part")
        case "unknown":
            return translate("Changes", "unknown, because not stored")
        case "only_left":
            return translate("Changes", "only in the original run")
        case "only_right":
            return translate("Changes", "only in the changed run")
    if detail is None or not detail.differing:
        return translate("Changes", "differs")
    parts = [_largest(detail)] if detail.largest is not None else []
    text = translate("Changes", "{0} of {1} elements") if detail.count > 1 else ""
    if not detail.whole:
        text = translate("Changes", "{0} of the {1} stored elements")
    if text:
        parts.append(text.format(format_count(detail.differing), format_count(detail.count)))
    return "\n".join(parts) or translate("Changes", "differs")


def _largest(detail: DifferenceDetail) -> str:
    assert detail.largest is not None
    sign = number_text(detail.largest)
    if detail.largest == 0:
        return translate("Changes", "equal value, different bits")
    if detail.where:
        place = ", ".join(map(str, detail.where))
        sign = translate("Changes", "{0} at [{1}]").format(sign, place)
    if detail.relative is None:
        return sign
    return translate("Changes", "{0} ({1})").format(sign, _share(detail.relative))


def _share(relative: float) -> str:
    if relative >= 10:
        return f"{number_text(relative, 3)}×"
    return percent_text(number_text(100 * relative, 3))


class BaselineComparison(QObject):
    """Holds the differences between the changed run and the original once they are computed.

    Signals:
        changed: `differences` has a new value.
    """

    changed = Signal()

    def __init__(
        self,
        state: ViewerState,
        session: Session,
        background: Background,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._background = background
        self.differences: ExactDifferences | None = None
        state.trace_changed.connect(self._on_state_trace_changed)
        session.baseline_changed.connect(self._on_session_baseline_changed)
        session.changed_run_shown.connect(self._on_session_changed_run_shown)

    def _set(self, found: ExactDifferences | None) -> None:
        self.differences = found
        self._state.show_differences(() if found is None else found.steps)
        self.changed.emit()

    def _on_state_trace_changed(self, index: object) -> None:
        self._background.cancel(LANE)
        self.differences = None

    def _on_session_baseline_changed(self, baseline: Baseline | None) -> None:
        self._background.cancel(LANE)
        self.differences = None

    def _on_session_changed_run_shown(self, baseline: Baseline) -> None:
        old, new = baseline.index, self._state.index
        if new is None:
            return

        self._background.start(
            lambda job: compare_exactly(old, new, job.pause),
            self._set,
            # The views that show its tensors report a damaged or missing file.
            lambda error: None,
            lane=LANE,
            expected=(TraceError,),
            computes=True,
        )


class WhatIfController(QObject):
    """Connects the panel with the state, the session and the commands."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__(context.window)
        state, session, actions = context.state, context.session, context.actions
        self._state, self._session, self._actions = state, session, actions
        self._requests = context.requests
        self._dock, self._messages = context.dock, context.window.messages
        self._subject = None if session.offer is None else session.offer.subject
        self.plan = ChangeList(self)
        self.finder = OriginalValues(state, session)
        self.comparison = BaselineComparison(state, session, context.background, self)
        self.runs = RunRepeater(session, context.background, self)
        back = actions.back_to_original
        self.knob = Knob(state, self.plan, self.finder, self.runs, back)
        self.panel = WhatIfPanel(self.plan, state.theme, actions)
        menus = (self.panel.change_menu, context.parts[NodeCommands])
        self.menus = ChangeMenus(state, self.finder, menus, self.panel)
        self._connect()
        self._refresh()

    def _connect(self) -> None:
        state, session, actions, panel = self._state, self._session, self._actions, self.panel
        self._requests.change_requested.connect(self.menus.show_targets_of)
        self._requests.turn_requested.connect(self._on_requests_turn_requested)
        state.place_changed.connect(self._show_place)
        state.trace_changed.connect(self._on_state_trace_changed)
        session.offer_changed.connect(self._on_session_offer_changed)
        session.activity_changed.connect(self._on_session_activity_changed)
        self.runs.failed.connect(partial(self._messages.say, tone="error"))
        self.comparison.changed.connect(self._on_comparison_changed)
        self.plan.changed.connect(self._refresh)
        actions.run_changed.triggered.connect(self._on_run_changed_triggered)
        actions.back_to_original.triggered.connect(self._on_back_to_original_triggered)
        actions.next_difference.triggered.connect(self._on_next_difference_triggered)
        actions.mark_differences.triggered.connect(self._on_mark_differences_triggered)
        self.menus.chosen.connect(self.change)
        self.menus.refused.connect(partial(self._messages.say, tone="info"))
        panel.list.edit_requested.connect(self._on_list_edit_requested)
        panel.change_applied.connect(self._on_panel_change_applied)
        panel.edit_left.connect(self._on_panel_edit_left)
        panel.shown.connect(self._show_place)

    def change(self, candidate: Candidate) -> None:
        """Open the editor for a new value."""
        subject = self.finder.subject(candidate)
        if subject is None:
            return
        self._dock.show()
        self._dock.raise_()
        self.panel.show_editor()
        self.panel.editor.edit(subject, self.plan.of(candidate.target))

    def _refresh(self) -> None:
        """Update the list, the commands and the page to the current state."""
        actions, compared = self._actions, self._session.baseline is not None
        idle = self._session.activity == "idle"
        runnable = self.finder.offer is not None and bool(self.plan.chosen)
        actions.run_changed.setEnabled(runnable and idle)
        actions.back_to_original.setEnabled(compared)
        found = self.comparison.differences
        differs = found is not None and bool(found.steps)
        actions.next_difference.setEnabled(differs)
        actions.mark_differences.setEnabled(differs)
        self.panel.show_list(filled=bool(self.plan.entries))
        if not self.panel.edits:
            self._show_page()

    def _show_page(self) -> None:
        index = self._state.index
        if self._session.baseline is None or index is None:
            self.panel.show_hint()
            return
        self.panel.show_compared()
        self.panel.compared.show_run_differences(
            self.comparison.differences, len(index.trace.steps)
        )
        self._show_place()

    def _show_place(self) -> None:
        """Show the values at the current position if the panel is visible."""
        state, baseline = self._state, self._session.baseline
        found = self.comparison.differences
        if not self.panel.isVisible() or self.panel.edits or baseline is None:
            return
        if state.index is None or state.place is None or found is None:
            self.panel.compared.show_place((), hidden=False, alone=False)
            return
        hidden, rows = state.revealed.hides_answer, list[PairedValue]()
        if not hidden:
            rows = value_differences_at(baseline.index, state.index, found, state.place)
        alone = found.alignment.old(state.number) is None
        self.panel.compared.show_place(rows, hidden=hidden, alone=alone)

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        # The alignment refers to the closed trace.
        self.finder.alignment = None
        if self.panel.edits:
            self.panel.show_hint()

    def _on_session_offer_changed(self, offer: Offer | None) -> None:
        """Clear the changes if another subject is shown, and update the panel."""
        index = self._state.index
        subject = None if offer is None else offer.subject
        if subject != self._subject:
            self._subject = subject
            self.runs.stop()
            self.plan.clear()
        elif self._session.baseline is None:
            self.plan.switch_all_off()
        self._refresh()
        if index is not None and index.trace.changes:
            # Also for an opened trace file, which has no original to compare with.
            failed = not all(record.applied for record in index.trace.changes)
            self._messages.say(changes_line(index.trace), "warning" if failed else "info")
        if self._session.baseline is not None and not self._state.presentation.presenting:
            self._dock.show()
            self._dock.raise_()

    def _on_requests_turn_requested(self, element: ElementRef | None, by: int) -> None:
        index = self._state.index
        if element is not None and index is not None:
            shape = index.tensor.bare(element.tensor).shape
            position = int(np.ravel_multi_index(element.index, shape))
            found = self.knob.element_of(index, element.tensor, position)
            self.knob.choose(found)
            if found is None:
                sentence = self.tr(
                    "Only a number of an input or a parameter can be turned, and only in a run "
                    "that gradviz can repeat."
                )
                self._messages.say(sentence, "info")
        if by:
            self.knob.turn(by, is_final=False)
        else:
            self.knob.settle()

    def _on_session_activity_changed(self, activity: str) -> None:
        if activity not in ("idle", "opening"):
            self.runs.stop()
        self._refresh()

    def _on_comparison_changed(self) -> None:
        found = self.comparison.differences
        self.finder.alignment = None if found is None else found.alignment
        self._refresh()

    def _on_run_changed_triggered(self) -> None:
        for change in self.plan.chosen:
            # The original may have run on other inputs since the change was made.
            candidate = self.finder.of_target(change.target)
            subject = None if candidate is None else self.finder.subject(candidate)
            if subject is not None:
                self.plan.renew(subject.with_new_original(change))
        self._requests.run_changed(self.plan.chosen)

    def _on_back_to_original_triggered(self) -> None:
        found = self.comparison.differences
        place = self._state.place
        if found is not None and place is not None:
            number = found.alignment.old(place.step) or 1
            place = place if number == place.step else TracePosition(step=number)
        self._messages.hide()
        self._session.back_to_baseline(place)

    def _on_next_difference_triggered(self) -> None:
        steps, number = self._state.differing, self._state.number
        if steps:
            self._state.go_to(next((each for each in steps if each > number), steps[0]))

    def _on_mark_differences_triggered(self) -> None:
        found = self.comparison.differences
        if found is not None:
            self._state.show_hits(found.nodes)

    def _on_list_edit_requested(self, target: ChangeTarget) -> None:
        candidate = self.finder.of_target(target)
        if candidate is not None:
            self.change(candidate)

    def _on_panel_change_applied(self, change: WhatIfChange) -> None:
        self.panel.show_hint()
        self.plan.put(change)
        self._refresh()
        self.panel.offer_run()

    def _on_panel_edit_left(self) -> None:
        self.panel.show_hint()
        self._refresh()


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel with its commands and the What If menu of nodes."""
    return context.parts.add(WhatIfController(context)).panel
