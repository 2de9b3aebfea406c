"""Changes the theme of widgets that no window contains."""

from __future__ import annotations

from gradviz.viewer.theme.dress import dress_widgets
from gradviz.viewer.theme.theme import APP_THEME, Theme


def change_theme(theme: Theme) -> None:
    """Change the theme of the application, with which the widgets were made."""
    APP_THEME.become(theme)
    dress_widgets()
