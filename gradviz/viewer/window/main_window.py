"""The main window; its frame is shown at once, and its content is added shortly afterward."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QResizeEvent
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QToolBar, QVBoxLayout, QWidget

from gradviz.analysis.position.view_target import ViewTarget
from gradviz.gallery.registry import FIRST_SCENE, offer_of, scene
from gradviz.model.inputs import Offer
from gradviz.viewer.actions import Actions
from gradviz.viewer.files.recent_files import RecentFiles, RecentMenu
from gradviz.viewer.library.library_search import LibrarySearch
from gradviz.viewer.library.panel import LibraryPanel
from gradviz.viewer.panel_spec import WindowParts
from gradviz.viewer.questions import Asker, Questions
from gradviz.viewer.theme.theme import Theme, set_style_sheet
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.focus_ring import FocusRings
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.window.docks import Docks, DockSpace
from gradviz.viewer.window.message_bar import MessageBar
from gradviz.viewer.window.panel_registry import panel_specs
from gradviz.viewer.window.side_panels import SidePanels
from gradviz.viewer.window.skeleton import Skeleton
from gradviz.viewer.window.tab_order import focus_next
from gradviz.viewer.window.top_bar import TABS, TopBar
from gradviz.viewer.window.window_layout import WindowLayout
from gradviz.viewer.window.window_style import window_style

_TIMELINE = 88
"""Height reserved for the timeline, so that nothing moves later."""

_SKELETON_MS = 1000
"""Most time that placeholders are shown once the content is built."""


_LEAST = QSize(640, 400)
"""Minimum size of the window, for any size of the text: half of a small screen."""

_USUAL, _AROUND = QSize(1440, 900), QSize(0, 100)
"""Initial size of the window, and of the frame and the desktop's panels around it."""

_SHARE = 0.85
"""Share of a small screen that the window takes when it is not maximized."""


class ContentProtocol(Protocol):
    """What connects the content of a window with its frame."""

    def has_recording(self, offer: Offer) -> bool:
        """Whether `open` shows a shipped recording of the offer until it has run."""

    def open(self, paths: Sequence[Path], first: Offer) -> None:
        """Open files, or run ``first`` if there are none."""

    def show_target(self, target: ViewTarget) -> None:
        """Run or open a target's run, and show its place."""

    def view(self) -> ViewTarget | Path | None:
        """The current view, or else the file whose code ran."""

    def follow_width(self, before: int) -> None:
        """Fit what is shown to another width of the window."""

    def questions(self) -> Questions:
        """Ask about what is not saved; return whether the window may close."""
        raise NotImplementedError

    def close(self) -> None:
        """Stop all work."""


