"""Heatmaps of a Jacobian check as one SVG, with verdict and diagnosis as its caption."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gradviz.catalogue.messages import say, say_count
from gradviz.catalogue.numbers import number_text, without_noise
from gradviz.drawing.appearance.color_map import color_table
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.appearance.palette import Paint, PaletteRole
from gradviz.drawing.appearance.text_styles import FONTS, Measure, TextStyle
from gradviz.drawing.cells.cell_grid import CellGrid, CellImage, CellTexts, grid_in
from gradviz.drawing.cells.cell_numbers import CellNumbers, drawing_font, fitting_numbers
from gradviz.drawing.cells.cells import MOST_SHAPES, Cells
from gradviz.drawing.cells.layout import CORNER_FROM, bars, cell_outline, cell_shapes, corners
from gradviz.drawing.cells.pair_matrices import MATRICES, PairMatrices, read_matrices
from gradviz.drawing.cells.tensor_axis import block_axes, column_labels, row_labels, widest_tick
from gradviz.drawing.content.plain_text import label_text
from gradviz.drawing.geometry.rect import Rect
from gradviz.export.check.verdict import (
    block_place,
    block_sentence,
    diagnosis_sentence,
    outcome_role,
    outcome_sentence,
    problem_sentence,
    settings_words,
    verdict_words,
)
from gradviz.export.errors import ExportError
from gradviz.export.graph.svg_cells import svg_cells
from gradviz.export.graph.svg_document import SvgSize, svg_document
from gradviz.export.graph.svg_elements import SvgAttributes, svg_element, svg_text_line
from gradviz.export.graph.svg_figure import wrap_text
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.model.tensor import TensorValues
from gradviz.text.phrases import shape_text

GAP = 30.0
_TITLE_ROOM, _LEAST_SIDE = 20.0, 110.0
_LABEL_SIZE, _LABEL_GAP = 9.0, 4.0
_SIDE, _CELL_WIDTH, _CELL_HEIGHT = 300.0, 46.0, 26.0
_NUMBER_SIZES = (10.0, 9.0, 8.0)


MARGIN = 22.0
MOST_CHARACTERS = 1200


@dataclass(slots=True)
class SvgPage:
    """An SVG page that grows downwards as content is added."""

    paint: Paint
    measure: Measure
    width: float
    y: float = 0.0
    parts: list[str] = field(default_factory=list)

    def line(
        self, content: str, role: PaletteRole, size: float = 12, *, strong: bool = False
    ) -> None:
        """Add a paragraph of plain text, with line breaks.

        Args:
            content: The text.
            role: Color role.
            size: Font size.
            strong: Whether it is bold.
        """
        style: TextStyle = "title" if strong else "line"
        # `wrap_text` measures regular text at 12 points; bold letters are wider.
        available_width = self.width * 12 / size * (0.92 if strong else 1.0)
        for part in wrap_text(
            label_text(content, most=MOST_CHARACTERS), available_width, self.measure
        ):
            self.y += size * 1.45
            self.parts.append(svg_text_line(part, 0, self.y, style, self.paint(role), size=size))

    def put(self, inside: str, x: float, y: float) -> None:
        """Add an SVG fragment at a position."""
        place = f"translate({x:.2f} {y:.2f})"
        self.parts.append(svg_element("g", inside, transform=place))

    def document(
        self,
        description: str,
        *,
        size: SvgSize | None = None,
        transparent: bool = False,
    ) -> str:
        """Return the whole page as SVG."""
        return svg_document(
            svg_element("g", "".join(self.parts), transform=f"translate({MARGIN:g} {MARGIN:g})"),
            self.width + 2 * MARGIN,
            self.y + 2 * MARGIN,
            "none" if transparent else self.paint("canvas"),
            description=description,
            size=size,
        )


def _cell_grid(maps: PairMatrices) -> CellGrid:
    """Choose the cell size: as large as space allows, but not larger than numbers need."""
    rows, columns = maps.shape
    widest = _CELL_WIDTH * (2 if maps.is_complex else 1)
    width, height = min(_SIDE / columns, widest), min(_SIDE / rows, _CELL_HEIGHT)
    return grid_in(Rect(x=0, y=0, width=columns * width, height=rows * height), maps.shape)


def _labels_width(maps: PairMatrices) -> float:
    """Space for the indices of rows."""
    return widest_tick(block_axes(maps.block)[0], drawing_font(), _LABEL_SIZE) + 2 * _LABEL_GAP


def pair_width(maps: PairMatrices) -> float:
    """Width of a pair's three maps with their labels."""
    grid = _cell_grid(maps)
    sides = 3 * max(grid.box.width, _LEAST_SIDE) + 2 * GAP
    return _TITLE_ROOM + _labels_width(maps) + sides


