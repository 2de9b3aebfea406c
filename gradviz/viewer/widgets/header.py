"""The head of a table or list in another type."""

from __future__ import annotations

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHeaderView


def set_header_font(header: QHeaderView, font: QFont) -> None:
    """Writes the titles in a font.

    Under a style sheet a header goes on in the font that it had when it was polished.
    """
    header.setFont(font)
    style = header.style()
    style.unpolish(header)
    style.polish(header)
