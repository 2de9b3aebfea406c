"""One layout of a plane of cells, as shapes that `QPainter` and SVG draw in the same way.

Color is never the only sign: a stroke shows a sign below zero where no number does, a wedge a value
beyond the scale, a frame, a cross or a triangle what is not finite, a corner or a bar beside the
cells what is wrong.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import product
from typing import get_args

import numpy as np

from gradviz.drawing.appearance.color_map import HeatValues, dark_ink_on, has_negative_color
from gradviz.drawing.appearance.palette import Paint, PaletteRole, PaletteTheme, color
from gradviz.drawing.cells.cell_grid import (
    CellAreas,
    CellGrid,
    CellLines,
    CellShape,
    CellTexts,
    CellTriangles,
    Segment,
    grown,
    widened,
)
from gradviz.drawing.cells.cell_marks import (
    NON_FINITE,
    CellIndices,
    CellMarks,
    NonFiniteRole,
    cells_where,
    non_finite_role,
)
from gradviz.drawing.cells.cell_numbers import CellNumbers
from gradviz.drawing.cells.cells import Cells
from gradviz.drawing.cells.tensor_axis import Separator, TensorAxis, separators
from gradviz.drawing.geometry.rect import Rect

BLACK, WHITE = "#000000", "#ffffff"

SMALLEST = 7.0
"""Smallest side of a mark, even in a smaller cell."""

STROKE_FROM = 7.0
"""Smallest side of a cell for a stroke; smaller cells are hatched instead."""

CORNER_FROM = 12.0
"""Smallest side of a cell for the corner of a wrong one; smaller ones have bars beside them."""

BESIDE = 8.0
"""Space that bars need beside the cells, at scale 1."""

NON_FINITE_TEXTS: dict[NonFiniteRole, str] = {
    "nan": "nan",
    "positive_infinity": "inf",
    "negative_infinity": "-inf",
}

_GAPS_FROM = 9.0
_WEDGE, _WEDGE_SPACING = 6.0, 26.0
_CORNER = 8.0
_HATCHED_FROM, _HATCH_STEP = (16.0, 12.0), 8.0

_LEAST_BLOCK = 24.0
"""Minimum size of a block that gets separators."""

_CELLS_IN_LINE = 6.0
"""Minimum size of a cell as a multiple of a separator's width."""

_SEPARATOR = "#3e4452"
"""Dark in every theme, since cells have similar colors in all of them."""

_ZERO_DOT = "#60646e"

_BAR_AWAY, _BAR, _LEAST_BAR = 2.0, 4.0, 2.0
"""Distance of a bar from the cells, its thickness, and its minimum length, at scale 1."""

_ROOMY = 26.0
"""Minimum side of a cell for an outline inside it; others are around it."""

_LEAST_OUTLINED = 8.0
"""Minimum size of what an outline encloses."""


def cell_shapes(
    cells: Cells,
    grid: CellGrid,
    paint: Paint,
    numbers: CellNumbers | None = None,
    *,
    ground: PaletteRole = "panel",
    axes: tuple[TensorAxis, TensorAxis] | None = None,
    wrong: CellMarks | None = None,
    scale: float = 1.0,
) -> Iterator[CellShape]:
    """Lay out the visible cells, from the lowest shape to the highest.

    Args:
        cells: The cells; at least one is visible.
        grid: Where they are.
        paint: Colors of the theme.
        numbers: The numbers of the visible cells; left out if they do not fit.
        ground: Color between cells.
        axes: Tensors along rows and columns, whose blocks are separated.
        wrong: Cells that get a corner if there is space.
        scale: Factor for the size of corners.
    """
    yield cells.image(grid, paint.theme)
    if grid.side >= _GAPS_FROM:
        yield CellLines(lines=list(_gaps(grid)), ink=paint(ground))
    written = numbers if numbers is not None and numbers.fit(grid.width, grid.height) else None
    if written is not None:
        yield from _texts(cells, grid, paint, written)
    else:
        yield from _signs(cells, grid, paint)
    if axes is not None:
        yield from _separators(grid, axes)
    yield from _non_finite(cells, grid, paint, written)
    yield from _wedges(cells, grid)
    if wrong is not None and grid.side >= CORNER_FROM:
        places = wrong.within(grid.rows, grid.columns).tolist()
        yield from corners([grid.rect(*place) for place in places], scale)


