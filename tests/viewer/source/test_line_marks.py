"""Marks beside source lines."""

from __future__ import annotations

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.viewer.source.line_marks import LineMarks
from gradviz.viewer.source.source_passages import source_content_at
from gradviz.viewer.source.source_text import text_of
from tests.viewer.source.traces import dying_reader, raising_reader, reader
from tests.viewer.traces import MemoryReader


def rows_at(place: TracePosition, made: MemoryReader | None = None) -> LineMarks:
    made = made or reader()
    index = index_trace(made.trace(), made.value)
    active = source_content_at(RevealedTrace.of_all(index), place).active
    assert active is not None
    return LineMarks(index, active, text_of(active.source.text), made.value)


def signs(rows: LineMarks, first: int, last: int) -> list[str]:
    return [rows.mark(line).sign for line in range(first, last + 1)]


def test_ran_to_come_and_never_are_distinguished() -> None:
    rows = rows_at(TracePosition(step=1, stage="forward", line=3))
    assert signs(rows, 11, 19) == ["", "", "ran", "ran", "ran", "never", "ran", "later", "later"]
    whole = rows_at(TracePosition(step=1))
    assert signs(whole, 13, 19) == ["ran", "ran", "ran", "never", "ran", "ran", "ran"]
    assert whole.mark(17).times == 3


def test_lines_of_a_statement_share_its_sign_and_have_one_note() -> None:
    rows = rows_at(TracePosition(step=5, stage="backward", line=5))
    assert signs(rows, 26, 28) == ["ran"] * 3
    assert rows.mark(26).note == "grad_input = 2×2 [[6 24] [6 24]]"
    assert (rows.mark(27).note, rows.mark(28).note) == ("", "")
    assert rows.block == (26, 28)


def test_text_outside_of_the_function_is_neither() -> None:
    rows = rows_at(TracePosition(step=1, stage="forward", line=3))
    assert set(signs(rows, 1, 4)) | set(signs(rows, 21, 34)) == {""}


def test_a_called_function_is_marked_too() -> None:
    assert signs(rows_at(TracePosition(step=5, stage="backward", line=2)), 5, 7) == [
        "",
        "ran",
        "later",
    ]


def test_notes_say_what_was_set_deleted_and_returned() -> None:
    rows = rows_at(TracePosition(step=5))
    assert rows.mark(23).note.startswith("input = 2×2 [[0 1] [2 3]],  weight = 2×3")
    assert rows.mark(23).note.endswith("bias = None")
    assert rows.mark(30).note == "array deleted"
    returned = "2×2 [[6 24] [6 24]],  2×3 [[4 4 4] [8 8 8]],  None"
    assert rows.mark(31).note == f"returns {returned}"
    assert rows.mark(25).note == "array = array([[2., 2., 2.], [2., 2., 2.]])"


def test_what_is_not_reached_says_nothing() -> None:
    rows = rows_at(TracePosition(step=5, stage="backward", line=4))
    assert rows.mark(25).note
    assert not any(rows.mark(line).note for line in range(26, 32))


def test_while_an_op_runs_its_line_has_set_nothing() -> None:
    assert not rows_at(TracePosition(step=5, stage="backward", line=5, op=5)).mark(26).note


def test_the_line_that_raised_is_marked_and_says_what() -> None:
    rows = rows_at(TracePosition(step=6), raising_reader())
    assert rows.mark(29).sign == "raised"
    assert rows.mark(29).note == "RuntimeError was raised here."
    assert signs(rows, 30, 31) == ["never", "never"]


def test_a_line_in_which_the_process_died_is_marked() -> None:
    assert rows_at(TracePosition(step=5), dying_reader()).mark(29).sign == "raised"
