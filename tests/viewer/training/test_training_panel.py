"""The Training tab's curves and table, and going from a value to its iteration."""

from __future__ import annotations

import math

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot

from gradviz.model.settings.recording_scope import SAMPLED_PASSES, PassRange, RecordingScope
from gradviz.model.step import ForwardStep
from gradviz.viewer.actions import Actions
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import DARK
from gradviz.viewer.training.panel import TrainingPanel
from tests.builders import LINEAR_TENSORS, linear_trace
from tests.training_traces import training_trace
from tests.viewer.column_texts import column_texts
from tests.viewer.traces import MemoryReader, linear_reader

LOSSES = [4.0, 2.0, 1.0]
GRADIENTS = [[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]]


@pytest.fixture
def state(state: ViewerState) -> ViewerState:
    state.show(MemoryReader(*training_trace(LOSSES, GRADIENTS)))
    return state


@pytest.fixture
def panel(qtbot: QtBot, state: ViewerState) -> TrainingPanel:
    panel = TrainingPanel(state, Actions(QObject(state)))
    qtbot.addWidget(panel)
    panel.resize(900, 400)
    panel.show()
    return panel


def test_the_trend_is_described_in_words(panel: TrainingPanel) -> None:
    assert panel.summary == (
        "loss falls from 4 to 1 in 3 passes. L2 norms of the total .grad that the "
        "optimizer used. One norm is 0 and cannot be shown on a logarithmic axis."
    )


def test_the_tracks_have_a_value_for_each_iteration(panel: TrainingPanel) -> None:
    loss, norm, *costs = panel.plot.tracks
    assert (loss.name, loss.values.tolist()) == ("loss", LOSSES)
    assert norm.values.tolist() == [5.0, 0.5, 0.0]
    assert [each.minor for each in costs] == [True, True]
    assert all(len(each.values) == 3 for each in costs)


def test_a_click_goes_to_the_iteration_at_the_same_place(
    panel: TrainingPanel, state: ViewerState, qtbot: QtBot
) -> None:
    state.go_to(2)
    for number, step in ((3, 14), (1, 2), (2, 8)):
        place = QPoint(round(panel.plot.x_of(number)), 60)
        qtbot.mouseClick(panel.plot, Qt.MouseButton.LeftButton, pos=place)
        assert (state.number, panel.plot.number) == (step, number)


def test_an_iteration_is_compared_with_one_that_is_chosen(
    panel: TrainingPanel, state: ViewerState, qtbot: QtBot
) -> None:
    wanted: list[int] = []
    panel.comparison_requested.connect(wanted.append)
    state.go_to(9)
    place = QPoint(round(panel.plot.x_of(3)), 60)
    shift = Qt.KeyboardModifier.ShiftModifier
    qtbot.mouseClick(panel.plot, Qt.MouseButton.LeftButton, shift, place)
    assert (wanted, state.number) == ([3], 9)
    panel.as_changes.click()
    assert panel.compare_other.text() == "Compare With Iteration 1"
    panel.compare_other.click()
    assert wanted == [3, 1]
    state.iterations.go_to(1)
    assert not panel.compare_other.isEnabled()


def test_what_led_to_an_iteration_of_a_sample_can_be_recorded(
    panel: TrainingPanel, state: ViewerState
) -> None:
    trace, values = training_trace(LOSSES, GRADIENTS)
    scope = RecordingScope(passes=SAMPLED_PASSES, kept=((1, 2), (40, 40)), run_passes=50)
    state.show(MemoryReader(replace(trace, scope=scope), values))
    wanted: list[tuple[PassRange, int]] = []
    panel.recording_requested.connect(lambda *each: wanted.append(each))
    state.iterations.go_to(40)
    # An opened trace cannot be made again.
    assert panel.record_around.isHidden()
    panel.show_repeatable(True)
    assert panel.record_around.text() == "Record 30 to 42"
    panel.record_around.click()
    ((passes, number),) = wanted
    assert number == 40
    assert [each for each in range(15, 60) if passes.samples(each)] == [
        *range(15, 21),
        *range(30, 43),
    ]
    # So can what was clicked and has no steps, unless it is next to what has.
    for number, text in ((38, "Record 30 to 42"), (30, "Record 20 to 32")):
        panel.plot.iteration_requested.emit(number)
        assert panel.record_around.text() == text
    state.iterations.go_to(2)
    assert panel.record_around.isHidden()
    state.show(MemoryReader(replace(trace, scope=replace(scope, run_passes=41)), values))
    state.iterations.go_to(40)
    assert panel.record_around.text() == "Record 30 to 41", "the run goes no further"


