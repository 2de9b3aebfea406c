"""Sizes of text that is readable from the last row of the audience."""

from __future__ import annotations

from PySide6.QtCore import QSize

LEAST_AT_800 = 20.0
"""Height in pixels of the smallest text in a window 800 pixels high."""

SMALLEST_PIXELS = 11
"""Height of the theme's smallest text, before its scale factor."""

LEAST_SCALE, MOST_SCALE = 1.3, 6.0
"""Range of the theme's scale factor."""

_WIDEST_PAGE, _WIDEST_COLUMN = 16 / 10, 1.0
"""What the height of text is measured for: width by height of a page, or of stacked halves."""


def fitting_height(size: QSize) -> int:
    """Return the height for which text in a window is scaled: less than its own if it is narrow."""
    wide = _WIDEST_PAGE if size.width() >= size.height() else _WIDEST_COLUMN
    return min(size.height(), round(size.width() / wide))


def least_pixels(height: int) -> float:
    """Return the minimum text height for a window height, both in pixels."""
    return LEAST_AT_800 * height / 800


def scale_for(height: int) -> float:
    """Return the theme's scale factor, rounded so that small resizes do not change it."""
    factor = least_pixels(height) / SMALLEST_PIXELS
    return max(LEAST_SCALE, min(round(factor * 20) / 20, MOST_SCALE))
