"""Changes the theme of widgets that no window contains."""

from __future__ import annotations

from gradviz.viewer.theme.theme import APP_THEME, Theme
from gradviz.viewer.theme.theme_update import update_all_themes


def change_theme(theme: Theme) -> None:
    """Change the theme of the application, with which the widgets were made."""
    APP_THEME.become(theme)
    update_all_themes()
