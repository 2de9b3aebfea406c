"""The sparkline below the values: one value over the iterations, and its way to Training."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gradviz.analysis.training.value_series import ValueSeries
from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background
from gradviz.viewer.inspector.inspector import Inspector, ValueSeriesController
from gradviz.viewer.state import ViewerState
from gradviz.viewer.training.panel import TrainingPanel
from gradviz.viewer.view_requests import ViewRequests
from tests.training_traces import training_trace
from tests.viewer.traces import MemoryReader, linear_reader

TRAINING = training_trace([4.0, 2.0, 1.0], [[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]])


@pytest.fixture
def requests(state: ViewerState) -> ViewRequests:
    return ViewRequests(state, state)


@pytest.fixture
def panel(qtbot: QtBot, state: ViewerState, requests: ViewRequests) -> Inspector:
    panel = Inspector(state, requests)
    control = ValueSeriesController(state, requests, panel.sparkline, None, panel)
    qtbot.addWidget(panel)
    panel.resize(500, 400)
    panel.show()
    state.show(MemoryReader(*TRAINING))
    qtbot.waitUntil(lambda: control.is_resting)
    return panel


def test_it_says_the_value_of_the_current_iteration(panel: Inspector, state: ViewerState) -> None:
    sparkline = panel.sparkline
    assert sparkline.isVisible()
    assert sparkline.words == "loss = 4"
    before = sparkline.grab().toImage()
    state.iterations.go_to(3)
    # Another iteration needs no new reading.
    assert (sparkline.words, sparkline.number) == ("loss = 1", 3)
    assert sparkline.grab().toImage() != before


def test_it_is_hidden_where_it_would_tell_an_answer_or_nothing(
    panel: Inspector, state: ViewerState
) -> None:
    sparkline = panel.sparkline
    state.set_quiz_mode()
    assert not sparkline.isVisible()
    state.show(linear_reader())
    state.go_to(3)
    assert not sparkline.isVisible()


def test_it_says_nothing_while_the_value_of_another_step_is_read(
    qtbot: QtBot, state: ViewerState, requests: ViewRequests
) -> None:
    background = Background()
    panel = Inspector(state, requests)
    ValueSeriesController(state, requests, panel.sparkline, background, panel)
    qtbot.addWidget(panel)
    panel.show()
    sparkline, goes_on = panel.sparkline, threading.Event()
    state.show(MemoryReader(*TRAINING))
    qtbot.waitUntil(lambda: sparkline.words == "loss = 4")
    space = sparkline.geometry()
    try:
        # Values are read one at a time.
        background.start(lambda job: goes_on.wait(), lambda _: None, computes=True)
        state.go_to(3)
        assert sparkline.words == "loss = 4"
        qtbot.waitUntil(lambda: sparkline.words == "")
        assert (sparkline.isVisible(), sparkline.geometry()) == (True, space)
        goes_on.set()
        qtbot.waitUntil(lambda: sparkline.words == "norm of gradient = 5")
    finally:
        goes_on.set()
        background.close()


def test_a_click_adds_it_to_the_curves_of_the_training(
    panel: Inspector, requests: ViewRequests, state: ViewerState, qtbot: QtBot
) -> None:
    wanted: list[ValueSeries] = []
    requests.series_requested.connect(wanted.append)
    training = TrainingPanel(state, Actions(state))
    qtbot.addWidget(training)
    training.show()
    training.as_table.click()
    qtbot.mouseClick(panel.sparkline, Qt.MouseButton.LeftButton)
    training.show_series(wanted[0])
    track = training.plot.tracks[2]
    assert (track.name, track.values.tolist()) == ("loss", [4.0, 2.0, 1.0])
    assert training.plot.isVisible()
