"""Records appended by a check extend an open trace without rereading it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex, extend_index, index_reader
from gradviz.model.columns import tensor_columns
from gradviz.model.console import ConsoleCut, ConsoleText
from gradviz.model.step import ForwardStep
from gradviz.model.trace import Trace
from gradviz.store import reader as reading
from gradviz.store.errors import TraceError
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter
from tests.builders import LINEAR_TENSORS, ORIGIN, linear_trace, tensor, write_trace
from tests.store.test_partial_matrices import REPORT

STEPS = 20_000
FIRST = len(LINEAR_TENSORS) + 1
MATRICES = (
    tensor(FIRST, [[1.0, np.nan], [0.0, 2.0]]),
    tensor(FIRST + 1, np.ones((2, 2), np.float32)),
)
BLOCK = replace(REPORT.unfinished[0], numerical=FIRST, analytical=FIRST + 1)
NEW = replace(REPORT, unfinished=(BLOCK,))


def long_trace() -> Trace:
    """The linear scene, followed by many empty steps."""
    trace = linear_trace()
    begin = len(trace.steps) + 1
    more = [
        ForwardStep(
            number=number,
            finished=True,
            started_ns=number * 1_000_000,
            duration_ns=1,
            pass_id=None,
            op="aten::relu",
            node=None,
            nodes=(),
            call=None,
            inputs=(),
            outputs=(),
            location=None,
        )
        for number in range(begin, begin + STEPS)
    ]
    return replace(trace, steps=(*trace.steps, *more))


def append(path: Path) -> None:
    """Write what a check in another process writes."""
    writer = TraceWriter(path, ORIGIN, append=True)
    for record, value in MATRICES:
        writer.put_tensor(replace(record, statistics=None), value.data)
    for number in (1, 2):
        writer.put(replace(NEW, id=number))
    last = writer.highest("console")
    writer.put(
        ConsoleText(id=last + 1, step=None, stream="stdout", activity="check", text="checked")
    )
    writer.put(ConsoleCut(activity="check", characters=5, lines=1))
    writer.close()


def odd_in(index: TraceIndex) -> dict[int, int]:
    assert index.finite.look()
    return index.finite.not_finite()


def test_no_step_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_trace(tmp_path / "run.gradviz", long_trace())
    with open_trace(path, live=True) as reader:
        index = index_reader(reader)
        assert odd_in(index) == {}
        append(path)

        def fail(text: str) -> None:
            raise AssertionError(f"read again: {text}")

        asked: list[tuple[str, int]] = []
        texts = vars(reading)["_texts"]

        def noted(connection: sqlite3.Connection, table: str, after: int = 0) -> list[str]:
            asked.append((table, after))
            return texts(connection, table, after)

        monkeypatch.setattr(reading, "_texts", noted)
        for rows in (index.trace.steps, index.trace.insides):
            monkeypatch.setattr(rows, "_read", fail)
            monkeypatch.setattr(rows, "_all", None)
        trace = reader.read_appended(index.trace)
        longer = extend_index(index, trace, reader)
        assert ("tensor", FIRST - 1) in asked
        assert {"step", "inside", "node", "edge"}.isdisjoint(table for table, _ in asked)
        assert trace.steps is index.trace.steps
        assert longer.times is index.times
        assert longer.tensor[FIRST].shape == (2, 2)
        assert reader.value(FIRST + 1) is not None


def test_it_is_the_same_as_reading_everything(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "run.gradviz", linear_trace())
    with open_trace(path, live=True) as reader:
        index = index_reader(reader)
        append(path)
        longer = extend_index(index, reader.read_appended(index.trace), reader)
        again = extend_index(longer, reader.read_appended(longer.trace), reader)
        with open_trace(path, live=True) as other:
            whole = index_reader(other)
            for found in (longer, again):
                assert found.trace == whole.trace
                assert odd_in(found) == odd_in(whole) == {FIRST: 1}
                mine, its = (tensor_columns(each.trace.tensors) for each in (found, whole))
                assert mine.ids.tolist() == its.ids.tolist()
                assert [mine.words[n] for n in mine.dtypes] == [its.words[n] for n in its.dtypes]


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "run.gradviz", linear_trace())
    with open_trace(path, live=True) as reader:
        trace = reader.trace()
        writer = TraceWriter(path, ORIGIN, append=True)
        writer.put(NEW)
        writer.close()
        with pytest.raises(TraceError, match="without its matrices"):
            reader.read_appended(trace)
