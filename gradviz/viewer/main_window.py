"""The main window: docks around the graph, the timeline along the bottom."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QToolBar, QVBoxLayout, QWidget

from gradviz.gallery.catalogue import Scene, offer_of, scene
from gradviz.model.inputs import Offer
from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background
from gradviz.viewer.canvas.panel import GraphPanel
from gradviz.viewer.check_control import CheckControl
from gradviz.viewer.commands.control import CommandControl
from gradviz.viewer.commands.node_commands import NodeCommands
from gradviz.viewer.commands.window_menus import (
    ConsoleMenu,
    GraphMenu,
    LibraryMenu,
    OutlineMenu,
    TimelineMenu,
)
from gradviz.viewer.console_panel import ConsolePanel
from gradviz.viewer.docks import Docks
from gradviz.viewer.file_control import FileControl
from gradviz.viewer.file_drop import FileDrop
from gradviz.viewer.find.control import FindControl
from gradviz.viewer.first_hint import FirstHint
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.library_panel import LibraryPanel
from gradviz.viewer.library_search import LibrarySearch
from gradviz.viewer.menus import fill_menu_bar
from gradviz.viewer.message_bar import MessageBar
from gradviz.viewer.outline.panel import OutlinePanel
from gradviz.viewer.presenter.room import Room
from gradviz.viewer.previous_veil import PreviousVeil
from gradviz.viewer.reading_order import move_on
from gradviz.viewer.recent_control import RecentControl
from gradviz.viewer.recent_files import RecentFiles
from gradviz.viewer.recent_menu import RecentMenu
from gradviz.viewer.rerun_control import RerunControl
from gradviz.viewer.run_control import RunControl
from gradviz.viewer.session import Session
from gradviz.viewer.state import ViewerState
from gradviz.viewer.status import Status
from gradviz.viewer.tensor_view.tensor_windows import TensorWindows
from gradviz.viewer.theme import Theme
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.top_bar import TABS, TopBar
from gradviz.viewer.window_layout import WindowLayout
from gradviz.viewer.window_style import window_style
from gradviz.viewer.window_title import title_of
from gradviz.viewer.work import Work

FIRST_SCENE = "linear"


class MainWindow(QMainWindow):
    """Everything that the user sees.

    Signals:
        closed: The window was closed.
        window_wanted: Tuple of the paths to open, each in a further window; None for a window with
            the first scene.
        quit_wanted: All windows shall be closed.
    """

    closed = Signal()
    window_wanted = Signal(object)
    quit_wanted = Signal()

    def __init__(
        self,
        state: ViewerState,
        background: Background,
        session: Session,
        recent: RecentFiles,
        *,
        remember: bool = True,
    ) -> None:
        super().__init__()
        self._remembers = remember
        self._inspected = True
        self._closed = False
        self.setObjectName("main window")
        self.setWindowTitle("gradviz")
        self.state = state
        self.session = session
        self.commands = Actions(self)
        # Before the panels: a new style sheet takes away the colours that they have set themselves.
        state.theme_changed.connect(self._on_state_theme_changed)
        self._make_panels(background, remember=remember)
        self._place_panels()
        self._make_controls(background, recent, remember=remember)
        self._connect()
        # Else lines between docks are as thick as another style's until the theme changes.
        self.ensurePolished()
        self.setStyleSheet(window_style(state.theme))
        self.resize(1440, 900)
        self.arrangement = WindowLayout(self, self.docks)
        self.commands.restore.triggered.connect(self.arrangement.reset)
        if remember:
            self.arrangement.restore()

    def _make_panels(self, background: Background, *, remember: bool) -> None:
        state = self.state
        self.top = TopBar(state.theme, self.commands, self)
        self.library = LibraryPanel()
        self.form = InputsForm(state, remembers=remember)
        self.graph = GraphPanel(state, background, self.commands)
        self.inspector = Inspector(state, background=background, actions=self.commands)
        self.tensors = TensorWindows(self, state, background, remember=remember)
        self.outline = OutlinePanel(state)
        self.console = ConsolePanel(state)
        self.timeline = TimelinePanel(state, self.commands, background)
        self.messages = MessageBar(state.theme)
        self.work = Work(state, self.session, self)
        self.status = Status(state, self.session, self.commands)
        self.find_control = FindControl(state, background, self.commands, self)
        self.top.place_right(self.find_control.home)
        self.docks = Docks(self, state.theme)

    def _make_controls(
        self, background: Background, recent: RecentFiles, *, remember: bool
    ) -> None:
        state, session = self.state, self.session
        panels = (self.library, self.form, self.top, self.messages)
        self.run_control = RunControl(state, session, self.commands, panels, self)
        self.check_control = CheckControl(state, session, background, self._tabs, self)
        self.file_control = FileControl(
            state, session, background, self.commands, self.run_control, self.messages, self
        )
        self.recent_menu = RecentMenu(recent, self)
        heard = (self.recent_menu, self.library, self.messages)
        RecentControl(recent, session, self.run_control, heard, self)
        self.rerun_control = RerunControl(
            state.preferences, session, background, self.run_control, self.commands.watch, self
        )
        self.nodes = NodeCommands(state, self.commands, self)
        menus = (self.recent_menu, self.nodes.menu)
        fill_menu_bar(self.menuBar(), self.commands, *menus, self.docks.all())
        self.drop = FileDrop(self, state.theme)
        self.command_control = CommandControl(
            state, self.commands, self._run_scene, self, remember=remember
        )
        self._make_context_menus()

    def _connect(self) -> None:
        self.hint = FirstHint(self.state, self.commands, self.messages, self)
        self.rerun_control.watching_changed.connect(self.status.show_watched)
        self.drop.dropped.connect(self._on_drop_dropped)
        self.drop.refused.connect(self.run_control.refuse)
        self.commands.quit.triggered.connect(self.quit_wanted)
        self.commands.close.triggered.connect(self.close)
        self.commands.new_window.triggered.connect(self._on_new_window_triggered)
        self.file_control.elsewhere_chosen.connect(self.window_wanted)
        self.top.tab_changed.connect(self._on_top_tab_changed)
        self.state.node_sought.connect(self._on_state_node_sought)
        for panel in (self.inspector, self.tensors):
            panel.said.connect(self.messages.say)
        self._tell_of_work()
        self.session.offer_changed.connect(self._on_session_offer_changed)

    def _make_context_menus(self) -> None:
        state, actions = self.state, self.commands
        self.context_menus = (
            GraphMenu(state, self.graph, actions, self.nodes),
            TimelineMenu(state, self.timeline.bar, actions),
            LibraryMenu(self.library),
            OutlineMenu(self.outline, actions, self.nodes),
            ConsoleMenu(self.console.view),
        )

    def show_on_screen(self) -> None:
        """Shows the window: maximized where the screen has no room for its usual size."""
        room = self.screen().availableGeometry().size()
        if self.width() > room.width() or self.height() > room.height():
            self.showMaximized()
        else:
            self.show()
        # Else the first field would have the keys, until somebody clicks.
        self.setFocus()

    def start(self, paths: list[Path]) -> None:
        """Opens files, or runs the first scene: the window is never empty."""
        if paths:
            for path in paths:
                self.run_control.open_path(path)
        else:
            self.run_control.run_offer(offer_of(scene(FIRST_SCENE)))

    def _tell_of_work(self) -> None:
        self.session.activity_changed.connect(self.graph.show_activity)
        self.state.trace_changed.connect(self._on_state_trace_changed)
        self.graph.settled.connect(self._on_graph_settled)
        self.veil = PreviousVeil(self.state, self._tabs)
        self.work.changed.connect(self.veil.show_work)
        self.work.changed.connect(self.status.show_work)
        self.status.cancel_requested.connect(self.session.cancel)

    def _run_scene(self, chosen: Scene) -> None:
        self.run_control.run_offer(offer_of(chosen))

    def _place_panels(self) -> None:
        self._tabs = QStackedWidget()
        self._tabs.addWidget(self.graph)
        centre = QWidget()
        layout = QVBoxLayout(centre)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.messages)
        self.room = Room(self._tabs)
        layout.addWidget(self.room, 1)
        self.setCentralWidget(centre)
        area = Qt.DockWidgetArea
        library = LibrarySearch(self.state, self.library)
        self.docks.add("library", self.tr("&Library"), library, area.LeftDockWidgetArea)
        self.docks.add("outline", self.tr("&Outline"), self.outline, area.LeftDockWidgetArea)
        self.docks.add("inputs", self.tr("I&nputs"), self.form, area.LeftDockWidgetArea)
        self.docks.add("console", self.tr("&Console"), self.console, area.BottomDockWidgetArea)
        self.docks.add("inspector", self.tr("&Inspector"), self.inspector, area.RightDockWidgetArea)
        self.docks.put_behind("outline", "library")
        self.addToolBar(Qt.ToolBarArea.TopToolBarArea, self.top)
        bottom = QToolBar(self.tr("Timeline"))
        bottom.setObjectName("timeline")
        bottom.setMovable(False)
        bottom.toggleViewAction().setVisible(False)
        bottom.addWidget(self.timeline)
        self.addToolBar(Qt.ToolBarArea.BottomToolBarArea, bottom)
        for bar in (self.top, bottom):
            # Else their margins are another style's until the theme changes for the first time.
            bar.ensurePolished()
        self.setStatusBar(self.status)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.docks.size()

    @Slot()
    def _on_new_window_triggered(self) -> None:
        self.window_wanted.emit(None)

    @Slot(object)
    def _on_drop_dropped(self, paths: tuple[Path, ...]) -> None:
        """The first file is shown here, each further one in a window of its own."""
        self.run_control.open_path(paths[0])
        if len(paths) > 1:
            self.window_wanted.emit(paths[1:])

    @Slot(str)
    def _on_top_tab_changed(self, name: str) -> None:
        inspector = self.docks["inspector"]
        if name == TABS[0]:
            self._tabs.setCurrentWidget(self.graph)
            inspector.setVisible(self._inspected)
        else:
            # The inspector is about steps; its room is needed for three maps side by side.
            self._inspected = inspector.isVisible()
            inspector.hide()
            self._tabs.setCurrentWidget(self.check_control.panel())

    @Slot(object)
    def _on_state_trace_changed(self, index: object) -> None:
        self.work.show_layout(not self.graph.is_settled)

    @Slot()
    def _on_graph_settled(self) -> None:
        self.work.show_layout(False)
        # The first graph gets the keys, if nobody else has asked for them.
        if self.focusWidget() is self and self.graph.view.isVisible():
            self.graph.view.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(object)
    def _on_state_node_sought(self, node: int) -> None:
        self.top.show_tab(TABS[0])

    @Slot(object)
    def _on_session_offer_changed(self, offer: Offer | None) -> None:
        self.setWindowTitle(title_of(self.state.index, offer, self.session.trace_path))

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        self.setFont(theme.font())
        self.setStyleSheet(window_style(theme))
        self.top.set_theme(theme)
        self.docks.set_theme(theme)
        self.messages.set_theme(theme)
        self.drop.set_theme(theme)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab goes through the window as one reads it."""
        return move_on(self, forward=forward)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ends everything before the window goes."""
        event.accept()
        if self._closed:
            return
        self._closed = True
        self.work.stop()
        self.timeline.player.pause()
        self.tensors.close()
        self.top.show_tab(TABS[0])
        if self._remembers:
            self.arrangement.remember()
            self.form.remember()
        self.session.close()
        self.closed.emit()
