"""Signs for negative and out-of-range cells are visible without color."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from gradviz.drawing.appearance.color_map import color_table
from gradviz.drawing.appearance.palette import theme_paint
from gradviz.drawing.cells.cell_grid import grid_in
from gradviz.drawing.cells.cells import cells_of
from gradviz.drawing.cells.layout import cell_shapes
from gradviz.drawing.cells.plane import plane_of
from gradviz.viewer.tensor_view.cell_painter import paint_cells, rect_of
from tests.builders import tensor
from tests.viewer.pixels import Pixels, grey, part, pixels_of_image


def painted(values: object, side: int, limit: float = 0.0) -> tuple[Pixels, QRectF]:
    """Cells of the given side length in pixels, without numbers, in grayscale."""
    _, value = tensor(1, values)  # type: ignore[arg-type]
    plane = plane_of(value)
    image = QImage(plane.columns * side, plane.rows * side, QImage.Format.Format_RGB888)
    rect = QRectF(0, 0, image.width(), image.height())
    painter = QPainter(image)
    cells = cells_of(plane, limit or float(np.nanmax(np.abs(values))))  # type: ignore[call-overload]
    grid = grid_in(rect_of(rect), cells.shape, (1.0, 1.0))
    paint_cells(painter, cell_shapes(cells, grid, theme_paint("light")))
    painter.end()
    return pixels_of_image(image), rect


def spread(pixels: Pixels) -> float:
    """The range of lightness within a part."""
    return float(np.ptp(grey(pixels)))


def test_the_color_map_alone_does_not_show_signs_in_gray() -> None:
    # Which is why there are second signs: else these tests would prove nothing.
    light = grey(color_table()[None])[0]
    assert abs(light[0] - light[-1]) < 30


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("side", [8, 12, 20, 40])
def test_a_stroke_marks_negative_values(side: int) -> None:
    pixels, _ = painted([[-3.0, 3.0], [1.0, -1.0]], side)
    for row, column, negative in ((0, 0, True), (0, 1, False), (1, 0, False), (1, 1, True)):
        cell = QRectF(column * side, row * side, side, side)
        assert (spread(part(pixels, cell, inset=2)) > 30) == negative


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("side", [3, 8])
def test_a_value_with_the_color_of_zero_has_no_sign(side: int) -> None:
    values = np.full((20, 20), -1e-9)
    values[0, 0] = 1.0
    pixels, _ = painted(values, side)
    assert spread(pixels[side:]) == 0


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("side", [1, 3, 5])
def test_areas_of_small_cells_below_zero_are_hatched(side: int) -> None:
    values = np.ones((60, 60))
    values[:, :30] = -1.0
    pixels, _ = painted(values, side)
    half = pixels.shape[1] // 2
    assert spread(pixels[:, : half - 2]) > 20
    assert spread(pixels[:, half + 2 :]) == 0


@pytest.mark.usefixtures("qapp")
def test_nothing_is_drawn_where_nothing_is_negative() -> None:
    pixels, _ = painted(np.ones((60, 60)), 3)
    assert spread(pixels) == 0


@pytest.mark.usefixtures("qapp")
def test_a_wedge_marks_values_beyond_the_scale_and_their_side() -> None:
    side = 24
    pixels, _ = painted([[9.0, 1.0], [-9.0, -1.0]], side, limit=1.0)

    def dark(row: int, column: int, *, top: bool) -> bool:
        y = row * side + (1 if top else side - 7)
        corner = grey(pixels[y : y + 6, (column + 1) * side - 7 : (column + 1) * side - 1])
        return bool(corner.min() < 40 and np.ptp(corner) > 100)

    assert dark(0, 0, top=True)
    assert not dark(0, 0, top=False)
    assert dark(1, 0, top=False)
    assert not dark(1, 0, top=True)
    assert not dark(0, 1, top=True)
    assert not dark(1, 1, top=False)


def test_the_end_of_the_scale_is_not_beyond_it() -> None:
    _, value = tensor(1, [[0.1, -0.3, 0.30000000000000004]])
    assert cells_of(plane_of(value), 0.3).clipped.count == 0
    assert cells_of(plane_of(value), 0.2).clipped.cells.tolist() == [[0, 1], [0, 2]]
