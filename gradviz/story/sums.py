"""How one element was computed: the elements come out of their matrices into a line of terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradviz.analysis.arithmetic.element_arithmetic import Arithmetic
from gradviz.analysis.arithmetic.expression import operands
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.appearance.text_styles import FONTS
from gradviz.drawing.display.parts import Pen, RoundedRect, Shape
from gradviz.drawing.geometry.rect import Rect
from gradviz.model.item import tensor_item
from gradviz.story.blocks import LEADING, Block, column, text_block, wrapped
from gradviz.story.frame import MAIN_NUMBER, Drawn, at
from gradviz.story.values import (
    LABEL,
    ShownValue,
    cell_rect,
    share_scale,
    shown_value,
    slices_block,
    summed_key,
)
from gradviz.text.arithmetic import ArithmeticText, arithmetic_text

RING: PaletteRole = "text"
"""Color of the ring around an element that takes part."""

_MOST_MATRICES, _LINE_GAP = 4, 30.0

_NUMBER = MAIN_NUMBER / FONTS["title"].size
"""Scale of the terms of a sum."""


def sum_block(
    index: TraceIndex,
    arithmetic: Arithmetic,
    step: int,
    room: tuple[float, float],
    label: float = LABEL,
) -> Block:
    """The matrices that take part, with rings around the elements, above the line of terms.

    Args:
        index: The trace.
        arithmetic: How an element was computed.
        step: Number of the step.
        room: Width and height that there is.
        label: Size of the names of the matrices.
    """
    taking_part = (arithmetic.result, *operands(arithmetic.expression))
    names = {each.tensor: each.name for each in taking_part if each.name}
    marks: dict[int, list[tuple[int, ...]]] = {}
    for mark in arithmetic.marks:
        if mark.tensor in names:
            marks.setdefault(mark.tensor, []).append(mark.element)
    # The result comes first among the marks, and last in the line.
    result, *others = marks
    tensors = (*others[:_MOST_MATRICES], result)
    values = [shown_value(index, tensor_item(names[each], each), "backward") for each in tensors]
    matrices = []
    for tensor, shown in zip(tensors, share_scale(values), strict=True):
        source = summed_key(index, step, tensor)
        shown = replace(shown, source=source, label=label)
        matrices.append(ringed_block(shown, marks[tensor], room))
    above = wrapped(matrices, 44, room)
    # High matrices make the picture smaller, so that a line has space for more terms.
    smaller = max(1.0, (above.height + _LINE_GAP + MAIN_NUMBER * LEADING) / room[1])
    text = arithmetic_text(index, arithmetic, step)
    line = _line(arithmetic, text, (room[0] * smaller, room[1]))
    return column((above, line), _LINE_GAP)


def ringed_block(
    shown: ShownValue, elements: Sequence[Sequence[int]], room: tuple[float, float]
) -> Block:
    """A value with rings around some of its elements."""
    block = slices_block(shown, room)
    if shown.value is None or not shown.value.shape:
        return block
    sheets = {each.key: each for each in block.drawn}
    rings: list[Drawn] = []
    for element in elements:
        number = _sheet_of(shown.value.shape, element)
        sheet = sheets.get(f"{shown.key}:{number}")
        if sheet is None:
            continue
        rect = cell_rect(shown, element).grown(-1)
        inner = Rect(x=0, y=0, width=rect.width / _NUMBER, height=rect.height / _NUMBER)
        shape = Shape(RoundedRect(inner, 5 / _NUMBER), None, Pen(RING, 3.0 / _NUMBER))
        key = f"ring:{shown.key}:{tuple(element)}"
        place = sheet.x + rect.x, sheet.y + rect.y
        # As large as the number that comes out of it.
        rings += at(place, [Drawn(key=key, parts=(shape,))], _NUMBER)
    return replace(block, drawn=(*block.drawn, *rings))


def _sheet_of(shape: tuple[int, ...], element: Sequence[int]) -> int:
    """Number of the sheet that an element is in."""
    number = 0
    for size, place in zip(shape[:-2], element[:-2], strict=False):
        number = number * size + place
    return number


def _line(arithmetic: Arithmetic, text: ArithmeticText, room: tuple[float, float]) -> Block:
    """The terms and the result; each comes out of the ring of its element."""
    blocks = [text_block(f"{text.name} = ", MAIN_NUMBER, key="sum:name", ink="text_muted")]
    sources = {
        # A number of its own has no ring.
        mark.term: f"ring:v{mark.tensor}:{mark.element}" if mark.element else f"v{mark.tensor}"
        for mark in reversed(arithmetic.marks)
    }
    for number, piece in enumerate(text.pieces):
        ink: PaletteRole = "backward" if piece.result else "text"
        source = sources.get(piece.term, "") if piece.term else ""
        key = f"sum:{number}"
        block = text_block(piece.text, MAIN_NUMBER, key=key, style="title", ink=ink, source=source)
        blocks.append(block)
    return wrapped(blocks, 8, room)
