from functools import partial
from pathlib import Path
from typing import cast

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.document.console import CHECK, ConsoleLines
from gradviz.model.console import ConsoleText, Stream
from gradviz.model.source import CALL_FILE, SourceFile
from gradviz.store.writer import TraceWriter
from gradviz.viewer.background import Background
from gradviz.viewer.console import ConsolePanel, LiveOutput
from gradviz.viewer.session.session import Session
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT
from tests.builders import LINEAR_TENSORS, ORIGIN, linear_trace
from tests.viewer.traces import MemoryReader, wrong_reader


@pytest.fixture
def state() -> ViewerState:
    return ViewerState(LIGHT)


@pytest.fixture
def panel(state: ViewerState, qtbot: QtBot) -> ConsolePanel:
    widget = ConsolePanel(state)
    qtbot.addWidget(widget)
    widget.resize(600, 300)
    widget.show()
    return widget


def texts(panel: ConsolePanel) -> list[str]:
    """The last texts of all rows, as they are written."""
    document = panel.view.rows.document
    return [document.row(key).texts[-1] for key in document.all_keys()]


def has(panel: ConsolePanel, lines: list[str]) -> bool:
    return texts(panel) == lines


def marked(panel: ConsolePanel) -> list[str]:
    document = panel.view.rows.document
    rows = map(document.row, document.all_keys())
    return [row.texts[-1] for row in rows if row.is_now]


def test_lines_stand_in_order_and_the_current_step_s_are_marked(
    panel: ConsolePanel, state: ViewerState
) -> None:
    assert texts(panel) == ["The output of a run appears here, linked to its steps."]
    state.show(wrong_reader())
    assert texts(panel)[:7] == [
        *("output 54", "grad_output ones", "a warning", "of two lines"),
        "40 more lines (1,200 characters) were printed but not kept.",
        *("Output of the Jacobian check: 12 lines", "again"),
    ]
    assert marked(panel) == ["output 54"]
    state.go_to(5)
    assert marked(panel) == ["grad_output ones", "a warning", "of two lines"]
    state.go_to(3)
    assert marked(panel) == []


def test_without_output_it_says_of_what(panel: ConsolePanel, state: ViewerState) -> None:
    trace = replace(linear_trace(), console=())
    state.show(MemoryReader(replace(trace, sources=()), LINEAR_TENSORS))
    assert texts(panel) == ["The run printed nothing."]
    call = SourceFile(id=1, path=CALL_FILE, text="output = linear(x)\n")
    state.show(MemoryReader(replace(trace, sources=(call,)), LINEAR_TENSORS))
    assert texts(panel)[0].startswith("The call printed nothing. What the file prints while")


def test_a_click_on_a_line_goes_to_its_step(
    panel: ConsolePanel, state: ViewerState, qtbot: QtBot
) -> None:
    state.show(wrong_reader())
    view = panel.view
    place = view.visualRect(view.rows.place_of(2, 1)).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert state.number == 5
    state.go_to(3)
    view.go_to(1)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert state.number == 5