def _gaps(grid: CellGrid) -> Iterator[Segment]:
    """Lines between cells; in whole units on a screen, where others would be uneven."""
    box = grid.box
    for row in grid.rows[1:]:
        y = _sharp(grid, grid.rect(row, grid.columns.start).y)
        yield box.x, y, box.x + box.width, y
    for column in grid.columns[1:]:
        x = _sharp(grid, grid.rect(grid.rows.start, column).x)
        yield x, box.y, x, box.y + box.height


def _sharp(grid: CellGrid, place: float) -> float:
    return place if grid.pixels is None else float(round(place))


def _texts(cells: Cells, grid: CellGrid, paint: Paint, numbers: CellNumbers) -> Iterator[CellTexts]:
    heat = cells.visible(grid)
    dark = dark_ink_on(cells.colors.of(heat, paint.theme)).tolist()
    texts = [
        (
            grid.rect(grid.rows[row], grid.columns[column]),
            numbers.rows[row][column],
            BLACK if dark[row][column] else WHITE,
        )
        for row, column in cells_where(np.isfinite(heat)).tolist()
    ]
    yield CellTexts(texts=texts, size=numbers.size)


def _by_ink(
    cells: Cells, heat: HeatValues, places: CellIndices, paint: Paint
) -> Iterator[tuple[str, list[list[int]]]]:
    """Groups of cells with the ink that is readable on their colors.

    They are the same in every theme, so that a drawing has the same parts in all of them.
    """
    shown = heat[places[:, 0], places[:, 1]]
    dark = {theme: dark_ink_on(cells.colors.of(shown, theme)) for theme in get_args(PaletteTheme)}
    for light_ink, dark_ink in product((True, False), repeat=2):
        group = (dark["light"] == light_ink) & (dark["dark"] == dark_ink)
        if group.any():
            is_dark = light_ink if paint.theme == "light" else dark_ink
            yield BLACK if is_dark else WHITE, places[group].tolist()


def _signs(cells: Cells, grid: CellGrid, paint: Paint) -> Iterator[CellShape]:
    """A stroke, like a minus, in cells with a negative color, and a dot in highlighted zeros."""
    if cells.is_signed and grid.side < STROKE_FROM:
        hatch = cells.hatch(grid, paint.theme)
        if hatch is not None:
            yield hatch
    if grid.side < STROKE_FROM:
        return
    heat = cells.visible(grid)
    if cells.is_signed:
        below = cells_where(has_negative_color(heat, cells.colors.limit))
        reach, width = grid.side * 0.22, max(1.0, grid.side / 12)
        for ink, group in _by_ink(cells, heat, below, paint):
            lines = []
            for row, column in group:
                x, y = _middle(grid.rect(grid.rows[row], grid.columns[column]))
                lines.append((x - reach, y, x + reach, y))
            yield CellLines(lines=lines, ink=ink, width=width, opacity=0.67)
    if cells.colors.zeros:
        places = cells_where(heat == 0).tolist()
        middles = (_middle(grid.rect(grid.rows[at], grid.columns[to])) for at, to in places)
        dots = [Rect(x=x - 1, y=y - 1, width=2, height=2) for x, y in middles]
        yield CellAreas(boxes=dots, fill=_ZERO_DOT)


def _separators(grid: CellGrid, axes: tuple[TensorAxis, TensorAxis]) -> Iterator[CellLines]:
    """Lines between the blocks given by the tensors' shapes."""
    box = grid.box
    for line in separators(axes[0], grid.rows, grid.height, _LEAST_BLOCK):
        y = grid.rect(line.place, grid.columns.start).y
        yield _separator(line, grid.height, (box.x, y, box.x + box.width, y))
    for line in separators(axes[1], grid.columns, grid.width, _LEAST_BLOCK):
        x = grid.rect(grid.rows.start, line.place).x
        yield _separator(line, grid.width, (x, box.y, x, box.y + box.height))


def _separator(line: Separator, side: float, place: Segment) -> CellLines:
    # A thick one would hide small cells.
    width = max(1.0, min(line.weight, side / _CELLS_IN_LINE))
    return CellLines(lines=[place], ink=_SEPARATOR, width=width)


