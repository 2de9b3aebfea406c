"""The theme of the application and of one window, which may have larger text."""

from __future__ import annotations

import dataclasses
from typing import cast

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from gradviz.drawing.appearance.color_map import set_color_map
from gradviz.viewer.actions import Actions
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import APP_THEME, Theme, ThemeChoice, apply_theme, chosen_theme


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


TEXT_SCALES = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0)
"""Scales that Larger Text and Smaller Text step through."""


class ThemeController(QObject):
    """Updates one window's theme with the application's, and handles the theme commands."""

    def __init__(
        self,
        themes: AppTheme,
        state: ViewerState,
        actions: Actions,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._actions = actions
        self._own_scale: float | None = None
        set_color_map(state.preferences.color_map)
        state.preferences.changed.connect(self._on_preferences_changed)
        themes.changed.connect(self._on_themes_changed)
        actions.themes.triggered.connect(self._on_theme_triggered)
        actions.larger.triggered.connect(self._on_larger_triggered)
        actions.smaller.triggered.connect(self._on_smaller_triggered)
        self._on_themes_changed(APP_THEME)

    def set_own_scale(self, scale: float | None) -> None:
        """Give this window's text another size than that of other windows and dialogs.

        Args:
            scale: The most that fits: larger text is not scaled further, smaller text is in
                proportion. None for the same size as everywhere.
        """
        self._own_scale = scale
        self._on_themes_changed(APP_THEME)

    def _on_themes_changed(self, theme: Theme) -> None:
        preferences = self._state.preferences
        for action in self._actions.themes.actions():
            action.setChecked(action.data() == preferences.theme)
        self._actions.larger.setEnabled(preferences.text_scale < TEXT_SCALES[-1])
        self._actions.smaller.setEnabled(preferences.text_scale > TEXT_SCALES[0])
        own = self._own_scale
        scale = theme.scale if own is None else own * min(theme.scale, 1.0)
        self._state.set_theme(dataclasses.replace(theme, scale=scale))

    def _on_preferences_changed(self, name: str) -> None:
        if name == "color_map":
            set_color_map(self._state.preferences.color_map)
            self._state.show_again()

    def _on_theme_triggered(self, action: QAction) -> None:
        self._state.preferences.theme = cast(ThemeChoice, action.data())

    def _on_larger_triggered(self) -> None:
        now = self._state.preferences.text_scale
        larger = (each for each in TEXT_SCALES if each > now)
        self._state.preferences.text_scale = next(larger, now)

    def _on_smaller_triggered(self) -> None:
        now = self._state.preferences.text_scale
        smaller = (each for each in reversed(TEXT_SCALES) if each < now)
        self._state.preferences.text_scale = next(smaller, now)