def test_lines_are_copied_as_they_were_printed(
    panel: ConsolePanel, state: ViewerState, qtbot: QtBot
) -> None:
    state.show(wrong_reader())
    panel.view.go_to(1)
    qtbot.keyClick(panel.view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(panel.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "grad_output ones\na warning"


def test_what_a_check_prints_is_folded(
    panel: ConsolePanel, state: ViewerState, qtbot: QtBot
) -> None:
    state.show(wrong_reader())
    heading = panel.view.rows.place_of(CHECK)
    assert not panel.view.isExpanded(heading)
    panel.view.go_to(CHECK)
    qtbot.keyClick(panel.view, Qt.Key.Key_Return)
    assert panel.view.isExpanded(heading)


def test_errors_say_so(panel: ConsolePanel, state: ViewerState) -> None:
    state.show(wrong_reader())
    rows = list(map(panel.view.rows.document.row, range(4)))
    assert [row.texts[0] for row in rows] == ["1", "5", "err", "err"]
    assert [row.fields[1].tone for row in rows] == ["plain", "plain", "error", "error"]


def test_the_first_of_many_lines_of_a_step_comes_into_view(
    panel: ConsolePanel, state: ViewerState
) -> None:
    trace = linear_trace()
    console = tuple(
        text(step, "".join(f"{step} {row}\n" for row in range(10_000)), step)
        for step in range(1, len(trace.steps) + 1)
    )
    state.show(MemoryReader(replace(trace, console=console), LINEAR_TENSORS))
    state.go_to(8)
    place = panel.view.rows.place_of(70_000)
    assert place.siblingAtColumn(1).data() == "8 0"
    assert panel.view.viewport().rect().intersects(panel.view.visualRect(place))


@pytest.mark.parametrize(("count", "word"), [(12_000, "characters"), (5_001, "character")])
def test_an_endless_line_is_cut_and_says_so(
    panel: ConsolePanel, state: ViewerState, count: int, word: str
) -> None:
    trace = replace(linear_trace(), console=(text(1, "x" * count, 1),))
    state.show(MemoryReader(trace, LINEAR_TENSORS))
    assert texts(panel) == [f"{'x' * 5000}… ({count - 5000:,} more {word} in this line)"]


def text(number: int, written: str, step: int | None, stream: Stream = "stdout") -> ConsoleText:
    return ConsoleText(id=number, step=step, stream=stream, activity="run", text=written)


def test_a_line_written_in_pieces_is_one_line() -> None:
    pieces = (text(1, "a", 1), text(2, "b\nc", 2), text(3, "d", 3), text(4, "e\n", 3, "stderr"))
    lines = ConsoleLines((*pieces, text(5, "f\r\n\ng\rh", 4)))
    sources = [lines.source_of(at) for at in range(len(lines.texts))]
    assert list(zip(lines.texts, sources, strict=True)) == [
        ("ab", (1, "stdout")),
        ("cd", (2, "stdout")),
        ("e", (3, "stderr")),
        *((each, (4, "stdout")) for each in ("f", "", "g", "h")),
    ]
    assert [lines.first_of(step) for step in range(6)] == [None, 0, 1, 2, 3, None]


def test_quiz_mode_hides_later_output(panel: ConsolePanel, state: ViewerState) -> None:
    state.show(wrong_reader())
    state.go_to(4)
    state.set_quiz_mode()
    shown = texts(panel)
    assert shown[0] == "output 54"
    assert "again" not in shown
    state.go_to(5)
    assert texts(panel) == shown
    state.next_step()
    assert marked(panel) == ["grad_output ones", "a warning", "of two lines"]
    state.set_quiz_mode(False)
    assert "again" in texts(panel)


def test_what_no_step_printed_is_reported_with_what_follows() -> None:
    texts = (text(1, "before\n", None), text(2, "a\n", 2), text(3, "after\n", None))
    index = index_trace(replace(linear_trace(), console=texts))
    for until, known in ((1, []), (2, [1, 2]), (7, [1, 2]), (8, [1, 2, 3])):
        revealed = RevealedTrace(index=index, until=until)
        assert [each.id for each in revealed.console("run")] == known


class Running(QObject):
    """A session that runs a program which has printed something."""

    activity_changed = Signal(str)
    written_path: Path | None = None


def test_what_a_run_prints_is_shown_while_it_goes_on(
    panel: ConsolePanel, state: ViewerState, qtbot: QtBot, tmp_path: Path
) -> None:
    state.show(wrong_reader())
    before = texts(panel)
    session, background = Running(), Background()
    LiveOutput(panel, state, cast("Session", session), background)
    session.written_path = tmp_path / "run.gradviz"
    writer = TraceWriter(session.written_path, ORIGIN)
    session.activity_changed.emit("running")
    for number in (1, 2):
        text = f"epoch {number}\n"
        shown = [f"epoch {each}" for each in range(1, number + 1)]
        writer.put(ConsoleText(id=number, step=3, stream="stdout", activity="run", text=text))
        writer.flush()
        qtbot.waitUntil(partial(has, panel, shown))
    # Its steps are not there yet.
    assert panel.output.step_of(0) is None
    session.activity_changed.emit("idle")
    assert texts(panel) == before
    writer.close()
    background.close()
