"""A map in a plot: tick labels where they fit, repaints of a part, events while it closes."""

import numpy as np
import pytest
import shiboken6
from msgspec.structs import replace
from pyqtgraph import PlotWidget
from PySide6.QtCore import QEvent, QRect, QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gradviz.drawing.cells.cell_colors import CellColors
from gradviz.drawing.cells.cells import matrix_cells
from gradviz.drawing.cells.tensor_axis import TensorAxis
from gradviz.model.tensor import TensorValue
from gradviz.viewer.jacobians.map.map_plot import MapPlot
from gradviz.viewer.jacobians.pair_matrices import matrices_of
from gradviz.viewer.theme.theme import LIGHT
from tests.viewer.jacobians.panel_reports import one_block
from tests.viewer.pixels import pixels_of_image
from tests.viewer.traces import block

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
    plot.show_cells(matrix_cells(np.eye(12), CellColors(limit=1.0)))
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
    plot.show_cells(matrix_cells(np.eye(12), CellColors(limit=1.0)))
    plot.show_area(QRectF(-0.5, -0.5, 5, 5))
    QApplication.processEvents()
    assert len(named_ticks(plot, "bottom")) == 5
    plot.close()


def test_the_title_of_a_narrow_map_is_not_cut(qtbot: QtBot) -> None:
    plot = MapPlot(LIGHT)
    qtbot.addWidget(plot.widget)
    plot.widget.resize(138, 240)
    plot.widget.show()
    plot.show_cells(matrix_cells(np.eye(6), CellColors(limit=1.0)))
    columns = TensorAxis(name="output", shape=(2, 3)), "columns: output, 2×3"
    plot.set_axes(columns, columns)
    QApplication.processEvents()
    label = plot.axes[1].label
    margin, title = label.document().documentMargin(), label.sceneBoundingRect()
    assert 0 <= title.left() + margin < title.right() - margin <= plot.widget.width()
    plot.close()


def test_a_part_is_repainted_with_the_digits_of_the_whole(qtbot: QtBot) -> None:
    values = np.array([[0.403, 0.838], [-0.125, 1.25]])
    pair = replace(block("x", 0, (2,), (22, 23)), output_shape=(2,))
    value = TensorValue(dtype="float64", shape=(2, 2), data=values.tobytes())
    matrices = matrices_of(one_block(pair), pair, value, value)
    plot = MapPlot(LIGHT)
    qtbot.addWidget(plot.widget)
    # Wide enough for two decimals of each number, and for three only without a minus.
    plot.widget.resize(130, 240)
    plot.widget.show()
    plot.show_matrices(matrices, 0)
    QApplication.processEvents()
    whole = plot.viewport.grab().toImage()
    part = QRect(plot.place_of(0, 0).toPoint(), plot.place_of(0, 1).toPoint())
    part.adjust(-8, -8, -8, 8)
    repainted = plot.viewport.grab(part).toImage()
    assert (pixels_of_image(repainted) == pixels_of_image(whole.copy(part))).all()
    plot.close()


def test_an_event_of_a_deleted_widget_is_no_error(qapp: QApplication) -> None:
    plot = MapPlot(LIGHT)
    gone = QWidget()
    shiboken6.delete(gone)
    # Qt still sends events to a widget whose Python object it has already taken back.
    assert not plot.eventFilter(gone, QEvent(QEvent.Type.Hide))
    plot.close()
