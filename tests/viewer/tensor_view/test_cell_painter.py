"""Each shape of a layout of cells is painted where it is, in its color."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QImage, QPainter

from gradviz.analysis.index.trace_index import index_trace
from gradviz.catalogue.numbers import number_text
from gradviz.drawing.appearance.color_map import colors_of_values
from gradviz.drawing.appearance.palette import theme_paint
from gradviz.drawing.cells import thumbnail
from gradviz.drawing.cells.cell_grid import (
    CellAreas,
    CellImage,
    CellLines,
    CellShape,
    CellTexts,
    CellTriangles,
)
from gradviz.drawing.cells.cell_numbers import CellNumbers
from gradviz.drawing.content.element_grid import CELL_ROOM, element_grid
from gradviz.drawing.geometry.rect import Rect
from gradviz.export.graph.svg_parts import svg_thumbnail
from gradviz.model.tensor import TensorValue
from gradviz.viewer.tensor_view.cell_painter import paint_cells, paint_thumbnail, thumbnail_size
from gradviz.viewer.theme.theme import LIGHT
from tests.builders import linear_trace, tensor
from tests.viewer.pixels import Pixels, ground_of, part, pixels_of_image

BOX = Rect(x=10, y=20, width=30, height=16)
INK = (196, 0, 196)
HEX = "#c400c4"
TRIANGLE = ((10.0, 20.0), (40.0, 20.0), (40.0, 36.0))


def painted(*shapes: CellShape) -> Pixels:
    image = QImage(60, 50, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFF)
    painter = QPainter(image)
    paint_cells(painter, shapes)
    painter.end()
    return pixels_of_image(image)


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    "shape",
    [
        CellAreas(boxes=[BOX], fill=HEX),
        CellImage(box=BOX, colors=np.full((2, 3, 3), INK, np.uint8)),
        CellImage(box=BOX, colors=np.full((5, 7, 4), (*INK, 255), np.uint8)),
        CellLines(lines=[(11, 22, 39, 22), (15, 22, 15, 35)], ink=HEX),
        CellTriangles(corners=[TRIANGLE], fill=HEX),
        CellTexts(texts=[(BOX, "-1.5", HEX)], size=12),
    ],
    ids=lambda shape: type(shape).__name__,
)
def test_a_shape_is_inside_its_place(shape: CellShape) -> None:
    pixels = painted(shape)
    assert (pixels == INK).all(axis=2).sum() >= 5
    pixels[20:36, 10:40] = 255
    assert (pixels == 255).all()


@pytest.mark.usefixtures("qapp")
def test_colors_are_not_mixed_and_opacity_is_kept() -> None:
    colors = np.array([[INK, (0, 163, 196)]], np.uint8)
    pixels = painted(CellImage(box=BOX, colors=colors))[20:36, 10:40]
    assert np.array_equal(np.unique(pixels.reshape(-1, 3), axis=0), np.unique(colors[0], axis=0))
    half = painted(CellLines(lines=[(10, 30, 40, 30)], ink="#000000", opacity=0.5))
    assert 100 < half[30, 25, 0] < 160


def painted_thumbnail(value: TensorValue, rect: QRectF, limit: float | None = None) -> Pixels:
    image = QImage(200, 120, QImage.Format.Format_RGB888)
    image.fill(LIGHT.color("panel"))
    painter = QPainter(image)
    paint_thumbnail(painter, rect, value, LIGHT, limit)
    painter.end()
    return pixels_of_image(image)


@pytest.mark.usefixtures("qapp")
def test_small_tensors_show_their_colors_within_the_rectangle() -> None:
    _, value = tensor(1, [[0.0, 1.0], [-2.0, 3.0]])
    size = thumbnail_size(value, QSizeF(150, 100))
    rect = QRectF(10, 10, size.width(), size.height())
    pixels = painted_thumbnail(value, rect)
    half = rect.width() / 2
    corner = QRectF(10 + half, 10 + rect.height() / 2, half, rect.height() / 2)
    expected = tuple(int(each) for each in colors_of_values(np.array([3.0]), 3.0)[0])
    assert ground_of(part(pixels, corner)) == expected
    outside = pixels.copy()
    outside[10 : int(rect.bottom()) + 1, 10 : int(rect.right()) + 1] = 255
    assert (outside == 255).all()


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (4, 2, 2), (300, 200), (1, 900), (0, 3)])
def test_every_shape_fits_what_is_offered(shape: tuple[int, ...]) -> None:
    _, value = tensor(1, np.ones(shape))
    size = thumbnail_size(value, QSizeF(80, 60))
    assert size.width() <= 80
    assert size.height() <= 60
    painted_thumbnail(value, QRectF(0, 0, 40, 30))


@pytest.mark.usefixtures("qapp")
def test_a_scale_can_be_given() -> None:
    _, value = tensor(1, [[1.0]])
    rect = QRectF(0, 0, 40, 40)
    assert ground_of(painted_thumbnail(value, rect)[2:38, 2:38]) != ground_of(
        painted_thumbnail(value, rect, 100.0)[2:38, 2:38]
    )


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    "elements",
    [
        [0.99999, 2.0],
        [123456.0, -1.5e-7],
        [np.nan, -np.inf, 1.0],
        [True, False],
        [-1234567, 8],
        [[0.1, 12.345], [-99.99, 1e9]],
    ],
)
def test_the_graph_measures_the_numbers_that_it_paints(
    elements: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    record, value = tensor(1, np.array(elements))
    index = index_trace(replace(linear_trace(), tensors=(record,)), lambda number: value)
    grid = element_grid(index, record)
    assert grid is not None
    expected = [number_text(each, CELL_ROOM) for each in np.ravel(value.array())]
    drawn = svg_thumbnail(
        theme_paint("light"), value, Rect(x=0, y=0, width=grid.size[0], height=grid.size[1])
    )
    found = [each.text for each in ElementTree.fromstring(drawn).iter("text")]
    # What is not finite is drawn above the others.
    assert sorted(found) == sorted(expected)
    numbers: list[CellNumbers | None] = []
    shapes = thumbnail.cell_shapes

    def noted(cells: object, grid: object, paint: object, shown: object, **more: object) -> object:
        numbers.append(shown)
        return shapes(cells, grid, paint, shown, **more)

    monkeypatch.setattr(thumbnail, "cell_shapes", noted)
    painted_thumbnail(value, QRectF(0, 0, *grid.size))
    (shown,) = numbers
    assert shown is not None
    assert [text for row in shown.rows for text in row] == expected
    assert shown.fit(*grid.cell)