def test_the_heading_names_the_iteration_and_what_ran(
    panel: TrainingPanel, state: ViewerState
) -> None:
    state.go_to(9)
    assert panel.title == "Iteration 2 of 3"
    assert panel.plot.accessibleDescription().startswith("iteration 2, loss 2, gradient norm 0.5")
    assert panel.table.current_key == 1


def test_arrows_go_from_iteration_to_iteration(
    panel: TrainingPanel, state: ViewerState, qtbot: QtBot
) -> None:
    state.go_to(3)
    keys = Qt.Key
    for key, step in ((keys.Key_Right, 9), (keys.Key_Right, 15), (keys.Key_Right, 15)):
        qtbot.keyClick(panel.plot, key)
        assert state.number == step
    qtbot.keyClick(panel.plot, keys.Key_Home)
    assert state.number == 3


def test_the_table_says_the_same(panel: TrainingPanel, state: ViewerState, qtbot: QtBot) -> None:
    table = panel.table
    columns = [column_texts(table, column) for column in range(table.model().columnCount())]
    assert columns == [["1", "2", "3"], ["4", "2", "1"], ["5", "0.5", "0"]]
    panel.as_table.click()
    assert table.isVisible()
    table.go_to(2, 2)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert state.number == 18


def test_a_nan_is_a_gap_with_words(panel: TrainingPanel, state: ViewerState) -> None:
    nan = math.nan
    state.show(MemoryReader(*training_trace([4.0, nan, 1.0], [[1.0, 1.0], [nan, 1.0], [1.0, 1.0]])))
    (mark,) = panel.plot.marks
    assert (mark.number, mark.color) == (2, "error")
    assert mark.words.startswith("loss nan")
    assert np.isnan(panel.plot.tracks[0].values).tolist() == [False, True, False]
    # It is painted, and so is a run without any finite value.
    panel.grab()
    state.show(MemoryReader(*training_trace([nan] * 3, [[nan, nan]] * 3)))
    panel.grab()
    assert [each.number for each in panel.plot.marks] == [1, 2, 3]


def test_quiz_mode_hides_later_losses(panel: TrainingPanel, state: ViewerState) -> None:
    state.go_to(3)
    state.set_quiz_mode()
    assert [len(each.values) for each in panel.plot.tracks] == [1, 0, 0, 0]
    assert "in the first pass" in panel.summary


def test_a_single_pass_shows_its_layers_and_memory(
    panel: TrainingPanel, state: ViewerState
) -> None:
    curves = training_trace([4.0, 2.0], [[1.0, 1.0], [1.0, 1.0]])
    state.show(linear_reader())
    assert panel.training is None
    assert panel.summary == "No curves: fewer than two iterations"
    assert panel.of_pass.flow.isVisible()
    layers = column_texts(panel.of_pass.flow, 0)
    assert layers
    assert not panel.as_table.isVisible()
    # There is no other page behind the two.
    panel.as_layers.click()
    assert panel.of_pass.flow.isVisible()
    panel.as_memory.click()
    assert panel.of_pass.memory.isVisible()
    panel.as_layers.click()
    state.show(MemoryReader(*curves))
    assert panel.plot.isVisible()
    assert panel.as_table.isVisible()


def test_a_run_without_a_pass_says_so(panel: TrainingPanel, state: ViewerState) -> None:
    trace, tensors = linear_trace(), LINEAR_TENSORS
    forward = tuple([each for each in trace.steps if isinstance(each, ForwardStep)])
    state.show(MemoryReader(replace(trace, steps=forward), tensors))
    assert panel.summary == "This run has fewer than two iterations."
    assert not panel.of_pass.flow.isVisible()


def test_nothing_is_read_while_hidden(qtbot: QtBot, state: ViewerState) -> None:
    panel = TrainingPanel(state, Actions(QObject(state)))
    qtbot.addWidget(panel)
    assert panel.training is None
    panel.show()
    assert panel.training is not None


def test_it_follows_the_theme(panel: TrainingPanel, state: ViewerState) -> None:
    state.set_theme(DARK)
    shown = panel.plot.grab().toImage().pixelColor(2, panel.plot.height() - 3)
    assert shown == DARK.color("panel")


