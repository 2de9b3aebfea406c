"""Where the elements of recorded tensors are in a picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.appearance.text_styles import FONTS
from gradviz.drawing.cells.thumbnail import MOST_CELLS
from gradviz.drawing.display.parts import TextRun, ValuePlane
from gradviz.drawing.geometry.rect import Rect
from gradviz.story.frame import Drawn, Frame


@dataclass(frozen=True, slots=True)
class FrameElement:
    """An element in a picture.

    Attributes:
        tensor: Number of the tensor.
        position: Row-major position of the element.
        rect: Where it is.
    """

    tensor: int
    position: int
    rect: Rect


def frame_elements(frame: Frame) -> Iterator[FrameElement]:
    """The elements in a picture that have a place each, in the order in which they are drawn."""
    for drawn in frame.drawn:
        for part in drawn.parts:
            if isinstance(part, ValuePlane) and part.tensor is not None:
                yield from _in_plane(drawn, part, part.tensor)
            elif isinstance(part, TextRun) and drawn.tensor is not None:
                width, height = font_measure()(part.text, part.style)
                top = part.baseline - FONTS[part.style].size
                area = Rect(x=part.x, y=top, width=width, height=height)
                yield FrameElement(drawn.tensor, drawn.position, _placed(drawn, area))


def _in_plane(drawn: Drawn, part: ValuePlane, tensor: int) -> Iterator[FrameElement]:
    shape = part.value.shape
    rows, columns = (1, 1, *shape)[-2:]
    # Of others, several elements share a cell, or only one sheet is drawn.
    if len(shape) > 2 or max(rows, columns) > MOST_CELLS:
        return
    wide, high = part.rect.width / max(1, columns), part.rect.height / max(1, rows)
    for row, column in np.ndindex(rows, columns):
        x, y = part.rect.x + column * wide, part.rect.y + row * high
        area = Rect(x=x, y=y, width=wide, height=high)
        yield FrameElement(tensor, part.first + row * columns + column, _placed(drawn, area))


def _placed(drawn: Drawn, area: Rect) -> Rect:
    scale = drawn.scale
    return Rect(
        x=drawn.x + area.x * scale,
        y=drawn.y + area.y * scale,
        width=area.width * scale,
        height=area.height * scale,
    )
