r"""The graph at one step as TikZ, whose texts are set in the fonts of a LaTeX document."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import product

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.catalogue.messages import say
from gradviz.catalogue.visible_text import visible_text
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.appearance.palette import Paint
from gradviz.drawing.appearance.text_styles import FONTS
from gradviz.drawing.cells.cell_grid import (
    CellAreas,
    CellImage,
    CellLines,
    CellShape,
    CellTexts,
    CellTriangles,
)
from gradviz.drawing.cells.cell_numbers import drawing_font
from gradviz.drawing.cells.thumbnail import thumbnail_of
from gradviz.drawing.content.graph_state import graph_state
from gradviz.drawing.content.hidden_graph_parts import hidden_graph_parts
from gradviz.drawing.content.plain_text import label_text
from gradviz.drawing.display.graph_display import GraphDisplay
from gradviz.drawing.display.parts import FramePart, Outline, RoundedRect, Shape, TextRun
from gradviz.drawing.geometry.rect import Rect
from gradviz.export.graph.svg_cells import BELOW_MIDDLE
from gradviz.export.graph.svg_elements import svg_number
from gradviz.export.steps.latex import latex_words
from gradviz.text.narration import describe_position

# Letters of any font are as wide as those that the boxes were made for, as in SVG.
_LINE = (
    "\\providecommand\\gradvizline[4]{\\resizebox{#1bp}{\\height}"
    "{\\fontsize{#2bp}{#2bp}\\sffamily\\csname#3\\endcsname\\selectfont#4}}"
)
_MATH = {
    **{"→": "to", "×": "times", "·": "cdot", "−": "mathord-", "≠": "ne", "≈": "approx", "≤": "le"},
    **{"≥": "ge", "✓": "surd", "²": "mathord{}^2", "³": "mathord{}^3", "ᵀ": "mathord{}^T"},
}
_SIGNS = str.maketrans({sign: f"$\\{command}$" for sign, command in _MATH.items()})
"""Signs of our own texts that not every text font of LaTeX has."""

_PIECES = {"M": "{}", "L": "-- {}", "C": ".. controls {} and {} .. {}", "Z": "-- cycle"}
"""Commands of an outline."""


def graph_tikz(drawing: GraphDisplay, place: TracePosition, paint: Paint) -> str:
    r"""Write a ``tikzpicture`` of the graph alone, to be included in a document that uses TikZ.

    One unit of the drawing is one big point, of which an inch has 72. A ``\resizebox`` gives it any
    width.

    Args:
        drawing: The graph.
        place: Its step decides what is done. A comment describes it.
        paint: Returns the color of a role.
    """
    index, graph = drawing.index, drawing.graph
    hidden = hidden_graph_parts(RevealedTrace.of_all(index), graph.nodes)
    writer = _TikzWriter(paint)
    body = []
    for group in drawing.at(graph_state(index, graph, place.step), hidden):
        body.append(f"% {group.name} {group.look}".rstrip())
        body += [line for part in group.parts for line in writer.part(part)]
    packages = say("latex.packages", package="\\usepackage{tikz}")
    comments = (*describe_position(index, place).split("\n"), packages)
    # A color is named after its code, so that a document can define it anew.
    colors = sorted(set(re.findall(r"gradviz-([0-9a-f]{6})", "\n".join(body))))
    lines = (
        *(f"% {visible_text(each)}" for each in comments),
        "\\begin{tikzpicture}[x=1bp, y=-1bp]",
        _LINE,
        *(f"\\definecolor{{gradviz-{each}}}{{HTML}}{{{each.upper()}}}" for each in colors),
        *body,
        "\\end{tikzpicture}",
    )
    return "\n".join((*lines, ""))


class _TikzWriter:
    """Writes parts and cells as paths and nodes."""

    def __init__(self, paint: Paint) -> None:
        self._paint = paint

    def part(self, part: FramePart) -> Iterator[str]:
        """The lines of a part."""
        if isinstance(part, TextRun):
            font, width = FONTS[part.style], font_measure()(part.text, part.style)[0]
            yield _text(
                part.text, part.x + width / 2, part.baseline, self._paint(part.ink), width,
                font.size, is_bold=font.weight > 400,
            )  # fmt: skip
        elif isinstance(part, Shape):
            yield self._shape(part)
        else:
            picture = thumbnail_of(part.value, drawing_font(), part.limit)
            for shape in picture.shapes(part.rect, self._paint, ground="canvas"):
                yield from _cells(shape)

    def _shape(self, shape: Shape) -> str:
        options, outline, pen = [], shape.outline, shape.pen
        if shape.fill is not None:
            options.append(f"fill={_color(self._paint(shape.fill))}")
        if pen is not None:
            options.append(f"draw={_color(self._paint(pen.ink))}")
            options.append(f"line width={svg_number(pen.width)}bp")
            if pen.dash is not None:
                options.append("dash pattern=on {}bp off {}bp".format(*map(svg_number, pen.dash)))
            if pen.is_round:
                options.append("line cap=round")
        if shape.opacity < 1:
            options.append(f"opacity={svg_number(shape.opacity)}")
        if isinstance(outline, RoundedRect):
            if outline.radius:
                options.append(f"rounded corners={svg_number(outline.radius)}bp")
            return _path(_box(outline.rect), *options)
        return _path(_curve(outline), *options)


def _cells(shape: CellShape) -> Iterator[str]:
    match shape:
        case CellImage(box=box, colors=colors):
            rows, columns = colors.shape[:2]
            wide, high = box.width / columns, box.height / rows
            boxes: dict[str, list[str]] = defaultdict(list)
            for row, column in product(range(rows), range(columns)):
                x, y = box.x + column * wide, box.y + row * high
                cell = _box(Rect(x=x, y=y, width=wide, height=high))
                boxes[colors[row, column, :3].tobytes().hex()].append(cell)
            for code, cells in boxes.items():
                yield _path(" ".join(cells), f"fill=gradviz-{code}")
        case CellAreas(boxes=areas, fill=fill):
            yield _path(" ".join(map(_box, areas)), f"fill={_color(fill)}")
        case CellLines(lines=lines, ink=ink, width=width, opacity=opacity):
            path = " ".join(f"{_point(x, y)} -- {_point(to, end)}" for x, y, to, end in lines)
            pen = f"draw={_color(ink)}, line width={svg_number(width)}bp"
            yield _path(path, pen, f"opacity={svg_number(opacity)}")
        case CellTriangles(corners=corners, fill=fill, edge=edge):
            path = " ".join(
                " -- ".join(_point(*at) for at in each) + " -- cycle" for each in corners
            )
            pen = "none" if edge == "none" else _color(edge)
            yield _path(path, f"fill={_color(fill)}", f"draw={pen}", "line width=0.8bp")
        case CellTexts(texts=texts, size=size):
            for box, text, ink in texts:
                x, y = box.center
                width = drawing_font().width(text) * size
                yield _text(text, x, y + BELOW_MIDDLE * size, ink, width, size)


def _text(
    text: str,
    x: float,
    baseline: float,
    ink: str,
    width: float,
    size: float,
    *,
    is_bold: bool = False,
) -> str:
    """A line of plain text in the width that it was measured with."""
    shown = latex_words(label_text(text)).translate(_SIGNS)
    look = (
        f"{{{svg_number(width)}}}{{{svg_number(size)}}}{{{'bfseries' if is_bold else 'mdseries'}}}"
    )
    node = f"\\node[anchor=base, inner sep=0, text={_color(ink)}]"
    return f"{node} at {_point(x, baseline)} {{\\gradvizline{look}{{{shown}}}}};"


def _path(path: str, *options: str) -> str:
    return f"\\path[{', '.join(options)}] {path};" if path else "%"


def _curve(outline: Outline) -> str:
    pieces, at = [], (0.0, 0.0)
    for letter, points in outline.commands:
        if letter == "Q":
            # The control points of the same curve as a cubic one.
            (x, y), end = points
            ends = (
                ((at[0] + 2 * x) / 3, (at[1] + 2 * y) / 3),
                ((end[0] + 2 * x) / 3, (end[1] + 2 * y) / 3),
            )
            letter, points = "C", (*ends, end)
        pieces.append(_PIECES[letter].format(*(_point(*each) for each in points)))
        at = points[-1] if points else at
    return " ".join(pieces)


def _box(rect: Rect) -> str:
    return f"{_point(rect.x, rect.y)} rectangle {_point(rect.right, rect.bottom)}"


def _point(x: float, y: float) -> str:
    return f"({svg_number(x)},{svg_number(y)})"


def _color(code: str) -> str:
    return f"gradviz-{code.removeprefix('#')}"
