"""A map shows its cells at every zoom; large values stay visible, signs also in gray."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.drawing.appearance.color_map import colors_of_values
from gradviz.drawing.cells.cell_grid import grid_in
from gradviz.drawing.cells.cell_marks import PooledHeat
from gradviz.drawing.cells.cells import CellColors, matrix_cells
from gradviz.drawing.geometry.rect import Rect
from gradviz.viewer.jacobians.map.map_cells import map_numbers
from gradviz.viewer.jacobians.map.map_plot import MapPlot
from gradviz.viewer.theme.theme import LIGHT
from tests.viewer.jacobians.panel_reports import show_cells
from tests.viewer.pixels import Pixels, pixels_of


def shown(qtbot: QtBot, heat: np.ndarray, area: QRectF | None = None) -> tuple[MapPlot, Pixels]:
    plot = MapPlot(LIGHT)
    qtbot.addWidget(plot)
    plot.resize(420, 400)
    plot.show()
    show_cells(plot, heat)
    if area is not None:
        plot.show_area(area)
    QApplication.processEvents()
    return plot, pixels_of(plot)


def pixel(plot: MapPlot, pixels: Pixels, row: int, column: int) -> tuple[int, ...]:
    # Below the number, if there is one.
    place = plot.place_of(row + 0.4, column)
    return tuple(int(each) for each in pixels[int(place.y()), int(place.x())])


@pytest.mark.parametrize(("size", "value"), [(300, 1.0), (2000, -1.0)])
def test_a_thin_diagonal_is_seen_from_afar(qtbot: QtBot, size: int, value: float) -> None:
    heat = np.zeros((size, size))
    np.fill_diagonal(heat, value)
    plot, pixels = shown(qtbot, heat)
    zero = colors_of_values(np.array([0.0]), 1.0)[0].astype(int)
    steps = range(size // 20, size, size // 20)
    for at in steps:
        place = plot.place_of(at, at).toPoint()
        around = pixels[place.y() - 1 : place.y() + 2, place.x() - 1 : place.x() + 2].astype(int)
        assert np.abs(around - zero).sum(axis=-1).max() > 150, at


def test_enlarged_it_shows_each_cell_again(qtbot: QtBot) -> None:
    heat = np.zeros((1200, 1200))
    heat[700, 700], heat[701, 701] = 1.0, 0.5
    plot, pixels = shown(qtbot, heat, QRectF(696.5, 696.5, 8, 8))
    for at, value in ((700, 1.0), (701, 0.5), (702, 0.0)):
        expected = tuple(int(each) for each in colors_of_values(np.array([value]), 1.0)[0])
        assert pixel(plot, pixels, at, at) == expected


def test_no_level_loses_the_largest_element() -> None:
    rng = np.random.default_rng(0)
    heat = rng.normal(size=(777, 530))
    heat[123, 456] = np.nan
    heat[5, 7] = 4.5
    pooled = PooledHeat(heat)
    for level in range(4):
        coarse = pooled.at(level, level)
        assert np.abs(coarse[np.isfinite(coarse)]).max() == np.nanmax(np.abs(heat))
        assert coarse.shape == tuple(-(-side // (1 << level)) for side in heat.shape)
    infinite = PooledHeat(np.where(heat > 4, np.inf, heat))
    assert 0 < np.isinf(infinite.at(3, 3)).sum() <= (heat > 4).sum()


def test_a_thin_matrix_is_coarser_only_along_its_length() -> None:
    heat = np.arange(4 * 5000.0).reshape(4, 5000)
    assert PooledHeat(heat).at(0, 3).tolist() == heat[:, 7::8].tolist()
    assert PooledHeat(np.zeros((0, 3))).at(2, 2).shape == (0, 1)


@pytest.mark.parametrize(
    ("width", "expected"),
    [(60, ["-0.293", "1.000", "0", "1.000"]), (27, ["-0.3", "1.0", "0", "1"]), (20, [])],
)
def test_fewer_digits_come_before_no_numbers(width: float, expected: list[str]) -> None:
    values = np.array([[-0.29342890572880975, 0.99991, 0.0, 1.0]])
    grid = grid_in(Rect(x=0, y=0, width=4 * width, height=30), values.shape)
    numbers = map_numbers(matrix_cells(values, CellColors(limit=1.0)), grid)
    assert (numbers.rows[0] if numbers else []) == expected
    if numbers is not None:
        signed = map_numbers(matrix_cells(-values, CellColors(limit=1.0)), grid, has_plus=True)
        assert signed is None or signed.rows[0][0] == f"+{expected[0][1:]}"
