"""Real traces of each old format still open."""

import shutil
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from gradviz.analysis.index.step_queries import module_path
from gradviz.analysis.index.trace_index import index_trace
from gradviz.export.steps.text import steps_text
from gradviz.model.graph import ModuleCall
from gradviz.model.step import (
    AccumulateStep,
    DispatchStep,
    ForwardStep,
    NodeStep,
    OptimizerStep,
)
from gradviz.store.errors import TraceError
from gradviz.store.reader import open_trace
from gradviz.store.schema import FORMAT_VERSION
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN

FOLDER = Path(__file__).parents[1] / "data" / "traces"
FORMATS = range(1, FORMAT_VERSION + 1)
each_format = pytest.mark.parametrize("number", FORMATS)


def test_there_are_files_of_each_format() -> None:
    names = {f"format-{number}{kind}.gradviz" for number in FORMATS for kind in ("", "-modules")}
    # What a format brings and no older one has is in a file of its own.
    names |= {"format-4-kinds.gradviz", "format-5-kinds.gradviz"}
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


def test_format_1_knew_neither_calls_nor_classes() -> None:
    with open_trace(FOLDER / "format-1-modules.gradviz") as reader:
        modules = reader.trace().modules
    modules_seen = [(module.path, module.class_name, module.parent) for module in modules]
    assert modules_seen == [
        ("cell", "", None), ("cell.mix", "", 1), ("head.0", "", None), ("head.1", "", None)
    ]  # fmt: skip


def test_format_2_contains_each_call() -> None:
    with open_trace(FOLDER / "format-2-modules.gradviz") as reader:
        trace = reader.trace()
    cells = [module for module in trace.modules if module.path == "cell"]
    assert cells == [
        ModuleCall(id=number, path="cell", class_name="Cell", parent=1) for number in (2, 4, 6)
    ]
    assert [node.name for node in trace.nodes if node.module_call == 6] == [
        "AddBackward0", "TanhBackward0"
    ]  # fmt: skip


@each_format
def test_old_traces_say_nothing_about_what_they_did_not_record(number: int) -> None:
    with open_trace(FOLDER / f"format-{number}-modules.gradviz") as reader:
        trace = reader.trace()
    steps = [step for step in trace.steps if isinstance(step, AccumulateStep)]
    assert steps
    assert all((step.leaf is not None) == (number >= 7) for step in steps)
    assert all(step.added is (False if number >= 11 else None) for step in steps)


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
    return shutil.copy(FOLDER / "format-1-modules.gradviz", tmp_path / "old.gradviz")


def test_nothing_is_added_to_an_old_trace(old: Path) -> None:
    before = old.read_bytes()
    with pytest.raises(TraceError, match="an older version of gradviz"):
        TraceWriter(old, ORIGIN, append=True)
    assert old.read_bytes() == before


@pytest.mark.parametrize(
    ("statement", "part"),
    [
        ("PRAGMA user_version = 2", "does not have the tables"),
        ("CREATE TABLE module (id INTEGER PRIMARY KEY, json TEXT NOT NULL)", "not have the tables"),
        ("UPDATE node SET json = '[]' WHERE id = 1", "fields do not match Node"),
        ("UPDATE node SET json = '7' WHERE id = 1", "fields do not match Node"),
        ("UPDATE node SET json = json_remove(json, '$.module')", "fields do not match Node"),
        ("UPDATE node SET json = json_set(json, '$.module', 7)", "fields do not match Node"),
        ("UPDATE node SET json = json_set(json, '$.module_call', 1)", "fields do not match Node"),
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


def test_format_3_contains_stages_lines_and_ops() -> None:
    with open_trace(FOLDER / "format-3.gradviz") as reader:
        index = index_trace(reader.trace(), reader.value)
    assert index.trace.origin.level == "all"
    backward = index.inside[5].part("backward")
    assert backward is not None
    assert [line.location.line for line in backward.lines][:4] == [22, 23, 24, 25]
    assert [op.name for op in backward.ops if op.seen][:2] == ["aten::t", "aten::mm"]
    with open_trace(FOLDER / "format-3-modules.gradviz") as reader:
        modules = index_trace(reader.trace(), reader.value)
    assert modules.trace.origin.level == "ops"
    parts = [part for inside in modules.trace.insides for part in inside.parts]
    assert any(part.ops for part in parts)
    assert not any(part.lines for part in parts)


def test_format_4_contains_dispatch_orders_and_training() -> None:
    with open_trace(FOLDER / "format-4-kinds.gradviz") as reader:
        index = index_trace(reader.trace(), reader.value)
    (dispatch,) = (step for step in index.trace.steps if isinstance(step, DispatchStep))
    assert (dispatch.function, dispatch.types) == ("torch.add", ("Metres",))
    assert [answer.how for answer in dispatch.answers] == ["fallback"]
    (update,) = (step for step in index.trace.steps if isinstance(step, OptimizerStep))
    assert (update.optimizer, [item.name for item in update.after]) == ("SGD", ["weight", "bias"])
    made = [node for node in index.trace.nodes if node.made_by is not None]
    assert {index.trace.steps[node.made_in - 1].pass_id for node in made if node.made_in} == {1}
    assert len(made) > 3


def test_format_5_contains_diagnoses() -> None:
    with open_trace(FOLDER / "format-5-kinds.gradviz") as reader:
        gate, ramp = reader.trace().reports
        (wrong,) = (block for block in gate.blocks if block.wrong)
        (diagnosis,) = gate.diagnoses_of(wrong)
        assert diagnosis.repair is not None
        repaired, plain = reader.value(diagnosis.repair.matrix), reader.value(wrong.reference or 0)
    assert (diagnosis.code, diagnosis.confidence, diagnosis.repair.wrong) == (
        "transposed",
        "certain",
        0,
    )
    assert diagnosis.evidence
    assert repaired is not None
    assert plain is not None
    assert repaired.array().tolist() == plain.array().tolist()
    assert [place.line for place in wrong.lines]
    assert {trial.kind for trial in gate.trials} == {"incoming", "variation"}
    assert [diagnosis.code for diagnosis in ramp.diagnoses] == ["kink"]
    (curve,) = ramp.curves
    assert len(curve.steps) == len(curve.errors) == len(curve.one_sided) == len(curve.floors)


def test_older_formats_have_what_was_added_since_in_its_plain_form() -> None:
    for number in (1, 2, 3):
        with open_trace(FOLDER / f"format-{number}.gradviz") as reader:
            trace = reader.trace()
        assert not any(step.rerun for step in trace.steps if isinstance(step, ForwardStep))
        assert {node.made_in for node in trace.nodes} == {None}
        assert {record.subclass for record in trace.tensors} == {""}
        assert [(report.order, report.diagnoses) for report in trace.reports] == [(1, ())]


def test_formats_before_5_knew_less_of_a_check() -> None:
    for number in (1, 2, 3, 4):
        with open_trace(FOLDER / f"format-{number}.gradviz") as reader:
            (report,) = reader.trace().reports
        assert (report.trials, report.curves, report.reference) == ((), (), "")
        assert {block.reference for block in report.blocks} == {None}
    (diagnosis,) = report.diagnoses
    assert (diagnosis.code, diagnosis.confidence, diagnosis.repair) == (
        "transposed",
        "certain",
        None,
    )


@pytest.mark.parametrize("number", [1, 2])
def test_older_formats_knew_nothing_of_the_inside(number: int) -> None:
    with open_trace(FOLDER / f"format-{number}.gradviz") as reader:
        trace = reader.trace()
    assert (len(trace.insides), trace.origin.level) == (0, "nodes")
