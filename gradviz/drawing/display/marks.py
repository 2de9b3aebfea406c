"""Marks that the window puts on cards and lines: memory, differences, breakpoints, the place."""

from __future__ import annotations

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.appearance.text_styles import Measure
from gradviz.drawing.display.parts import (
    Part,
    Pen,
    RoundedRect,
    Shape,
    TextRun,
    circle,
    middle_baseline,
    polyline,
)
from gradviz.drawing.geometry.rect import Point, Rect

INSET = 8.0
"""Distance of a mark from the left or right edge of its card."""

STORAGE_HEIGHT = 15.0
_STORAGE_PAD, _STORAGE_LOWERED, _ROUND_LOWERED = 5.0, 8.0, 10.0


def storage_rect(letters: str, box: Rect, measure: Measure, *, is_round: bool) -> Rect:
    """Rectangle of the letters of shared memory, at the lower left corner of a card.

    Args:
        letters: The text.
        box: The card.
        measure: Measures the text.
        is_round: Whether the card has round ends, where its text is closer to the lower corners.
    """
    width = max(STORAGE_HEIGHT, measure(letters, "mark")[0] + 2 * _STORAGE_PAD)
    lowered = _ROUND_LOWERED if is_round else _STORAGE_LOWERED
    y = box.bottom - STORAGE_HEIGHT + lowered
    return Rect(x=box.x + INSET, y=y, width=width, height=STORAGE_HEIGHT)


def storage_parts(
    letters: str, rect: Rect, measure: Measure, *, is_highlighted: bool = False
) -> tuple[Part, ...]:
    """Letters of shared memory."""
    pen = Pen("focus", 2) if is_highlighted else Pen("border_strong")
    ground = Shape(_pill(rect), "accent_soft" if is_highlighted else "raised", pen)
    ink: PaletteRole = "accent" if is_highlighted else "text_muted"
    left = rect.center[0] - measure(letters, "mark")[0] / 2
    return ground, TextRun(letters, left, middle_baseline(rect, "mark", measure), "mark", ink)


DIFFERENCE_HEIGHT = 16.0
_DIFFERENCE_SIGN, _DIFFERENCE_PAD, _DIFFERENCE_LOWERED = 8.0, 5.0, 11.0


def difference_rect(word: str, box: Rect, measure: Measure) -> Rect:
    """Rectangle of a difference from the compared run, at the lower right corner of a card."""
    width = measure(word, "mark")[0] + _DIFFERENCE_SIGN + 3 * _DIFFERENCE_PAD
    y = box.bottom - DIFFERENCE_HEIGHT + _DIFFERENCE_LOWERED
    return Rect(x=box.right - INSET - width, y=y, width=width, height=DIFFERENCE_HEIGHT)


def difference_parts(word: str, rect: Rect, measure: Measure) -> tuple[Part, ...]:
    """A not-equal sign and a word."""
    middle = (rect.x + _DIFFERENCE_PAD + _DIFFERENCE_SIGN / 2, rect.center[1])
    left = rect.x + 2 * _DIFFERENCE_PAD + _DIFFERENCE_SIGN
    text = TextRun(word, left, middle_baseline(rect, "mark", measure), "mark", "warning")
    return _warned(rect), *_not_equal(middle, _DIFFERENCE_SIGN), text


def difference_badge(middle: Point, side: float) -> tuple[Shape, ...]:
    """A not-equal sign in a circle, for lines and for cards that are far away."""
    ground = circle(middle, side / 2).rect
    return _warned(ground), *_not_equal(middle, side / 2)


def _warned(rect: Rect) -> Shape:
    return Shape(_pill(rect), "warning_fill", Pen("warning", 1.2))


def _not_equal(middle: Point, side: float) -> tuple[Shape, ...]:
    (x, y), half = middle, side / 2
    pen = Pen("warning", side * 0.17, is_round=True)
    lines = [((x - half, y + up * side), (x + half, y + up * side)) for up in (-0.2, 0.2)]
    lines.append(((x - half / 2, y + half), (x + half / 2, y - half)))
    return tuple(Shape(polyline(*line), pen=pen) for line in lines)


BREAKPOINT_RADIUS = 5.5
BREAKPOINT_OUT = 2.0
"""Distance of the disc's center outside the card, to keep the disc off the text."""


def breakpoint_place(box: Rect) -> Point:
    """Middle of a breakpoint's mark, at the left edge of a card."""
    return box.x - BREAKPOINT_OUT, box.center[1]


def breakpoint_parts(middle: Point, radius: float, *, enabled: bool) -> tuple[Shape, ...]:
    """A disc with an outline in the background color; a ring if disabled."""
    disc = Shape(circle(middle, radius), "breakpoint", Pen("canvas", radius * 0.35))
    return (disc,) if enabled else (disc, Shape(circle(middle, radius * 0.5), "canvas"))


LOCATION_HEIGHT, LOCATION_PAD = 16.0, 6.0
_LOWERED, _BRIEF_LOWERED = 8.0, 5.0


def location_rect(text: str, box: Rect, measure: Measure, *, brief: bool) -> Rect:
    """Rectangle of the position inside a node, at the lower edge of its card.

    Args:
        text: A few words.
        box: The card.
        measure: Measures the text.
        brief: Whether lines are close to the card, which has room for the mark instead.
    """
    width = measure(text, "mark")[0] + 2 * LOCATION_PAD
    inset = min(INSET, (box.width - width) / 2)
    y = box.bottom - LOCATION_HEIGHT + (_BRIEF_LOWERED if brief else _LOWERED)
    return Rect(x=box.right - inset - width, y=y, width=width, height=LOCATION_HEIGHT)


def location_parts(text: str, rect: Rect, measure: Measure) -> tuple[Part, ...]:
    """The position inside a node."""
    ground = Shape(_pill(rect), "panel", Pen("status_now", 1.4))
    baseline = middle_baseline(rect, "mark", measure)
    return ground, TextRun(text, rect.x + LOCATION_PAD, baseline, "mark", "status_now")


def _pill(rect: Rect) -> RoundedRect:
    return RoundedRect(rect, rect.height / 2)
