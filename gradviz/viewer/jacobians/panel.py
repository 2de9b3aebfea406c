"""The Jacobians tab: start a check, read the verdict, and find the wrong element."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.drawing.cells.pair_matrices import PairMatrices
from gradviz.model.check_settings import CheckSettings
from gradviz.model.function_call import FunctionCall
from gradviz.model.jacobian_report import JacobianReport
from gradviz.model.source import Location
from gradviz.text.titles import with_display_title
from gradviz.viewer.background import Background
from gradviz.viewer.jacobians import check_text
from gradviz.viewer.jacobians.element_source import ElementSource, source_of
from gradviz.viewer.jacobians.pair_maps import PairMaps
from gradviz.viewer.jacobians.partial_maps import PartialPair
from gradviz.viewer.jacobians.pictures import passage_of
from gradviz.viewer.jacobians.report.findings_column import FindingsColumn
from gradviz.viewer.jacobians.report.report_lists import PairList
from gradviz.viewer.jacobians.run.check_bar import CheckBar
from gradviz.viewer.jacobians.run.check_start import CheckStart
from gradviz.viewer.state import ViewerState
from gradviz.viewer.widgets.adaptive_splitter import AdaptiveSplitter
from gradviz.viewer.widgets.layouts import lay_out, scroll
from gradviz.viewer.widgets.screen_reader import announce

_ACROSS, _DOWN = (660, 520), (560, 300)
"""Shares of the maps and of the column beside or below them."""

_LEAST_LINES = 48
"""Width in lines of text from which numbers fit into maps beside the column."""


def place_of_line(index: TraceIndex, location: Location) -> TracePosition | None:
    """Last execution of a line; the step of its backward if the line was not recorded.

    Args:
        index: The trace.
        location: A line of a backward, or of a function it calls.
    """
    found: TracePosition | None = None
    for call in reversed(index.call.values()):
        if call.node is None or call.backward is None or call.backward.path != location.path:
            continue
        for number in reversed(index.visits.get(call.node, ())):
            place = _line_in(index, number, location)
            if place is not None:
                return place
            found = found or TracePosition(step=number, stage="backward")
    return found


def _line_in(index: TraceIndex, number: int, location: Location) -> TracePosition | None:
    inside = index.inside.get(number)
    part = None if inside is None else inside.part("backward")
    for at, line in reversed([*enumerate(() if part is None else part.lines)]):
        same = line.location.path == location.path
        if same and line.location.line <= location.line <= line.last_line:
            return TracePosition(step=number, stage="backward", line=at)
    return None


class JacobiansPanel(QWidget):
    """Shows the latest report of the trace, of first or second order.

    Signals:
        source_requested: The user asks for the source at the current position.

    Args:
        state: The state shared by all panels.
        background: Runs jobs for large matrices; if None, these block.
    """

    source_requested = Signal()

    def __init__(self, state: ViewerState, background: Background | None = None) -> None:
        super().__init__()
        self._state = state
        self._report: JacobianReport | None = None
        self._reports: tuple[JacobianReport, ...] = ()
        self._subject = ""
        self._has_jacobians = True
        self._is_growing = False
        self._is_awaited = False
        self._is_answer_hidden = state.revealed.hides_answer
        self.bar = CheckBar(state.theme)
        self.start = CheckStart(state)
        self.pairs = PairList(state.theme)
        self.findings = FindingsColumn(state)
        self.maps = PairMaps(state, background)
        self._lay_out()
        self.start.check_requested.connect(self.bar.request_order)
        self.start.options_requested.connect(self.bar.options.popup.open_at)
        self.bar.switch.segment_chosen.connect(lambda place: self._show_order(place + 1))
        self.pairs.current_changed.connect(self._show_block)
        self.findings.repair_requested.connect(self._on_findings_repair_requested)
        self.findings.check_suggested.connect(self.bar.start)
        self.findings.line_requested.connect(self._on_findings_line_requested)
        self.findings.worst.cell_requested.connect(self.maps.request_cell)
        self.maps.matrices_changed.connect(self._on_maps_matrices_changed)
        self.maps.cell_changed.connect(self._on_maps_cell_changed)
        state.trace_changed.connect(self._on_state_trace_changed)
        state.reports_changed.connect(self._on_state_reports_changed)
        state.revealed_changed.connect(self._on_state_revealed_changed)
        self._on_state_reports_changed(() if state.index is None else state.index.trace.reports)

    def show_progress(self, done: int, total: int) -> None:
        """Show the progress of a check."""
        if not self._is_awaited:
            # What an earlier check said is no longer the answer to the last click.
            self._show_growing_parts()
            self.maps.show_text(check_text.running_text())
        self._is_awaited = True
        if done and not total:
            # A diagnosis does not know how much it will have to evaluate.
            self.maps.show_caption(check_text.diagnosing_text())
        self.bar.show_running(True)

    def show_idle(self) -> None:
        """Show that no check is running."""
        self._is_awaited = False
        self.bar.show_running(False)
        # If the check left no report, the previous one, or what a check does, is shown again.
        if self._is_growing:
            self._show_report(self._report)

    def show_partial_pairs(self, report: JacobianReport, pairs: tuple[PartialPair, ...]) -> None:
        """Show what a check has computed so far, in place of an earlier report.

        Args:
            report: Intermediate report of the running check.
            pairs: Its unfinished pairs.
        """
        if not pairs or self._state.revealed.hides_answer:
            return
        self._show_growing_parts()
        self.maps.show_growing(pairs, check_text.computing_text(report))

    def set_checkable(self, checkable: bool, reason: str = "") -> None:
        """Set whether a check can start; if not, show the reason."""
        text = reason or self.tr("Choose a Function first.")
        for part in (self.bar, self.findings, self.start):
            part.set_reason("" if checkable else text)

    def set_subject(
        self, name: str, function: str, call: FunctionCall | None = None, *, has_jacobians: bool
    ) -> None:
        """Set what a check would test, for what is shown before there is a report.

        Args:
            name: Name of the Function, if it is not simply the scene itself; else empty.
            function: Name of what is checked.
            call: The call that it repeats, if that is known.
            has_jacobians: Whether there is anything to compare.
        """
        self.start.show_subject(name, function, call)
        if (name, has_jacobians) != (self._subject, self._has_jacobians):
            self._subject, self._has_jacobians = name, has_jacobians
            if self._report is None:
                self._show_report(None)

    def _lay_out(self) -> None:
        left = QWidget()
        lay_out(QVBoxLayout(left), self.bar, self.pairs, (self.maps, 1), gap=8)
        self._split = AdaptiveSplitter((left, self.findings), _ACROSS, _DOWN, _LEAST_LINES)
        self._split.setStretchFactor(0, 1)
        self._split.setHandleWidth(8)
        whole = QWidget()
        whole.setBackgroundRole(QPalette.ColorRole.Base)
        # With a large font in a low window, the content scrolls instead of overlapping.
        area = QScrollArea()
        area.setBackgroundRole(QPalette.ColorRole.Base)
        scroll(area, whole)
        lay_out(QVBoxLayout(self), area)
        lay_out(QVBoxLayout(whole), self.start, (self._split, 1), margins=(10, 8, 10, 8), gap=8)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("Jacobians"))

    def _show_growing_parts(self) -> None:
        """Make space for what a check computes."""
        self.maps.clear()
        self._is_growing = True
        self._show_parts(False)

    def _show_report(self, report: JacobianReport | None) -> None:
        self._report, self._is_growing = report, False
        self.maps.clear()
        self._show_parts(report is not None)
        order = self.bar.order
        index = self._state.index
        hint = check_text.no_check_text(order, self._subject)
        if not self._has_jacobians:
            hint = check_text.nothing_to_check()
        if report is None:
            self.maps.show_text(hint)
            return
        titled = report if index is None else with_display_title(report, index.trace.origin)
        self.findings.verdict.show_report(titled, self._latest(1))
        if not report.blocks and not report.unfinished:
            self.findings.show_pair(report, None, self._settings())
            self._show_failure(report)
        self.pairs.show_report(report)
        if self._state.revealed.hides_answer:
            self._hide_answer(True)

    def _show_failure(self, report: JacobianReport) -> None:
        """Show where a check ended that compared nothing, and what to do."""
        messages = [
            *(problem.message for problem in report.problems),
            *(diagnosis.message for diagnosis in report.diagnoses),
        ]
        index = self._state.index
        passage = None if index is None else passage_of(index, None, messages)
        text = self.tr("No pair of output and input to compare.")
        if passage is not None and passage.marked:
            text = self.tr("Nothing was compared: the check ended at the marked line.")
        elif report.verdict == "error":
            text = self.tr("Nothing was compared. Change the code or the inputs, and check again.")
        self.maps.show_text(text, passage)

    def _show_order(self, order: int) -> None:
        """Show the latest report of an order."""
        self._show_report(self._latest(order))

    def _latest(self, order: int) -> JacobianReport | None:
        found = [report for report in self._reports if report.order == order]
        return found[-1] if found else None

    def _hide_answer(self, hidden: bool) -> None:
        """Hide the report, since it contains the answer, or show it again."""
        self._is_answer_hidden = hidden
        if self._is_growing:
            if hidden:
                self.maps.clear()
                self.maps.show_text(check_text.running_text())
            return
        if self._report is None:
            return
        self._show_parts(not hidden)
        if hidden:
            self.maps.hide_maps()
        elif not self.maps.reveal_maps():
            self._show_report(self._report)

    def _show_parts(self, shown: bool) -> None:
        """Show or hide all parts of a report except the maps."""
        # The first page has its own buttons. Once something is checked, the order can be chosen.
        starts = not (shown or self._is_growing or self._reports) and self._has_jacobians
        self.start.setVisible(starts)
        self._split.setHidden(starts)
        self.findings.setVisible(shown)
        report = self._report
        several = report is not None and len(report.blocks) + len(report.unfinished) > 1
        # A list of one pair offers no choice.
        self.pairs.setVisible(shown and several)

    def _settings(self) -> CheckSettings:
        """Settings that suggested checks are based on."""
        return self.bar.settings() or CheckSettings()

    def _show_block(self, position: object) -> None:
        if self._report is None or not isinstance(position, int):
            return
        self.maps.clear()
        blocks = self._report.blocks
        finished = position < len(blocks)
        block = (*blocks, *self._report.unfinished)[position]
        self.findings.show_pair(self._report, block, self._settings())
        if finished:
            self.maps.show_pair(self._report, block)
            sampled = self.findings.take_sampled(self._report, block)
            if sampled is not None:
                self.maps.request_cell(sampled)
        else:
            self.maps.show_unfinished(block)

    def _on_findings_repair_requested(self) -> None:
        self.maps.choose(replace(self.maps.choice, other="repaired", third="difference"))

    def _on_maps_matrices_changed(self, matrices: PairMatrices) -> None:
        self.findings.worst.show_matrices(matrices)
        report, index = self._report, self._state.index
        calls = () if index is None else tuple(index.call.values())
        sources: tuple[ElementSource | None, ...] = (None, None)
        is_usual = (matrices.choice.base, matrices.choice.other) == ("numerical", "analytical")
        if len(calls) == 1 and report is not None and report.order == 1 and is_usual:
            items = (*calls[0].arguments, *calls[0].outputs)
            values = {each.name: self._state.value(each.tensor) for each in items if each.tensor}
            tensors = {name: value.array() for name, value in values.items() if value is not None}
            block = matrices.block
            shapes = block.input_shape, block.output_shape
            sources = tuple(source_of(each.values, shapes, tensors) for each in matrices.layers[:2])
        self.findings.element.sources = sources

    def _on_maps_cell_changed(self, cell: tuple[int, int] | None) -> None:
        view = self.maps.view
        if view is not None and self._report is not None:
            report, matrices, pinned = self._report, view.matrices, view.pinned
            self.findings.element.show_element(report, matrices, cell, pinned=pinned)
            self.findings.show_element(report, matrices.block, cell, pinned=pinned)
            self.findings.worst.mark(cell)
            if pinned:
                self.findings.ensureWidgetVisible(self.findings.element)

    def _on_findings_line_requested(self, location: Location) -> None:
        index = self._state.index
        place = None if index is None else place_of_line(index, location)
        if place is not None:
            self._state.go_to_place(place, place.level)
        self.source_requested.emit()

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        if index is None or not index.trace.reports:
            self._reports = ()
            self._show_report(None)

    def _on_state_reports_changed(self, reports: tuple[JacobianReport, ...]) -> None:
        self._reports = reports
        if reports:
            self.bar.choose_order(reports[-1].order)
        self._show_order(self.bar.order)
        # Only a result that the user waits for, not one stored in a trace that was opened.
        if self._is_awaited and self._report is not None and not self._state.revealed.hides_answer:
            announce(self, check_text.spoken_headline(self._report))

    def _on_state_revealed_changed(self, revealed: RevealedTrace) -> None:
        if revealed.hides_answer != self._is_answer_hidden:
            self._hide_answer(revealed.hides_answer)
