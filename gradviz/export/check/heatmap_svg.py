"""One heatmap of a Jacobian check as SVG: its cells, their numbers and marks."""

from __future__ import annotations

import base64
import struct
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gradviz.analysis.values.noise import without_noise_in_cells
from gradviz.catalogue.numbers import number_text
from gradviz.drawing.appearance.color_map import (
    ColorBytes,
    colors_of_values,
    dark_ink_on,
    has_negative_color,
)
from gradviz.drawing.appearance.palette import Paint, PaletteRole, PaletteTheme, color
from gradviz.drawing.appearance.text_styles import FAMILIES, Measure
from gradviz.export.check.heatmap_cells import HeatmapCells, JacobianHeatmaps
from gradviz.export.graph.svg_elements import svg_element, xml_text

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_EIGHT_BITS, _RGB = 8, 2


def encode_png(pixels: ColorBytes) -> bytes:
    """Encode ``[rows, columns, 3]`` bytes of red, green and blue as PNG (ISO/IEC 15948)."""
    rows, columns, _ = pixels.shape
    header = struct.pack(">IIBBBBB", columns, rows, _EIGHT_BITS, _RGB, 0, 0, 0)
    # Each row begins with its filter type; 0 means none.
    lines = b"".join(b"\0" + pixels[row].tobytes() for row in range(rows))
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(*each) for each in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)


SIDE, CELL_WIDTH, CELL_HEIGHT = 300.0, 46.0, 26.0
_MOST_SHAPES = 576
"""Maps with more cells become an image."""
_PIXELS = 600
_CORNER, _CORNER_FROM = 6.0, 10.0
_LEAST_OUTLINED = 6.0
_STROKE_FROM = 6.0
_NUMBER_SIZES, _DIGITS = (10.0, 9.0, 8.0), (4, 3, 2)
_MANY_LINES, _GREY = 12, "#5a6270"
_LINE_SIZE = 10.5  # of the measured text style