def draw_pair(page: SvgPage, maps: PairMatrices) -> None:
    """Draw the three maps of a pair side by side, below its heading."""
    page.y += 14
    head = f"{block_place(maps.block)}: {block_sentence(maps.block)}"
    page.line(head, "error" if maps.block.wrong else "text", 12, strong=True)
    grid = _cell_grid(maps)
    left_margin = _TITLE_ROOM + _labels_width(maps)
    top = page.y + 28
    rows = _rows_title(page, maps, grid, top)
    numbers = _numbers(maps, grid)
    for at, cells in enumerate(maps.layers):
        left = left_margin + at * (max(grid.box.width, _LEAST_SIDE) + GAP)
        _head(page, MATRICES[at], cells, grid, left, top - 12)
        page.put(_map(page, maps, cells, grid, numbers[at]), left, top)
        page.put(_labels(page, maps, grid, with_rows=at == 0), left, top)
    page.y = top + grid.box.height + _LABEL_SIZE + _LABEL_GAP
    shape = shape_text(maps.block.output_shape)
    columns = say("page.columns", name=maps.block.output_name, shape=shape)
    note = "; ".join(
        each for each in (rows, columns, _pooled_words(maps, grid), _magnitudes(maps)) if each
    )
    page.line(note, "text_muted", 10)


def _labels(page: SvgPage, maps: PairMatrices, grid: CellGrid, *, with_rows: bool) -> str:
    """Draw the indices of columns, and of rows, around a map."""
    rows, columns = block_axes(maps.block)
    look = drawing_font(), _LABEL_SIZE, _LABEL_GAP
    labels = column_labels(grid, columns, *look)
    labels += row_labels(grid, rows, *look) if with_rows else []
    ink = page.paint("text_muted")
    texts = [(box, text, ink) for box, text in labels if text]
    return svg_cells([CellTexts(texts=texts, size=_LABEL_SIZE)])


def _numbers(maps: PairMatrices, grid: CellGrid) -> list[CellNumbers | None]:
    """The numbers of each map, all with the same digits; None if they do not fit."""
    if maps.layers[0].heat.size > MOST_SHAPES:
        return [None] * 3

    def write(digits: int) -> list[list[str]]:
        return [row for each in maps.layers for row in each.write(each.plane.values, digits)]

    cell = grid.width, grid.height
    found = fitting_numbers(write, drawing_font(), cell, sizes=_NUMBER_SIZES)
    rows = maps.shape[0]
    if found is None:
        return [None] * 3
    return [replace(found, rows=found.rows[at : at + rows]) for at in range(0, 3 * rows, rows)]


def _map(
    page: SvgPage,
    maps: PairMatrices,
    cells: Cells,
    grid: CellGrid,
    numbers: CellNumbers | None,
) -> str:
    """Draw a map with its upper left corner at the origin."""
    paint, box = page.paint, grid.box
    axes, wrong = block_axes(maps.block), maps.wrong
    shapes = [
        *cell_shapes(cells, grid, paint, numbers, ground="canvas", axes=axes, wrong=wrong),
        bars(grid, maps.wrong, paint("error"), box),
    ]
    if maps.worst is not None and grid.side < CORNER_FROM:
        shapes += cell_outline(grid, maps.worst, 1)
    frame = {"fill": "none", "stroke": paint("border_strong")}
    return svg_cells(shapes) + svg_element("rect", width=box.width, height=box.height, **frame)


def _head(page: SvgPage, name: str, cells: Cells, grid: CellGrid, left: float, y: float) -> None:
    """Write the name of a map and the limit of its colors."""
    title = say(f"matrix.{name}")
    page.parts.append(svg_text_line(title, left, y, "label", page.paint("text"), size=11))
    title_width = page.measure(title, "label")[0] * 11 / FONTS["label"].size
    limit = f"±{number_text(without_noise(cells.colors.limit), 3)}"
    x = max(left + grid.box.width, left + title_width + 10 + _wide(limit, page.measure))
    more: SvgAttributes = {"text_anchor": "end"}
    muted = page.paint("text_muted")
    page.parts.append(svg_text_line(limit, x, y, "line", muted, size=_LABEL_SIZE, more=more))


def _rows_title(page: SvgPage, maps: PairMatrices, grid: CellGrid, top: float) -> str:
    """Write what the rows are along the maps; return the text if it does not fit."""
    shape = shape_text(maps.block.input_shape)
    rows = say("page.rows", name=maps.block.input_name, shape=shape)
    if _wide(rows, page.measure) * 10 / _LABEL_SIZE > grid.box.height + 30:
        return rows
    turned = svg_text_line(rows, 0, 0, "line", page.paint("text_muted"), centred=True, size=10)
    turn = f"translate(10 {top + grid.box.height / 2:.2f}) rotate(-90)"
    page.parts.append(svg_element("g", turned, transform=turn))
    return ""


def _pooled_words(maps: PairMatrices, grid: CellGrid) -> str:
    rows, columns = maps.layers[0].block_size(grid)
    if (rows, columns) == (1, 1):
        return ""
    return say("heatmap.pooled", rows=rows, columns=columns)


