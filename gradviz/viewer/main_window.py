"""The main window: docks around the graph, the timeline along the bottom."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings, Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QMainWindow,
    QStackedWidget,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from gradviz.gallery.catalogue import offer_of, scene
from gradviz.model.index import Index
from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background
from gradviz.viewer.canvas.panel import GraphPanel
from gradviz.viewer.check_control import CheckControl
from gradviz.viewer.console_panel import ConsolePanel
from gradviz.viewer.file_control import FileControl
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.library_panel import LibraryPanel
from gradviz.viewer.menus import fill_menu_bar
from gradviz.viewer.message_bar import MessageBar
from gradviz.viewer.run_control import RunControl
from gradviz.viewer.session import Session
from gradviz.viewer.state import ViewerState
from gradviz.viewer.status import Status
from gradviz.viewer.theme import Theme
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.top_bar import TABS, TopBar
from gradviz.viewer.window_style import window_style

FIRST_SCENE = "linear"
LAYOUT_VERSION = 1
"""Raised when docks change so that an old layout would not fit."""


class MainWindow(QMainWindow):
    """Everything that the user sees.

    Signals:
        closed: The window was closed.
    """

    closed = Signal()

    def __init__(
        self,
        state: ViewerState,
        background: Background,
        session: Session,
        *,
        remember: bool = True,
    ) -> None:
        super().__init__()
        self._remembers = remember
        self._inspected = True
        self.setObjectName("main window")
        self.setWindowTitle("gradviz")
        self.setAcceptDrops(True)
        self.setDockNestingEnabled(True)
        self.state = state
        self.session = session
        self.commands = Actions(self)
        self.top = TopBar(state.theme, self.commands, self)
        self.library = LibraryPanel()
        self.form = InputsForm(state)
        self.graph = GraphPanel(state, background, self.commands)
        self.inspector = Inspector(state)
        self.console = ConsolePanel(state)
        self.timeline = TimelinePanel(state, self.commands)
        self.messages = MessageBar(state.theme)
        self.status = Status(state, session)
        self._place_panels()
        panels = (self.library, self.form, self.top, self.messages)
        self.run_control = RunControl(state, session, self.commands, panels, self)
        self.check_control = CheckControl(state, session, background, self._tabs, self)
        self.file_control = FileControl(
            state, session, background, self.commands, self.run_control, self.messages, self
        )
        fill_menu_bar(self.menuBar(), self.commands, self._docks)
        self.commands.restore.triggered.connect(self._on_restore_triggered)
        self.commands.quit.triggered.connect(self.close)
        self.top.tab_changed.connect(self._on_top_tab_changed)
        session.activity_changed.connect(self.graph.show_activity)
        state.theme_changed.connect(self._on_state_theme_changed)
        state.trace_changed.connect(self._on_state_trace_changed)
        self.setStyleSheet(window_style(state.theme))
        self.resize(1440, 900)
        self._first_layout = self.saveState(LAYOUT_VERSION)
        if remember:
            self._restore()

    def show_on_screen(self) -> None:
        """Shows the window: maximized where the screen has no room for its usual size."""
        room = self.screen().availableGeometry().size()
        if self.width() > room.width() or self.height() > room.height():
            self.showMaximized()
        else:
            self.show()

    def start(self, paths: list[Path]) -> None:
        """Opens files, or runs the first scene: the window is never empty."""
        if paths:
            for path in paths:
                self.run_control.open_path(path)
        else:
            self.run_control.run_offer(offer_of(scene(FIRST_SCENE)))

    def _place_panels(self) -> None:
        self._tabs = QStackedWidget()
        self._tabs.addWidget(self.graph)
        centre = QWidget()
        layout = QVBoxLayout(centre)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.messages)
        layout.addWidget(self._tabs, 1)
        self.setCentralWidget(centre)
        area = Qt.DockWidgetArea
        self._docks = [
            self._dock(self.tr("Library"), "library", self.library, area.LeftDockWidgetArea),
            self._dock(self.tr("Inputs"), "inputs", self.form, area.LeftDockWidgetArea),
            self._dock(self.tr("Console"), "console", self.console, area.BottomDockWidgetArea),
            self._dock(self.tr("Inspector"), "inspector", self.inspector, area.RightDockWidgetArea),
        ]
        self.setCorner(Qt.Corner.BottomLeftCorner, area.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, area.RightDockWidgetArea)
        self.addToolBar(Qt.ToolBarArea.TopToolBarArea, self.top)
        bottom = QToolBar(self.tr("Timeline"))
        bottom.setObjectName("timeline")
        bottom.setMovable(False)
        bottom.toggleViewAction().setVisible(False)
        bottom.addWidget(self.timeline)
        self.addToolBar(Qt.ToolBarArea.BottomToolBarArea, bottom)
        self.setStatusBar(self.status)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self._size_docks()

    def _dock(self, title: str, name: str, panel: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(name)
        dock.setWidget(panel)
        self.addDockWidget(area, dock)
        return dock

    def _size_docks(self) -> None:
        library, inputs, console, inspector = self._docks
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        self.resizeDocks([library, inspector], [270, 350], across)
        self.resizeDocks([library, inputs], [300, 340], down)
        self.resizeDocks([console], [150], down)

    def _restore(self) -> None:
        settings = QSettings()
        geometry, layout = settings.value("window/geometry"), settings.value("window/layout")
        if geometry is not None:
            self.restoreGeometry(geometry)
        if layout is not None:
            self.restoreState(layout, LAYOUT_VERSION)

    def _remember(self) -> None:
        settings = QSettings()
        settings.setValue("window/geometry", self.saveGeometry())
        settings.setValue("window/layout", self.saveState(LAYOUT_VERSION))

    @Slot()
    def _on_restore_triggered(self) -> None:
        self.restoreState(self._first_layout, LAYOUT_VERSION)
        self._size_docks()

    @Slot(str)
    def _on_top_tab_changed(self, name: str) -> None:
        inspector = self._docks[-1]
        if name == TABS[0]:
            self._tabs.setCurrentWidget(self.graph)
            inspector.setVisible(self._inspected)
        else:
            # The inspector is about steps; its room is needed for three maps side by side.
            self._inspected = inspector.isVisible()
            inspector.hide()
            self._tabs.setCurrentWidget(self.check_control.panel())

    @Slot(object)
    def _on_state_trace_changed(self, index: Index | None) -> None:
        title = "" if index is None else " ".join(index.trace.origin.title.split())[:80]
        self.setWindowTitle(f"{title} – gradviz" if title else "gradviz")

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        self.setFont(theme.font())
        self.setStyleSheet(window_style(theme))
        self.top.set_theme(theme)
        self.messages.set_theme(theme)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Takes files that can be opened."""
        if _paths_in(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Opens what is dropped."""
        for path in _paths_in(event):
            self.run_control.open_path(path)
        event.acceptProposedAction()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ends everything before the window goes."""
        self.timeline.player.pause()
        self.top.show_tab(TABS[0])
        if self._remembers:
            self._remember()
        self.session.close()
        event.accept()
        self.closed.emit()


def _paths_in(event: QDropEvent) -> list[Path]:
    found = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
    return [path for path in found if path.suffix in (".py", ".gradviz")]
