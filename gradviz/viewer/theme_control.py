"""Light, dark, or like the system: chosen in the menu, remembered, followed."""

from __future__ import annotations

from typing import cast, get_args

from PySide6.QtCore import QObject, QSettings, Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from gradviz.viewer.actions import Actions
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme import Choice, apply_theme, chosen_theme

_KEY = "window/theme"


def remembered_choice() -> Choice:
    """What was chosen last; ``system`` at first."""
    value = QSettings().value(_KEY, "system")
    return cast(Choice, value) if value in get_args(Choice) else "system"


class ThemeControl(QObject):
    """Keeps the application's and the state's theme as chosen."""

    def __init__(
        self,
        app: QApplication,
        state: ViewerState,
        actions: Actions,
        choice: Choice,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._app = app
        self._state = state
        self._choice = choice
        for action in actions.themes.actions():
            action.setChecked(action.data() == choice)
        actions.themes.triggered.connect(self._on_theme_triggered)
        app.styleHints().colorSchemeChanged.connect(self._on_hints_scheme_changed)

    def choose(self, choice: Choice) -> None:
        """Changes the theme now, and for the next start."""
        self._choice = choice
        QSettings().setValue(_KEY, choice)
        self._apply()

    def _apply(self) -> None:
        theme = chosen_theme(self._choice, self._app)
        if theme != self._state.theme:
            apply_theme(self._app, theme)
            self._state.set_theme(theme)

    @Slot(QAction)
    def _on_theme_triggered(self, action: QAction) -> None:
        self.choose(cast(Choice, action.data()))

    @Slot(Qt.ColorScheme)
    def _on_hints_scheme_changed(self, scheme: Qt.ColorScheme) -> None:
        self._apply()