def test_the_changes_are_those_of_the_current_iteration_beside_another(
    panel: TrainingPanel, state: ViewerState
) -> None:
    state.go_to(9)
    panel.as_changes.click()
    rows = panel.changes.rows
    assert rows.isVisible()
    columns = [column_texts(rows, column) for column in range(rows.model().columnCount())]
    # From -0.5 and -1 by 0.5 times the gradient of the second iteration.
    assert columns == [["w"], ["0.5"], ["22.36%"], ["0.2"]]
    assert panel.changes.words.text() == "Iterations 1 and 2: w differs most, by up to 0.2."
    panel.mark_other.click()
    assert column_texts(rows, 3) == ["0"]
    state.iterations.go_to(1)
    assert column_texts(rows, 1) == ["5"]
    assert "Iterations 1 and 2" in panel.changes.words.text()
    panel.as_table.click()
    assert not panel.as_changes.isChecked()
    assert panel.table.isVisible()


def test_a_click_on_an_iteration_without_steps_says_so(panel: TrainingPanel, qtbot: QtBot) -> None:
    plot = panel.plot
    plot.show_tracks(3, plot.tracks, (), [1, 2, 3])
    every = plot.grab().toImage()
    plot.show_tracks(3, plot.tracks, (), [1, 3])
    # Ticks mark the others.
    assert plot.grab().toImage() != every
    for number in (1, 2):
        qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=QPoint(round(plot.x_of(number)), 60))
        assert ("not recorded" in QToolTip.text()) == (number == 2)
    QToolTip.hideText()


def test_the_norm_of_a_gradient_is_known_whose_elements_are_not(
    panel: TrainingPanel, state: ViewerState
) -> None:
    trace, pairs = training_trace(LOSSES, GRADIENTS)
    cut = [(replace(record, content="preview"), value) for record, value in pairs]
    records = tuple(record for record, _ in cut)
    state.show(MemoryReader(replace(trace, tensors=records), tuple(cut)))
    panel.as_changes.click()
    columns = [column_texts(panel.changes.rows, column) for column in range(4)]
    assert columns == [["w"], ["5"], ["–"], ["–"]]


def test_the_gradient_of_the_selected_leaf_has_a_track_of_its_own(
    panel: TrainingPanel, state: ViewerState
) -> None:
    count = len(panel.plot.tracks)
    # The leaf, whose node belongs to the first iteration, then the node that uses it.
    state.select(2)
    track = panel.plot.tracks[2]
    assert (track.name, track.values.tolist()) == ("gradient norm of w", [5.0, 0.5, 0.0])
    state.select(1)
    assert len(panel.plot.tracks) == count


def test_the_layers_of_the_pass_follow_the_step(panel: TrainingPanel, state: ViewerState) -> None:
    flow = panel.of_pass.flow
    state.go_to(9)
    panel.as_layers.click()
    assert flow.isVisible()
    assert [column_texts(flow, column) for column in (0, 1)] == [["w"], ["0.5"]]
    state.go_to(15)
    assert [column_texts(flow, column) for column in (1, 2)] == [["0"], ["100%"]]
    (step,) = flow.rows.document.keys
    state.go_to(13)
    flow.chosen.emit(step, 0)
    assert state.number == step


def test_quiz_mode_hides_the_gradients_of_a_pass_that_has_not_ended(
    panel: TrainingPanel, state: ViewerState
) -> None:
    state.go_to(3)
    panel.as_layers.click()
    state.set_quiz_mode()
    assert column_texts(panel.of_pass.flow, 1) == []


def test_one_page_is_shown_at_a_time(panel: TrainingPanel) -> None:
    pages = {
        panel.as_memory: panel.of_pass.memory_page,
        panel.as_table: panel.table,
        panel.as_layers: panel.of_pass.flow_page,
    }
    for button, page in pages.items():
        button.click()
        assert page.isVisible()
        assert [each.isChecked() for each in pages] == [each is button for each in pages]
    panel.as_layers.click()
    assert panel.plot.isVisible()


def test_the_line_above_the_curves_leads_to_what_is_unusual(
    panel: TrainingPanel, state: ViewerState, qtbot: QtBot
) -> None:
    losses, gradients = [4.0, 3.0, 3.5, 62.0], [[0.3, 0.4], [0.4, 0.3], [0.2, 0.3], [0.3, 0.2]]
    state.show(MemoryReader(*training_trace(losses, gradients)))
    assert not panel.unusual.isEnabled()
    assert panel.unusual.text() == ""
    state.iterations.go_to(4)
    line = panel.unusual
    assert line.text() == (
        "First unusual value: loss of dot, 16 times as large as in the 3 iterations before"
    )
    assert "62, at most 4 before" in line.toolTip()
    state.go_to(24)
    qtbot.mouseClick(line, Qt.MouseButton.LeftButton)
    assert state.number == 19
    # Quiz mode must not tell.
    state.set_quiz_mode()
    assert line.text() == ""
