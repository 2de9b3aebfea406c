"""Texts from outside as entries of menus."""

from __future__ import annotations

_MOST = 80


def menu_text(text: str) -> str:
    """One line in which an ampersand underlines no letter."""
    line = " ".join(text.split())
    cut = line if len(line) <= _MOST else f"{line[: _MOST - 1]}…"
    return cut.replace("&", "&&")
