"""Size of text that is readable from the last row of the audience."""

from __future__ import annotations

from PySide6.QtCore import QSize

_LEAST_SHARE = 20.0 / 800
"""Height of the smallest text, as a share of the window's height."""

_SMALLEST_PIXELS = 11
"""Height of the theme's smallest text, before its scale factor."""

_LEAST_SCALE, _MOST_SCALE = 1.3, 6.0
_WIDEST_PAGE, _WIDEST_COLUMN = 16 / 10, 1.0
"""What the height of text is measured for: width by height of a page, or of stacked halves."""


def readable_scale(window: QSize) -> float:
    """Return the theme's scale factor, rounded so that small resizes do not change it."""
    widest = _WIDEST_PAGE if window.width() >= window.height() else _WIDEST_COLUMN
    # Text in a narrow window is as large as in a lower one.
    height = min(window.height(), round(window.width() / widest))
    factor = _LEAST_SHARE * height / _SMALLEST_PIXELS
    return max(_LEAST_SCALE, min(round(factor * 20) / 20, _MOST_SCALE))
