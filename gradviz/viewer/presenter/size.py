"""How large type must be to be read from the last row: a share of the picture's height."""

from __future__ import annotations

LEAST_AT_800 = 20.0
"""Pixels of the lowest text where the window is 800 pixels high."""

SMALLEST_PIXELS = 11
"""Height of the smallest type of the window's theme, before its factor."""

LEAST_SCALE, MOST_SCALE = 1.3, 6.0


def least_pixels(height: int) -> float:
    """Height of the lowest text that may be shown in a window of a height, in pixels."""
    return LEAST_AT_800 * height / 800


def scale_for(height: int) -> float:
    """The factor on the theme's type, in steps, so that a few pixels change nothing."""
    factor = least_pixels(height) / SMALLEST_PIXELS
    return max(LEAST_SCALE, min(round(factor * 20) / 20, MOST_SCALE))
