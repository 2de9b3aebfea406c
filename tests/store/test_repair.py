"""Damaged traces: intact parts can be read, and missing parts are reported."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from gradviz.analysis.index.trace_index import index_reader, index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.cli.main import main
from gradviz.export.steps.text import steps_text
from gradviz.model.step import ForwardStep, MissingStep, PassBeginStep
from gradviz.model.trace import Trace
from gradviz.model.validation.trace_rules import validate
from gradviz.store.errors import TraceError
from gradviz.store.finalize import finalize_trace
from gradviz.store.reader import open_trace
from gradviz.text.narration import describe_position, describe_step
from tests.builders import ORIGIN, linear_trace, write_trace
from tests.inside_builder import INSIDE_TENSORS, inside_trace


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = write_trace(tmp_path / "run.gradviz", linear_trace())
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
    return index.trace


def numbers_missing(trace: Trace) -> list[int]:
    return [step.number for step in trace.steps if isinstance(step, MissingStep)]


def test_an_intact_trace_is_read_as_it_is(path: Path) -> None:
    with open_trace(path, repair=True) as reader:
        assert reader.trace() == linear_trace()


@pytest.mark.parametrize("number", [1, 4])
def test_a_missing_step_leaves_a_gap(path: Path, number: int) -> None:
    change(path, f"DELETE FROM step WHERE id = {number}")
    with pytest.raises(TraceError, match="not numbered 1, 2, 3"), open_trace(path) as reader:
        reader.trace()
    trace = repaired(path)
    whole = linear_trace()
    assert numbers_missing(trace) == [number]
    assert trace.steps[number - 1].pass_id == whole.steps[number - 1].pass_id
    kept = [step for step in trace.steps if step.number != number]
    assert kept == [step for step in whole.steps if step.number != number]
    assert trace.findings[-1].code == "trace_damaged"
    assert f"One of {len(whole.steps)} steps is missing." in trace.findings[-1].message


def test_lines_and_ops_of_a_missing_step_are_shown(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "run.gradviz", inside_trace(), INSIDE_TENSORS)
    place = TracePosition(step=5, stage="backward", line=0)
    op = replace(place, line=None, op=0)
    whole = index_trace(inside_trace(), lambda _: None)
    expected = [describe_position(whole, each) for each in (place, op)]
    change(path, "DELETE FROM step WHERE id = 5")
    index = index_trace(repaired(path))
    assert numbers_missing(index.trace) == [5]
    assert [describe_position(index, each) for each in (place, op)] == expected
    stage = TracePosition(step=5, stage="backward")
    missing = "This step is missing: the trace does not contain it."
    assert describe_position(index, stage) == missing


def test_a_finding_with_the_last_id_leaves_one_for_the_note(path: Path) -> None:
    last = (1 << 63) - 1
    row = f'[{last},"nan_made","warning","NaN.",null,null,null,null]'
    change(path, "DELETE FROM step WHERE id = 1", f"INSERT INTO finding VALUES ({last}, '{row}')")
    trace = repaired(path)
    assert [each.code for each in trace.findings] == ["nan_made", "trace_damaged"]


def test_a_pass_without_its_first_step_goes_on(path: Path) -> None:
    whole = linear_trace()
    (begin,) = [step.number for step in whole.steps if isinstance(step, PassBeginStep)]
    change(path, f"DELETE FROM step WHERE id = {begin}")
    trace = repaired(path)
    assert isinstance(trace.steps[begin - 1], PassBeginStep)
    assert trace.steps[begin:] == whole.steps[begin:]
    assert describe_step(index_trace(trace), trace.steps[begin - 1]) == (
        "Backward pass 1 starts; the trace does not contain where."
    )


TABLES = ("step", "tensor", "node", "edge", "saved", "call", "source")
REFERRED = ("step", "tensor", "node", "edge", "call")


@pytest.mark.parametrize(
    ("table", "statement"),
    [
        *((table, "UPDATE {} SET json = '{{' WHERE id = 1") for table in TABLES),
        *((table, "UPDATE {} SET json = '[]' WHERE id = 1") for table in TABLES),
        *((table, "UPDATE {} SET json = x'ff00' WHERE id = 1") for table in TABLES),
        *((table, "DELETE FROM {} WHERE id = 1") for table in REFERRED),
    ],
)
def test_a_row_that_cannot_be_decoded(path: Path, table: str, statement: str) -> None:
    change(path, statement.format(table))
    trace = repaired(path)
    assert len(trace.steps) == len(linear_trace().steps)
    assert numbers_missing(trace) == ([1] if table == "step" else [])


def test_a_foreign_row_costs_itself_only(path: Path) -> None:
    change(path, "UPDATE step SET json = replace(json, 'NodeStep', 'Popen')")
    trace = repaired(path)
    assert 0 < len(numbers_missing(trace)) < len(trace.steps)


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
    whole = Trace(origin=ORIGIN, steps=steps)
    write_trace(path, whole)
    finalize_trace(path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 3 // 4])
    with pytest.raises(TraceError, match="its end is missing"):
        open_trace(path)
    with open_trace(path, repair=True) as reader:
        trace = index_reader(reader).trace
    intact = set(trace.steps) & set(steps)
    assert len(trace.steps) / 2 < len(intact) < len(steps)
    assert "is damaged" in trace.findings[-1].message


def test_a_source_that_is_too_short_costs_only_its_lines(path: Path) -> None:
    change(path, """UPDATE source SET json = json_set(json, '$[2]', 'short')""")
    with pytest.raises(TraceError, match=r"is in line \d+ of a source with 1 lines"):
        open_trace(path).trace()
    trace, whole = repaired(path), linear_trace()
    assert len(trace.steps) == len(whole.steps)
    assert trace.steps[3:] == whole.steps[3:]
    step, intact = trace.steps[0], whole.steps[0]
    assert isinstance(step, ForwardStep)
    assert isinstance(intact, ForwardStep)
    assert step.location is not None
    assert step == structs.replace(intact, location=structs.replace(step.location, source=None))


def test_a_finding_stays_without_its_step(path: Path) -> None:
    row = '[1,"code","info","What happened.",99,98,null,null]'
    change(path, f"INSERT INTO finding VALUES (1, '{row}')")
    first = repaired(path).findings[0]
    assert (first.message, first.step, first.node) == ("What happened.", None, None)


def test_an_impossible_step_number_makes_no_million_steps(path: Path) -> None:
    change(path, f"UPDATE step SET id = {1 << 60} WHERE id = 2")
    assert len(repaired(path).steps) == len(linear_trace().steps)


def test_the_command_line_says_what_is_missing(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(path, "DELETE FROM step WHERE id = 1")
    assert main(["steps", str(path)]) == 0
    output = capsys.readouterr().out
    assert "This step is missing: the trace does not contain it." in output
    assert "steps is missing." in output
    assert main(["steps", "--format", "json", str(path)]) == 0
    assert '"kind": "missing"' in capsys.readouterr().out
