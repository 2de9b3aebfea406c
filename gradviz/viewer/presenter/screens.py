"""The menu of screens on which can be presented; there only where there are several."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication, QScreen
from PySide6.QtWidgets import QMenu, QWidget


class ScreenMenu(QObject):
    """Fills the menu behind a command, and follows screens that are plugged in and pulled out.

    Signals:
        chosen: The `QScreen`.
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
        """What can be chosen."""
        return tuple(action.text() for action in self._menu.actions())

    def choose(self, name: str) -> None:
        """As a click on the screen of that name."""
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
            # An ampersand in a menu's text would underline the next letter.
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
