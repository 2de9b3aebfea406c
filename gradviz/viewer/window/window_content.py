"""Connects the content of a window with its frame."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.finding_positions import ordered_findings
from gradviz.analysis.position.view_target import ViewTarget
from gradviz.analysis.training.script_outline import script_outline
from gradviz.analysis.training.value_series import ValueSeries
from gradviz.catalogue.language import format_count
from gradviz.catalogue.visible_text import visible_text
from gradviz.gallery.registry import Scene, offer_of
from gradviz.model.inputs import Offer
from gradviz.store.rank_files import one_of_each_program
from gradviz.store.text_limit import MOST_CHARACTERS
from gradviz.text.titles import origin_title
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.commands.link_commands import LinkCommands
from gradviz.viewer.compare.launcher import CompareLauncher
from gradviz.viewer.files.close_confirmation import CloseConfirmation
from gradviz.viewer.files.controller import FileController
from gradviz.viewer.files.file_drop import FileDrop
from gradviz.viewer.files.rerun_controller import RerunController
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.questions import Questions
from gradviz.viewer.session.changed_file import ChangedFile
from gradviz.viewer.session.check_controller import CheckController
from gradviz.viewer.session.first_run import FirstRun
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.session.session import Session
from gradviz.viewer.session.view_navigator import ViewNavigator
from gradviz.viewer.session.work_status import WorkStatus
from gradviz.viewer.source.edit_controller import EditController
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_view.large.tensor_windows import TensorWindows
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.training.graph_page import GraphPage
from gradviz.viewer.training.panel import TrainingPanel
from gradviz.viewer.translation import translate
from gradviz.viewer.view_requests import ViewRequests
from gradviz.viewer.window.docks import WIDE
from gradviz.viewer.window.main_window import MainWindow
from gradviz.viewer.window.previous_run_overlay import PreviousRunMarker, PreviousRunOverlay
from gradviz.viewer.window.status_bar import WindowStatusBar
from gradviz.viewer.window.top_bar import TABS


class WindowContent(QObject):
    """Answers requests that concern the whole window, and follows its central tabs.

    Args:
        window: The window, with all its parts.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        parts = window.parts
        self._window = window
        self._state, self._session = parts[ViewerState], parts[Session]
        self._graph, self._work = parts[GraphPanel], parts[WorkStatus]
        self._run, self._check = parts[RunController], parts[CheckController]
        self._compare = parts[CompareLauncher]
        self._subject = ""
        self._connect_requests(parts[ViewRequests])
        self._connect_files()
        window.sides.overlay.leaving.connect(self._focus_timeline)
        window.sides.overlay.covered.connect(self._graph.cover)
        window.library.picked.connect(self._on_library_picked)
        window.library.file_picked.connect(self._on_library_picked)
        window.commands.run.triggered.connect(window.sides.overlay.close_panel)
        window.top.tab_changed.connect(self._on_top_tab_changed)
        chosen = TABS[window.top.tabs.currentIndex()]
        if chosen != TABS[0]:
            # It was chosen before there was anything to show.
            self._on_top_tab_changed(chosen)
        self._state.trace_changed.connect(self._on_state_trace_changed)
        self._session.activity_changed.connect(self._graph.show_activity)
        self._session.activity_changed.connect(parts[Inspector].prepare_for)
        self._session.offer_changed.connect(self._on_session_offer_changed)
        self._session.described.connect(self._on_session_described)
        self._graph.invites_changed.connect(window.top.show_invitation)
        self._graph.settled.connect(self._on_graph_settled)
        status = parts[WindowStatusBar]
        views = (parts[SourcePanel].code, parts[Inspector])
        overlays = [PreviousRunOverlay(self._state, view) for view in views]
        overlays.append(parts[PreviousRunOverlay])
        file = parts[ChangedFile]
        PreviousRunMarker(self._session, self._work, file, overlays, self)
        self._work.changed.connect(status.show_work)
        training = parts[TrainingPanel]
        training.comparison_requested.connect(self._compare.compare_with_iteration)
        training.recording_requested.connect(self._run.record_passes)
        self._compare.work_changed.connect(self._work.show_beside)
        window.commands.stop.triggered.connect(self._compare.stop)
        parts[TimelinePanel].chips.doctor_requested.connect(self._on_chips_doctor_requested)
        self._work.changed.connect(window.top.show_work)

    def _connect_requests(self, requests: ViewRequests) -> None:
        requests.part_requested.connect(self._window.show_part)
        requests.series_requested.connect(self._on_series_requested)
        requests.node_requested.connect(self._on_node_requested)
        requests.scene_requested.connect(self._on_scene_requested)
        requests.changed_run_requested.connect(self._run.run_changed)
        requests.comparison_requested.connect(self._compare.compare_with_scene)
        requests.check_requested.connect(self._on_check_requested)
        self._window.commands.check.triggered.connect(lambda: self._on_check_requested(1))

    def _connect_files(self) -> None:
        parts = self._window.parts
        drop = parts[FileDrop]
        drop.dropped.connect(self._on_drop_dropped)
        drop.refused.connect(self._run.refuse)
        parts[FileController].other_window_requested.connect(self._window.window_requested)
        self._run.script_offered.connect(self._on_run_script_offered)
        self._run.cell_offered.connect(self._graph.invite)
        parts[EditController].saved.connect(self._on_edits_saved)
        parts[RerunController].watching_changed.connect(parts[WindowStatusBar].show_watched)

    def has_recording(self, offer: Offer) -> bool:
        """Whether `open` shows a shipped recording of the offer until it has run."""
        return self._window.parts[FirstRun].is_recorded(offer)

    def open(self, paths: Sequence[Path], first: Offer) -> None:
        """Open files one after the other; without any, run an offer."""
        for path in paths:
            self._run.open_path(path)
        first_run = self._window.parts[FirstRun]
        if not paths and (self._window.has_placeholders or first_run.is_final(first)):
            first_run.begin(first)
        elif not paths:
            self._run.run_offer(first)

    def show_target(self, target: ViewTarget) -> None:
        """Run or open a target's run, and show its place."""
        self._window.parts[ViewNavigator].show(target)

    def view(self) -> ViewTarget | Path | None:
        """The current view, or else the file whose code ran."""
        offer = self._session.offer
        file = Path(offer.subject.path) if offer is not None and offer.subject.path else None
        return self._window.parts[LinkCommands].target() or file

    def questions(self) -> Questions:
        """Ask about what is not saved; return whether the window may close."""
        parts = self._window.parts
        is_settled = yield from parts[EditController].settle()
        return is_settled and (yield from parts[CloseConfirmation].settle())

    def close(self) -> None:
        """Stop all work, and store the layout and the inputs."""
        window, parts = self._window, self._window.parts
        self._work.stop()
        parts[TimelinePanel].player.pause()
        parts[TensorWindows].close()
        # The other tabs hide docks, which must not be missing in the stored layout.
        window.top.show_tab(TABS[0])
        if window.remembers:
            window.arrangement.remember()
            parts[InputsForm].remember()
        self._compare.close()
        self._session.close()

    def _on_library_picked(self, picked: object) -> None:
        self._window.sides.overlay.close_panel()
        self._focus_timeline()

    def _focus_timeline(self) -> None:
        """Let the arrow keys step."""
        self._window.parts[TimelinePanel].bar.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_chips_doctor_requested(self) -> None:
        """Open the Doctor, at the first finding of the current step if it has one."""
        state, requests = self._state, self._window.parts[ViewRequests]
        found = ordered_findings(state.revealed.findings)
        here = next((each for each in found if each.step == state.number), None)
        if here is None:
            requests.show_part("doctor")
        else:
            requests.show_finding(here)

    def _on_drop_dropped(self, paths: tuple[Path, ...]) -> None:
        """Open the first file here, and each further one in a new window, but ranks together."""
        paths = tuple(one_of_each_program(paths))
        self._run.open_path(paths[0])
        if len(paths) > 1:
            self._window.window_requested.emit(paths[1:])

    def _on_run_script_offered(self, path: Path, reason: str) -> None:
        """Show a script that has not run: its text, and what Run would do."""
        try:
            text = path.read_text(encoding="utf-8")[:MOST_CHARACTERS]
        except (OSError, UnicodeDecodeError):
            text = ""
        outline = script_outline(text)
        will = self.tr("Run executes the whole file, as python does.")
        if outline is not None:
            lines = map(format_count, (outline.loop, outline.backward, outline.update))
            will = self.tr("Run executes the whole file: loop in line {0}, backward in line {1}")
            will += self.tr(", update in line {2}.") if outline.update else "."
            will = will.format(*lines)
        self._graph.invite(visible_text(path.name), f"{reason}\n{will}".strip())
        self._window.parts[SourcePanel].preview(text, 1 if outline is None else outline.loop)

    def _on_edits_saved(self, path: Path) -> None:
        # A file that is watched runs again by itself.
        if self._window.parts[RerunController].watch.path != path:
            self._run.run_file_again(path, ask=True)

    def _on_top_tab_changed(self, name: str) -> None:
        area = Qt.DockWidgetArea
        window, space, tabs = self._window, self._window.tab_space, self._window.tabs
        space.restore_docks()
        if name in ("graph", "training"):
            page = window.parts[GraphPage]
            page.show_training(name == "training")
            tabs.setCurrentWidget(page)
        elif name == TABS[1]:
            # The inspector describes steps, and the three matrices side by side need its space.
            # On a projector, they need that of the source, too; source links reopen it.
            on_right = window.docks.in_area(area.RightDockWidgetArea)
            is_wide = window.width() >= WIDE
            space.hide_docks([window.docks["inspector"]] if is_wide else on_right)
            tabs.setCurrentWidget(self._check.panel())
        else:
            sides = area.RightDockWidgetArea | area.BottomDockWidgetArea
            space.hide_docks(window.docks.in_area(sides))
            tabs.setCurrentWidget(self._compare.controller().panel)

    def follow_width(self, before: int) -> None:
        """Show or hide the source beside the maps once the window is wide, or no longer is."""
        shown, width = TABS[self._window.top.tabs.currentIndex()], self._window.width()
        if shown == TABS[1] and (before >= WIDE) != (width >= WIDE):
            self._on_top_tab_changed(shown)

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        self._work.show_layout(not self._graph.is_settled)
        subject = "" if index is None else index.trace.origin.subject
        if index is not None and subject != self._subject:
            self._show_training(bool(self._state.iterations.all))
        self._subject = subject or self._subject

    def _show_training(self, is_training: bool) -> None:
        """Go to the Training tab for another program that trains, and back for one that doesn't."""
        top = self._window.top
        if is_training and not self._state.presentation.presenting:
            top.show_tab("training")
        elif TABS[top.tabs.currentIndex()] == "training":
            top.show_tab("graph")

    def _on_graph_settled(self) -> None:
        self._work.show_layout(False)
        if self._state.index is not None:
            self._window.end_skeleton()
        # Focus the first graph unless another widget has the focus.
        if self._window.focusWidget() is self._window and self._graph.view.isVisible():
            self._graph.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_series_requested(self, series: ValueSeries) -> None:
        self._window.show_part("training")
        self._window.parts[TrainingPanel].show_series(series)

    def _on_node_requested(self, node: int) -> None:
        if self._window.tabs.currentWidget() is not self._window.parts[GraphPage]:
            self._window.top.show_tab(TABS[0])

    def _on_scene_requested(self, scene: Scene) -> None:
        self._run.run_offer(offer_of(scene))

    def _on_check_requested(self, order: int) -> None:
        self._window.show_part(TABS[1])
        self._check.check(order)

    def _on_session_described(self, path: str) -> None:
        # Until something has run, the file is all that the window is about.
        if self._state.index is None:
            self._window.setWindowTitle(_with_name(_cut(Path(path).name)))

    def _on_session_offer_changed(self, offer: Offer | None) -> None:
        title = window_title_of(self._state.index, offer, self._session.trace_path)
        self._window.setWindowTitle(title)
        self._window.parts[TrainingPanel].show_repeatable(offer is not None)


_MOST = 80
"""Maximum number of characters of each part; titles come from untrusted files."""


def window_title_of(index: TraceIndex | None, offer: Offer | None, trace: Path | None) -> str:
    """Return the title of a window.

    Args:
        index: The trace shown, if any.
        offer: What was run, if the trace was recorded here.
        trace: The trace's file.
    """
    if index is None:
        return "gradviz"
    title = _cut(origin_title(index.trace.origin))
    if index.trace.changes:
        title = translate("WindowTitle", "What If: {0}").format(title)
    if offer is None:
        file = "" if trace is None else _cut(trace.name)
    else:
        file = _cut(Path(offer.subject.path).name)
    # The title of a script names it.
    if file in title:
        return _with_name(title)
    return translate("WindowTitle", "{0} – {1} – gradviz").format(title, file)


def _with_name(title: str) -> str:
    return translate("WindowTitle", "{0} – gradviz").format(title)


def _cut(text: str) -> str:
    return visible_text(" ".join(text.split())[:_MOST])
