"""The source pane follows the position and links to positions and tensors."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gradviz.analysis.arithmetic.element_arithmetic import Arithmetic
from gradviz.analysis.arithmetic.expression import Operand
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.document.document import Row
from gradviz.model.source import Location
from gradviz.viewer.actions import Actions
from gradviz.viewer.source import source_text
from gradviz.viewer.source.code_view import MOST_LINES, CodeView
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import TensorRef
from gradviz.viewer.theme.theme import DARK, LIGHT, Theme
from tests.viewer.source.traces import (
    long_reader,
    numpy_reader,
    raising_reader,
    reader,
    shallow_reader,
)
from tests.viewer.view_requests import requests_of

DOUBLED = TracePosition(step=5, stage="backward", line=1)
HELPER = TracePosition(step=5, stage="backward", line=2)


@pytest.fixture
def state(qtbot: QtBot) -> ViewerState:
    return ViewerState(LIGHT)


@pytest.fixture
def owner(qtbot: QtBot) -> QWidget:
    widget = QWidget()
    qtbot.addWidget(widget)
    return widget


@pytest.fixture
def actions(owner: QWidget) -> Actions:
    return Actions(owner)


@pytest.fixture
def panel(state: ViewerState, actions: Actions, qtbot: QtBot) -> SourcePanel:
    widget = SourcePanel(state, requests_of(state), actions=actions)
    qtbot.addWidget(widget)
    qtbot.addWidget(widget.locals)
    # Not above the source, as the pointer would be in the wrong window.
    widget.locals.move(0, 500)
    widget.locals.show()
    widget.resize(1200, 260)
    widget.show()
    return widget


def rows(view: CodeView) -> tuple[int, int]:
    assert view.rows is not None
    return view.rows.block


def click(view: CodeView, line: int) -> None:
    box = dict(view.boxes())[line]
    place = QPoint(view.viewport().width() // 3, round(box.center().y()))
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


def rows_of(panel: SourcePanel) -> list[Row]:
    document = panel.locals.view.rows.document
    return [document.row(key) for key in document.keys]


def locals_of(panel: SourcePanel) -> dict[str, str]:
    return dict(row.texts for row in rows_of(panel))  # type: ignore[misc]


def test_without_a_trace_it_says_what_it_is_for(panel: SourcePanel) -> None:
    assert panel.hint == "The source of each step appears here."


def test_both_halves_stand_beside_each_other(panel: SourcePanel, state: ViewerState) -> None:
    state.show(reader())
    assert panel.columns == (panel.forward, panel.backward)
    assert panel.forward.view.gutter.active
    assert panel.backward.note.text() == "It has not run yet."
    state.go_to_place(DOUBLED)
    assert panel.columns == (panel.backward, panel.forward)
    assert panel.backward.title.text() == "LinearFunction.backward"
    assert panel.backward.note.text() == "linear.py:24 · This line has just run."
    assert panel.forward.note.text() == "Shown as it ran in step 1."
    assert not panel.forward.view.gutter.active


def test_in_a_narrow_pane_one_half_is_seen(panel: SourcePanel, state: ViewerState) -> None:
    panel.resize(600, 260)
    state.show(reader())
    state.go_to_place(DOUBLED)
    assert panel.columns == (panel.backward,)
    QTest.mouseClick(panel.backward.other, Qt.MouseButton.LeftButton)
    assert panel.columns == (panel.forward,)
    # A step within the same half leaves it so, one in the other shows where we are.
    state.next_step()
    assert panel.columns == (panel.forward,)
    state.go_to_place(TracePosition(step=1))
    state.go_to_place(DOUBLED)
    assert panel.columns == (panel.backward,)


def test_the_current_line_is_in_sight_in_the_middle_of_the_view(
    panel: SourcePanel, state: ViewerState
) -> None:
    state.show(reader())
    view = panel.backward.view
    panel.resize(500, 260)
    for line in (4, 5, 6):
        state.go_to_place(TracePosition(step=5, stage="backward", line=line))
        first, last = rows(view)
        boxes = dict(view.boxes())
        assert boxes[first].top() >= 0
        assert boxes[last].bottom() <= view.viewport().height()
        height = view.fontMetrics().lineSpacing()
        middle = boxes[first].top() + height / 2
        assert abs(middle - view.viewport().height() / 2) <= height


def test_a_click_on_a_line_that_ran_goes_there(panel: SourcePanel, state: ViewerState) -> None:
    state.show(reader())
    state.go_to_place(TracePosition(step=5, stage="backward", line=6), "line")
    click(panel.backward.view, 27)
    assert state.place == TracePosition(step=5, stage="backward", line=5)
    # One that never ran leads nowhere.
    state.go_to_place(TracePosition(step=1, stage="forward", line=2), "line")
    click(panel.forward.view, 16)
    assert state.place == TracePosition(step=1, stage="forward", line=2)


def test_a_double_click_steps_by_lines(panel: SourcePanel, state: ViewerState) -> None:
    state.show(reader())
    box = dict(panel.forward.view.boxes())[14]
    place = QPoint(200, round(box.center().y()))
    QTest.mouseDClick(panel.forward.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert (state.place, state.level) == (TracePosition(step=1, stage="forward", line=1), "line")


def test_keys_step_while_the_text_has_them(panel: SourcePanel, state: ViewerState) -> None:
    state.show(reader())
    view = panel.forward.view
    for key, expected in (
        (Qt.Key.Key_Down, TracePosition(step=1, stage="forward")),
        (Qt.Key.Key_Down, TracePosition(step=1, stage="forward", line=0)),
        (Qt.Key.Key_Right, TracePosition(step=1, stage="forward", line=1)),
        (Qt.Key.Key_Left, TracePosition(step=1, stage="forward", line=0)),
        (Qt.Key.Key_Up, TracePosition(step=1, stage="forward")),
    ):
        QTest.keyClick(view, key)
        assert state.place == expected
    QTest.keyClick(view, Qt.Key.Key_End)
    assert state.number == state.count
    QTest.keyClick(view, Qt.Key.Key_Home)
    assert state.number == 1


def test_text_can_be_selected_and_copied(panel: SourcePanel, state: ViewerState) -> None:
    state.show(reader())
    view = panel.forward.view
    view.setTextCursor(QTextCursor(view.document().findBlockByNumber(13)))
    QTest.keyClick(view, Qt.Key.Key_End, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == "        output = input.mm(weight)"
    assert state.place == TracePosition(step=1)


def test_locals_are_those_of_the_place(panel: SourcePanel, state: ViewerState) -> None:
    state.show(reader())
    state.go_to_place(DOUBLED)
    assert list(locals_of(panel)) == ["ctx", "grad_output", "input", "weight", "bias", "doubled"]
    assert locals_of(panel)["bias"] == "None"
    rows = rows_of(panel)
    assert "set by this line" in rows[5].sentence
    assert "set by this line" not in rows[1].sentence
    pictures = [row.fields[1] for row in rows if row.fields[1].tensor is not None]
    assert len(pictures) > 2
    largest = max(abs(each.tensor.array()).max() for each in pictures if each.tensor)
    assert {each.limit for each in pictures} == {largest}


def test_a_call_that_runs_leads_back_to_its_caller(panel: SourcePanel, state: ViewerState) -> None:
    state.show(reader())
    state.go_to_place(HELPER)
    assert panel.locals.title.text() == "Locals of scaled"
    assert panel.locals.frames.texts == ("backward", "scaled")
    assert list(locals_of(panel)) == ["tensor", "factor"]
    QTest.mouseClick(panel.locals.frames.buttons[0], Qt.MouseButton.LeftButton)
    assert state.place == DOUBLED
    assert panel.locals.frames.texts == ("backward",)
    assert panel.locals.frames.isHidden()


def test_a_tensor_is_seen_large(panel: SourcePanel, state: ViewerState) -> None:
    state.show(reader())
    state.go_to_place(DOUBLED)
    sought: list[TensorRef] = []
    requests_of(state).tensor_requested.connect(sought.append)
    table = panel.locals.view
    row = table.rows.index(5, 1)
    table.scrollTo(row)
    place = table.visualRect(row).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    table.setCurrentIndex(table.rows.index(2, 0))
    QTest.keyClick(table, Qt.Key.Key_Return)
    table.setCurrentIndex(table.rows.index(0, 0))
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert sought == [
        TensorRef(tensor=10, name="doubled", step=5),
        TensorRef(tensor=1, name="input", step=5),
    ]


def test_an_array_is_marked_as_unseen(panel: SourcePanel, state: ViewerState) -> None:
    state.show(numpy_reader())
    state.go_to_place(TracePosition(step=5, stage="backward", line=4))
    row = list(locals_of(panel)).index("array")
    before, array = rows_of(panel)[row - 1 : row + 1]
    assert "NumPy: not tracked by autograd" in array.sentence
    assert "NumPy: not tracked by autograd" in array.texts[1]
    assert "NumPy" not in before.sentence
    assert panel.backward.view.notes()[25] == "array = 2×3 [[2 2 2] [2 2 2]] (NumPy)"


def test_quiz_mode_hides_values(panel: SourcePanel, state: ViewerState) -> None:
    state.show(reader())
    state.go_to(5)
    assert panel.backward.view.notes()
    state.set_answer_hidden()
    assert panel.backward.view.notes() == {}
    marks = panel.backward.view.rows
    assert marks is not None
    assert {marks.mark(line).sign for line in range(1, 35)} == {""}
    assert locals_of(panel) == {}
    assert panel.locals.reason.text() == "Values are hidden until the answer is revealed."
    state.set_answer_hidden(False)
    assert panel.backward.view.notes()


def test_a_run_without_lines_offers_to_record_them(
    panel: SourcePanel, state: ViewerState, actions: Actions
) -> None:
    runs: list[str] = []
    actions.record_lines.triggered.connect(lambda: runs.append("run"))
    state.show(shallow_reader())
    assert panel.locals.reason.text().startswith("This run was recorded without source lines")
    assert panel.forward.view.notes() == {}
    QTest.mouseClick(panel.locals.again, Qt.MouseButton.LeftButton)
    assert len(runs) == 1


def test_the_exception_is_shown_next_to_its_line(panel: SourcePanel, state: ViewerState) -> None:
    state.show(raising_reader())
    state.go_to(6)
    assert panel.backward.view.notes()[29] == "RuntimeError was raised here."
    assert panel.backward.note.text().endswith(":29")


def test_a_step_without_a_line_says_so(panel: SourcePanel, state: ViewerState) -> None:
    state.show(reader())
    state.go_to(3)
    assert panel.hint == "No lines were recorded for this step. This line starts the backward pass."


def test_breakpoints_are_asked_for_and_shown(panel: SourcePanel, state: ViewerState) -> None:
    state.show(reader())
    state.go_to_place(TracePosition(step=5, stage="backward", line=5))
    asked: list[tuple[str, int]] = []
    panel.breakpoint_toggled.connect(lambda path, line: asked.append((path, line)))
    gutter, boxes = panel.backward.view.gutter, dict(panel.backward.view.boxes())
    place = QPoint(4, round(boxes[27].center().y()))
    QTest.mouseClick(gutter, Qt.MouseButton.LeftButton, pos=place)
    assert asked == []
    panel.set_breakable()
    QTest.mouseClick(gutter, Qt.MouseButton.LeftButton, pos=place)
    # The second line of a statement stands for the whole.
    assert asked == [("linear.py", 26)]
    panel.show_breakpoints({("linear.py", 26): True, ("other.py", 27): True})
    assert gutter.breakpoints == {26: True}
    assert panel.current_line() == ("linear.py", 26)


@pytest.mark.parametrize(
    "theme", [DARK, Theme(name="light", scale=2.0), Theme(name="dark", scale=0.8)]
)
def test_every_look_is_painted(panel: SourcePanel, state: ViewerState, theme: Theme) -> None:
    state.show(reader())
    state.go_to_place(TracePosition(step=5, stage="backward", line=5))
    before = panel.grab().toImage()
    state.set_theme(theme)
    assert panel.grab().toImage() != before
    first, last = rows(panel.backward.view)
    boxes = dict(panel.backward.view.boxes())
    assert boxes[first].top() >= 0
    assert last in boxes


def test_what_happens_behind_another_tab_waits(panel: SourcePanel, state: ViewerState) -> None:
    panel.hide()
    state.show(reader())
    state.go_to_place(DOUBLED)
    assert panel.backward.view.rows is None
    # What commands ask for is known all the same.
    where = panel.current_location()
    assert where is not None
    assert where.line == 24
    panel.show()
    assert rows(panel.backward.view) == (24, 24)


def test_of_a_long_text_and_a_long_loop_only_what_is_in_sight_is_looked_at(
    panel: SourcePanel, state: ViewerState
) -> None:
    state.show(long_reader(turns=5_000, lines=10_000))
    view = panel.backward.view
    for turn in (1, 2_500, 9_999):
        state.go_to_place(TracePosition(step=5, stage="backward", line=turn))
        assert view.rows is not None
        looked_at = view.rows.count
        assert looked_at < 100
        assert len(view.extraSelections()) < 100
    assert view.notes()[23] == "turn = 4999"
    assert view.document().blockCount() == MOST_LINES
    assert view.line_count() > 10_000


def test_a_part_of_a_long_text_moves_with_the_scroll_bar(
    panel: SourcePanel, state: ViewerState, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel.set_breakable()
    panel.resize(600, 260)
    state.show(long_reader(turns=2, lines=9_970))
    state.go_to_place(TracePosition(step=5, stage="backward", line=1))
    column, toggled = panel.backward, []
    panel.breakpoint_toggled.connect(lambda path, line: toggled.append(line))
    view, bar = column.view, column.view.verticalScrollBar()
    lines = view.line_count()
    words = "Lines {} to {} of {:,}, too many for syntax highlighting. Scroll to the end for more."
    assert column.extent.text() == words.format(1, "4,000", lines)
    assert column.extent.isVisible()
    assert column.extent.contentsMargins().left() == column.title.mapTo(column, QPoint()).x()
    view.selectAll()
    QTest.keySequence(view, QKeySequence.StandardKey.Copy)
    assert view.rows is not None
    assert QApplication.clipboard().text() == "\n".join(view.rows.text.lines)
    view.moveCursor(QTextCursor.MoveOperation.Start)
    width = view.gutter.width()
    while view.extent.stop <= lines:
        bar.setValue(bar.maximum() - 1)
        top = view.boxes()[0][0]
        bar.setValue(bar.maximum())
        assert view.boxes()[0][0] == top + 1, "the lines do not jump"
        assert bar.value() < bar.maximum() or view.extent.stop > lines
    assert view.gutter.width() == width
    assert column.extent.text() == words.format(f"{lines - 3_999:,}", f"{lines:,}", lines)
    bar.setValue(bar.maximum())
    assert view.boxes()[-1][0] == lines
    line = view.boxes()[0][0]
    shown = view.document().findBlockByNumber(line - view.extent.start).text()
    assert view.rows is not None
    assert shown == view.rows.text.lines[line - 1]
    place = QPoint(4, round(view.boxes()[0][1].center().y()))
    QTest.mouseClick(view.gutter, Qt.MouseButton.LeftButton, pos=place)
    assert toggled == [line]
    state.go_to_place(TracePosition(step=5, stage="backward", line=0))
    assert rows(view)[0] in dict(view.boxes())
    monkeypatch.setattr(source_text, "text_of", source_text.plain_text_of)
    state.show(long_reader(turns=2, lines=8_000))
    state.go_to_place(TracePosition(step=5, stage="backward", line=1))
    assert column.extent.text() == "Lines 1 to 4,000 of 8,034. Scroll to the end for more."
    monkeypatch.setattr(source_text, "MOST_PARSED", 100)
    state.show(long_reader(turns=2, lines=9))
    state.go_to_place(TracePosition(step=5, stage="backward", line=1))
    assert column.extent.text() == "This source is too long for syntax highlighting."
    monkeypatch.undo()
    state.show(reader())
    state.go_to_place(DOUBLED)
    assert column.extent.isHidden()


def test_operands_of_a_new_run_are_not_looked_for_in_the_code_of_the_old_one(
    state: ViewerState, actions: Actions, qtbot: QtBot
) -> None:
    long = long_reader(turns=1, lines=40)
    arithmetic = Arithmetic(
        result=Operand(name="y", tensor=1, element=(0,), value=1.0),
        expression=Operand(name="x", tensor=1, element=(0,), value=1.0),
        maker="code",
        cast=False,
        exact=True,
        place=TracePosition(step=5),
        location=Location(path="linear.py", line=60, function="backward", source=1),
    )
    old = reader()

    def explain(index: TraceIndex) -> None:
        if index.trace.sources != old.trace().sources:
            state.show_arithmetic(arithmetic)

    # Before the panel shows the new trace.
    state.trace_changed.connect(explain)
    widget = SourcePanel(state, requests_of(state), actions=actions)
    qtbot.addWidget(widget)
    widget.show()
    state.show(old)
    state.go_to(5)
    with qtbot.captureExceptions() as errors:
        state.show(long)
    assert errors == []
