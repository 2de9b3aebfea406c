"""The title bar of a frame: its room, its texts, and the sign that closes it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gradviz.drawing.drawn import DrawnFrame
from gradviz.drawing.placed import PlacedText, Rect
from gradviz.drawing.style import BASELINE, Measure, TextStyle

MARGIN = 12.0
"""Between a frame and what is in it."""

HEIGHT, SIGN, GAP = 22.0, 12.0, 8.0
"""Height of a title bar, side of the sign, and space between the parts of the bar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameFace:
    """A title bar; everything in points from the frame's upper left corner.

    Attributes:
        width: Least width of the frame.
        height: Of the bar.
        sign: Room for the sign that closes the group.
        texts: Title first.
    """

    width: float
    height: float
    sign: Rect
    texts: tuple[PlacedText, ...]


def frame_face(frame: DrawnFrame, measure: Measure) -> FrameFace:
    """Sets one title bar."""
    sign = Rect(x=GAP, y=(HEIGHT - SIGN) / 2 + 1, width=SIGN, height=SIGN)
    x = sign.x + sign.width + GAP
    texts: list[PlacedText] = []
    wanted: tuple[tuple[str, TextStyle], ...] = ((frame.title, "label"), (frame.line, "line"))
    for text, style in wanted:
        if not text:
            continue
        width, height = measure(text, style)
        # Both on one baseline, the title's.
        baseline = sign.y + sign.height / 2 + (BASELINE - 0.5) * height
        baseline = texts[0].baseline if texts else baseline
        texts.append(
            PlacedText(text=text, style=style, x=x, baseline=baseline, centred=False, width=width)
        )
        x += width + GAP
    return FrameFace(width=math.ceil(x), height=HEIGHT, sign=sign, texts=tuple(texts))
