"""Recorded values in a picture: numbers, matrices, decks of sheets, and places for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import number_text
from gradviz.catalogue.visible_text import visible_text
from gradviz.drawing.appearance.color_map import own_color_limit
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.cells.cell_numbers import drawing_font
from gradviz.drawing.cells.thumbnail import NUMBER_SIZE, thumbnail_of
from gradviz.drawing.display.parts import Pen, RoundedRect, Shape
from gradviz.drawing.geometry.rect import Rect
from gradviz.model.item import Item
from gradviz.model.tensor import TensorValue
from gradviz.story.blocks import Block, column, row, text_block
from gradviz.story.frame import MAIN_NUMBER, Drawn, ValuePlane, at
from gradviz.text.phrases import record_shape_text

LABEL = 24.0
"""Size of a value's name."""

_SCALE = MAIN_NUMBER / NUMBER_SIZE
_FRAME, _GAP = 6.0, 8.0
_BEHIND = 34.0, 42.0
"""How far each sheet of a deck is to the right of the one before it, and above it."""
_MOST_WIDE, _MOST_HIGH = 260.0, 110.0
"""Largest size of a matrix before its scale: larger ones have smaller cells."""

MOST_SHEETS = 8
"""A deck of more sheets shows the first ones, and says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownValue:
    """A value of a run that a picture shows.

    Attributes:
        item: The value.
        shape: Its shape, as it is written; empty for what is no tensor.
        value: Its elements; None if they were not kept.
        ink: Color of its frame: what it is in the story.
    """

    item: Item
    shape: str
    value: TensorValue | None
    ink: PaletteRole

    @property
    def key(self) -> str:
        """Names it in all pictures of a run."""
        return f"v{self.item.tensor}" if self.item.tensor is not None else f"i{self.item.name}"

    @property
    def name(self) -> str:
        """Its name."""
        return visible_text(self.item.name)

    @property
    def sheets(self) -> int:
        """Number of matrices that it consists of."""
        shape = () if self.value is None else self.value.shape
        return int(np.prod(shape[:-2])) if len(shape) > 2 else 1


def shown_value(index: TraceIndex, item: Item, ink: PaletteRole = "border_strong") -> ShownValue:
    """Read a value of a run."""
    if item.tensor is None:
        return ShownValue(item=item, shape="", value=None, ink=ink)
    record = index.tensor[item.tensor]
    value = index.value(item.tensor) if record.content == "whole" else None
    shape = record_shape_text(record) if record.shape else ""
    return ShownValue(item=item, shape=shape, value=value, ink=ink)


def value_block(shown: ShownValue) -> Block:
    """A value as it is: a number, a matrix, or a deck of sheets with the first one in front."""
    if shown.value is None:
        text = say("page.none") if shown.item.kind == "none" else visible_text(shown.item.text)
        return _named(shown, _number(shown, text or shown.shape))
    if not shown.value.shape:
        return _named(shown, _number(shown, number_text(shown.value.array()[()])))
    return _named(shown, _deck(shown))


def slices_block(shown: ShownValue, sign: str = "") -> Block:
    """The sheets of a value beside each other, with a sign between them."""
    blocks: list[Block] = []
    for number in range(min(shown.sheets, MOST_SHEETS)):
        if blocks and sign:
            key = f"{shown.key}:sign{number}"
            blocks.append(text_block(sign, MAIN_NUMBER, key=key, style="title", ink=shown.ink))
        blocks.append(_sheet(shown, number))
    return _named(shown, row(blocks, 14))


def empty_block(shown: ShownValue) -> Block:
    """The place of a value that is not known yet: its name and shape, without elements."""
    known = value_block(shown)
    frame = Rect(x=0, y=0, width=max(known.width, 90), height=2 * known.middle)
    pen = Pen("text_muted", 2.0, (8.0, 6.0))
    place = Drawn(key=f"{shown.key}:place", parts=(Shape(RoundedRect(frame, 8), None, pen),))
    return _named(
        shown,
        Block(width=frame.width, height=frame.height, drawn=(place,), middle=frame.height / 2),
    )


def _number(shown: ShownValue, text: str) -> Block:
    return text_block(text, MAIN_NUMBER * 1.2, key=shown.key, style="title")


def _named(shown: ShownValue, block: Block) -> Block:
    """A block above the name and shape of its value."""
    texts = []
    if shown.name:
        texts.append(text_block(shown.name, LABEL, key=f"{shown.key}:name", style="label"))
    if shown.shape:
        key = f"{shown.key}:shape"
        texts.append(text_block(shown.shape, LABEL, key=key, ink="text_muted"))
    if not texts:
        return block
    both = column((block, row(texts, 10)), _GAP)
    return Block(width=both.width, height=both.height, drawn=both.drawn, middle=block.middle)


def _deck(shown: ShownValue) -> Block:
    """Sheets one behind the other, so that the first row of each can be read."""
    count = min(shown.sheets, MOST_SHEETS)
    if count == 1:
        return _sheet(shown, 0)
    across, up = _BEHIND
    sheets = [_sheet(shown, number) for number in range(count)]
    first = sheets[0]
    width, height = first.width + (count - 1) * across, first.height + (count - 1) * up
    drawn: list[Drawn] = []
    for number in reversed(range(count)):
        place = number * across, (count - 1 - number) * up
        drawn += at(place, sheets[number].drawn)
    return Block(width=width, height=height, drawn=tuple(drawn), middle=height / 2)


def _sheet(shown: ShownValue, number: int) -> Block:
    """One matrix of a value in its frame."""
    assert shown.value is not None
    limit = own_color_limit(shown.value.array())
    width, height = _sheet_size(shown)
    edge = _FRAME / _SCALE
    box = Rect(x=edge, y=edge, width=width, height=height)
    around = Shape(RoundedRect(box.grown(edge / 2), 1.5), "canvas", Pen(shown.ink, 2 / _SCALE))
    part = ValuePlane(sheet_value(shown.value, number), box, limit)
    drawn = Drawn(key=f"{shown.key}:{number}", parts=(around, part), scale=_SCALE)
    high = (height + 2 * edge) * _SCALE
    return Block(width=(width + 2 * edge) * _SCALE, height=high, drawn=(drawn,), middle=high / 2)


def _sheet_size(shown: ShownValue) -> tuple[float, float]:
    """Width and height of each sheet of a value, in which the numbers of all fit."""
    assert shown.value is not None
    limit = own_color_limit(shown.value.array())
    sizes = [
        thumbnail_of(sheet_value(shown.value, number), drawing_font(), limit).size(
            (_MOST_WIDE, _MOST_HIGH)
        )
        for number in range(min(shown.sheets, MOST_SHEETS))
    ]
    return max(width for width, _ in sizes), max(height for _, height in sizes)


def sheet_value(value: TensorValue, number: int) -> TensorValue:
    """One of the matrices that a tensor of more than two dimensions consists of."""
    if len(value.shape) <= 2:
        return value
    shape = value.shape[-2:]
    size = len(value.data) // max(1, int(np.prod(value.shape[:-2])))
    data = value.data[number * size : (number + 1) * size]
    return TensorValue(dtype=value.dtype, shape=shape, data=data)


def cell_rect(shown: ShownValue, element: Sequence[int]) -> Rect:
    """Where an element is in its sheet, in the units of the sheet's block."""
    assert shown.value is not None
    width, height = _sheet_size(shown)
    rows, columns = (1, 1, *shown.value.shape)[-2:]
    line, place = (0, *element)[-2:] if element else (0, 0)
    wide, high = width * _SCALE / columns, height * _SCALE / rows
    return Rect(x=_FRAME + place * wide, y=_FRAME + line * high, width=wide, height=high)
