"""``gradviz compare`` as a user runs it: which runs are compared, and the numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gradviz.cli.main import main
from gradviz.cli.subject import find_offer
from gradviz.host.limits import Limits
from gradviz.host.pool import run_blocking
from gradviz.protocol.messages import RunRequest
from tests.accelerator import accelerator
from tests.builders import write_trace
from tests.schemas import assert_fits
from tests.training_traces import training_trace

Captured = pytest.CaptureFixture[str]


def compared(captured: Captured, *words: str) -> tuple[int, dict[str, Any]]:
    code = main(["compare", *words, "--format", "json"])
    document = json.loads(captured.readouterr().out)
    assert_fits(document, "compare")
    return code, document


def differing(document: dict[str, Any], left: int) -> dict[str, dict[str, Any]]:
    """The values that differ in a left step, by role and name."""
    (step,) = [step for step in document["steps"] if step["left"] == left]
    found = [value for value in step["values"] if value["differs"]]
    return {f"{value['role']} {value['name']}": value for value in found}


def test_wrong_and_right(capsys: Captured) -> None:
    code, document = compared(capsys, "linear-wrong", "linear")
    assert (code, document["outcome"]) == (1, "differ")
    # grad_weight is [[1, 1, 1], [5, 5, 5]] where [[2, 2, 2], [4, 4, 4]] is true.
    assert document["first"]["left"] == document["first"]["right"] == 5
    found = differing(document, 5)
    assert set(found) == {"returned weight", "passed weight"}
    returned = found["returned weight"]
    assert (returned["largest"], returned["where"], returned["differing"]) == (1.0, [0, 0], 6)
    assert document["summary"] == (
        "The two runs agree up to step 4. In step 5, the gradient returned for weight is "
        "the first value to differ: by up to 1 at [0, 0]."
    )


def test_ours_and_torchs_own_layer(capsys: Captured) -> None:
    code, document = compared(capsys, "my-own-layer", "my-own-layer-torch")
    assert code == 0
    assert document["outcome"] in ("equal", "rounding")
    values = [value for step in document["steps"] for value in step["values"]]
    assert max((value["largest"] or 0.0 for value in values), default=0.0) <= 1e-12
    # Torch transposes the weight in a node of its own.
    assert document["only_left"] == []
    assert len(document["only_right"]) > 0


def test_the_same_in_float32(capsys: Captured) -> None:
    code, document = compared(capsys, "numpy", "numpy", "--dtype", "float32")
    assert (code, document["outcome"]) == (0, "rounding")
    assert document["only_left"] == document["only_right"] == []
    assert (
        "each rounding to float32 introduces a relative error of up to 6e-08" in document["summary"]
    )
    sizes = [value["relative"] or 0.0 for step in document["steps"] for value in step["values"]]
    assert 0 < max(sizes) < 1e-6


EDITED = """\
import torch


def model(x):
    return ({body}).sum()


EXAMPLES = {{"model": (torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True),)}}
"""


def test_before_and_after_an_edit(tmp_path: Path, capsys: Captured) -> None:
    path, before = tmp_path / "model.py", tmp_path / "before.gradviz"
    path.write_text(EDITED.format(body="x * x"))
    assert main(["record", f"{path}:model", "-o", str(before)]) == 0
    capsys.readouterr()
    code, document = compared(capsys, str(before), f"{path}:model")
    assert (code, document["outcome"]) == (0, "equal")
    path.write_text(EDITED.format(body="x * x * x"))
    code, document = compared(capsys, str(before), f"{path}:model")
    assert (code, document["outcome"]) == (1, "differ")
    # The second product, and its node.
    assert len(document["only_right"]) == 2
    last = document["steps"][-2]
    (total,) = [value for value in last["values"] if value["role"] == "total"]
    assert total["largest"] == 8.0  # 3 x**2 - 2 x at x = 2
    assert total["where"] == [1]


LOADED = """\
import torch

with open(__file__ + ".loads", "a") as file:
    file.write("loaded\\n")


def first(x, y):
    return (x * y).sum()


def second(x, y):
    return (x * y).sum()


