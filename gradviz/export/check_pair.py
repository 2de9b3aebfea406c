"""The three maps of one pair of output and input, side by side, with their labels."""

from __future__ import annotations

import numpy as np

from gradviz.drawing.font_widths import font_measure
from gradviz.drawing.style import Measure
from gradviz.export.check_cells import Cells, Maps
from gradviz.export.check_map import Grid, grid_of, map_svg
from gradviz.export.check_page import Page
from gradviz.export.check_words import block_place, block_sentence, number
from gradviz.export.svg_marks import Attributes, element, text
from gradviz.model.phrases import shape_text

GAP = 30.0
_TITLE_ROOM, _NAMES_ROOM, _LEAST_SIDE = 20.0, 13.0, 110.0
_MOST_LABEL = 104.0
_LABEL_SIZE = 9.0
_MEASURED = 10.5  # size of the measured text styles
_TITLES = {"numerical": "numerical", "analytical": "analytical", "difference": "difference (a − n)"}


def _label_room(maps: Maps, measure: Measure) -> float:
    """Space for the row names; 0 if they are not shown."""
    if maps.pooled[0] > 1 or grid_of(maps).height < _LABEL_SIZE + 2:
        return 0.0
    return min(_MOST_LABEL, max(_wide(each, measure) for each in _row_names(maps)) + 8)


def pair_width(maps: Maps) -> float:
    """Width of a pair's three maps with their labels."""
    grid = grid_of(maps)
    sides = 3 * max(grid.size[0], _LEAST_SIDE) + 2 * GAP
    return _TITLE_ROOM + _label_room(maps, font_measure()) + sides


def draw_pair(page: Page, maps: Maps) -> None:
    """Draw the three maps of a pair side by side, below its heading."""
    page.y += 14
    head = f"{block_place(maps.block)}: {block_sentence(maps.block)}"
    page.line(head, "error" if maps.block.wrong else "text", 12, strong=True)
    grid = grid_of(maps)
    names = _column_names(maps, grid, page.measure)
    room = _TITLE_ROOM + _label_room(maps, page.measure)
    top = page.y + 24 + (_NAMES_ROOM if names else 0)
    rows = _rows_title(page, maps, grid, top)
    _labels(page, maps, grid, room, top)
    for at, cells in enumerate(maps.cells):
        left = room + at * (max(grid.size[0], _LEAST_SIDE) + GAP)
        _head(page, cells, grid, left, top - 8 - (_NAMES_ROOM if names else 0))
        for column, name in enumerate(names):
            x = left + (column + 0.5) * grid.width
            muted = page.paint("text_muted")
            page.parts.append(text(name, x, top - 8, "line", muted, centred=True, size=_LABEL_SIZE))
        page.put(map_svg(maps, cells, page.paint, page.measure), left, top)
    page.y = top + grid.size[1] + 4
    columns = f"columns: {maps.block.output_name}, {shape_text(maps.block.output_shape)}"
    told = "; ".join(
        each for each in (rows, columns, _pooled_words(maps), _magnitudes(maps)) if each
    )
    page.line(told, "text_muted", 10)


def _head(page: Page, cells: Cells, grid: Grid, left: float, y: float) -> None:
    """Write the name of a map and the limit of its colors."""
    page.parts.append(text(_TITLES[cells.name], left, y, "label", page.paint("text"), size=11))
    title = page.measure(_TITLES[cells.name], "label")[0] * 11 / _MEASURED
    limit = f"±{number(cells.limit, 3)}"
    x = max(left + grid.size[0], left + title + 10 + _wide(limit, page.measure))
    more: Attributes = {"text_anchor": "end"}
    muted = page.paint("text_muted")
    page.parts.append(text(limit, x, y, "line", muted, size=_LABEL_SIZE, more=more))


def _rows_title(page: Page, maps: Maps, grid: Grid, top: float) -> str:
    """Write what the rows are along the maps; return the text if it does not fit."""
    rows = f"rows: {maps.block.input_name}, {shape_text(maps.block.input_shape)}"
    if _wide(rows, page.measure) * 10 / _LABEL_SIZE > grid.size[1] + 30:
        return rows
    turned = text(rows, 0, 0, "line", page.paint("text_muted"), centred=True, size=10)
    turn = f"translate(10 {top + grid.size[1] / 2:.2f}) rotate(-90)"
    page.parts.append(element("g", turned, transform=turn))
    return ""


def _pooled_words(maps: Maps) -> str:
    if maps.pooled == (1, 1):
        return ""
    rows, columns = maps.pooled
    return f"each cell shows the largest of {rows}×{columns} elements"


def _magnitudes(maps: Maps) -> str:
    return "colors show magnitudes" if maps.is_complex else ""


def _labels(page: Page, maps: Maps, grid: Grid, room: float, top: float) -> None:
    if not _label_room(maps, page.measure):
        return
    for row, name in enumerate(_row_names(maps)):
        y = top + (row + 0.5) * grid.height + 0.36 * _LABEL_SIZE
        page.parts.append(
            text(
                name,
                room - 6,
                y,
                "line",
                page.paint("text_muted"),
                size=_LABEL_SIZE,
                more={"text_anchor": "end"},
            )
        )


def _row_names(maps: Maps) -> list[str]:
    """Names of the input's elements; with the input's name if it is short."""
    block = maps.block
    name = block.input_name if len(block.input_name) <= 8 else ""
    return [f"{name}{_index(each)}" for each in np.ndindex(block.input_shape)]


def _column_names(maps: Maps, grid: Grid, measure: Measure) -> list[str]:
    """Indices of the output's elements; empty if they do not fit or it is a scalar."""
    shape = maps.block.output_shape
    if maps.pooled[1] > 1 or not shape or grid.width < 2 * _LABEL_SIZE:
        return []
    names = [_index(each) for each in np.ndindex(shape)]
    return names if max(_wide(each, measure) for each in names) + 2 <= grid.width else []


def _index(index: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, index))}]" if index else ""


def _wide(content: str, measure: Measure) -> float:
    return measure(content, "line")[0] * _LABEL_SIZE / _MEASURED
