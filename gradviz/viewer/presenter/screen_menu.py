"""The menu of screens for presenting, visible only if there are several screens."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QScreen
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from gradviz.viewer.actions import tip_of
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme_update import set_theme_icon

_ICON = 18


class PresentButton(QToolButton):
    """Triggers the command; the tooltip shows its shortcut."""

    def __init__(self, state: ViewerState, command: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        text = self.tr("Presenter Mode: large text for an audience, steps by clicker")
        command.setToolTip(tip_of(command, text))
        self.setText(self.tr("Present"))
        self.setToolTip(command.toolTip())
        self.setAccessibleName(self.tr("Present"))
        self.setAccessibleDescription(text)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.clicked.connect(command.trigger)
        set_theme_icon(self, state.theme, "present", side=_ICON)


def screen_names(screens: Sequence[QScreen]) -> list[str]:
    """Return the models of screens, with the connector where several are equal."""
    names = [screen.model() or screen.name() for screen in screens]
    return [
        f"{name} ({screen.name()})" if names.count(name) > 1 else name
        for screen, name in zip(screens, names, strict=True)
    ]


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
        app.screenAdded.connect(self._fill)
        app.screenRemoved.connect(self._fill)
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
        for screen, name in zip(screens, screen_names(screens), strict=True):
            size = screen.geometry().size() * screen.devicePixelRatio()
            text = self.tr("{name}, {width} × {height}").format(
                name=name, width=size.width(), height=size.height()
            )
            # A menu would read a single & as a mnemonic.
            action = self._menu.addAction(text.replace("&", "&&"))
            action.setData(screen.name())
        self._command.setVisible(len(screens) > 1)

    def _on_menu_triggered(self, action: QAction) -> None:
        for screen in QGuiApplication.screens():
            if screen.name() == action.data():
                self.chosen.emit(screen)
