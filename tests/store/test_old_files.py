"""Real traces of each old format still open."""

import shutil
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from gradviz.analysis.index.step_queries import module_path
from gradviz.analysis.index.trace_index import index_trace
from gradviz.export.steps.text import steps_text
from gradviz.model.step import (
    AccumulateStep,
    NodeStep,
)
from gradviz.store.errors import TraceError
from gradviz.store.reader import open_trace
from gradviz.store.schema import FORMAT_VERSION, OLDEST_VERSION
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN

FOLDER = Path(__file__).parents[1] / "data" / "traces"
FORMATS = range(OLDEST_VERSION, FORMAT_VERSION + 1)
each_format = pytest.mark.parametrize("number", FORMATS)


def test_there_are_files_of_each_format() -> None:
    names = {f"format-{number}{kind}.gradviz" for number in FORMATS for kind in ("", "-modules")}
    assert {path.name for path in FOLDER.iterdir()} == names


@each_format
def test_an_old_trace_keeps_its_sentences(number: int) -> None:
    with open_trace(FOLDER / f"format-{number}.gradviz") as reader:
        trace = reader.trace()
        names = {node.id: node.name for node in trace.nodes}
        (backward,) = (
            step
            for step in trace.steps
            if isinstance(step, NodeStep) and names[step.node] == "LinearFunctionBackward"
        )
        tensors = [item.tensor for item in backward.returned if item.tensor is not None]
        values = [reader.value(tensor) for tensor in tensors]
        (report,) = trace.reports
        matrix = reader.value(report.blocks[1].analytical)
        assert reader.step_counts() == Counter(type(step).__name__ for step in trace.steps)
        assert reader.scope() == trace.scope
    returned = [value.array().tolist() for value in values if value is not None]
    assert returned == [[[3, 12], [3, 12]], [[1, 1, 1], [5, 5, 5]]]
    assert trace.origin.subject == "scene:linear-wrong"
    assert (report.verdict, report.blocks[1].wrong) == ("mismatch", 6)
    assert matrix is not None
    assert matrix.array()[3].tolist() == [2, 0, 0, 3, 0, 0]
    assert len(trace.steps) == 8
    assert sum(text.activity == "run" for text in trace.console) > 0
    assert trace.modules == ()


@each_format
def test_an_old_trace_has_module_paths(number: int) -> None:
    with open_trace(FOLDER / f"format-{number}-modules.gradviz") as reader:
        index = index_trace(reader.trace(), reader.value)
        lines = list(steps_text(index))
    paths = [module_path(index, node.id) for node in index.trace.nodes if node.kind == "builtin"]
    cells = ["cell.mix", "cell.mix", "cell.mix", "cell", "cell"]
    repeated = ["cell.mix", "cell.mix", "cell.mix", "cell.mix", "cell", "cell"]
    assert paths == [*cells, *repeated, *repeated, *["head.0"] * 4, "head.1", ""]
    assert len(lines) > len(index.trace.steps) == 41


@each_format
def test_old_traces_say_nothing_about_what_they_did_not_record(number: int) -> None:
    with open_trace(FOLDER / f"format-{number}-modules.gradviz") as reader:
        trace = reader.trace()
    steps = [step for step in trace.steps if isinstance(step, AccumulateStep)]
    assert steps
    assert all(step.leaf is not None for step in steps)
    assert all(step.added is (False if number == FORMAT_VERSION else None) for step in steps)


@each_format
def test_opening_changes_no_file(number: int, tmp_path: Path) -> None:
    path = shutil.copy(FOLDER / f"format-{number}-modules.gradviz", tmp_path / "old.gradviz")
    before = path.read_bytes()
    with open_trace(path) as reader:
        reader.trace()
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["old.gradviz"]


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return shutil.copy(FOLDER / "format-10-modules.gradviz", tmp_path / "old.gradviz")


@pytest.mark.parametrize("number", [1, OLDEST_VERSION - 1])
def test_a_trace_that_no_version_reads_is_told(old: Path, number: int) -> None:
    connection = sqlite3.connect(old)
    connection.execute(f"PRAGMA user_version = {number}")
    connection.close()
    with pytest.raises(TraceError, match=rf"\(format {number}; .* Record the run again\."):
        open_trace(old)


def test_nothing_is_added_to_an_old_trace(old: Path) -> None:
    before = old.read_bytes()
    with pytest.raises(TraceError, match="an older version of gradviz"):
        TraceWriter(old, ORIGIN, append=True)
    assert old.read_bytes() == before


@pytest.mark.parametrize(
    ("statement", "part"),
    [
        ("UPDATE node SET json = '[]' WHERE id = 1", "is damaged: Node: Expected `array`"),
        ("UPDATE node SET json = '7' WHERE id = 1", "is damaged: Node: Expected `array`"),
        ("UPDATE node SET json = '{' WHERE id = 1", "damaged"),
        ("DELETE FROM node WHERE id = 1", "not a valid trace"),
    ],
)
def test_tampering_with_an_old_trace_is_one_sentence(old: Path, statement: str, part: str) -> None:
    connection = sqlite3.connect(old)
    connection.execute(statement)
    connection.commit()
    connection.close()
    with pytest.raises(TraceError, match=part), open_trace(old) as reader:
        reader.trace()
