"""Title bar of a frame: its size, its texts, and its close button."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gradviz.drawing.drawn import DrawnFrame
from gradviz.drawing.placed import PlacedText, Rect
from gradviz.drawing.style import BASELINE, Measure, TextStyle

MARGIN = 12.0
"""Space between a frame and its contents."""

HEIGHT, SIGN, GAP = 22.0, 12.0, 8.0
"""Height of a title bar, side of the close button, and gap between the bar's parts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameFace:
    """Title bar geometry, in points from the frame's upper left corner.

    Attributes:
        width: Minimum width of the frame.
        height: Height of the bar.
        sign: Rectangle of the button that closes the group.
        texts: Lines of text, title first.
    """

    width: float
    height: float
    sign: Rect
    texts: tuple[PlacedText, ...]


def frame_face(frame: DrawnFrame, measure: Measure) -> FrameFace:
    """Measure one title bar and place its contents."""
    sign = Rect(x=GAP, y=(HEIGHT - SIGN) / 2 + 1, width=SIGN, height=SIGN)
    x = sign.x + sign.width + GAP
    texts: list[PlacedText] = []
    wanted: tuple[tuple[str, TextStyle], ...] = ((frame.title, "label"), (frame.line, "line"))
    for text, style in wanted:
        if not text:
            continue
        width, height = measure(text, style)
        # Both texts share the title's baseline.
        baseline = sign.y + sign.height / 2 + (BASELINE - 0.5) * height
        baseline = texts[0].baseline if texts else baseline
        texts.append(
            PlacedText(text=text, style=style, x=x, baseline=baseline, centred=False, width=width)
        )
        x += width + GAP
    return FrameFace(width=math.ceil(x), height=HEIGHT, sign=sign, texts=tuple(texts))
