import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.model.console import ConsoleCut, ConsoleText, Stream
from gradviz.viewer.console.console_view import lines_of
from gradviz.viewer.console.panel import ConsolePanel
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT
from gradviz.viewer.widgets.plain_text import PlainLabel
from tests.builders import LINEAR_TENSORS, linear_trace
from tests.viewer.traces import MemoryReader, linear_reader, wrong_reader


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


def test_empty_consoles_say_why(panel: ConsolePanel, state: ViewerState) -> None:
    assert "The output of a run appears here" in panel.notices[0]
    state.show(linear_reader())
    assert panel.notices == ()


def test_lines_stand_in_order_and_the_current_step_s_are_marked(
    panel: ConsolePanel, state: ViewerState
) -> None:
    state.show(wrong_reader())
    texts = [line.text for line in panel.view.lines]
    assert texts == ["output 54", "grad_output ones", "a warning", "of two lines"]
    assert panel.view.highlighted == ("output 54",)
    state.go_to(5)
    assert panel.view.highlighted == ("grad_output ones", "a warning", "of two lines")
    state.go_to(3)
    assert panel.view.highlighted == ()


def test_a_click_on_a_line_goes_to_its_step(
    panel: ConsolePanel, state: ViewerState, qtbot: QtBot
) -> None:
    state.show(wrong_reader())
    cursor = QTextCursor(panel.view.document().findBlockByNumber(2))
    place = panel.view.cursorRect(cursor).center()
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert state.number == 5


def test_enter_goes_there_too(panel: ConsolePanel, state: ViewerState, qtbot: QtBot) -> None:
    state.show(wrong_reader())
    qtbot.keyClick(panel.view, Qt.Key.Key_Down)
    qtbot.keyClick(panel.view, Qt.Key.Key_Return)
    assert state.number == 5


def test_what_was_cut_is_counted(panel: ConsolePanel, state: ViewerState) -> None:
    state.show(wrong_reader())
    assert "1,200 more characters in 40 lines were not kept." in panel.notices


def test_what_a_check_prints_is_folded_with_a_count(
    panel: ConsolePanel, state: ViewerState
) -> None:
    state.show(linear_reader())
    assert panel.check_box is None
    state.show(wrong_reader())
    assert panel.check_box is not None
    assert panel.check_box.folded
    assert "again" not in [line.text for line in panel.view.lines]


def test_colors_mark_stderr(panel: ConsolePanel, state: ViewerState) -> None:
    state.show(wrong_reader())
    marked = {
        selection.cursor.block().text()
        for selection in panel.view.extraSelections()
        if selection.format.foreground().color() == LIGHT.color("error")
    }
    assert marked == {"a warning", "of two lines"}


def flood(lines: int) -> MemoryReader:
    """Every step printed as many lines."""
    trace = linear_trace()
    count = len(trace.steps)
    console = tuple(
        text(step, "".join(f"{step} {row}\n" for row in range(lines // count)), step)
        for step in range(1, count + 1)
    )
    return MemoryReader(replace(trace, console=console), LINEAR_TENSORS)


def test_many_lines_come_little_by_little(
    panel: ConsolePanel, state: ViewerState, qtbot: QtBot
) -> None:
    state.show(flood(80_000))
    assert 0 < len(panel.view.lines) < 10_000
    assert not panel.view.is_complete
    state.go_to(8)
    qtbot.waitUntil(lambda: panel.view.is_complete)
    assert len(panel.view.lines) == 80_000
    assert panel.view.document().blockCount() == 80_000
    # The step's lines came late, and were gone to when they came.
    assert panel.view.textCursor().block().text() == "8 0"
    assert len(panel.view.extraSelections()) < 200
    last = panel.view.firstVisibleBlock()
    assert last.text().startswith(("7 ", "8 "))


def test_other_lines_in_the_middle_of_many_take_their_place(
    panel: ConsolePanel, state: ViewerState, qtbot: QtBot
) -> None:
    state.show(flood(80_000))
    state.show(wrong_reader())
    assert len(panel.view.lines) == 4
    assert panel.view.is_complete
    qtbot.wait(30)
    assert panel.view.document().blockCount() == 4


def test_an_endless_line_is_cut_and_says_so(panel: ConsolePanel, state: ViewerState) -> None:
    trace = replace(linear_trace(), console=(text(1, "x" * 12_000, 1),))
    state.show(MemoryReader(trace, LINEAR_TENSORS))
    shown = panel.view.toPlainText()
    assert shown.endswith("x… (7,000 more characters in this line)")
    assert shown.count("x") == 5000
    assert len(panel.view.lines[0].text) == 12_000


def test_one_is_not_many(panel: ConsolePanel, state: ViewerState) -> None:
    trace = replace(
        linear_trace(),
        console=(text(1, "x" * 5_001, 1),),
        cuts=(ConsoleCut(activity="run", characters=90, lines=1),),
    )
    state.show(MemoryReader(trace, LINEAR_TENSORS))
    assert panel.view.toPlainText().endswith("x… (1 more character in this line)")
    assert "90 more characters in 1 line were not kept." in panel.notices
    trace = replace(trace, cuts=(ConsoleCut(activity="run", characters=1, lines=0),))
    state.show(MemoryReader(trace, LINEAR_TENSORS))
    assert "1 more character was not kept." in panel.notices


def test_one_line_of_a_check_is_not_many(panel: ConsolePanel, state: ViewerState) -> None:
    printed = replace(text(1, "one line", None), activity="check")
    state.show(MemoryReader(replace(linear_trace(), console=(printed,)), LINEAR_TENSORS))
    assert panel.check_box is not None
    assert "1 line" in [label.text() for label in panel.check_box.findChildren(PlainLabel)]


def text(number: int, written: str, step: int | None, stream: Stream = "stdout") -> ConsoleText:
    return ConsoleText(id=number, step=step, stream=stream, activity="run", text=written)


def test_a_line_written_in_pieces_is_one_line() -> None:
    lines = lines_of((text(1, "a", 1), text(2, "b\n", 2), text(3, "c", 2, "stderr")))
    assert [(line.text, line.step, line.stream) for line in lines] == [
        ("ab", 1, "stdout"),
        ("c", 2, "stderr"),
    ]


def test_empty_lines_stay() -> None:
    assert [line.text for line in lines_of((text(1, "a\n\nb\n", 1),))] == ["a", "", "b"]


def test_quiz_mode_hides_later_output(panel: ConsolePanel, state: ViewerState) -> None:
    state.show(wrong_reader())
    state.go_to(4)
    state.set_quiz_mode()
    assert [line.text for line in panel.view.lines] == ["output 54"]
    assert panel.check_box is None
    state.go_to(5)
    assert [line.text for line in panel.view.lines] == ["output 54"]
    state.next_step()
    assert panel.view.highlighted == ("grad_output ones", "a warning", "of two lines")
    state.set_quiz_mode(False)
    assert panel.check_box is not None


def test_what_no_step_printed_is_reported_with_what_follows() -> None:
    texts = (text(1, "before\n", None), text(2, "a\n", 2), text(3, "after\n", None))
    index = index_trace(replace(linear_trace(), console=texts))
    for until, known in ((1, []), (2, [1, 2]), (7, [1, 2]), (8, [1, 2, 3])):
        revealed = RevealedTrace(index=index, until=until)
        assert [each.id for each in revealed.console("run")] == known
