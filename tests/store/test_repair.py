"""Damaged traces are read up to the damage, which a finding reports."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from gradviz.analysis.index.trace_index import index_reader
from gradviz.cli.main import main
from gradviz.export.steps.text import steps_text
from gradviz.model.step import MissingStep
from gradviz.model.trace import Trace
from gradviz.model.validation.trace_rules import validate
from gradviz.store.errors import TraceError
from gradviz.store.finalize import finalize_trace
from gradviz.store.reader import open_trace
from tests.builders import ORIGIN, linear_trace, write_trace

WHOLE = linear_trace()
FORWARD = 3
"""The number of its steps before the first one that needs an edge."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = write_trace(tmp_path / "run.gradviz", WHOLE)
    finalize_trace(path)
    return path


def change(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def repaired(path: Path) -> Trace:
    """What a reader shows of a damaged trace; each of its steps has a sentence."""
    with open_trace(path, repair=True) as reader:
        index = index_reader(reader)
        lines = list(steps_text(index, "op"))
        for record in index.trace.tensors:
            with contextlib.suppress(TraceError):
                reader.value(record.id)
    assert validate(index.trace) == []
    assert any(line.startswith("warning: The trace is damaged") for line in lines)
    assert index.trace.findings[-1].code == "trace_damaged"
    return index.trace


def test_an_intact_trace_is_read_as_it_is(path: Path) -> None:
    with open_trace(path, repair=True) as reader:
        assert reader.trace() == WHOLE


@pytest.mark.parametrize("number", [1, 4, 7])
@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM step WHERE id = {}",
        "UPDATE step SET json = '{{' WHERE id = {}",
        "UPDATE step SET json = x'ff00' WHERE id = {}",
        "UPDATE step SET json = json_set(json, '$[1]', 99) WHERE id = {}",
        f"UPDATE step SET id = {1 << 60} WHERE id = {{}}",
    ],
)
def test_steps_end_before_one_that_cannot_be_read(path: Path, statement: str, number: int) -> None:
    change(path, statement.format(number))
    with pytest.raises(TraceError), open_trace(path) as reader:
        reader.trace()
    assert repaired(path).steps == WHOLE.steps[: number - 1]


@pytest.mark.parametrize(
    ("table", "steps"),
    [("tensor", 0), ("node", 0), ("call", 0), ("source", 0), ("edge", FORWARD), ("saved", 8)],
)
@pytest.mark.parametrize("text", ["'{'", "'[]'", "x'ff00'"])
def test_steps_end_before_one_that_needs_what_cannot_be_read(
    path: Path, table: str, steps: int, text: str
) -> None:
    change(path, f"UPDATE {table} SET json = {text} WHERE id = 1")
    assert repaired(path).steps == WHOLE.steps[:steps]


def test_what_belongs_to_no_step_before_the_damage_is_left_out(path: Path) -> None:
    rows = [
        f'({at}, \'[{at},"code","info","{at}.",{step},null,null,null]\')'
        for at, step in ((1, 99), (7, 2), ((1 << 63) - 1, 8))
    ]
    change(path, f"INSERT INTO finding VALUES {','.join(rows)}", "DELETE FROM step WHERE id = 5")
    trace = repaired(path)
    assert [(each.id, each.message) for each in trace.findings[:-1]] == [(1, "7.")]
    assert trace.tensors == WHOLE.tensors
    assert all(text.step is None or text.step < 5 for text in trace.console)


def test_damaged_pages(path: Path, tmp_path: Path) -> None:
    data = bytearray(path.read_bytes())
    bad, opened = tmp_path / "bad.gradviz", 0
    for position in range(4096, len(data), 1777):
        changed = bytearray(data)
        changed[position : position + 8] = b"\xff\x00\xfe\x01\x80\x7f\xff\xff"
        bad.write_bytes(changed)
        with contextlib.suppress(TraceError), open_trace(bad, repair=True) as reader:
            assert validate(index_reader(reader).trace) == []
            opened += 1
    assert opened > len(range(4096, len(data), 1777)) / 2


def test_a_file_without_its_end(tmp_path: Path) -> None:
    path = tmp_path / "long.gradviz"
    steps = tuple(
        MissingStep(number=at, started_ns=at, pass_id=None, name=f"op {at}" * 20, reason="test")
        for at in range(1, 1001)
    )
    write_trace(path, Trace(origin=ORIGIN, steps=steps))
    finalize_trace(path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 3 // 4])
    with pytest.raises(TraceError, match="its end is missing"):
        open_trace(path)
    trace = repaired(path)
    assert 500 < len(trace.steps) < 1000
    assert trace.steps == steps[: len(trace.steps)]


def test_the_command_line_says_that_there_is_more(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(path, "DELETE FROM step WHERE id = 5")
    assert main(["steps", str(path)]) == 0
    assert "It is shown up to the damage." in capsys.readouterr().out
