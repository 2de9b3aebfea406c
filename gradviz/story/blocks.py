"""Blocks of a picture, which rows and columns arrange: texts, and anything with a size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, takewhile

from gradviz.catalogue.visible_text import visible_text
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.appearance.text_styles import BASELINE, FONTS, TextStyle
from gradviz.drawing.display.parts import FramePart, RoundedRect, TextRun, ValuePlane
from gradviz.drawing.geometry.rect import Point, Rect
from gradviz.story.frame import Drawn, at
from gradviz.text.line_breaks import wrap

LEADING = 1.3
"""Distance of two lines of a text, in font sizes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Objects with a size.

    Attributes:
        width: Width of all of it.
        height: Height of all of it.
        drawn: The objects, from the upper left corner on.
        middle: Where the middle of what it is about is, from the top: signs beside it stand there.
    """

    width: float
    height: float
    drawn: tuple[Drawn, ...]
    middle: float


def text_width(text: str, size: float, style: TextStyle = "line") -> float:
    """Width of a line of text."""
    return font_measure()(text, style)[0] * size / FONTS[style].size


def text_block(
    text: str,
    size: float,
    *,
    key: str,
    style: TextStyle = "line",
    ink: PaletteRole = "text",
    source: str = "",
) -> Block:
    """A line of text."""
    run = TextRun(text, 0, BASELINE * FONTS[style].size * LEADING, style, ink)
    drawn = Drawn(key=key, parts=(run,), scale=size / FONTS[style].size, source=source)
    height = size * LEADING
    width = text_width(text, size, style)
    return Block(width=width, height=height, drawn=(drawn,), middle=height / 2)


def paragraph(
    text: str,
    width: float,
    size: float,
    *,
    key: str,
    style: TextStyle = "line",
    ink: PaletteRole = "text",
) -> Block:
    """A text of several lines, none of which is cut; each line break begins a new paragraph."""
    lines = text_lines(text, width, size, style)
    blocks = [
        text_block(line, size, key=f"{key}:{number}", style=style, ink=ink)
        for number, line in enumerate(lines)
    ]
    return column(blocks, 0, align="left")


def text_lines(text: str, width: float, size: float, style: TextStyle = "line") -> list[str]:
    """Break a text into lines; a word that is wider than the width is broken, too."""

    def width_of(line: str) -> float:
        return text_width(line, size, style)

    lines = []
    for part in visible_text(text, lines=True).split("\n"):
        for line in wrap(part, width, width_of):
            # The rest may be very long, and is not measured for each of its lines.
            while (fitting := _fitting(line, width, width_of)) < len(line):
                lines.append(line[:fitting])
                line = line[fitting:]
            lines.append(line)
    return lines


def _fitting(line: str, width: float, width_of: Callable[[str], float]) -> int:
    """Number of characters that a width has room for, at least one."""
    ends = accumulate(map(width_of, line))
    # Sums in another order differ a little.
    return max(1, sum(1 for _ in takewhile(lambda end: end <= width + 1e-6, ends)))


def row(blocks: Sequence[Block], gap: float) -> Block:
    """Blocks beside each other, with their middles at one height."""
    above = max((each.middle for each in blocks), default=0.0)
    below = max((each.height - each.middle for each in blocks), default=0.0)
    x = 0.0
    drawn: list[Drawn] = []
    for each in blocks:
        drawn += at((x, above - each.middle), each.drawn)
        x += each.width + gap
    width = max(0.0, x - gap)
    return Block(width=width, height=above + below, drawn=tuple(drawn), middle=above)


def wrapped(blocks: Sequence[Block], gap: float, room: tuple[float, float]) -> Block:
    """A row, in as many lines as let it be largest in some room.

    Args:
        blocks: The blocks.
        gap: Between blocks, and between lines.
        room: Width and height of the room.
    """
    arrangements = [
        column([row(each, gap) for each in _lines(blocks, gap, count)], gap)
        for count in range(1, len(blocks) + 1)
    ]
    return max(arrangements, key=lambda each: min(room[0] / each.width, room[1] / each.height, 1.0))


def _lines(blocks: Sequence[Block], gap: float, count: int) -> list[list[Block]]:
    """Blocks in about as many lines, none of which is much wider than the others."""
    most = sum(each.width + gap for each in blocks) / count
    lines: list[list[Block]] = [[]]
    width = 0.0
    for each in blocks:
        if lines[-1] and width + each.width / 2 > most:
            lines.append([])
            width = 0.0
        lines[-1].append(each)
        width += each.width + gap
    return lines


def column(blocks: Sequence[Block], gap: float, *, align: str = "center") -> Block:
    """Blocks below each other."""
    width = max((each.width for each in blocks), default=0.0)
    y = 0.0
    drawn: list[Drawn] = []
    for each in blocks:
        x = (width - each.width) / 2 if align == "center" else 0.0
        drawn += at((x, y), each.drawn)
        y += each.height + gap
    height = max(0.0, y - gap)
    return Block(width=width, height=height, drawn=tuple(drawn), middle=height / 2)


def within(block: Block, area: Rect) -> Block:
    """A block, smaller if it is larger than an area."""
    if not block.width or not block.height:
        return block
    scale = min(area.width / block.width, area.height / block.height, 1.0)
    return Block(
        width=block.width * scale,
        height=block.height * scale,
        drawn=at((0, 0), block.drawn, scale),
        middle=block.middle * scale,
    )


def fitted(block: Block, area: Rect, most: float = 1.0) -> tuple[Drawn, ...]:
    """The objects of a block, as large as they fit, in the middle of an area.

    Args:
        block: The block.
        area: Where it is shown.
        most: The largest scale.
    """
    if not block.width or not block.height:
        return ()
    scale = min(area.width / block.width, area.height / block.height, most)
    x = area.x + (area.width - block.width * scale) / 2
    y = area.y + (area.height - block.height * scale) / 2
    return at((x, y), block.drawn, scale)


def bounds_of(drawn: Sequence[Drawn]) -> Rect:
    """The area that some objects cover."""
    points = [
        (each.x + x * each.scale, each.y + y * each.scale)
        for each in drawn
        for x, y in chain.from_iterable(map(_corners, each.parts))
    ] or [(0.0, 0.0)]
    x, y = min(x for x, _ in points), min(y for _, y in points)
    right, bottom = max(x for x, _ in points), max(y for _, y in points)
    return Rect(x=x, y=y, width=right - x, height=bottom - y)


def _corners(part: FramePart) -> Iterator[Point]:
    """Points that reach as far as a part."""
    if isinstance(part, TextRun):
        size = FONTS[part.style].size
        yield part.x, part.baseline - size * BASELINE
        yield part.x + text_width(part.text, size, part.style), part.baseline + size * 0.25
    elif isinstance(part, ValuePlane):
        yield from ((part.rect.x, part.rect.y), (part.rect.right, part.rect.bottom))
    elif isinstance(part.outline, RoundedRect):
        rect = part.outline.rect
        yield from ((rect.x, rect.y), (rect.right, rect.bottom))
    else:
        yield from chain.from_iterable(points for _, points in part.outline.commands)
