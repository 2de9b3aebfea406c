"""Whatever is recorded is read as it was."""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex, extend_index, index_reader, index_trace
from gradviz.export.steps.text import steps_text
from gradviz.model.columns import tensor_columns
from gradviz.model.console import ConsoleCut, ConsoleText
from gradviz.model.finding import Finding
from gradviz.model.graph import Edge, ModuleCall, Node, SavedSlot
from gradviz.model.item import Item
from gradviz.model.source import Location, SourceFile
from gradviz.model.step import ErrorStep, ForwardStep, NodeStep, PassBeginStep, PassedGradient
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.model.trace import Outcome, Trace
from gradviz.model.validation.trace_rules import validate
from gradviz.model.what_if import (
    ChangeRecord,
    GradientTarget,
    InputTarget,
    ParameterTarget,
    SavedTarget,
    WhatIfChange,
)
from gradviz.store import reader as reading
from gradviz.store import run_ending
from gradviz.store.errors import TraceError
from gradviz.store.header import TraceHeader, read_header
from gradviz.store.reader import open_trace
from gradviz.store.row_codec import row_reader, row_text
from gradviz.store.run_ending import store_outcome
from gradviz.store.writer import TraceWriter
from tests.builders import LINEAR_TENSORS, ORIGIN, linear_trace, tensor, write_trace
from tests.store.test_partial_matrices import REPORT
from tests.sweeps import generated

# Generated traces survive a round trip through the file.


text = st.text(max_size=20) | st.sampled_from(["\ud800", "\x00", '<img src=x>"];\x1b[31m'])
count = st.integers(0, 2**62)
arrays = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.lists(st.floats(width=64), max_size=5),
    st.lists(st.booleans(), max_size=3),
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=3).map(lambda v: np.array(v, "<i8")),
)
places = st.builds(Location, source=st.none(), line=st.integers(0, 2**31 - 1))
Kept = tuple[TensorRecord, TensorValue]


def items(tensors: int) -> st.SearchStrategy[Item]:
    kinds = [
        st.builds(Item, name=text, kind=st.just("none")),
        st.builds(Item, name=text, kind=st.just("object"), text=text),
    ]
    if tensors:
        numbers = st.integers(1, tensors)
        kinds.append(st.builds(Item, name=text, kind=st.just("tensor"), tensor=numbers))
    return st.one_of(kinds)


def passed_on(
    node: int, edges: tuple[Edge, ...], item: st.SearchStrategy[Item]
) -> st.SearchStrategy[PassedGradient]:
    leaving = [edge.id for edge in edges if edge.source == node]
    return st.builds(
        PassedGradient,
        slot=count,
        argument=st.none() | count,
        edge=st.sampled_from([None, *leaving]),
        item=item,
    )


@st.composite
def module_calls(draw: st.DrawFn) -> tuple[ModuleCall, ...]:
    return tuple(
        ModuleCall(
            id=number,
            path=draw(text),
            class_name=draw(text),
            parent=draw(st.sampled_from([None, *range(1, number)])),
        )
        for number in range(1, draw(st.integers(1, 4)))
    )


@st.composite
def traces(draw: st.DrawFn) -> tuple[Trace, tuple[Kept, ...]]:
    kept = tuple(tensor(number, draw(arrays)) for number in range(1, draw(st.integers(0, 4)) + 1))
    nodes = range(1, draw(st.integers(1, 5)) + 1)
    node, item = st.sampled_from(nodes), items(len(kept))
    edges = tuple(
        draw(
            st.builds(
                Edge, id=st.just(each), source=node, target=node, slot=count, target_slot=count
            )
        )
        for each in range(1, draw(st.integers(0, 6)) + 1)
    )
    modules = draw(module_calls())
    module = st.sampled_from([None, *(each.id for each in modules)])
    many = st.lists(item, max_size=3).map(tuple)
    first = PassBeginStep(
        number=1,
        started_ns=draw(count),
        pass_id=1,
        parent=None,
        roots=(),
        create_graph=draw(st.booleans()),
        keep_graph=draw(st.booleans()),
        accumulate=draw(st.booleans()),
        location=None,
    )
    common = {"pass_id": st.just(1), "started_ns": count}
    timed = {**common, "duration_ns": count}
    executed = node.flatmap(
        lambda each: st.builds(
            NodeStep,
            incoming=many,
            received=many,
            returned=many,
            thread=text,
            passed=st.lists(passed_on(each, edges, item), max_size=3).map(tuple),
            node=st.just(each),
            **timed,
        )
    )
    step = st.one_of(
        executed,
        st.builds(
            ForwardStep, call=st.none(), nodes=st.lists(node, max_size=2, unique=True).map(tuple),
            node=node, inputs=many, outputs=many, location=st.none() | places, **timed,
        ),
        st.builds(ErrorStep, call=st.none(), node=node, message=text,
                  location=st.none() | places, traceback=st.lists(places).map(tuple), **common),
    )  # fmt: skip
    numbers = range(2, draw(st.integers(1, 6)) + 1)
    steps = tuple(_numbered(draw(step), number) for number in numbers)
    trace = Trace(
        origin=ORIGIN,
        nodes=tuple(
            draw(st.builds(Node, id=st.just(each), name=text, call=st.none(), variable=st.none(),
                           sequence_nr=st.none() | count,
                           made_by=st.none() | node, module_call=module))
            for each in nodes
        ),
        edges=edges,
        saved=tuple(
            draw(st.builds(SavedSlot, id=st.just(each), node=node, item=item,
                           role_index=st.none() | count))
            for each in range(1, draw(st.integers(0, 3)) + 1)
        ),
        modules=modules,
        steps=(first, *steps),
        tensors=tuple(record for record, _ in kept),
        sources=(draw(st.builds(SourceFile, id=st.just(1), path=text, text=text)),),
        console=(draw(st.builds(ConsoleText, id=st.just(7), step=st.just(1), text=text)),),
        findings=(draw(st.builds(Finding, id=st.just(1), code=text, message=text, step=st.none(),
                                 node=st.none(), location=st.none() | places)),),
    )  # fmt: skip
    return trace, kept


