"""The origin of a NaN, as the command line prints it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import index_trace
from gradviz.cli.main import main
from gradviz.export.steps.json_document import steps_document
from gradviz.export.steps.text import origin_text
from tests.builders import LINEAR_TENSORS, linear_trace, tensor, write_trace
from tests.inside_builder import INSIDE_TENSORS, inside_trace
from tests.viewer.traces import MemoryReader

_DOUBLED, _VALUE = tensor(10, [[2.0, np.nan, 2.0], [2.0, 2.0, 2.0]])
SPOILT = {
    10: (replace(_DOUBLED, storage=9, version=1), _VALUE),
    8: tensor(8, [[4.0, np.nan, 4.0], [8.0, np.nan, 8.0]]),
}
PAIRS = tuple(SPOILT.get(each[0].id, each) for each in INSIDE_TENSORS)


def test_the_place_and_the_way() -> None:
    reader = MemoryReader(inside_trace(), PAIRS)
    index = index_trace(reader.trace(), reader.value)
    assert [*origin_text(index, "nan")] == [
        "NaN first appears in LinearFunction.backward, line 6, aten::mul_: output[0, 1] "
        "is nan, computed from self[0, 1] = 1.",
        "  step 5, LinearFunction.backward, line 6, aten::mul_: creates output[0, 1]",
        "  step 5, LinearFunction.backward, line 29, aten::mm: mat2[0, 1] goes into output[0, 1]",
        "  step 5, LinearFunction.backward: weight[0, 1]",
    ]
    assert [*origin_text(index, "inf")] == ["No Inf was recorded in this run."]


def test_the_command_line_prints_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = tuple(
        tensor(8, [[np.inf] * 3, [0.0] * 3]) if each[0].id == 8 else each for each in LINEAR_TENSORS
    )
    trace = replace(linear_trace(), tensors=tuple(record for record, _ in pairs))
    path = write_trace(tmp_path / "run.gradviz", trace, pairs)
    assert main(["steps", str(path), "--find", "inf"]) == 0
    output = capsys.readouterr().out
    assert output.startswith("Inf first appears in LinearFunction.backward: weight[0, 0] is inf.")
    assert "  step 5, LinearFunction.backward: creates weight[0, 0]" in output


def test_what_does_no_harm_is_said_to_do_none() -> None:
    isolated = tensor(6, [[1.0, np.inf, 1.0], [1.0, 1.0, 1.0]])
    pairs = tuple(isolated if each[0].id == 6 else each for each in LINEAR_TENSORS)
    reader = MemoryReader(linear_trace(), pairs)
    index = index_trace(reader.trace(), reader.value)
    assert next(iter(origin_text(index, "inf"))).startswith("Except in steps that a GradScaler")
    assert steps_document(index)["non_finite"] == [
        {"step": 4, "name": "self", "nans": 0, "infinities": 1, "reaches": None}
    ]
