"""One wrong element in sixteen million is visible, and the window responds."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QRectF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz.viewer.background import Background
from gradviz.viewer.jacobians.panel import JacobiansPanel
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT
from tests.viewer.jacobians.panel_reports import lonely_reader, maps, settle
from tests.viewer.pixels import grey, pixels_of

# `test_map_image` has small maps; preparing these takes seconds.
pytestmark = pytest.mark.sweep

AT = (1234, 2345)


@pytest.fixture(scope="module")
def panel(qapp: QApplication) -> Iterator[JacobiansPanel]:
    """One panel for all tests, because preparing its maps takes seconds."""
    state, background = ViewerState(LIGHT), Background()
    made = JacobiansPanel(state, background)
    made.resize(1000, 640)
    made.show()
    reader = lonely_reader(4000, AT)
    begun = perf_counter()
    state.show(reader)
    # Reading and preparing it takes seconds, none of them of the window's thread.
    assert perf_counter() - begun < 0.5
    assert made.maps.view is None
    until = perf_counter() + 60
    while made.maps.view is None and perf_counter() < until:
        QTest.qWait(10)
    assert made.maps.view is not None
    settle()
    yield made
    state.show(None)
    background.close()
    made.close()
    made.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def test_one_wrong_element_has_a_mark_of_many_pixels_on_each_map(panel: JacobiansPanel) -> None:
    view = maps(panel)
    # Another test of this panel may have zoomed in.
    view.plots[0].show_all()
    settle()
    view.move_cursor((3500, 100))
    for plot in view.plots:
        shades = grey(pixels_of(plot))
        at = plot.place_of(*AT).toPoint()
        around = shades[at.y() - 12 : at.y() + 13, at.x() - 12 : at.x() + 13]
        rows, columns = np.nonzero(around < 60)
        assert np.ptp(rows) >= 5
        assert np.ptp(columns) >= 5
        # The same area elsewhere is plain.
        assert (shades[at.y() + 30 : at.y() + 50, at.x() - 40 : at.x() - 20] > 150).all()


def test_its_color_is_not_averaged_away(panel: JacobiansPanel) -> None:
    pooled = maps(panel).matrices.layers[2].pooled
    assert [float(pooled.at(level, level).max()) for level in range(5)] == [0.5] * 5


def test_moving_about_costs_no_more_than_frames(panel: JacobiansPanel) -> None:
    view = maps(panel)
    frames = []
    for share in (1.0, 0.7, 0.5, 0.3, 0.1):
        side = 4000 * share
        begun = perf_counter()
        view.plots[0].show_area(QRectF(2000 - side / 2, 2000 - side / 2, side, side))
        view.move_cursor((int(side / 2), 7))
        pixels_of(view)
        frames.append(perf_counter() - begun)
    assert sorted(frames)[len(frames) // 2] < 0.1
