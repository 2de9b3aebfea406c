"""The shapes of a layout of cells as SVG."""

from __future__ import annotations

import base64
import struct
import zlib
from collections import defaultdict
from collections.abc import Iterable

from gradviz.drawing.appearance.color_map import ColorBytes
from gradviz.drawing.cells.cell_grid import (
    CellAreas,
    CellImage,
    CellLines,
    CellShape,
    CellTexts,
    CellTriangles,
)
from gradviz.drawing.cells.cells import MOST_SHAPES
from gradviz.drawing.geometry.rect import Rect
from gradviz.export.graph.svg_elements import (
    SvgAttribute,
    SvgAttributes,
    svg_element,
    svg_number,
    svg_text_line,
)

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_EIGHT_BITS, _RGB = 8, 2
_FEW_CELLS = 64
BELOW_MIDDLE = 0.36
"""Baseline of a centered number below the middle of its cell, as a fraction of its size."""


def svg_cells(shapes: Iterable[CellShape]) -> str:
    """Draw shapes, the first one lowest."""
    return "".join(_drawn(shape) for shape in shapes)


def _drawn(shape: CellShape) -> str:
    match shape:
        case CellImage():
            return _image(shape)
        case CellAreas():
            path = "".join(_box(each) for each in shape.boxes)
            return _path(path, fill=shape.fill, shape_rendering="crispEdges")
        case CellLines():
            path = "".join(
                f"M{svg_number(x)} {svg_number(y)}L{svg_number(to)} {svg_number(end)}"
                for x, y, to, end in shape.lines
            )
            faded: SvgAttributes = {} if shape.opacity == 1 else {"stroke_opacity": shape.opacity}
            return _path(path, stroke=shape.ink, stroke_width=shape.width, **faded)
        case CellTriangles():
            corners = (
                "L".join(f"{svg_number(x)} {svg_number(y)}" for x, y in each)
                for each in shape.corners
            )
            path = "".join(f"M{each}z" for each in corners)
            edge: SvgAttributes = {"stroke": shape.edge, "stroke_width": 0.8}
            return _path(path, fill=shape.fill, **(edge if shape.edge != "none" else {}))
        case CellTexts():
            return "".join(_text(*each, shape.size) for each in shape.texts)


def _path(path: str, **look: SvgAttribute) -> str:
    return svg_element("path", d=path, **look) if path else ""


def _text(box: Rect, text: str, ink: str, size: float) -> str:
    x = box.x + box.width / 2
    baseline = box.y + box.height / 2 + BELOW_MIDDLE * size
    return svg_text_line(text, x, baseline, "line", ink, centred=True, size=size)


def _image(shape: CellImage) -> str:
    rows, columns = shape.colors.shape[:2]
    if rows * columns > MOST_SHAPES:
        return _png(shape)
    width, height = shape.box.width / columns, shape.box.height / rows
    # One path for each color, because one for each cell would make a large file. That of few cells
    # is small, and a picture of them has the same parts in every theme.
    places: dict[tuple[str, int], list[str]] = defaultdict(list)
    for row in range(rows):
        for column in range(columns):
            x, y = shape.box.x + column * width, shape.box.y + row * height
            box = _box(Rect(x=x, y=y, width=width, height=height))
            color = shape.colors[row, column].tobytes().hex()
            part = len(places) if rows * columns <= _FEW_CELLS else 0
            places[color, part].append(box)
    paths = "".join(_path("".join(d), fill=f"#{color}") for (color, _), d in places.items())
    return svg_element("g", paths, shape_rendering="crispEdges")


def _png(shape: CellImage) -> str:
    text = base64.b64encode(encode_png(shape.colors)).decode("ascii")
    return svg_element(
        "image",
        x=shape.box.x,
        y=shape.box.y,
        width=shape.box.width,
        height=shape.box.height,
        preserveAspectRatio="none",
        style="image-rendering:pixelated",
        href=f"data:image/png;base64,{text}",
    )


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


def _box(box: Rect) -> str:
    wide = svg_number(box.width)
    return f"M{svg_number(box.x)} {svg_number(box.y)}h{wide}v{svg_number(box.height)}h-{wide}z"