X = torch.rand(2, requires_grad=True)
EXAMPLES = {first: (X, torch.rand(2)), second: (torch.ones(2, requires_grad=True), torch.ones(3))}
"""


def test_each_side_loads_its_file_once(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "model.py"
    path.write_text(LOADED)
    words = [f"{path}:first", f"{path}:first", "--dtype", "float64"]
    code, document = compared(capsys, *words)
    assert (code, document["outcome"]) == (0, "rounding")
    page = str(tmp_path / "page.html")
    assert main(["export", f"{path}:first", "--with", f"{path}:first", "-o", page]) == 0
    assert path.with_name("model.py.loads").read_text().count("loaded") == 4
    capsys.readouterr()
    # Of the other example, only x has the shape that the left one has.
    assert main(["compare", f"{path}:first", f"{path}:second"]) == 1
    assert capsys.readouterr().out.startswith("The right run keeps its own input y because")
    assert main(["compare", f"{path}:first", f"{path}:third"]) == 2
    assert "no example for third" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["linear"], "Name a second run to compare with"),
        (["nope", "linear"], "no scene 'nope'"),
        (["linear", "nofile.gradviz"], "cannot be read"),
        (["linear", "no.py:F"], "file no.py does not exist"),
        (["linear", "a.gradviz", "--dtype", "float32"], "is a trace"),
        (["linear", "--iterations", "3"], "3 is not two iterations like 3,30"),
        (["linear", "--iterations", "1,2"], "fewer than two recorded iterations"),
        (["linear", "linear", "--dtype", "int8"], "invalid choice: 'int8'"),
    ],
)
def test_a_problem_is_one_sentence(words: list[str], part: str, capsys: Captured) -> None:
    assert main(["compare", *words]) == 2
    captured = capsys.readouterr()
    assert part in captured.err
    assert captured.err.count("\n") == 1


def test_as_text(capsys: Captured) -> None:
    assert main(["compare", "hook-instead", "hook-instead-without"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "left   A hook instead (scene:hook-instead, cpu)"
    assert any(line.startswith("6 ≠ 6  ") and "x.grad" in line for line in lines)
    assert lines[-1].strip() == "x.grad: differs by up to 1 at [0]"


@pytest.mark.accelerator
def test_the_same_on_another_device(capsys: Captured) -> None:
    device = accelerator()
    code, document = compared(capsys, "linear-split", "linear-split", "--device", device.type)
    assert code == 0
    assert document["outcome"] in ("equal", "rounding")
    assert document["left"]["device"] == "cpu"
    assert document["right"]["device"].startswith(str(device))


RESERVES = """\
import torch

def much(x):
    return x * torch.empty(1 << 30, dtype=torch.float64)[:2].zero_()

EXAMPLES = {much: (torch.ones(2, requires_grad=True),)}
"""


@pytest.mark.accelerator
def test_memory_of_runs_on_the_cpu_is_limited_where_there_is_an_accelerator(tmp_path: Path) -> None:
    path = tmp_path / "much.py"
    path.write_text(RESERVES)
    offer = find_offer(f"{path}:much")
    request = RunRequest(offer=offer, trace=str(tmp_path / "much.gradviz"))
    ending = run_blocking(request, limits=Limits(memory_bytes=1 << 30))
    assert ending.kind == "failed"
    assert "allocate" in ending.sentence


def test_two_iterations_of_one_run(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "train.gradviz"
    trace, values = training_trace([4.0, 2.0, 1.0], [[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]])
    write_trace(path, trace, values)
    code, document = compared(capsys, str(path), "--iterations", "1,3")
    assert (code, document["left"]["iteration"], document["right"]["iteration"]) == (1, 1, 3)
    assert [step["left"] for step in document["steps"]] == [1, 2, 3, 4, 5, 6]
    assert [step["right"] for step in document["steps"]] == [13, 14, 15, 16, 17, 18]
    assert main(["compare", str(path), "--iterations", "1,9"]) == 2
    assert "Iteration 9 was not recorded; the nearest one is 3." in capsys.readouterr().err