@dataclass(frozen=True, slots=True)
class CellGrid:
    """Cell grid of a map, in units of the drawing.

    Attributes:
        rows: Number of rows.
        columns: Number of columns.
        width: Width of a cell.
        height: Height of a cell.
    """

    rows: int
    columns: int
    width: float
    height: float

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of all cells together."""
        return self.columns * self.width, self.rows * self.height


def cell_grid(maps: JacobianHeatmaps) -> CellGrid:
    """Choose the cell size: as large as space allows, but not larger than numbers need."""
    rows, columns = maps.shape
    widest = CELL_WIDTH * (2 if maps.is_complex else 1)
    return CellGrid(rows, columns, min(SIDE / columns, widest), min(SIDE / rows, CELL_HEIGHT))


def map_svg(maps: JacobianHeatmaps, cells: HeatmapCells, paint: Paint, measure: Measure) -> str:
    """Draw a map with its upper left corner at the origin."""
    grid = cell_grid(maps)
    colors = _colors(cells, paint.theme)
    texts = _numbers(maps, cells, grid, colors, measure)
    signs = "" if texts else _strokes(cells, grid, colors)
    width, height = grid.size
    frame = svg_element(
        "rect", width=width, height=height, fill="none", stroke=paint("border_strong")
    )
    parts = (
        _ground(grid, colors),
        _blocks(maps, grid, paint),
        signs,
        texts,
        _marks(maps, grid, paint),
    )
    return "".join(parts) + frame


def _colors(cells: HeatmapCells, theme: PaletteTheme) -> ColorBytes:
    colors = colors_of_values(cells.heat, cells.limit, theme)
    signs: tuple[tuple[PaletteRole, np.ndarray], ...] = (
        ("nan", np.isnan(cells.heat)),
        ("positive_infinity", np.isposinf(cells.heat)),
        ("negative_infinity", np.isneginf(cells.heat)),
    )
    for role, where in signs:
        if where.any():
            colors[where] = np.frombuffer(bytes.fromhex(color(role, theme)[1:]), dtype=np.uint8)
    return colors


def _ground(grid: CellGrid, colors: ColorBytes) -> str:
    if grid.rows * grid.columns > _MOST_SHAPES:
        return _image(grid, colors)
    # One path for each color, because a rectangle for each cell would make a large file.
    places: dict[str, list[str]] = defaultdict(list)
    for row in range(grid.rows):
        for column in range(grid.columns):
            x, y = _short(column * grid.width), _short(row * grid.height)
            box = f"M{x} {y}h{_short(grid.width)}v{_short(grid.height)}h-{_short(grid.width)}z"
            places[colors[row, column].tobytes().hex()].append(box)
    return svg_element(
        "g",
        "".join(svg_element("path", d="".join(d), fill=f"#{each}") for each, d in places.items()),
        shape_rendering="crispEdges",
    )


def _image(grid: CellGrid, colors: ColorBytes) -> str:
    """Draw cells as pixels, each repeated, since some programs would blur them."""
    times = max(1, _PIXELS // grid.rows), max(1, _PIXELS // grid.columns)
    large = colors.repeat(times[0], axis=0).repeat(times[1], axis=1)
    width, height = grid.size
    text = base64.b64encode(encode_png(large)).decode("ascii")
    return svg_element(
        "image",
        width=width,
        height=height,
        preserveAspectRatio="none",
        style="image-rendering:pixelated",
        href=f"data:image/png;base64,{text}",
    )


def _numbers(
    maps: JacobianHeatmaps,
    cells: HeatmapCells,
    grid: CellGrid,
    colors: ColorBytes,
    measure: Measure,
) -> str:
    """Write the number of each cell, if all of them fit."""
    if cells.values is None or grid.rows * grid.columns > _MOST_SHAPES or grid.height < _CORNER * 2:
        return ""
    chosen = _fitting(maps, grid, measure)
    if chosen is None:
        return ""
    digits, size = chosen
    lines = _written(maps, cells, digits)
    dark = dark_ink_on(colors)
    inks: dict[bool, list[str]] = {True: [], False: []}
    for row, line in enumerate(lines):
        for column, content in enumerate(line):
            place = {
                "x": (column + 0.5) * grid.width,
                "y": (row + 0.5) * grid.height + 0.36 * size,
            }
            inks[bool(dark[row, column])].append(svg_element("text", xml_text(content), **place))
    return "".join(
        svg_element(
            "g",
            "".join(texts),
            fill="#000000" if is_dark else "#ffffff",
            font_family=FAMILIES,
            font_size=size,
            text_anchor="middle",
        )
        for is_dark, texts in inks.items()
        if texts
    )


def _fitting(maps: JacobianHeatmaps, grid: CellGrid, measure: Measure) -> tuple[int, float] | None:
    """Most digits, and their size, with which the numbers of all three maps fit."""
    for digits in _DIGITS:
        lines = [line for each in maps.cells for line in _written(maps, each, digits)]
        widest = max(measure(text, "line")[0] for line in lines for text in line) / _LINE_SIZE
        for size in _NUMBER_SIZES:
            if widest * size + 4 <= grid.width and size * 1.25 <= grid.height:
                return digits, size
    return None


def _written(maps: JacobianHeatmaps, cells: HeatmapCells, digits: int) -> list[list[str]]:
    values = cells.heat if cells.values is None else without_noise_in_cells(cells.values)
    return [[number_text(each, digits) for each in row] for row in values.tolist()]


def _strokes(cells: HeatmapCells, grid: CellGrid, colors: ColorBytes) -> str:
    """Draw a minus in each cell with a negative color; color must not be the only sign."""
    below = has_negative_color(cells.heat, cells.limit)
    if min(grid.width, grid.height) < _STROKE_FROM or not below.any():
        return ""
    dark = dark_ink_on(colors)
    lines: dict[bool, list[str]] = {True: [], False: []}
    side = min(grid.width, grid.height)
    reach, twice = side * 0.22, _short(side * 0.44)
    for row, column in np.argwhere(below).tolist():
        x, y = (column + 0.5) * grid.width, (row + 0.5) * grid.height
        start = f"{_short(x - reach)},{_short(y)}"
        lines[bool(dark[row, column])].append(f"M{start}h{twice}")
    return "".join(
        svg_element(
            "path",
            d="".join(each),
            stroke="#000000" if is_dark else "#ffffff",
            stroke_opacity=0.67,
            stroke_width=max(0.8, side / 12),
            fill="none",
        )
        for is_dark, each in lines.items()
        if each
    )


def _blocks(maps: JacobianHeatmaps, grid: CellGrid, paint: Paint) -> str:
    """Draw lines between the blocks given by the shapes of input and output."""
    width, height = grid.size
    lines = [
        f"M0 {_short(y)}H{_short(width)}"
        for y in _borders(maps.block.input_shape, maps.pooled[0], grid.height)
    ]
    lines += [
        f"M{_short(x)} 0V{_short(height)}"
        for x in _borders(maps.block.output_shape, maps.pooled[1], grid.width)
    ]
    if not lines:
        return ""
    path = "".join(lines)
    if len(lines) > _MANY_LINES:
        return svg_element("path", d=path, stroke=_GREY, stroke_width=0.5, stroke_opacity=0.6)
    # A border in the background color keeps the lines visible on every other color.
    wide = svg_element("path", d=path, stroke=paint("canvas"), stroke_width=2.4, stroke_opacity=0.8)
    return wide + svg_element("path", d=path, stroke=_GREY, stroke_width=1.0)


def _borders(shape: tuple[int, ...], step: int, side: float) -> Iterator[float]:
    """Positions where a block of the last dimension ends, if blocks are large enough."""
    if len(shape) < 2:
        return
    length, count = shape[-1], int(np.prod(shape))
    # If the inner blocks are too small, the blocks of an outer dimension are used.
    for size in reversed(shape[1:-1]):
        if length * side / step >= 2 * _STROKE_FROM and length > 1:
            break
        length *= size
    if length < 2 or length * side / step < 2 * _STROKE_FROM:
        return
    yield from (at / step * side for at in range(length, count, length))


def _marks(maps: JacobianHeatmaps, grid: CellGrid, paint: Paint) -> str:
    """Mark each wrong cell with a corner; small cells, which it would hide, with ticks."""
    places = np.argwhere(maps.wrong).tolist()
    if min(grid.width, grid.height) >= _CORNER_FROM:
        corners = "".join(
            f"M{_short((column + 1) * grid.width - 1)} {_short(row * grid.height + 1)}"
            f"h-{_CORNER:g}l{_CORNER:g} {_CORNER:g}z"
            for row, column in places
        )
        if not corners:
            return ""
        return svg_element("path", d=corners, fill="#000000", stroke="#ffffff", stroke_width=0.8)
    ticks = _ticks(maps, grid, paint) if places else ""
    return ticks if maps.worst is None else ticks + _outline(grid, *maps.worst)


def _ticks(maps: JacobianHeatmaps, grid: CellGrid, paint: Paint) -> str:
    """Draw a tick beside each row and above each column that has a wrong element."""
    rows = np.flatnonzero(maps.wrong.any(axis=1)).tolist()
    columns = np.flatnonzero(maps.wrong.any(axis=0)).tolist()
    path = "".join(f"M-2 {_short((each + 0.5) * grid.height)}h-3" for each in rows)
    path += "".join(f"M{_short((each + 0.5) * grid.width)} -2v-3" for each in columns)
    return svg_element("path", d=path, stroke=paint("error"), stroke_width=1.2)


def _outline(grid: CellGrid, row: int, column: int) -> str:
    """Outline a small cell from outside, in white within black."""
    width, height = (max(_LEAST_OUTLINED, side) for side in (grid.width, grid.height))
    x, y = (column + 0.5) * grid.width - width / 2, (row + 0.5) * grid.height - height / 2
    return "".join(
        svg_element(
            "rect",
            x=x - away,
            y=y - away,
            width=width + 2 * away,
            height=height + 2 * away,
            fill="none",
            stroke=ink,
        )
        for away, ink in ((1.5, "#000000"), (0.5, "#ffffff"))
    )


def _short(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
