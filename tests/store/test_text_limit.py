"""Long texts are cut where a trace is written, and where one from elsewhere is read."""

import json
import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace

from gradviz.model.console import ConsoleText
from gradviz.model.graph import ModuleCall
from gradviz.model.trace import Outcome
from gradviz.store.reader import open_trace
from gradviz.store.row_codec import row_reader, row_text
from tests.builders import linear_trace, write_trace

LONG = "N" * 300_000
NOTE = "… (cut; 300,000 characters in all)"


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_long_name_ends_with_its_length(elsewhere: bool) -> None:
    call = ModuleCall(id=1, path=LONG, class_name="C", parent=None)
    row = json.dumps([1, LONG, "C", None]) if elsewhere else row_text(call)
    path = row_reader(ModuleCall)(row).path
    assert path == LONG[: 10_000 - len(NOTE)] + NOTE


def test_printed_text_may_be_longer() -> None:
    text = ConsoleText(id=1, step=None, stream="stdout", activity="run", text=LONG)
    assert row_reader(ConsoleText)(row_text(text)) == text
    assert len(row_text(text)) > len(LONG)


def test_escapes_count_as_what_they_are_shown_as(tmp_path: Path) -> None:
    hostile = "\U000e0001" * 9_999
    note = "… (cut; 9,999 characters in all)"
    shown = ("\\U000e0001" * 1_000)[: -len(note)] + note
    row = json.dumps([1, hostile, "C", None])
    assert row_reader(ModuleCall, visible=True)(row).path == shown
    assert row_reader(ModuleCall)(row).path == hostile
    outcome = Outcome(kind="failed", message=hostile, duration_ns=1)
    path = write_trace(tmp_path / "run.gradviz", replace(linear_trace(), outcome=outcome))
    with open_trace(path, visible=True) as reader:
        trace = reader.trace()
    assert trace.outcome is not None
    assert trace.outcome.message == shown


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_long_message_of_the_ending(elsewhere: bool, tmp_path: Path) -> None:
    message = "m" if elsewhere else LONG
    outcome = Outcome(kind="failed", message=message, duration_ns=1)
    path = write_trace(tmp_path / "run.gradviz", replace(linear_trace(), outcome=outcome))
    if elsewhere:
        with sqlite3.connect(path) as connection:
            change = "UPDATE meta SET json = json_set(json, '$.message', ?) WHERE key = 'outcome'"
            connection.execute(change, (LONG,))
        connection.close()
    else:
        assert path.stat().st_size < len(LONG)
    with open_trace(path) as reader:
        trace = reader.trace()
    assert trace.outcome is not None
    assert trace.outcome.message == LONG[: 10_000 - len(NOTE)] + NOTE
