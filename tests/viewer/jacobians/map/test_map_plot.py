"""A map: tick labels where they fit, zoom by wheel, and moves by mouse."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gradviz.drawing.cells.tensor_axis import TensorAxis
from gradviz.viewer.jacobians.map.map_labels import MapTitle
from gradviz.viewer.jacobians.map.map_plot import MapPlot
from gradviz.viewer.tensor_view.cell_painter import qt_rect
from gradviz.viewer.theme.theme import LIGHT, Theme
from tests.viewer.jacobians.panel_reports import cells_across, show_cells

NAMES = TensorAxis(name="x", shape=(4, 3)), ""


@pytest.mark.parametrize(("width", "fewest", "most"), [(240, 4, 6), (900, 12, 12)])
def test_names_of_ticks_never_overlap(qtbot: QtBot, width: int, fewest: int, most: int) -> None:
    plot = MapPlot(LIGHT)
    qtbot.addWidget(plot)
    plot.resize(width, 240)
    plot.show()
    plot.set_axes(NAMES, NAMES)
    show_cells(plot, np.eye(12))
    QApplication.processEvents()
    named = [qt_rect(box) for box, _ in plot.tick_labels()[1]]
    assert fewest <= len(named) <= most
    for place, rect in enumerate(named):
        assert not any(rect.intersects(other) for other in named[place + 1 :])


def test_all_names_stand_where_the_map_is_enlarged(qtbot: QtBot) -> None:
    plot = MapPlot(LIGHT)
    qtbot.addWidget(plot)
    plot.resize(240, 240)
    plot.show()
    plot.set_axes(NAMES, NAMES)
    show_cells(plot, np.eye(12))
    plot.show_area(QRectF(-0.5, -0.5, 5, 5))
    QApplication.processEvents()
    assert len(plot.tick_labels()[1]) == 5


def test_the_title_of_a_narrow_map_is_not_cut(qtbot: QtBot) -> None:
    plot = MapPlot(LIGHT)
    qtbot.addWidget(plot)
    plot.resize(138, 240)
    plot.show()
    show_cells(plot, np.eye(6))
    columns = TensorAxis(name="output", shape=(2, 3)), "columns: output, 2×3"
    plot.set_axes(columns, columns)
    QApplication.processEvents()
    title = plot.title_boxes()[1]
    assert 0 <= title.left() < title.right() <= plot.width()


@pytest.fixture
def pair(qtbot: QtBot) -> tuple[MapPlot, MapPlot]:
    plots = MapPlot(LIGHT), MapPlot(LIGHT)
    plots[1].follow(plots[0])
    for plot in plots:
        qtbot.addWidget(plot)
        plot.resize(400, 300)
        plot.show()
        show_cells(plot, np.eye(60))
    return plots


def wheel(plot: MapPlot, place: QPointF, turned: int) -> None:
    none = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(place, plot.mapToGlobal(place), QPoint(), QPoint(0, turned), *none, False)
    QApplication.sendEvent(plot, event)


def corners(plot: MapPlot) -> tuple[QPointF, QPointF]:
    """Where the first and the last cell are, inside the plot or not."""
    return plot.place_of(0, 0), plot.place_of(59, 59)


def test_the_wheel_zooms_around_the_mouse_in_both_maps(pair: tuple[MapPlot, MapPlot]) -> None:
    plot, other = pair
    place, whole = plot.place_of(20, 40), corners(plot)
    wheel(plot, place, 360)
    assert cells_across(plot) < 30
    assert plot.cell_at(place) == (20, 40)
    assert corners(other) == corners(plot)
    across, (top, _) = cells_across(plot), corners(plot)
    # Beside the cells, along one axis only.
    wheel(plot, QPointF(2, place.y()), 120)
    assert cells_across(plot) == pytest.approx(across)
    assert corners(plot)[0] != top
    wheel(plot, place, -9999)
    assert (cells_across(plot), corners(plot)) == (pytest.approx(60), whole)
    wheel(plot, place, 9999)
    assert cells_across(plot) == pytest.approx(4)


def test_a_drag_moves_the_cells_and_is_no_click(
    pair: tuple[MapPlot, MapPlot], qtbot: QtBot
) -> None:
    plot, other = pair
    clicked: list[object] = []
    plot.clicked.connect(clicked.append)
    plot.show_area(QRectF(19.5, 19.5, 20, 20))
    start, end = (plot.place_of(*cell).toPoint() for cell in ((30, 30), (26, 25)))
    left = Qt.MouseButton.LeftButton
    qtbot.mousePress(plot, left, pos=start)
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(end),
        plot.mapToGlobal(QPointF(end)),
        Qt.MouseButton.NoButton,
        left,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(plot, event)
    qtbot.mouseRelease(plot, left, pos=end)
    assert clicked == []
    assert plot.cell_at(QPointF(end)) == (30, 30)
    assert corners(other) == corners(plot)
    qtbot.mouseClick(plot, left, pos=end)
    assert clicked == [(30, 30)]


class _Windows(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.shown = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget):
            self.shown += watched.isWindow()
        return False


@pytest.mark.parametrize("side_by_side", [False, True])
def test_no_window_takes_the_keyboard_away(qapp: QApplication, side_by_side: bool) -> None:
    windows = _Windows()
    qapp.installEventFilter(windows)
    options = [("numerical", ""), ("analytical", "")]
    title = MapTitle(Theme(name="light"), "Map", options, side_by_side=side_by_side)
    qapp.removeEventFilter(windows)
    assert windows.shown == 0
    assert title.box is not None
    assert title.box.isHidden() == side_by_side


def test_the_outline_of_a_cell_at_the_edge_is_whole(qtbot: QtBot) -> None:
    plot = MapPlot(LIGHT, is_main=False)
    qtbot.addWidget(plot)
    plot.resize(160, 130)
    plot.show()
    show_cells(plot, np.eye(6))
    plot.move_cursor((5, 0))
    QApplication.processEvents()
    area, picture = plot.area(), plot.grab().toImage()
    left, bottom = int(area.left()) - 4, int(area.bottom()) + 3
    lines = [picture.pixelColor(left, bottom - 12), picture.pixelColor(left + 12, bottom)]
    assert [each.name() for each in lines] == ["#000000", "#000000"]