def _numbered(step: NodeStep | ForwardStep | ErrorStep, number: int) -> object:
    return replace(step, number=number)


@generated(traces(), few=20, many=60)
def test_generated_trace_comes_back_equal(made: tuple[Trace, tuple[Kept, ...]]) -> None:
    trace, kept = made
    assert validate(trace) == []
    with tempfile.TemporaryDirectory() as folder:
        path = write_trace(Path(folder) / "t.gradviz", trace, kept)
        with open_trace(path) as reader:
            assert reader.trace() == trace
            for record, value in kept:
                assert reader.value(record.id) == value


# Long texts are cut where a trace is written, and where one from elsewhere is read.


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


# How a run ended is stored in its trace, and nowhere else.


ENDED = Outcome(kind="stopped", message="Stopped.", duration_ns=0)


def test_only_the_first_outcome_is_kept(tmp_path: Path) -> None:
    # Names of files need not be UTF-8.
    path = tmp_path / os.fsdecode(b"run \xff?#.gradviz")
    TraceWriter(path, ORIGIN).close()
    store_outcome(path, ENDED)
    store_outcome(path, Outcome(kind="failed", message="Later.", duration_ns=0))
    with open_trace(path) as reader:
        assert reader.trace().outcome == ENDED


def test_a_trace_removed_meanwhile_is_not_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.gradviz"
    TraceWriter(path, ORIGIN).close()

    def read_and_remove(path: Path) -> TraceHeader:
        header = read_header(path)
        path.unlink()
        return header

    monkeypatch.setattr(run_ending, "read_header", read_and_remove)
    store_outcome(path, ENDED)
    assert not path.exists()


# What If changes survive a round trip; older traces have none.


TARGETS = (
    InputTarget(position=1, name="weight"),
    ParameterTarget(name="0.weight"),
    SavedTarget(saved=2, node=1, node_name="MulBackward0", slot=1, name="self"),
    GradientTarget(pass_id=1, edge=2, source_name="A", target_name="B", leaf="ü\x1b[31m"),
)
RECORDS = tuple(
    ChangeRecord(
        id=number,
        change=WhatIfChange(target=target, dtype="float64", shape=(2, 3), way="scale", factor=0.1),
        applied=number == 1,
        step=number,
        old=1,
        new=2,
        problem="" if number == 1 else "No.",
    )
    for number, target in enumerate(TARGETS, 1)
)


def test_changes_come_back_equal(tmp_path: Path) -> None:
    trace = replace(linear_trace(), changes=RECORDS)
    with open_trace(write_trace(tmp_path / "t.gradviz", trace)) as reader:
        found = reader.trace()
    assert found.changes == RECORDS
    assert found == trace


def test_the_steps_as_text_begin_with_what_was_changed() -> None:
    changed = replace(linear_trace(), changes=RECORDS[:1])
    first, second, *_ = steps_text(index_trace(changed))
    assert first.startswith("LinearFunction, merged")
    assert second == "What If: weight multiplied by 0.1."
    assert not any("What if" in line for line in steps_text(index_trace(linear_trace())))


# Records appended by a check extend an open trace without rereading it.


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
