"""The menu of screens for presenting, visible only if there are several screens."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication, QScreen
from PySide6.QtWidgets import QMenu, QWidget


class ScreenMenu(QObject):
    """Fills the menu and updates it when screens are connected or disconnected.

    Signals:
        chosen: The chosen `QScreen`.
    """

    chosen = Signal(object)

    def __init__(self, command: QAction, window: QWidget) -> None:
        super().__init__(window)
        self._command = command
        self._menu = QMenu(window)
        self._menu.triggered.connect(self._on_menu_triggered)
        command.setMenu(self._menu)
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.screenAdded.connect(self._on_app_screens_changed)
        app.screenRemoved.connect(self._on_app_screens_changed)
        self._fill()

    @property
    def entries(self) -> tuple[str, ...]:
        """The entries of the menu."""
        return tuple(action.text() for action in self._menu.actions())

    def choose(self, name: str) -> None:
        """Trigger the entry of the screen with this name."""
        for action in self._menu.actions():
            if action.data() == name:
                action.trigger()

    def _fill(self) -> None:
        self._menu.clear()
        screens = QGuiApplication.screens()
        for screen in screens:
            size = screen.geometry().size() * screen.devicePixelRatio()
            text = self.tr("{name}, {width} × {height}").format(
                name=screen.model() or screen.name(), width=size.width(), height=size.height()
            )
            # A menu would read a single & as a mnemonic.
            action = self._menu.addAction(text.replace("&", "&&"))
            action.setData(screen.name())
        self._command.setVisible(len(screens) > 1)

    @Slot(QAction)
    def _on_menu_triggered(self, action: QAction) -> None:
        for screen in QGuiApplication.screens():
            if screen.name() == action.data():
                self.chosen.emit(screen)

    @Slot(QScreen)
    def _on_app_screens_changed(self, screen: QScreen) -> None:
        self._fill()
