"""Text sizes that are readable from the last row, as a share of the window's height."""

from __future__ import annotations

LEAST_AT_800 = 20.0
"""Height in pixels of the smallest text in a window 800 pixels high."""

SMALLEST_PIXELS = 11
"""Height of the theme's smallest text, before its scale factor."""

LEAST_SCALE, MOST_SCALE = 1.3, 6.0


def least_pixels(height: int) -> float:
    """Return the minimum text height for a window height, both in pixels."""
    return LEAST_AT_800 * height / 800


def scale_for(height: int) -> float:
    """Return the theme's scale factor, rounded so that small resizes do not change it."""
    factor = least_pixels(height) / SMALLEST_PIXELS
    return max(LEAST_SCALE, min(round(factor * 20) / 20, MOST_SCALE))
