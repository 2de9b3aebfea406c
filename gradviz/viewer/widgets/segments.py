"""How buttons look that stand close together, of which one is down."""

from __future__ import annotations

from gradviz.model.palette import colour
from gradviz.viewer.look.theme import Theme


def segment_style(theme: Theme, side: int = 9) -> str:
    """A style sheet for the tool buttons of a row.

    Fusion hardly tells in the dark which of several buttons is down.

    Args:
        theme: Colours to draw with.
        side: Pixels left and right of a text, before the theme's factor.
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
