"""Each shape of a layout of cells is painted where it is, in its color."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from gradviz.drawing.cells.cell_grid import (
    CellAreas,
    CellImage,
    CellLines,
    CellShape,
    CellTexts,
    CellTriangles,
)
from gradviz.drawing.geometry.rect import Rect
from gradviz.viewer.tensor_view.cell_painter import paint_cells
from tests.viewer.pixels import Pixels, pixels_of_image

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
