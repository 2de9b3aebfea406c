"""Recorded values in a picture: numbers, matrices, decks of sheets, and places for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from msgspec import structs

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import number_text
from gradviz.catalogue.visible_text import visible_text
from gradviz.drawing.appearance.color_map import own_color_limit
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.cells.cell_numbers import drawing_font
from gradviz.drawing.cells.thumbnail import MOST_CELLS, NUMBER_SIZE, thumbnail_of
from gradviz.drawing.display.parts import Pen, RoundedRect, Shape, ValuePlane
from gradviz.drawing.geometry.rect import Rect
from gradviz.model.item import Item, object_item
from gradviz.model.step import NodeStep
from gradviz.model.tensor import TensorValue, is_integral
from gradviz.story.blocks import Block, column, row, text_block, wrapped
from gradviz.story.frame import MAIN_NUMBER, Drawn, at
from gradviz.text.phrases import record_shape_text

LABEL = 24.0
"""Size of a value's name."""

_SCALE = MAIN_NUMBER / NUMBER_SIZE
_FRAME, _GAP = 6.0, 8.0
_BEHIND = 18.0, 42.0
"""How far each sheet of a deck is to the right of the one before it, and at least above it."""
_MOST_WIDE, _MOST_HIGH = 260.0, 110.0
"""Largest size of a matrix before its scale: larger ones have smaller cells."""
_MOST_NUMBERED, _MOST_COLORED = 640.0, 300.0
"""Longer side of a matrix with numbers, and of one whose cells are only colored."""

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
        is_partial: Whether the trace has some of its elements only, or none.
        limit: Colors go from ``-limit`` to ``limit``; None for its own scale.
        source: Key of the object that its sheets come out of and go into; empty for none.
        label: Size of its name.
    """

    item: Item
    shape: str
    value: TensorValue | None
    ink: PaletteRole
    is_partial: bool = False
    limit: float | None = None
    source: str = ""
    label: float = LABEL

    @property
    def scale(self) -> float:
        """End of its color scale."""
        if self.limit is not None:
            return self.limit
        return 0.0 if self.value is None else own_color_limit(self.value.array())

    @property
    def facts(self) -> str:
        """Its shape, and what a picture of it leaves out."""
        parts = [self.shape]
        if self.is_partial:
            parts.append(say("story.not_kept"))
        shape = () if self.value is None else self.value.shape
        if self.sheets > MOST_SHEETS:
            parts.append(say("story.first_sheets", count=MOST_SHEETS, total=self.sheets))
        if any(size > MOST_CELLS for size in shape[-2:]):
            parts.append(say("story.sampled"))
        return " · ".join(filter(None, parts))

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
    return ShownValue(item=item, shape=shape, value=value, ink=ink, is_partial=value is None)


def summed_key(index: TraceIndex, number: int, tensor: int | None) -> str:
    """Key of the matrix to which the engine sums what a step returned; empty if it does not."""
    step = step_at(index, number)
    if not isinstance(step, NodeStep) or tensor is None:
        return ""
    for each in step.passed:
        is_summed = each.argument is not None and each.change.startswith("reduced")
        if is_summed and step.returned[each.argument or 0].tensor == tensor:
            return f"v{each.item.tensor}:0"
    return ""


def share_scale(values: Sequence[ShownValue]) -> list[ShownValue]:
    """The same values on one color scale, and integers on another one."""
    limits: dict[bool, float] = {}
    kinds = [each.value is not None and is_integral(each.value.dtype) for each in values]
    for each, kind in zip(values, kinds, strict=True):
        limits[kind] = max(each.scale, limits.get(kind, 0.0))
    return [replace(each, limit=limits[kind]) for each, kind in zip(values, kinds, strict=True)]


def value_block(shown: ShownValue) -> Block:
    """A value as it is: a number, a matrix, or a deck of sheets with the first one in front."""
    if shown.value is None:
        text = say("page.none") if shown.item.kind == "none" else visible_text(shown.item.text)
        return _named(shown, _number(shown, text or shown.shape))
    if not shown.value.shape:
        return _named(shown, _number(shown, number_text(shown.value.array()[()])))
    if not shown.value.data:
        return _named(shown, _number(shown, "[ ]"))
    return _named(shown, _deck(shown))


def slices_block(shown: ShownValue, room: tuple[float, float], sign: str = "") -> Block:
    """The sheets of a value beside each other, with a sign between them."""
    if shown.value is None or not shown.value.shape or not shown.value.data:
        return value_block(shown)
    blocks: list[Block] = []
    for number in range(min(shown.sheets, MOST_SHEETS)):
        if blocks and sign:
            key = f"{shown.key}:sign{number}"
            blocks.append(text_block(sign, MAIN_NUMBER, key=key, style="title", ink=shown.ink))
        blocks.append(_sheet(shown, number))
    return _named(shown, wrapped(blocks, 14, room))


def empty_block(shown: ShownValue) -> Block:
    """The place of a value that is not known yet: its name and shape, without elements."""
    # Its size must not tell how long its numbers are.
    zeros = shown.value and structs.replace(shown.value, data=bytes(len(shown.value.data)))
    known = value_block(replace(shown, value=zeros, item=object_item(shown.item.name, "?")))
    frame = Rect(x=0, y=0, width=max(known.width, 90), height=2 * known.middle)
    pen = Pen("text_muted", 2.0, (8.0, 6.0))
    place = Drawn(key=f"{shown.key}:place", parts=(Shape(RoundedRect(frame, 8), None, pen),))
    return _named(
        shown,
        Block(width=frame.width, height=frame.height, drawn=(place,), middle=frame.height / 2),
    )


def _number(shown: ShownValue, text: str) -> Block:
    block = text_block(text, MAIN_NUMBER * 1.2, key=shown.key, style="title")
    (drawn,) = block.drawn
    if shown.value is None or shown.value.shape:
        return block
    return replace(block, drawn=(replace(drawn, tensor=shown.item.tensor),))


def _named(shown: ShownValue, block: Block) -> Block:
    """A block above the name and shape of its value."""
    texts = []
    if shown.name:
        texts.append(text_block(shown.name, shown.label, key=f"{shown.key}:name", style="label"))
    if shown.facts:
        key = f"{shown.key}:shape"
        texts.append(text_block(shown.facts, shown.label, key=key, ink="text_muted"))
    if not texts:
        return block
    both = column((block, row(texts, 10)), _GAP)
    return replace(both, middle=block.middle)


def _deck(shown: ShownValue) -> Block:
    """Sheets one behind the other, so that the first row of each can be read."""
    count = min(shown.sheets, MOST_SHEETS)
    if count == 1:
        return _sheet(shown, 0)
    sheets = [_sheet(shown, number) for number in range(count)]
    first = sheets[0]
    across, up = _BEHIND
    # A number that is half covered would read as another one.
    up = max(up, cell_rect(shown, (0, 0)).bottom + _FRAME)
    width, height = first.width + (count - 1) * across, first.height + (count - 1) * up
    drawn: list[Drawn] = []
    for number in reversed(range(count)):
        place = number * across, (count - 1 - number) * up
        drawn += at(place, sheets[number].drawn)
    return Block(width=width, height=height, drawn=tuple(drawn), middle=height / 2)


@dataclass(frozen=True, slots=True)
class _SheetSize:
    """Size of each sheet of a value in units of its cells, and its scale."""

    width: float
    height: float
    scale: float


def _sheet(shown: ShownValue, number: int) -> Block:
    """One matrix of a value in its frame."""
    assert shown.value is not None
    size = _sheet_size(shown)
    edge = _FRAME / size.scale
    box = Rect(x=edge, y=edge, width=size.width, height=size.height)
    pen = Pen(shown.ink, 2 / size.scale)
    around = Shape(RoundedRect(box.grown(edge / 2), 6 / size.scale), "canvas", pen)
    sheet = sheet_value(shown.value, number)
    first = number * int(np.prod(sheet.shape))
    part = ValuePlane(sheet, box, shown.scale, shown.item.tensor, first)
    key = f"{shown.key}:{number}"
    drawn = Drawn(key=key, parts=(around, part), scale=size.scale, source=shown.source)
    high = size.height * size.scale + 2 * _FRAME
    wide = size.width * size.scale + 2 * _FRAME
    return Block(width=wide, height=high, drawn=(drawn,), middle=high / 2)


def _sheet_size(shown: ShownValue) -> _SheetSize:
    """The size of each sheet, in which the numbers of all fit, if there are not too many."""
    assert shown.value is not None
    numbers = range(min(shown.sheets, MOST_SHEETS))
    pictures = [
        thumbnail_of(sheet_value(shown.value, number), drawing_font(), shown.scale)
        for number in numbers
    ]
    sizes = [each.size((_MOST_WIDE, _MOST_HIGH)) for each in pictures]
    width, height = max(wide for wide, _ in sizes), max(high for _, high in sizes)
    rows, columns = pictures[0].cells.shape
    written = pictures[0].numbers
    has_numbers = written is not None and written.fit(width / columns, height / rows)
    most = _MOST_NUMBERED if has_numbers else _MOST_COLORED
    return _SheetSize(width, height, min(_SCALE, most / max(width, height)))


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
    size = _sheet_size(shown)
    rows, columns = (1, 1, *shown.value.shape)[-2:]
    line, place = (0, *element)[-2:] if element else (0, 0)
    wide, high = size.width * size.scale / columns, size.height * size.scale / rows
    return Rect(x=_FRAME + place * wide, y=_FRAME + line * high, width=wide, height=high)