class MainWindow(QMainWindow):
    """The main window with its docks, bars and controllers.

    Signals:
        closed: The window was closed.
        window_requested: Tuple of paths to open in one new window each; None for a new window with
            the first scene.
        quit_requested: The user asked to close all windows.
        skeleton_ended: The placeholders were removed.

    Attributes:
        parts: The parts of the window that are built so far.
        asker: Asks the questions before the window closes.
        content: Connects the content with the frame; None until
            `gradviz.viewer.window.window_assembly` has built all of it but panels behind others.
    """

    closed = Signal()
    window_requested = Signal(object)
    quit_requested = Signal()
    skeleton_ended = Signal()

    def __init__(self, theme: Theme, recent: RecentFiles, *, remember: bool = True) -> None:
        super().__init__()
        self.remembers = remember
        self.parts = WindowParts()
        self.content: ContentProtocol | None = None
        self._closed = False
        self._is_asked = True
        self.asker = Asker(self)
        self._picked: Offer | None = None
        self._skeleton: Skeleton | None = None
        self._theme = theme
        set_theme_font(self, theme)
        self.setObjectName("main window")
        self.setWindowTitle("gradviz")
        self.commands = Actions(self)
        self.top = TopBar(theme, self.commands, self.menuBar(), self)
        self.library = self.parts.add(LibraryPanel(theme))
        self.search = LibrarySearch(theme, self.library)
        self.messages = MessageBar(theme)
        self.tabs = QStackedWidget()
        self.bottom = QToolBar(self.tr("Timeline"))
        self.docks = Docks(self, theme, self.tabs)
        self.sides = SidePanels(self, self.tabs, theme)
        self._lay_out(theme)
        self.recent_menu = RecentMenu(recent, self)
        others = {
            "recent": [self.recent_menu.menuAction()],
            "panels": [dock.toggleViewAction() for dock in self.docks.all()],
            "lesson": [self.docks["lesson"].toggleViewAction()],
        }
        self.commands.menus.fill(self.menuBar(), others)
        self._connect()
        # Without this, dock separators keep another style's width until the theme changes.
        self.ensurePolished()
        self.update_theme()
        self.resize(_USUAL)
        # Otherwise larger text would make the window grow, maybe beyond its screen.
        self.setMinimumSize(_LEAST)
        # Without sizes, hidden docks would take space from the others.
        self.docks.sizes.apply()
        self.arrangement = WindowLayout(self, self.docks, self.sides)
        self.tab_space = DockSpace(self, self.docks)
        self.commands.restore.triggered.connect(self.arrangement.reset)
        self._rings = FocusRings(self)
        if remember:
            self.arrangement.restore()

    def _lay_out(self, theme: Theme) -> None:
        self.centre = lay_out(QVBoxLayout(), self.messages, (self.tabs, 1), gap=0)
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
        # Otherwise a right click between panels opens Qt's own list of docks.
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)

    def _add_docks(self) -> None:
        specs = panel_specs()
        for spec in specs:
            dock = self.docks.add(spec.name, translate("Panels", spec.title), spec.area)
            if spec.area == "left":
                self.sides.add(dock, spec.icon, spec.tab_of)
        self.docks.fill("library", self.search)
        on_right = [spec for spec in specs if spec.area == "right"]
        for front in on_right:
            tabs = [spec for spec in on_right if spec.tab_of == front.name]
            shown = [spec.name for spec in tabs if spec.shown]
            if shown:
                self.docks.stack(front.name, *shown)
            for spec in tabs:
                if not spec.shown:
                    self.docks.tabify_behind(spec.name, [front.name, *shown][-1])
        for front in on_right:
            if not front.tab_of:
                self.docks[front.name].raise_()

    def _connect(self) -> None:
        self.commands.quit.triggered.connect(self.quit_requested)
        self.commands.close.triggered.connect(self.close)
        self.commands.new_window.triggered.connect(self._on_new_window_triggered)
        self.library.picked.connect(self._on_library_picked)
        self.sides.rail.clicked.connect(self.end_skeleton)
        for command in (self.commands.run, self.commands.stop):
            command.setEnabled(False)

    def show_on_screen(self) -> None:
        """Show the window, maximized if the screen is too small for its usual size.

        Placeholders cover it until its content shows a run, or for a moment after `start`.
        """
        panels = [self.docks[name] for name in ("source", "inspector")]
        self._skeleton = Skeleton(self, self.tabs, panels, self.bottom, self._theme)
        available = self.screen().availableGeometry().size()
        # The frame and, on Wayland, the desktop's panels are unknown before the window is shown.
        around = _AROUND if self.size() == _USUAL else QSize(0, 0)
        needed = self.size() + around
        if needed != needed.boundedTo(available):
            # The size that the window has when it is no longer maximized.
            self.resize(self.size().boundedTo(available * _SHARE))
            self.showMaximized()
        else:
            self.show()
        # Otherwise the first field would get the focus.
        self.setFocus()

    @property
    def is_assembled(self) -> bool:
        """Whether the content of the window is built, except panels behind others."""
        return self.content is not None

    def starts_with_recording(
        self, paths: Sequence[Path], target: ViewTarget | None = None
    ) -> bool:
        """Whether `start` can be called and would show the recording that ships with gradviz."""
        if self.content is None or not self.has_placeholders:
            return False
        return not paths and target is None and self.content.has_recording(self._first)

    @property
    def _first(self) -> Offer:
        return self._picked or offer_of(scene(FIRST_SCENE))

    def start(self, paths: list[Path], target: ViewTarget | None = None) -> None:
        """Open files, or run the scene chosen meanwhile, or else the first scene.

        Args:
            paths: The files.
            target: A view to show, unless a scene has been chosen meanwhile; its run, if it names
                one, is opened instead.
        """
        if self.content is None:
            return
        if self.has_placeholders:
            QTimer.singleShot(_SKELETON_MS, self, self.end_skeleton)
        if self._picked is not None:
            paths, target = [], None
        if target is None or not target.names_run:
            self.content.open(paths, self._first)
        if target is not None:
            self.content.show_target(target)

    @property
    def has_placeholders(self) -> bool:
        """Whether placeholders cover the window, as it is still starting."""
        return self._skeleton is not None

    def end_skeleton(self) -> None:
        """Remove the placeholders, if they are still shown."""
        if self._skeleton is not None:
            self._skeleton.end()
            self._skeleton = None
            self.skeleton_ended.emit()

    def show_part(self, name: str) -> None:
        """Show a central tab or a dock by its name."""
        if name in TABS:
            self.top.show_tab(name)
        else:
            self.docks.bring_to_front(name)

    def _on_library_picked(self, offer: Offer) -> None:
        if not self.is_assembled:
            self._picked = offer

    def _on_new_window_triggered(self) -> None:
        self.window_requested.emit(None)

    def update_theme(self) -> None:
        """Repaint with another theme."""
        set_style_sheet(self, window_style(self._theme))

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Move the focus in reading order."""
        return focus_next(self, forward=forward)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Pin the side panels that suit the width."""
        super().resizeEvent(event)
        if not self.arrangement.is_held:
            self.sides.follow(event.size().width())
            if self.content is not None:
                self.content.follow_width(event.oldSize().width())

    def questions(self) -> Questions:
        """Ask about what is not saved; return whether the window may close."""
        return self.content is None or (yield from self.content.questions())

    def view(self) -> ViewTarget | Path | None:
        """What another window opens to show the same; None for the first scene."""
        return None if self.content is None else self.content.view()

    def close_unasked(self) -> None:
        """Close the window; text and runs that are not saved are lost."""
        self._is_asked = False
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop all work, then close, unless unsaved text or an unsaved run is to stay."""
        # A closed window can get another close event, but its content is closed only once.
        if self._closed:
            event.accept()
            return
        if self._is_asked:
            self.asker.ask(self.questions(), self._close_if)
        else:
            self._end()
        # A question is open, or was answered with no.
        event.setAccepted(self._closed)

    def _close_if(self, may_close: bool) -> None:
        if may_close:
            self._end()
            # Nothing happens if there was no question, as the window is closing then.
            self.close()

    def _end(self) -> None:
        self._closed = True
        if self.content is not None:
            self.content.close()
        self.closed.emit()
