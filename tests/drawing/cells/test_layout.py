"""Whatever a plane holds, each cell says it: on the screen, in print, and in every theme."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.drawing.appearance.color_map import color_table, colors_of_values, has_negative_color
from gradviz.drawing.appearance.palette import theme_paint
from gradviz.drawing.cells.cell_grid import (
    CellAreas,
    CellGrid,
    CellImage,
    CellLines,
    CellShape,
    CellTexts,
    CellTriangles,
    grid_in,
)
from gradviz.drawing.cells.cell_marks import NON_FINITE, CellMarks, non_finite_role
from gradviz.drawing.cells.cell_numbers import drawing_font, fitting_numbers
from gradviz.drawing.cells.cells import CellColors, Cells, matrix_cells
from gradviz.drawing.cells.layout import CORNER_FROM, SMALLEST, bars, cell_shapes
from gradviz.drawing.geometry.rect import Rect
from gradviz.export.graph.svg_cells import svg_cells

VALUES = (0.0, 1.0, -1.0, 0.25, -0.125, 3.0, -3.0, np.nan, np.inf, -np.inf)


@dataclass(frozen=True, kw_only=True)
class Drawn:
    cells: Cells
    grid: CellGrid
    wrong: np.ndarray
    with_numbers: bool

    def shapes(self, theme: str = "light") -> list[CellShape]:
        grid, numbers = self.grid, None
        if self.with_numbers:

            def write(digits: int) -> list[list[str]]:
                return self.cells.write(self.cells.values, digits)

            numbers = fitting_numbers(write, drawing_font(), (grid.width, grid.height))
        paint = theme_paint(theme)  # type: ignore[arg-type]
        wrong = CellMarks(self.wrong)
        return [
            *cell_shapes(self.cells, grid, paint, numbers, wrong=wrong),
            bars(grid, wrong, paint("error"), grid.box),
        ]


@st.composite
def drawings(draw: st.DrawFn) -> Drawn:
    shape = draw(st.tuples(st.integers(1, 12), st.integers(1, 12)))
    count = shape[0] * shape[1]
    values = draw(st.lists(st.sampled_from(VALUES), min_size=count, max_size=count))
    wrong = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    width, height = draw(st.tuples(st.sampled_from([0.5, 3, 8, 13, 60]), st.integers(3, 40)))
    box = Rect(x=5, y=7, width=shape[1] * width, height=shape[0] * height)
    pixels = draw(st.sampled_from([None, (1.0, 1.0), (2.0, 2.0)]))
    return Drawn(
        cells=matrix_cells(np.reshape(values, shape), CellColors(limit=1.0)),
        grid=grid_in(box, shape, pixels),
        wrong=np.reshape(wrong, shape),
        with_numbers=draw(st.booleans()),
    )


def near(box: Rect, x: float, y: float, most: float = 0.01) -> bool:
    inside = box.x - most <= x <= box.x + box.width + most
    return inside and box.y - most <= y <= box.y + box.height + most


@given(drawings())
def test_what_is_not_finite_has_a_mark_that_can_be_seen(drawn: Drawn) -> None:
    paint = theme_paint("light")
    marks = {
        role: [
            box
            for shape in drawn.shapes()
            if isinstance(shape, CellAreas) and shape.fill == paint(role)
            for box in shape.boxes
        ]
        for role in NON_FINITE
    }
    for row, column in np.argwhere(~np.isfinite(drawn.cells.heat)).tolist():
        role, cell = non_finite_role(drawn.cells.heat[row, column]), drawn.grid.rect(row, column)
        assert role is not None
        if drawn.grid.side >= SMALLEST:
            assert cell in marks[role]
        # The mark of a small cell may be that of another one beside it.
        middle = cell.x + cell.width / 2, cell.y + cell.height / 2
        every = [box for boxes in marks.values() for box in boxes]
        assert any(near(box, *middle, 2 * SMALLEST) for box in every)
        assert all(min(box.width, box.height) > SMALLEST - 0.01 for box in every)


@given(drawings())
def test_a_wrong_cell_has_a_corner_or_bars_beside_its_row_and_column(drawn: Drawn) -> None:
    shapes, grid = drawn.shapes(), drawn.grid
    corners = [each for s in shapes if isinstance(s, CellTriangles) for each in s.corners]
    beside = shapes[-1]
    assert isinstance(beside, CellAreas)
    for row, column in np.argwhere(drawn.wrong).tolist():
        cell = grid.rect(row, column)
        if grid.side >= CORNER_FROM:
            inside = [each for each in corners if all(near(cell, *corner) for corner in each)]
            assert len(inside) >= 1
            # It leaves most of the color visible.
            (x, _), (left, _), _ = inside[0]
            assert (x - left) ** 2 / 2 <= 0.25 * cell.width * cell.height
            continue
        x, y = cell.x + cell.width / 2, cell.y + cell.height / 2
        right = [each for each in beside.boxes if each.x > grid.box.x + grid.box.width]
        assert any(each.y <= y <= each.y + each.height for each in right)
        above = [each for each in beside.boxes if each.y < grid.box.y]
        assert any(each.x <= x <= each.x + each.width for each in above)
    if not drawn.wrong.any():
        assert not beside.boxes


@given(drawings())
def test_a_sign_and_what_is_beyond_the_scale_are_seen_without_color(drawn: Drawn) -> None:
    shapes, grid, heat = drawn.shapes(), drawn.grid, drawn.cells.heat
    texts = [each for shape in shapes if isinstance(shape, CellTexts) for each in shape.texts]
    strokes = [
        line for s in shapes if isinstance(s, CellLines) and s.opacity == 0.67 for line in s.lines
    ]
    hatches = [s for s in shapes if isinstance(s, CellImage) and s.colors.shape[-1] == 4]
    wedges = [each for s in shapes if isinstance(s, CellTriangles) for each in s.corners]
    negative = has_negative_color(heat, 1.0) & np.isfinite(heat)
    for row, column in np.argwhere(negative).tolist():
        cell = grid.rect(row, column)
        if texts:
            assert any(box == cell and text.startswith("-") for box, text, _ in texts)
        elif grid.side >= SMALLEST:
            assert any(near(cell, x, y) for x, y, _, _ in strokes)
        else:
            assert grid.pixels is None or hatches
    positive = np.argwhere(np.isfinite(heat) & (heat >= 0)).tolist()
    assert not any(near(grid.rect(*at), x + 1, y, 0) for at in positive for x, y, _, _ in strokes)
    if grid.side >= SMALLEST:
        for row, column in np.argwhere(np.isfinite(heat) & (np.abs(heat) > 1)).tolist():
            cell = grid.rect(row, column)
            inside = [each for each in wedges if all(near(cell, *corner) for corner in each)]
            edge = cell.y if heat[row, column] > 0 else cell.y + cell.height
            # At the top above the scale, else at the bottom; a corner is at the top, too.
            assert any(abs(each[0][1] - edge) < 1 and each[0][1] != each[2][1] for each in inside)


@given(drawings())
def test_numbers_are_inside_their_cells(drawn: Drawn) -> None:
    font = drawing_font()
    for shape in drawn.shapes():
        if isinstance(shape, CellTexts):
            for box, text, _ in shape.texts:
                assert font.width(text) * shape.size <= box.width
                assert font.height * shape.size <= box.height + 2


@given(drawings())
def test_a_drawing_has_the_same_parts_in_every_theme(drawn: Drawn) -> None:
    grid = replace(drawn.grid, pixels=None)
    light, dark = (svg_cells(replace(drawn, grid=grid).shapes(each)) for each in ("light", "dark"))
    color = re.compile("#[0-9a-f]{6}")
    if drawn.cells.heat.size <= 64:
        assert color.sub("#", light) == color.sub("#", dark)


@given(drawings())
def test_each_cell_has_its_color(drawn: Drawn) -> None:
    image = drawn.shapes()[0]
    assert isinstance(image, CellImage)
    expected = colors_of_values(drawn.cells.heat, 1.0)
    if drawn.grid.side >= 1:
        assert (image.colors == expected).all()


def test_the_color_map_alone_does_not_show_signs_in_gray() -> None:
    # Which is why there are second signs: else these tests would prove nothing.
    light = color_table() @ np.array([0.299, 0.587, 0.114])
    assert abs(light[0] - light[-1]) < 30


@pytest.mark.parametrize("side", [0.2, 1.0, 3.0])
def test_hatches_are_where_values_are_negative(side: float) -> None:
    values = np.ones((60, 60))
    values[:, :30] = -1.0
    box = Rect(x=0, y=0, width=60 * side, height=60 * side)
    cells = matrix_cells(values, CellColors(limit=1.0))
    shapes = [*cell_shapes(cells, grid_in(box, (60, 60), (1.0, 1.0)), theme_paint("light"))]
    hatch = shapes[1]
    assert isinstance(hatch, CellImage)
    half = hatch.colors.shape[1] // 2
    assert hatch.colors[:, : half - 1, 3].any()
    assert not hatch.colors[:, half + 1 :, 3].any()


def test_the_end_of_the_scale_is_not_beyond_it() -> None:
    values = np.array([[0.1, -0.3, 0.30000000000000004]])
    assert matrix_cells(values, CellColors(limit=0.3)).clipped.count == 0
    found = matrix_cells(values, CellColors(limit=0.2)).clipped.cells.tolist()
    assert found == [[0, 1], [0, 2]]
