"""Breakpoints across traces: set, remembered, hit and run to."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from gradviz.analysis.breakpoints.breakpoint import (
    AtFunction,
    AtLine,
    AtNode,
    Breakpoint,
    Condition,
    WhenDtype,
    WhenNorm,
    WhenNotFinite,
    WhenPrinted,
    WhenRaised,
    WhenShape,
    WhenSign,
)
from gradviz.analysis.index.trace_index import extend_index
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.source import SourceFile
from gradviz.store.reader import open_trace
from gradviz.viewer.background import Background
from gradviz.viewer.breakpoints.breakpoint_list import (
    BreakpointList,
    load_breakpoints,
    save_breakpoints,
)
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT
from tests.builders import linear_trace, write_trace
from tests.inside_builder import INSIDE_TENSORS, TEXT, inside_trace
from tests.viewer.traces import MemoryReader, linear_reader

FILE = "linear.py"
CUSTOM = AtNode(node=1, name="LinearFunctionBackward")
LINE = AtLine(path=FILE, line=29, text="grad_weight = input.t().mm(doubled)")


def inside_reader() -> MemoryReader:
    return MemoryReader(inside_trace(), INSIDE_TENSORS)


@pytest.fixture
def state(qapp: object) -> ViewerState:
    state = ViewerState(LIGHT)
    state.show(inside_reader())
    return state


@pytest.fixture
def breakpoints(state: ViewerState) -> BreakpointList:
    return BreakpointList(state)


def test_f9_sets_and_removes(state: ViewerState, breakpoints: BreakpointList) -> None:
    breakpoints.toggle_node(1)
    breakpoints.toggle_line(FILE, 29)
    assert [point.target for point in breakpoints.points] == [CUSTOM, LINE]
    assert breakpoints.nodes == {1: True}
    assert breakpoints.lines == {(FILE, 29): True}
    breakpoints.set_enabled(CUSTOM, False)
    assert breakpoints.nodes == {1: False}
    breakpoints.toggle_node(1)
    breakpoints.toggle_line(FILE, 29)
    breakpoints.toggle_node(77)
    assert breakpoints.points == ()


def test_one_that_is_set_again_is_enabled(breakpoints: BreakpointList) -> None:
    breakpoints.add(CUSTOM)
    breakpoints.set_enabled(CUSTOM, False)
    breakpoints.add(CUSTOM)
    assert breakpoints.points == (Breakpoint(target=CUSTOM),)


def test_the_run_goes_from_hit_to_hit_and_back(
    state: ViewerState, breakpoints: BreakpointList
) -> None:
    breakpoints.add(CUSTOM)
    breakpoints.add(LINE)
    breakpoints.add(AtFunction(name="aten::mm"))
    ways = [
        (TracePosition(step=1, stage="forward", line=1, op=0), "op"),
        (TracePosition(step=5), "node"),
        (TracePosition(step=5, stage="backward", line=6), "line"),
        (TracePosition(step=5, stage="backward", line=6, op=7), "op"),
    ]
    for place, level in ways:
        breakpoints.run_to_next_breakpoint()
        assert (state.place, state.level) == (place, level)
    assert breakpoints.next_target() is None
    breakpoints.run_to_next_breakpoint()
    assert state.place == ways[-1][0]
    for place, level in [*reversed(ways[:-1]), (TracePosition(step=1), "node")]:
        breakpoints.run_to_previous_breakpoint()
        assert (state.place, state.level) == (place, level)
    assert breakpoints.previous_target() is None


def test_what_is_switched_off_is_passed_by(state: ViewerState, breakpoints: BreakpointList) -> None:
    breakpoints.add(CUSTOM)
    breakpoints.add(LINE)
    breakpoints.set_enabled(CUSTOM, False)
    assert breakpoints.steps.tolist() == [5]
    assert breakpoints.first_hit_until(TracePosition(step=5)) is None
    assert breakpoints.first_hit_until(TracePosition(step=6)) == TracePosition(
        step=5, stage="backward", line=6
    )


def test_quiz_mode_hides_breakpoint_hits(state: ViewerState, breakpoints: BreakpointList) -> None:
    large = WhenNorm(above=20.0)
    breakpoints.add(CUSTOM)
    breakpoints.add(large)
    assert breakpoints.steps.tolist() == [1, 5]
    state.set_quiz_mode()
    assert breakpoints.steps.tolist() == [1]
    found = breakpoints.found(large)
    assert found is not None
    assert found.places == ()
    # That a node is met at a step is no answer; what it computes stays hidden.
    breakpoints.run_to_next_breakpoint()
    assert (state.place, state.revealed.hides_answer) == (TracePosition(step=5), True)
    assert breakpoints.steps.tolist() == [1]
    state.set_answer_hidden(False)
    assert breakpoints.steps.tolist() == [1, 5]


def test_conditions_reveal_no_answer_in_quiz_mode(
    state: ViewerState, breakpoints: BreakpointList
) -> None:
    breakpoints.add(WhenNorm(above=20.0))
    state.set_quiz_mode()
    assert breakpoints.next_target() is None
    breakpoints.run_to_next_breakpoint()
    assert state.number == 1


def test_they_belong_to_what_was_run(state: ViewerState, breakpoints: BreakpointList) -> None:
    breakpoints.add(CUSTOM)
    trace = inside_trace()
    other = replace(trace, origin=replace(trace.origin, subject="scene:other"))
    state.show(MemoryReader(other, INSIDE_TENSORS))
    assert breakpoints.points == ()
    breakpoints.add(WhenPrinted())
    state.show(inside_reader())
    assert [point.target for point in breakpoints.points] == [CUSTOM]
    assert breakpoints.steps.tolist() == [1, 5]
    # And after a new start of the program.
    again = BreakpointList(state)
    assert again.points == breakpoints.points
    assert BreakpointList(state, stored=False).points == ()


def test_a_line_is_followed_through_an_edit(
    state: ViewerState, breakpoints: BreakpointList
) -> None:
    breakpoints.add(LINE)
    trace = inside_trace()
    moved = replace(trace, sources=(SourceFile(id=1, path=FILE, text=f"# one more\n{TEXT}"),))
    state.show(MemoryReader(moved, INSIDE_TENSORS))
    assert breakpoints.lines == {(FILE, 30): True}
    changed = replace(
        trace,
        sources=(SourceFile(id=1, path=FILE, text=TEXT.replace(".mm(doubled)", "@ doubled")),),
    )
    state.show(inside_reader())
    assert breakpoints.lines == {(FILE, 29): True}
    assert breakpoints.line_change(LINE) == "moved"
    state.show(MemoryReader(changed, INSIDE_TENSORS))
    assert breakpoints.lines == {(FILE, 29): True}
    assert breakpoints.line_change(LINE) == "changed"


def test_another_node_of_the_same_number_is_not_marked(
    state: ViewerState, breakpoints: BreakpointList
) -> None:
    breakpoints.add(AtNode(node=1, name="MulBackward0"))
    assert breakpoints.nodes == {}
    found = breakpoints.found(AtNode(node=1, name="MulBackward0"))
    assert found is not None
    assert found.why == "other node"


CONDITIONS: tuple[Condition, ...] = (
    WhenNotFinite(kind="inf", appears=False),
    WhenNorm(above=2.5, gradients=False),
    WhenShape(),
    WhenDtype(),
    WhenSign(name="weight", element=(0, 1)),
    WhenPrinted(),
    WhenRaised(),
)


def test_every_kind_is_remembered(qapp: object) -> None:
    targets = (*CONDITIONS, CUSTOM, LINE, AtFunction(name="mul", direction="backward"))
    points = tuple(Breakpoint(target=target, enabled=False) for target in targets)
    save_breakpoints("scene:linear", points)
    assert load_breakpoints("scene:linear") == points
    assert load_breakpoints("scene:exp") == ()
    save_breakpoints("scene:linear", ())
    assert load_breakpoints("scene:linear") == ()


@pytest.mark.parametrize(
    "stored", ["{", "[]", '{"version": 7, "subjects": {}}', '{"version": 1, "subjects": []}',
               '{"version": 1, "subjects": {"scene:linear": [{"enabled": 3}, 7]}}']
)  # fmt: skip
def test_what_cannot_be_read_is_left_out(qapp: object, stored: str) -> None:
    QSettings().setValue("breakpoints/set", stored)
    assert load_breakpoints("scene:linear") == ()


def test_they_are_looked_for_in_the_background(qtbot: QtBot) -> None:
    background = Background()
    state = ViewerState(LIGHT)
    breakpoints = BreakpointList(state, background, stored=False)
    state.show(linear_reader())
    for target in (CUSTOM, WhenNorm(above=3.0), WhenPrinted()):
        breakpoints.add(target)
    assert breakpoints.found(CUSTOM) is None
    qtbot.waitUntil(lambda: not breakpoints.busy)
    assert breakpoints.steps.tolist() == [1, 5]
    # Of a trace that is no longer shown nothing may come in later.
    breakpoints.add(WhenRaised())
    state.show(None)
    qtbot.waitUntil(lambda: not background.busy)
    assert not len(breakpoints.steps)
    assert breakpoints.found(WhenRaised()) is None
    background.close()


def test_what_a_check_appends_keeps_the_search_going(tmp_path: Path, qtbot: QtBot) -> None:
    path = write_trace(tmp_path / "run.gradviz", linear_trace())
    background, state = Background(), ViewerState(LIGHT)
    reader = open_trace(path)
    state.show(reader)
    breakpoints = BreakpointList(state, background, stored=False)
    breakpoints.add(CUSTOM)
    qtbot.waitUntil(lambda: not breakpoints.busy)
    assert state.index is not None
    trace = reader.read_appended(state.index.trace)
    state.show_appended(reader, extend_index(state.index, trace, reader))
    breakpoints.add(WhenNotFinite(kind="nan"))
    breakpoints.add(WhenSign(name="weight", element=(0, 1)))
    qtbot.waitUntil(lambda: not breakpoints.busy)
    found = [breakpoints.found(point.target) for point in breakpoints.points]
    assert [each.why for each in found if each is not None] == [None, "never", "never"]
    background.close()
    reader.close()


def test_a_file_that_is_gone_is_reported(tmp_path: Path, qtbot: QtBot) -> None:
    path = write_trace(tmp_path / "run.gradviz", linear_trace())
    background, state = Background(), ViewerState(LIGHT)
    reader = open_trace(path)
    state.show(reader)
    breakpoints = BreakpointList(state, background, stored=False)
    reader.close()
    breakpoints.add(WhenSign(name="weight", element=(0, 1)))
    qtbot.waitUntil(lambda: not breakpoints.busy)
    found = breakpoints.found(WhenSign(name="weight", element=(0, 1)))
    assert found is not None
    assert found.why == "unreadable"
    background.close()