def _non_finite(
    cells: Cells, grid: CellGrid, paint: Paint, numbers: CellNumbers | None
) -> Iterator[CellShape]:
    """Mark NaN and infinities, which the color scale cannot show."""
    if not cells.non_finite.count:
        return
    blocks = SMALLEST / grid.height, SMALLEST / grid.width
    found: dict[NonFiniteRole, list[Rect]] = defaultdict(list)
    for row, column in cells.non_finite.within(grid.rows, grid.columns, blocks).tolist():
        role = non_finite_role(cells.heat[row, column])
        if role is not None:
            found[role].append(_at_least(grid.rect(row, column), SMALLEST, grid.box))
    for role in NON_FINITE:
        if found[role]:
            yield from mark_shapes(role, found[role], paint, numbers)


def mark_shapes(
    role: NonFiniteRole, boxes: list[Rect], paint: Paint, numbers: CellNumbers | None = None
) -> Iterator[CellShape]:
    """A mark in boxes of one size: a ground of its own, hatched, and its text or its shape.

    Args:
        role: What is marked.
        boxes: Where.
        paint: Colors of the theme.
        numbers: Numbers that its text stands among; None for a shape.
    """
    fill = paint(role)
    # The fill may be a variable, whose color is that of the theme.
    ink = ink_on(color(role, paint.theme))
    yield CellAreas(boxes=boxes, fill=fill)
    size = boxes[0].width, boxes[0].height
    if size[0] >= _HATCHED_FROM[0] and size[1] >= _HATCHED_FROM[1]:
        lines = [line for box in boxes for line in _slanted(box)]
        yield CellLines(lines=lines, ink=ink, opacity=0.4)
    if numbers is None:
        yield from _mark_symbols(role, boxes, ink)
        return
    text = NON_FINITE_TEXTS[role]
    # A plain ground for the text; the hatch around it is the sign that is not a color.
    plate = min(0.62 * numbers.size * len(text) + 4, size[0]), min(numbers.height, size[1])
    plates = [widened(box, (plate[0] - size[0]) / 2, (plate[1] - size[1]) / 2) for box in boxes]
    yield CellAreas(boxes=plates, fill=fill)
    yield CellTexts(texts=[(box, text, ink) for box in boxes], size=numbers.size)


def _mark_symbols(role: NonFiniteRole, boxes: list[Rect], ink: str) -> Iterator[CellShape]:
    side = max(3.0, min(boxes[0].width, boxes[0].height) * 0.6)
    half, middles = side / 2, [_middle(box) for box in boxes]
    if role == "nan":
        falling = [(x - half, y - half, x + half, y + half) for x, y in middles]
        rising = [(x - half, y + half, x + half, y - half) for x, y in middles]
        yield CellLines(lines=falling + rising, ink=ink, width=max(1.0, side / 6))
        return
    tip = -half if role == "positive_infinity" else half
    corners = [((x - half, y - tip), (x + half, y - tip), (x, y + tip)) for x, y in middles]
    yield CellTriangles(corners=corners, fill=ink)


def _slanted(box: Rect) -> Iterator[Segment]:
    """Rising lines through a box, which meet those of the boxes beside it."""
    right, bottom = box.x + box.width, box.y + box.height
    total = math.floor((box.x + box.y) / _HATCH_STEP + 1) * _HATCH_STEP
    while total < right + bottom:
        left, end = max(box.x, total - bottom), min(right, total - box.y)
        yield left, total - left, end, total - end
        total += _HATCH_STEP


def _wedges(cells: Cells, grid: CellGrid) -> Iterator[CellTriangles]:
    """A wedge in a corner of each cell beyond the scale: at the top above it, else below."""
    if not cells.clipped.count:
        return
    # If every tiny cell had its own wedge, the wedges would hide the colors.
    spacing = SMALLEST if grid.side >= STROKE_FROM else _WEDGE_SPACING
    blocks = spacing / grid.height, spacing / grid.width
    found = []
    for row, column in cells.clipped.within(grid.rows, grid.columns, blocks).tolist():
        box, is_above = grid.rect(row, column), cells.heat[row, column] > 0
        side = min(_WEDGE, max(box.width, 4.0), max(box.height, 4.0))
        x, down = box.x + box.width - 0.5, side if is_above else -side
        y = box.y + 0.5 if is_above else box.y + box.height - 0.5
        found.append(((x, y), (x - side, y), (x, y + down)))
    if found:
        yield CellTriangles(corners=found, fill=BLACK, edge=WHITE)


