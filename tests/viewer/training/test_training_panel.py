"""The Training panel: curves, table, and going from a point to its step."""

from __future__ import annotations

import math
from itertools import chain

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import DARK, LIGHT
from gradviz.viewer.training.curves_plot import CurvesPlot
from gradviz.viewer.training.panel import TrainingController, TrainingPanel
from gradviz.viewer.window.docks import Docks
from tests.training_traces import training_trace
from tests.viewer.column_texts import column_texts
from tests.viewer.traces import MemoryReader, linear_reader

LOSSES = [4.0, 2.0, 1.0]
GRADIENTS = [[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]]


def trained() -> MemoryReader:
    return MemoryReader(*training_trace(LOSSES, GRADIENTS))


@pytest.fixture
def state(state: ViewerState) -> ViewerState:
    state.show(trained())
    return state


@pytest.fixture
def panel(qtbot: QtBot, state: ViewerState) -> TrainingPanel:
    panel = TrainingPanel(state)
    qtbot.addWidget(panel)
    panel.resize(900, 240)
    panel.show()
    return panel


def click(qtbot: QtBot, plot: CurvesPlot, at: int) -> None:
    place = plot.place_of(plot.series[0].points[at]).toPoint()
    qtbot.mouseMove(plot.viewport, place - QPoint(40, 40))
    qtbot.mouseClick(plot.viewport, Qt.MouseButton.LeftButton, pos=place)


def test_the_trend_is_described_in_words(panel: TrainingPanel) -> None:
    assert panel.summary == (
        "loss falls from 4 to 1 in 3 passes. L2 norms of the total .grad that the "
        "optimizer used. One norm is 0 and cannot be shown on a logarithmic axis."
    )


def test_a_training_of_which_nothing_is_finite_draws_nothing_and_says_so(
    panel: TrainingPanel, state: ViewerState
) -> None:
    nan = math.nan
    state.show(MemoryReader(*training_trace([nan] * 3, [[nan, nan]] * 3)))
    state.go_to(9)
    assert panel.sheet is not None
    for plot in (panel.sheet.loss, panel.sheet.norms):
        assert all(map(math.isnan, chain(*plot.heights)))
    assert panel.summary.startswith("loss is nan in both the first and the last of 3 passes.")
    assert panel.summary.endswith("3 norms are not drawn because they are NaN, Inf or unknown.")


def test_a_click_on_a_point_goes_to_its_step(
    panel: TrainingPanel, state: ViewerState, qtbot: QtBot
) -> None:
    assert panel.sheet is not None
    click(qtbot, panel.sheet.loss, 1)
    assert state.number == 8
    click(qtbot, panel.sheet.norms, 0)
    assert state.number == 6


def test_the_present_step_is_marked(panel: TrainingPanel, state: ViewerState) -> None:
    assert panel.sheet is not None
    state.go_to(1)
    assert panel.sheet.loss.now is None
    state.go_to(9)
    assert panel.sheet.loss.now == 2.0
    assert panel.sheet.norms.now == 1.0
    assert panel.sheet.table.current_key == 1


def test_arrows_go_from_point_to_point(
    panel: TrainingPanel, state: ViewerState, qtbot: QtBot
) -> None:
    assert panel.sheet is not None
    state.go_to(1)
    for key, step in ((Qt.Key.Key_Right, 2), (Qt.Key.Key_Right, 8), (Qt.Key.Key_Left, 2)):
        qtbot.keyClick(panel.sheet.loss.widget, key)
        assert state.number == step
    qtbot.keyClick(panel.sheet.loss.widget, Qt.Key.Key_End)
    assert state.number == 14


def test_the_table_says_the_same(panel: TrainingPanel, state: ViewerState, qtbot: QtBot) -> None:
    assert panel.sheet is not None
    table = panel.sheet.table
    columns = [column_texts(table, column) for column in range(table.model().columnCount())]
    assert columns == [["1", "2", "3"], ["4", "2", "1"], ["5", "0.5", "0"]]
    panel.as_table.click()
    assert table.isVisible()
    table.go_to(2, 2)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert state.number == 18


def test_a_norm_of_zero_is_a_gap_on_the_logarithmic_axis(panel: TrainingPanel) -> None:
    assert panel.sheet is not None
    (curve,) = panel.sheet.norms.heights
    assert [math.isnan(value) for value in curve] == [False, False, True]


def test_quiz_mode_hides_later_losses(panel: TrainingPanel, state: ViewerState) -> None:
    assert panel.sheet is not None
    state.go_to(3)
    state.set_quiz_mode()
    assert [point.step for point in panel.sheet.loss.series[0].points] == [2]
    assert "in the first pass" in panel.summary


def test_another_run_without_training_says_so(panel: TrainingPanel, state: ViewerState) -> None:
    state.show(linear_reader())
    assert panel.training is None
    assert panel.summary == "This run has fewer than two training steps."


def test_nothing_is_drawn_while_hidden(qtbot: QtBot, state: ViewerState) -> None:
    panel = TrainingPanel(state)
    qtbot.addWidget(panel)
    assert panel.sheet is None
    panel.show()
    assert panel.sheet is not None


def test_it_follows_the_theme(panel: TrainingPanel, state: ViewerState) -> None:
    assert panel.sheet is not None
    state.set_theme(DARK)
    ground = panel.sheet.loss.widget.backgroundBrush().color()
    assert ground == DARK.color("panel")


@pytest.fixture
def docks(qtbot: QtBot) -> Docks:
    window = QMainWindow()
    qtbot.addWidget(window)
    docks = Docks(window, LIGHT, window)
    for name in ("source", "training"):
        docks.add(name, name, "right")
    docks.tabify_behind("training", "source")
    window.resize(600, 400)
    window.show()
    return docks


def test_the_dock_comes_with_a_training_and_goes_with_another_run(
    docks: Docks, qtbot: QtBot
) -> None:
    state = ViewerState(LIGHT)
    source, training = docks["source"], docks["training"]
    TrainingController(state, training, (source,), source)
    state.show(trained())
    assert not training.isHidden()
    qtbot.waitUntil(lambda: not source.visibleRegion().isEmpty())
    state.show(linear_reader())
    assert training.isHidden()
    training.toggleViewAction().trigger()
    state.show(linear_reader())
    assert not training.isHidden()


@pytest.mark.parametrize("before", ["source", "doctor"])
def test_the_tab_before_it_comes_back_to_the_front(docks: Docks, qtbot: QtBot, before: str) -> None:
    window = docks["source"].parentWidget()
    assert window is not None
    doctor = docks.add("doctor", "doctor", "right")
    docks.stack("source", "doctor")
    docks[before].raise_()
    qtbot.waitUntil(lambda: not docks[before].visibleRegion().isEmpty())
    state = ViewerState(LIGHT)
    TrainingController(state, docks["training"], (docks["source"], doctor), window)
    state.show(trained())
    docks["training"].raise_()
    qtbot.waitUntil(lambda: not docks["training"].visibleRegion().isEmpty())
    state.show(linear_reader())
    qtbot.waitUntil(lambda: not docks[before].visibleRegion().isEmpty())


def test_the_dock_stays_away_where_all_docks_are_folded(docks: Docks) -> None:
    state = ViewerState(LIGHT)
    TrainingController(state, docks["training"], (docks["source"],), docks["source"])
    docks["source"].hide()
    state.show(trained())
    assert docks["training"].isHidden()
