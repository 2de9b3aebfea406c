"""The main window; its frame is shown at once, and its content is added shortly afterward."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QToolBar, QVBoxLayout, QWidget

from gradviz.gallery.registry import Scene, offer_of, scene
from gradviz.model.inputs import Offer
from gradviz.viewer.actions import Actions
from gradviz.viewer.files.recent_files import RecentFiles, RecentMenu
from gradviz.viewer.library.library_search import LibrarySearch
from gradviz.viewer.library.panel import LibraryPanel
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.window.docks import Docks, DockSpace, WindowLayout
from gradviz.viewer.window.menu_bar import fill_menu_bar
from gradviz.viewer.window.message_bar import MessageBar
from gradviz.viewer.window.tab_order import focus_next
from gradviz.viewer.window.top_bar import TABS, TopBar
from gradviz.viewer.window.window_style import window_style

if TYPE_CHECKING:
    from gradviz.viewer.breakpoints.breakpoint_list import BreakpointList
    from gradviz.viewer.canvas.graph_panel import GraphPanel
    from gradviz.viewer.commands.controller import CommandController
    from gradviz.viewer.commands.node_commands import NodeCommands
    from gradviz.viewer.compare.launcher import CompareLauncher
    from gradviz.viewer.console.panel import ConsolePanel
    from gradviz.viewer.doctor.panel import DoctorPanel
    from gradviz.viewer.files.controller import FileController
    from gradviz.viewer.files.file_drop import FileDrop
    from gradviz.viewer.files.rerun_controller import RerunController
    from gradviz.viewer.find.controller import FindController
    from gradviz.viewer.guide.controller import GuideController
    from gradviz.viewer.inputs.form import InputsForm
    from gradviz.viewer.inspector.inspector import Inspector
    from gradviz.viewer.ops.panel import OpsPanel
    from gradviz.viewer.outline.panel import OutlinePanel
    from gradviz.viewer.presenter.presenter_area import PresenterArea
    from gradviz.viewer.provenance.panel import ProvenancePanel
    from gradviz.viewer.session.check_controller import CheckController
    from gradviz.viewer.session.run_controller import RunController
    from gradviz.viewer.session.session import Session
    from gradviz.viewer.session.work_status import WorkStatus
    from gradviz.viewer.source.panel import SourcePanel
    from gradviz.viewer.state import ViewerState
    from gradviz.viewer.tensor_view.large.tensor_windows import TensorWindows
    from gradviz.viewer.timeline.panel import TimelinePanel
    from gradviz.viewer.training.panel import TrainingPanel
    from gradviz.viewer.what_if.controller import WhatIfController
    from gradviz.viewer.window.first_hint import FirstHint
    from gradviz.viewer.window.previous_run_veil import PreviousRunVeil
    from gradviz.viewer.window.status_bar import WindowStatusBar

FIRST_SCENE = "linear"

_TIMELINE, _STATUS = 108, 30
"""Heights reserved for the timeline and the status bar, so that nothing moves later."""


class MainWindow(QMainWindow):
    """The main window with its docks, bars and controllers.

    Signals:
        closed: The window was closed.
        window_requested: Tuple of paths to open in one new window each; None for a new window with
            the first scene.
        quit_requested: The user asked to close all windows.

    Attributes:
        is_assembled: Whether the content built by `gradviz.viewer.window.window_assembly` is
            complete.
    """

    closed = Signal()
    window_requested = Signal(object)
    quit_requested = Signal()

    state: ViewerState
    session: Session
    graph: GraphPanel
    room: PresenterArea
    form: InputsForm
    inspector: Inspector
    source: SourcePanel
    tensors: TensorWindows
    outline: OutlinePanel
    console: ConsolePanel
    doctor: DoctorPanel
    story: ProvenancePanel
    ops: OpsPanel
    training: TrainingPanel
    timeline: TimelinePanel
    breakpoints: BreakpointList
    work: WorkStatus
    status: WindowStatusBar
    find_control: FindController
    run_control: RunController
    check_control: CheckController
    compare_control: CompareLauncher
    guide: GuideController
    changes: WhatIfController
    file_control: FileController
    rerun_control: RerunController
    nodes: NodeCommands
    drop: FileDrop
    command_control: CommandController
    context_menus: tuple[object, ...]
    hint: FirstHint
    veil: PreviousRunVeil

    def __init__(self, theme: Theme, recent: RecentFiles, *, remember: bool = True) -> None:
        super().__init__()
        self.remembers = remember
        self.is_assembled = False
        self._closed = False
        self._picked: Offer | None = None
        self.setObjectName("main window")
        self.setWindowTitle("gradviz")
        self.commands = Actions(self)
        self.top = TopBar(theme, self.commands, self)
        self.library = LibraryPanel()
        self.search = LibrarySearch(theme, self.library)
        self.messages = MessageBar(theme)
        self.tabs = QStackedWidget()
        self.bottom = QToolBar(self.tr("Timeline"))
        self.docks = Docks(self, theme)
        self._lay_out(theme)
        self.recent_menu = RecentMenu(recent, self)
        docks = self.docks.all()
        self.help_entry = fill_menu_bar(self.menuBar(), self.commands, self.recent_menu, docks)
        self._connect()
        # Without this, dock separators keep another style's width until the theme changes.
        self.ensurePolished()
        self.setStyleSheet(window_style(theme))
        self.resize(1440, 900)
        # Without a window size, hidden docks would take space from the others.
        self.docks.size()
        self.arrangement = WindowLayout(self, self.docks)
        self.tab_room = DockSpace(self, self.docks)
        self.commands.restore.triggered.connect(self.arrangement.reset)
        if remember:
            self.arrangement.restore()

    def _lay_out(self, theme: Theme) -> None:
        self.centre = QVBoxLayout()
        self.centre.setContentsMargins(0, 0, 0, 0)
        self.centre.setSpacing(0)
        self.centre.addWidget(self.messages)
        self.centre.addWidget(self.tabs, 1)
        middle = QWidget()
        middle.setLayout(self.centre)
        self.setCentralWidget(middle)
        self._add_docks()
        self.addToolBar(Qt.ToolBarArea.TopToolBarArea, self.top)
        self.bottom.setObjectName("timeline")
        self.bottom.setMovable(False)
        self.bottom.toggleViewAction().setVisible(False)
        self.bottom.setMinimumHeight(theme.px(_TIMELINE))
        self.addToolBar(Qt.ToolBarArea.BottomToolBarArea, self.bottom)
        for bar in (self.top, self.bottom):
            # Without this, the bars keep another style's margins until the theme changes.
            bar.ensurePolished()
        self.statusBar().setMinimumHeight(theme.px(_STATUS))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)

    def _add_docks(self) -> None:
        area = Qt.DockWidgetArea
        self.docks.add("library", self.tr("&Library"), area.LeftDockWidgetArea)
        self.docks.add("outline", self.tr("&Outline"), area.LeftDockWidgetArea)
        self.docks.add("inputs", self.tr("I&nputs"), area.LeftDockWidgetArea)
        self.docks.add("source", self.tr("&Source"), area.BottomDockWidgetArea)
        self.docks.add("ops", self.tr("O&ps"), area.BottomDockWidgetArea)
        self.docks.add("console", self.tr("&Console"), area.BottomDockWidgetArea)
        self.docks.add("doctor", self.tr("&Doctor"), area.BottomDockWidgetArea)
        self.docks.add("training", self.tr("&Training"), area.BottomDockWidgetArea)
        self.docks.add("breakpoints", self.tr("&Breakpoints"), area.BottomDockWidgetArea)
        self.docks.add("story", self.tr("Ori&gin"), area.BottomDockWidgetArea)
        self.docks.add("changes", self.tr("&What If"), area.BottomDockWidgetArea)
        self.docks.add("inspector", self.tr("&Inspector"), area.RightDockWidgetArea)
        self.docks.add("guide", self.tr("G&uide"), area.RightDockWidgetArea)
        self.docks.fill("library", self.search)
        self.docks.tabify_behind("outline", "library")
        self.docks.stack("source", "ops", "console", "doctor")
        for name in ("training", "breakpoints", "story", "changes"):
            self.docks.tabify_behind(name, "doctor")
        self.docks["source"].raise_()
        self.docks.stack("inspector", "guide")

    def _connect(self) -> None:
        self.commands.quit.triggered.connect(self.quit_requested)
        self.commands.close.triggered.connect(self.close)
        self.commands.new_window.triggered.connect(self._on_new_window_triggered)
        self.library.picked.connect(self._on_library_picked)
        for command in (self.commands.run, self.commands.cancel):
            command.setEnabled(False)

    def show_on_screen(self) -> None:
        """Show the window, maximized if the screen is too small for its usual size."""
        room = self.screen().availableGeometry().size()
        if self.width() > room.width() or self.height() > room.height():
            self.showMaximized()
        else:
            self.show()
        # Otherwise the first field would get the focus.
        self.setFocus()

    def start(self, paths: list[Path]) -> None:
        """Open files, or run the scene chosen meanwhile, or else the first scene."""
        if self._picked is not None:
            self.run_control.run_offer(self._picked)
        elif paths:
            for path in paths:
                self.run_control.open_path(path)
        else:
            self.run_control.run_offer(offer_of(scene(FIRST_SCENE)))

    def run_scene(self, chosen: Scene) -> None:
        """Run a scene of the gallery."""
        self.run_control.run_offer(offer_of(chosen))

    def show_part(self, name: str) -> None:
        """Show a central tab or a dock by its name."""
        if name in TABS:
            self.top.show_tab(name)
        else:
            self.docks[name].show()
            self.docks[name].raise_()

    @Slot(object)
    def _on_library_picked(self, offer: Offer) -> None:
        if not self.is_assembled:
            self._picked = offer

    @Slot()
    def _on_new_window_triggered(self) -> None:
        self.window_requested.emit(None)

    def join(self) -> None:
        """Connect the content to the frame, as the last portion."""
        self.top.tab_changed.connect(self._on_top_tab_changed)
        self.drop.dropped.connect(self._on_drop_dropped)
        self.drop.refused.connect(self.run_control.refuse)
        self.file_control.other_window_requested.connect(self.window_requested)
        self.rerun_control.watching_changed.connect(self.status.show_watched)
        self.state.node_requested.connect(self._on_state_node_requested)
        self.state.trace_changed.connect(self._on_state_trace_changed)
        self.session.activity_changed.connect(self.graph.show_activity)
        self.session.offer_changed.connect(self._on_session_offer_changed)
        self.graph.settled.connect(self._on_graph_settled)
        for panel in (self.inspector, self.tensors):
            panel.said.connect(self.messages.say)
        self.work.changed.connect(self.veil.show_work)
        self.work.changed.connect(self.status.show_work)
        self.status.cancel_requested.connect(self.session.cancel)
        self.is_assembled = True

    @Slot(object)
    def _on_drop_dropped(self, paths: tuple[Path, ...]) -> None:
        """Open the first file here, and each further one in a new window."""
        self.run_control.open_path(paths[0])
        if len(paths) > 1:
            self.window_requested.emit(paths[1:])

    @Slot(str)
    def _on_top_tab_changed(self, name: str) -> None:
        area = Qt.DockWidgetArea
        self.tab_room.give_back()
        if name == TABS[0]:
            self.tabs.setCurrentWidget(self.graph)
        elif name == TABS[1]:
            # The inspector describes steps, and the three matrices side by side need its space.
            wanted = area.RightDockWidgetArea
            if self.docks.is_low:
                # On a projector the matrices would be tiny otherwise; source links reopen the
                # source.
                wanted |= area.BottomDockWidgetArea
            self.tab_room.take(wanted)
            self.tabs.setCurrentWidget(self.check_control.panel())
        else:
            self.tab_room.take(area.RightDockWidgetArea | area.BottomDockWidgetArea)
            self.tabs.setCurrentWidget(self.compare_control.panel())

    @Slot(object)
    def _on_state_trace_changed(self, index: object) -> None:
        self.work.show_layout(not self.graph.is_settled)

    @Slot()
    def _on_graph_settled(self) -> None:
        self.work.show_layout(False)
        # Focus the first graph unless another widget has the focus.
        if self.focusWidget() is self and self.graph.view.isVisible():
            self.graph.view.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(object)
    def _on_state_node_requested(self, node: int) -> None:
        self.top.show_tab(TABS[0])

    @Slot(object)
    def _on_session_offer_changed(self, offer: Offer | None) -> None:
        from gradviz.viewer.window.window_title import window_title_of

        self.setWindowTitle(window_title_of(self.state.index, offer, self.session.trace_path))

    @Slot(object)
    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme."""
        self.setFont(theme.font())
        self.setStyleSheet(window_style(theme))
        self.top.set_theme(theme)
        self.search.set_theme(theme)
        self.docks.set_theme(theme)
        self.messages.set_theme(theme)
        if self.is_assembled:
            self.drop.set_theme(theme)

    def _end(self) -> None:
        self.work.stop()
        self.timeline.player.pause()
        self.tensors.close()
        self.top.show_tab(TABS[0])
        if self.remembers:
            self.arrangement.remember()
            self.form.remember()
        self.compare_control.close()
        self.session.close()

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Move the focus in reading order."""
        return focus_next(self, forward=forward)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop all work, then close."""
        event.accept()
        if self._closed:
            return
        self._closed = True
        if self.is_assembled:
            self._end()
        self.closed.emit()
