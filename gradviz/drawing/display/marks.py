"""Marks that the window puts on cards and lines: memory, differences, breakpoints, the place."""

from __future__ import annotations

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.appearance.text_styles import Measure
from gradviz.drawing.display.parts import (
    Mark,
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


def storage_mark(
    letters: str,
    box: Rect,
    measure: Measure,
    *,
    is_round: bool = False,
    is_highlighted: bool = False,
) -> Mark:
    """The letters of shared memory, at the lower left corner of a card.

    Args:
        letters: The text.
        box: The card.
        measure: Measures the text.
        is_round: Whether the card has round ends, where its text is closer to the lower corners.
        is_highlighted: Whether this memory is pointed at.
    """
    text_width = measure(letters, "mark")[0]
    width = max(STORAGE_HEIGHT, text_width + 2 * _STORAGE_PAD)
    y = box.bottom - STORAGE_HEIGHT + (_ROUND_LOWERED if is_round else _STORAGE_LOWERED)
    rect = Rect(x=box.x + INSET, y=y, width=width, height=STORAGE_HEIGHT)
    pen = Pen("focus", 2) if is_highlighted else Pen("border_strong")
    ground = Shape(_pill(rect), "accent_soft" if is_highlighted else "raised", pen)
    ink: PaletteRole = "accent" if is_highlighted else "text_muted"
    left, baseline = rect.center[0] - text_width / 2, middle_baseline(rect, "mark", measure)
    return Mark(rect, (ground, TextRun(letters, left, baseline, "mark", ink)))


DIFFERENCE_HEIGHT = 16.0
_DIFFERENCE_SIGN, _DIFFERENCE_PAD, _DIFFERENCE_LOWERED = 8.0, 5.0, 11.0


def difference_mark(word: str, box: Rect, measure: Measure) -> Mark:
    """A difference from the compared run, at the lower right corner of a card: sign and word."""
    width = measure(word, "mark")[0] + _DIFFERENCE_SIGN + 3 * _DIFFERENCE_PAD
    y = box.bottom - DIFFERENCE_HEIGHT + _DIFFERENCE_LOWERED
    rect = Rect(x=box.right - INSET - width, y=y, width=width, height=DIFFERENCE_HEIGHT)
    sign = _not_equal(
        (rect.x + _DIFFERENCE_PAD + _DIFFERENCE_SIGN / 2, rect.center[1]), _DIFFERENCE_SIGN
    )
    left = rect.x + 2 * _DIFFERENCE_PAD + _DIFFERENCE_SIGN
    text = TextRun(word, left, middle_baseline(rect, "mark", measure), "mark", "warning")
    return Mark(rect, (_warned(rect), *sign, text))


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


def breakpoint_mark(box: Rect, radius: float = BREAKPOINT_RADIUS, *, enabled: bool = True) -> Mark:
    """A disc at the left edge of a card, outlined in the background's color; a ring if disabled."""
    middle = box.x - BREAKPOINT_OUT, box.center[1]
    disc = circle(middle, radius)
    shape = Shape(disc, "breakpoint", Pen("canvas", radius * 0.35))
    hole = Shape(circle(middle, radius * 0.5), "canvas")
    return Mark(disc.rect, (shape,) if enabled else (shape, hole))


LOCATION_HEIGHT, LOCATION_PAD = 16.0, 6.0
_LOWERED, _BRIEF_LOWERED = 8.0, 5.0


def location_mark(text: str, box: Rect, measure: Measure, *, brief: bool) -> Mark:
    """The position inside a node, at the lower edge of its card.

    Args:
        text: A few words.
        box: The card.
        measure: Measures the text.
        brief: Whether lines are close to the card, which has room for the mark instead.
    """
    width = measure(text, "mark")[0] + 2 * LOCATION_PAD
    inset = min(INSET, (box.width - width) / 2)
    y = box.bottom - LOCATION_HEIGHT + (_BRIEF_LOWERED if brief else _LOWERED)
    rect = Rect(x=box.right - inset - width, y=y, width=width, height=LOCATION_HEIGHT)
    ground = Shape(_pill(rect), "panel", Pen("status_now", 1.4))
    baseline = middle_baseline(rect, "mark", measure)
    return Mark(
        rect, (ground, TextRun(text, rect.x + LOCATION_PAD, baseline, "mark", "status_now"))
    )


def _pill(rect: Rect) -> RoundedRect:
    return RoundedRect(rect, rect.height / 2)