def _magnitudes(maps: PairMatrices) -> str:
    return say("heatmap.magnitudes") if maps.is_complex else ""


def _wide(content: str, measure: Measure) -> float:
    return measure(content, "line")[0] * _LABEL_SIZE / FONTS["line"].size


MOST_PAIRS = 8
_LEAST_WIDTH = 620.0
_MOST_DIAGNOSES = 3


def check_svg(
    report: JacobianReport,
    values: TensorValues,
    paint: Paint,
    *,
    pair: str = "",
    most: int = MOST_PAIRS,
    captioned: bool = True,
    size: SvgSize | None = None,
    transparent: bool = False,
) -> str:
    """Draw numerical, analytical and difference of each pair side by side.

    Args:
        report: The report of the check.
        values: Reads the elements of a tensor by id.
        paint: Returns the color of a role.
        pair: Draw only the pairs of this input or ``OUTPUT/INPUT``; empty for all.
        most: Maximum number of pairs; those with wrong elements come first.
        captioned: Whether to write verdict and diagnoses above the maps.
        size: Size of the figure; None for the maps' own.
        transparent: Whether it has no background.

    Raises:
        ExportError: If there is no such pair.
    """
    blocks = find_pairs(report, pair) if pair else report.blocks
    page = _maps_page(report, blocks, values, paint, most, captioned=captioned)
    return page.document(verdict_words(report), size=size, transparent=transparent)


def _maps_page(
    report: JacobianReport,
    blocks: Sequence[JacobianBlock],
    values: TensorValues,
    paint: Paint,
    most: int,
    *,
    captioned: bool,
) -> SvgPage:
    # Wrong pairs are chosen first, but all are drawn in the order of the report.
    drawn = sorted(blocks, key=lambda block: not block.wrong)[:most]
    drawn = [block for block in blocks if block in drawn]
    read = (read_matrices(report, block, values) for block in drawn if block.count)
    maps = [each for each in read if each is not None]
    page = SvgPage(paint, font_measure(), max([_LEAST_WIDTH, *map(pair_width, maps)]))
    if captioned:
        _caption(page, report)
    for each in maps:
        draw_pair(page, each)
    left = len(blocks) - len(maps)
    if left:
        page.line(say_count("heatmap.left_out", left), "text_muted")
    if maps:
        _legend(page, maps)
    return page


def find_pairs(report: JacobianReport, pair: str) -> Sequence[JacobianBlock]:
    """Find the pairs by the name of an input or by ``OUTPUT/INPUT``.

    Raises:
        ExportError: If there is no such pair.
    """
    found = [
        block
        for block in report.blocks
        if pair in (block.input_name, f"{block.output_name}/{block.input_name}")
    ]
    if not found:
        names = ", ".join(f"{each.output_name}/{each.input_name}" for each in report.blocks)
        key = "export.no_pair" if names else "export.no_pair.none"
        raise ExportError(key, pair=pair, names=names)
    return found


def _caption(page: SvgPage, report: JacobianReport) -> None:
    page.line(report.subject or say("heatmap.untitled"), "text", 17, strong=True)
    page.line(outcome_sentence(report), outcome_role(report), 13, strong=True)
    for diagnosis in report.diagnoses[:_MOST_DIAGNOSES]:
        page.line(diagnosis_sentence(report, diagnosis), "text")
    left = len(report.diagnoses) - _MOST_DIAGNOSES
    if left > 0:
        page.line(say_count("report.more_diagnoses", left), "text")
    for problem in report.problems[:_MOST_DIAGNOSES]:
        page.line(problem_sentence(problem), "text")
    page.line(settings_words(report, ""), "text_muted", 10.5)
    page.y += 8


def _legend(page: SvgPage, maps: Sequence[PairMatrices]) -> None:
    """Draw the color scale and explain the mark of wrong elements."""
    page.y += 18
    width, colors = 146.0, color_table(page.paint.theme)[None, ::7]
    scale = CellImage(box=Rect(x=0, y=0, width=width, height=10), colors=colors)
    page.put(svg_cells([scale]), 0, page.y)
    ink = page.paint("text_muted")
    for content, x, anchor in (
        (say("heatmap.below"), 0.0, "start"),
        ("0", width / 2, "middle"),
        (say("heatmap.above"), width, "end"),
    ):
        place: SvgAttributes = {"text_anchor": anchor}
        page.parts.append(svg_text_line(content, x, page.y + 22, "line", ink, size=9, more=place))
    if any(pair.wrong.count for pair in maps):
        mark = svg_cells(corners([Rect(x=4, y=-1, width=9, height=16)]))
        bar = svg_element("rect", x=22, width=4, height=8, fill=page.paint("error"))
        page.put(mark + bar, width + 24, page.y)
        note = say("heatmap.wrong")
        page.parts.append(svg_text_line(note, width + 58, page.y + 9, "line", ink, size=10))
    page.y += 26
