"""The style sheet of segmented controls."""

from __future__ import annotations

from gradviz.model.palette import colour
from gradviz.viewer.look.theme import Theme


def segment_style(theme: Theme, side: int = 9) -> str:
    """Return a style sheet for the tool buttons in a row.

    Fusion's own checked state is hardly visible in the dark theme.

    Args:
        theme: The colors.
        side: Horizontal padding in pixels, before the theme's scale factor.
    """
    border, text = colour("border", theme.name), colour("text", theme.name)
    soft, accent = colour("accent_soft", theme.name), colour("accent", theme.name)
    raised, focus = colour("raised", theme.name), colour("focus", theme.name)
    return f"""
        QToolButton {{
            background: transparent; color: {text}; border: 1px solid {border};
            padding: {theme.px(3)}px {theme.px(side)}px;
        }}
        QToolButton:hover {{ background: {raised}; }}
        QToolButton:checked {{ background: {soft}; color: {accent}; border-color: {accent}; }}
        QToolButton:focus {{ border: 2px solid {focus}; }}
    """
