"""Marks of wrong elements leave the colors of small cells visible."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from gradviz.drawing.appearance.color_map import color_table
from gradviz.drawing.cells.layout import BESIDE, CORNER_FROM
from gradviz.model.tensor import TensorValue
from gradviz.viewer.jacobians.map.map_cells import MapCells, map_grid
from gradviz.viewer.jacobians.pair_matrices import matrices_of
from gradviz.viewer.theme.theme import DARK, LIGHT, Theme
from tests.viewer.jacobians.panel_reports import one_block
from tests.viewer.pixels import Pixels, pixels_of_image
from tests.viewer.traces import block

GROUND = tuple(color_table()[255].tolist())
AROUND = round(BESIDE)


def painted(
    wrong: np.ndarray,
    width: float,
    height: float,
    theme: Theme = LIGHT,
    *,
    marks: bool = True,
    worst: bool = False,
) -> Pixels:
    """What is painted on a map of one color, and on the `AROUND` pixels on each side of it."""
    rows, columns = wrong.shape
    pair = replace(block("x", 0, (rows,), (22, 23)), output_shape=(columns,))
    # No element is wrong by as much as another, so there is one worst element.
    errors = np.where(wrong, 1.0 + np.arange(wrong.size).reshape(wrong.shape), 0.0)
    values = [
        TensorValue(dtype="float64", shape=each.shape, data=each.tobytes())
        for each in (np.zeros(wrong.shape), errors)
    ]
    matrices = matrices_of(one_block(pair), pair, *values)
    drawn = MapCells(theme)
    drawn.show_cells(matrices.layers[0])
    drawn.show_marks(matrices.wrong if marks else None, matrices.worst if worst else None)
    area = QRectF(AROUND, AROUND, round(columns * width), round(rows * height))
    image = QImage(
        area.adjusted(0, 0, 2 * AROUND, 2 * AROUND).size().toSize(), QImage.Format.Format_RGB32
    )
    image.fill(QColor(*GROUND))
    painter = QPainter(image)
    grid = map_grid(area, QRectF(-0.5, -0.5, columns, rows), wrong.shape)
    drawn.paint(painter, grid, area)
    drawn.paint_outlines(painter, grid, area)
    painter.end()
    return pixels_of_image(image)


def visible_shares(wrong: np.ndarray, side: int, theme: Theme, *, worst: bool) -> np.ndarray:
    """The share of each cell that no mark hides."""
    marked, plain = (
        painted(wrong, side, side, theme, marks=each, worst=each and worst)
        for each in (True, False)
    )
    same = (marked == plain).all(axis=-1)[AROUND:-AROUND, AROUND:-AROUND]
    rows, columns = wrong.shape
    return same.reshape(rows, side, columns, side).mean(axis=(1, 3))


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("side", [4, 5, 7, 9, 11, 12, 16, 26, 40])
def test_each_wrong_cell_keeps_its_color(qapp: QApplication, side: int, theme: Theme) -> None:
    wrong = np.random.default_rng(side).random((16, 20)) < 0.5
    shares = visible_shares(wrong, side, theme, worst=False)
    assert shares.min() == 1 if side < CORNER_FROM else shares.min() > 0.75
    shares = visible_shares(wrong, side, theme, worst=True)
    # The outline of the worst element is around it, or leaves most of a large cell.
    assert shares[wrong].mean() > 0.75
    row, column = np.argwhere(wrong)[-1]
    assert shares[row, column] > 0.7


@pytest.mark.parametrize(("width", "height"), [(4.2, 9.5), (10.0, 10.0), (2.0, 6.0), (30.0, 4.0)])
def test_bars_beside_the_map_mark_rows_and_columns(
    qapp: QApplication, width: float, height: float
) -> None:
    wrong = np.zeros((36, 54), dtype=bool)
    wrong[10:16, 20:29] = wrong[30, 29] = True
    marked = (painted(wrong, width, height) != GROUND).any(axis=-1)
    below, beside = marked[:AROUND].any(axis=0), marked[:, -AROUND:].any(axis=1)
    for found, size, expected in (
        (beside[AROUND:-AROUND], height, wrong.any(axis=1)),
        (below[AROUND:-AROUND], width, wrong.any(axis=0)),
    ):
        middles = (np.arange(len(expected)) + 0.5) * size
        assert found[middles.astype(int)].tolist() == expected.tolist()


def test_a_single_tiny_wrong_cell_has_bars(qapp: QApplication) -> None:
    wrong = np.zeros((400, 400), dtype=bool)
    wrong[200, 300] = True
    marked = (painted(wrong, 0.5, 0.5) != GROUND).any(axis=-1)
    assert marked.sum() == marked[:AROUND].sum() + marked[:, -AROUND:].sum() >= 16
    assert abs(np.nonzero(marked[:, -AROUND:])[0].mean() - AROUND - 100) < 2
    assert abs(np.nonzero(marked[:AROUND])[1].mean() - AROUND - 150) < 2
