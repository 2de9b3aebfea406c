"""Traces from when their format was made still open; those of other formats do not."""

import shutil
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from gradviz.analysis.index.step_queries import module_path
from gradviz.analysis.index.trace_index import index_trace
from gradviz.export.steps.text import steps_text
from gradviz.model.step import AccumulateStep, NodeStep
from gradviz.store.errors import TraceError
from gradviz.store.header import FORMAT_VERSION
from gradviz.store.reader import open_trace
from gradviz.store.run_ending import store_outcome
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN, linear_trace

FOLDER = Path(__file__).parents[1] / "data" / "traces"
LINEAR = FOLDER / f"format-{FORMAT_VERSION}.gradviz"
MODULES = FOLDER / f"format-{FORMAT_VERSION}-modules.gradviz"


def test_a_kept_trace_has_its_values_and_its_check() -> None:
    with open_trace(LINEAR) as reader:
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


def test_a_kept_trace_has_module_paths(tmp_path: Path) -> None:
    path = shutil.copy(MODULES, tmp_path / "kept.gradviz")
    before = path.read_bytes()
    with open_trace(path) as reader:
        index = index_trace(reader.trace(), reader.value)
        lines = list(steps_text(index))
    paths = [module_path(index, node.id) for node in index.trace.nodes if node.kind == "builtin"]
    cells = ["cell.mix", "cell.mix", "cell.mix", "cell", "cell"]
    repeated = ["cell.mix", "cell.mix", "cell.mix", "cell.mix", "cell", "cell"]
    assert paths == [*cells, *repeated, *repeated, *["head.0"] * 4, "head.1", ""]
    assert len(lines) > len(index.trace.steps) == 41
    steps = [step for step in index.trace.steps if isinstance(step, AccumulateStep)]
    assert steps
    assert all(step.leaf is not None and step.added is False for step in steps)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["kept.gradviz"]


@pytest.mark.parametrize("number", [1, FORMAT_VERSION - 1])
def test_a_trace_that_no_version_reads_is_told_and_not_changed(number: int, tmp_path: Path) -> None:
    path = shutil.copy(MODULES, tmp_path / "old.gradviz")
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {number}")
    connection.execute("DELETE FROM meta WHERE key = 'outcome'")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    told = rf"\(format {number}; .* Record the run again\."
    with pytest.raises(TraceError, match=told):
        open_trace(path)
    with pytest.raises(TraceError, match=told):
        TraceWriter(path, ORIGIN, append=True)
    outcome = linear_trace().outcome
    assert outcome is not None
    store_outcome(path, outcome)
    assert path.read_bytes() == before
