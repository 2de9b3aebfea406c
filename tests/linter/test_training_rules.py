"""Mistakes of a training are found at the line to change, and correct programs are not accused."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from gradviz.model.finding import Finding
from tests.linter.correct_trainings import CORRECT
from tests.linter.training_mistakes import MISTAKES
from tests.recorder.recorded_run import record_run

PRELUDE = """\
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
x, y = torch.randn(6, 4), torch.randn(6, 1)
"""


def test_a_comparison_names_its_parameter(tmp_path: Path) -> None:
    (found,) = findings_of(tmp_path, MISTAKES["parameter_cut_off: compared"])
    assert found.message == (
        "SGD never updates limit, because no backward pass gets there. The history ends in a "
        "comparison (line 11, whose bools have no derivative). Use a smooth function, such as "
        "softmax instead of argmax, or sigmoid instead of a comparison."
    )


def findings_of(folder: Path, program: str) -> list[Finding]:
    """The errors and warnings of a program."""
    path = folder / "program.py"
    path.write_text(PRELUDE + program, encoding="utf-8")
    code = compile(path.read_text(encoding="utf-8"), str(path), "exec")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        found = record_run(folder, lambda: exec(code, {"__name__": "program"})).trace.findings
    return [each for each in found if each.severity != "info"]


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found_at_the_line_to_change(name: str, tmp_path: Path) -> None:
    program = MISTAKES[name]
    lines = (PRELUDE + program).splitlines()
    (wanted,) = (at for at, line in enumerate(lines, 1) if line.endswith("# here"))
    found = findings_of(tmp_path, program)
    assert {each.code for each in found} == {name.partition(":")[0]}
    assert {each.location and each.location.line for each in found} == {wanted}


@pytest.mark.parametrize("name", CORRECT)
def test_a_correct_program_is_not_accused(name: str, tmp_path: Path) -> None:
    assert findings_of(tmp_path, CORRECT[name]) == []
