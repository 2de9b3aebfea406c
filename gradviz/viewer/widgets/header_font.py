"""Sets the font of a table or list header under a style sheet."""

from __future__ import annotations

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHeaderView


def set_header_font(header: QHeaderView, font: QFont) -> None:
    """Set the font of the titles.

    Under a style sheet, a header keeps its font until it is polished again.
    """
    header.setFont(font)
    style = header.style()
    style.unpolish(header)
    style.polish(header)
