"""The theme of the application, from the preferences and the system's color scheme."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication

from gradviz.viewer.preferences import Preferences
from gradviz.viewer.theme.theme import APP_THEME, Theme, apply_theme, chosen_theme


class AppTheme(QObject):
    """Applies the preferred theme to the application.

    Signals:
        changed: The new `Theme`.
    """

    changed = Signal(object)

    def __init__(
        self, app: QApplication, preferences: Preferences, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._app = app
        self._preferences = preferences
        self._tell_platform()
        APP_THEME.become(self._wanted())
        apply_theme(app, APP_THEME)
        preferences.changed.connect(self._on_preferences_changed)
        app.styleHints().colorSchemeChanged.connect(self._apply)

    @property
    def theme(self) -> Theme:
        """The current theme."""
        return APP_THEME

    def _wanted(self) -> Theme:
        return chosen_theme(self._preferences.theme, self._app, self._preferences.text_scale)

    def _tell_platform(self) -> None:
        """Set the platform's color scheme, so that window frames match the theme."""
        hints, choice = self._app.styleHints(), self._preferences.theme
        if choice == "system":
            hints.unsetColorScheme()
        else:
            dark = choice == "dark"
            hints.setColorScheme(Qt.ColorScheme.Dark if dark else Qt.ColorScheme.Light)

    def _apply(self) -> None:
        theme = self._wanted()
        if theme != APP_THEME:
            APP_THEME.become(theme)
            apply_theme(self._app, theme)
            self.changed.emit(theme)

    def _on_preferences_changed(self, name: str) -> None:
        if name == "theme":
            self._tell_platform()
        if name in ("theme", "text_scale"):
            self._apply()
