"""Marks of wrong elements leave the colors of small cells visible."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QTransform

from gradviz.viewer.jacobians.map.cell_numbers import VisibleCells
from gradviz.viewer.jacobians.map.downsampling import CellMarks
from gradviz.viewer.jacobians.map.wrong_marks import paint_wrong
from tests.viewer.pixels import pixels_of_image

GROUND = (58, 144, 254)


def painted(wrong: np.ndarray, width: float, height: float) -> np.ndarray:
    """Pixels of cells of one color with marks, ``[rows, columns, 3]``."""
    rows, columns = wrong.shape
    image = QImage(round(columns * width), round(rows * height), QImage.Format.Format_RGB32)
    image.fill(QColor(*GROUND))
    painter = QPainter(image)
    transform = QTransform(width, 0, 0, height, width / 2, height / 2)
    cells = VisibleCells(transform, QRectF(-0.5, -0.5, columns, rows), wrong.shape)
    paint_wrong(painter, cells, CellMarks(wrong))
    painter.end()
    return pixels_of_image(image)


@pytest.mark.parametrize(("width", "height"), [(4.2, 9.5), (11.0, 11.0), (2.0, 6.0), (30.0, 14.0)])
def test_most_of_the_color_stays_where_every_element_is_wrong(width: float, height: float) -> None:
    pixels = painted(np.ones((36, 54), dtype=bool), width, height)
    assert (pixels == GROUND).all(axis=-1).mean() > 0.8


def test_small_wrong_cells_are_framed_and_keep_their_color() -> None:
    wrong = np.zeros((36, 54), dtype=bool)
    wrong[10:16, 20:29] = True
    marked = (painted(wrong, 10.0, 10.0) != GROUND).any(axis=-1)
    rows, columns = np.nonzero(marked)
    assert (rows.min(), columns.min()) == pytest.approx((100, 200), abs=2)
    assert (rows.max(), columns.max()) == pytest.approx((160, 290), abs=2)
    assert not marked[104:156, 204:286].any()


def test_a_single_tiny_wrong_cell_is_framed() -> None:
    wrong = np.zeros((400, 400), dtype=bool)
    wrong[200, 300] = True
    marked = (painted(wrong, 1.0, 1.0) != GROUND).any(axis=-1)
    assert marked[190:210, 290:310].sum() == marked.sum() >= 24
