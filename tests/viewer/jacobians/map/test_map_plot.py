"""Axes of a map: tick labels where they fit."""

import numpy as np
import pytest
from pyqtgraph import PlotWidget
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.viewer.jacobians.map.block_separators import TensorAxis
from gradviz.viewer.jacobians.map.map_colors import MapColors
from gradviz.viewer.jacobians.map.map_plot import MapPlot
from gradviz.viewer.theme.theme import LIGHT

NAMES = TensorAxis(name="x", shape=(4, 3)), ""


def named_ticks(plot: MapPlot, side: str) -> list[QRectF]:
    assert isinstance(plot.widget, PlotWidget)
    image = QImage(10, 10, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    axis = plot.widget.getAxis(side)
    painter.setFont(axis.style["tickFont"])
    _, _, texts = axis.generateDrawSpecs(painter)
    painter.end()
    return [rect for rect, _, text in texts if text]


@pytest.mark.parametrize(("width", "fewest", "most"), [(240, 4, 6), (900, 12, 12)])
def test_names_of_ticks_never_overlap(qtbot: QtBot, width: int, fewest: int, most: int) -> None:
    plot = MapPlot(LIGHT)
    qtbot.addWidget(plot.widget)
    plot.widget.resize(width, 240)
    plot.widget.show()
    plot.set_axes(NAMES, NAMES)
    plot.show_matrix(np.eye(12), MapColors(limit=1.0))
    QApplication.processEvents()
    named = named_ticks(plot, "bottom")
    assert fewest <= len(named) <= most
    for place, rect in enumerate(named):
        assert not any(rect.intersects(other) for other in named[place + 1 :])
    plot.close()


def test_all_names_stand_where_the_map_is_enlarged(qtbot: QtBot) -> None:
    plot = MapPlot(LIGHT)
    qtbot.addWidget(plot.widget)
    plot.widget.resize(240, 240)
    plot.widget.show()
    plot.set_axes(NAMES, NAMES)
    plot.show_matrix(np.eye(12), MapColors(limit=1.0))
    plot.show_cells(QRectF(-0.5, -0.5, 5, 5))
    QApplication.processEvents()
    assert len(named_ticks(plot, "bottom")) == 5
    plot.close()
