"""What If changes survive a round trip; older traces have none."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from gradviz.analysis.index.trace_index import index_trace
from gradviz.export.steps.text import steps_text
from gradviz.model.what_if import (
    ChangeRecord,
    GradientTarget,
    InputTarget,
    ParameterTarget,
    SavedTarget,
    WhatIfChange,
)
from gradviz.store.reader import open_trace
from tests.builders import linear_trace, write_trace

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