def corners(boxes: Iterable[Rect], scale: float = 1.0) -> list[CellTriangles]:
    """A corner at the upper right of wrong cells; larger at a larger scale, if it fits."""
    found = []
    for box in boxes:
        x, y = box.x + box.width - 1, box.y + 1
        side = min(_CORNER * scale, max(box.height / 4, min(_CORNER, box.height / 2)))
        found.append(((x, y), (x - side, y), (x, y + side)))
    return [CellTriangles(corners=found, fill=BLACK, edge=WHITE)] if found else []


def bars(grid: CellGrid, wrong: CellMarks, ink: str, area: Rect, scale: float = 1.0) -> CellAreas:
    """Bars beside rows and above columns of wrong cells that are too small for corners.

    Args:
        grid: Where the cells are.
        wrong: The wrong cells.
        ink: Color of the bars.
        area: Where the visible cells are; the bars are on its right and above it.
        scale: Factor for the distance and the thickness of the bars.
    """
    if grid.side >= CORNER_FROM or not grid.rows or not grid.columns:
        return CellAreas(boxes=(), fill=ink)
    rows, columns = (max(1, math.ceil(_LEAST_BAR / each)) for each in (grid.height, grid.width))
    marked = wrong.within(grid.rows, grid.columns, (rows, columns))
    away, thick = _BAR_AWAY * scale, _BAR * scale
    right, bottom = area.x + area.width, area.y + area.height
    boxes = []
    for row in (np.unique(marked[:, 0] // rows) * rows).tolist():
        part = grid.span(range(row, row + rows), grid.columns)
        low, high = max(part.y, area.y), min(part.y + part.height, bottom)
        boxes.append(Rect(x=right + away, y=low, width=thick, height=high - low))
    for column in (np.unique(marked[:, 1] // columns) * columns).tolist():
        part = grid.span(grid.rows, range(column, column + columns))
        low, high = max(part.x, area.x), min(part.x + part.width, right)
        boxes.append(Rect(x=low, y=area.y - away - thick, width=high - low, height=thick))
    return CellAreas(boxes=boxes, fill=ink)


def cell_outline(
    grid: CellGrid, cell: tuple[int, int], width: int, inset: float = 0
) -> list[CellAreas]:
    """Outline a cell; a small one from outside, where it hides neither color nor number.

    Args:
        grid: Where the cell is.
        cell: Its row and column.
        width: Width of each of the two lines.
        inset: Distance from the edges of a large cell.
    """
    box = grid.rect(*cell)
    if min(box.width, box.height) >= _ROOMY:
        return outline(widened(box, -inset), width)
    return outline(widened(grown(box, _LEAST_OUTLINED), 2 * width), width)


def outline(box: Rect, width: int) -> list[CellAreas]:
    """A black and a white line just inside a box; they are visible on every color."""
    return [
        CellAreas(boxes=list(_frame(box, width)), fill=BLACK),
        CellAreas(boxes=list(_frame(widened(box, -width), width)), fill=WHITE),
    ]


def _frame(box: Rect, width: float) -> Iterator[Rect]:
    yield Rect(x=box.x, y=box.y, width=box.width, height=width)
    yield Rect(x=box.x, y=box.y + box.height - width, width=box.width, height=width)
    yield Rect(x=box.x, y=box.y, width=width, height=box.height)
    yield Rect(x=box.x + box.width - width, y=box.y, width=width, height=box.height)


def ink_on(fill: str) -> str:
    """Black or white, whichever is more readable on a color, ``#rrggbb``."""
    channels = np.frombuffer(bytes.fromhex(fill[1:]), dtype=np.uint8)
    return BLACK if dark_ink_on(channels) else WHITE


def _middle(box: Rect) -> tuple[float, float]:
    return box.x + box.width / 2, box.y + box.height / 2


def _at_least(cell: Rect, side: float, bounds: Rect) -> Rect:
    """Grow a cell to a visible size and move it back inside the bounds."""
    box = grown(cell, side)
    x = max(bounds.x, min(box.x, bounds.x + bounds.width - box.width))
    y = max(bounds.y, min(box.y, bounds.y + bounds.height - box.height))
    return Rect(x=x, y=y, width=box.width, height=box.height)
