"""Bugs of gradviz end the child process; errors of the program are described."""

from __future__ import annotations

from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from gradviz.model.inputs import Offer
from gradviz.model.inside import RecordingLevel
from gradviz.protocol.messages import CheckRequest, DescribeRequest, RunRequest
from gradviz.recorder.recording import Recording
from gradviz.worker import check, load, run
from gradviz.worker.describe import describe

HEAD = """
import torch
import torch.nn.functional as F
from torch.autograd import Function

class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x ** 2

def program(x):
    {line}
    return x * 2

EXAMPLES = {{"program": (torch.ones(2, 3, requires_grad=True),)}}
"""
LINES = [  # Each in line 18.
    "torch.mm(x, x)",
    "x @ x",
    "x.add_(1)",
    "x.sum().backward(retain_graph='x', inputs=3)",
    "(x * 2).backward()",
    "y = x.sum().exp(); y.backward(); y.backward()",
    "torch.autograd.grad(x.sum(), torch.ones(1))",
    "torch.autograd.grad(x.sum(), torch.ones(1, requires_grad=True))",
    "F.linear(x, x.t())",
    "torch.nn.Linear(5, 1)(x)",
    "torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Bilinear(1, 2, 3))(x)",
    "float(x.detach())",
    "bool(x)",
    "x.tolist(1)",
    "x.numpy()",
    "torch.tensor('x')",
    "torch.optim.SGD([], lr=1)",
    "o = torch.optim.SGD([x], lr=1); o.step(3)",
    "Cube.apply()",
    "Cube.apply(x, x)",
    "x.register_hook()",
    "(x * 2).grad_fn.register_hook()",
    "print(1, end=3)",
    "torch.load('nowhere')",
    "x[5]",
    "x[0] = 'text'",
    "x.view(7)",
    "torch.utils.checkpoint.checkpoint(torch.mm, x, x, use_reentrant=False)",
    "torch.func.grad(torch.mm)(x, x)",
    "torch.func.vmap(torch.mm)(x, x)",
    "torch.cat([x, 3])",
    "len(3)",
]


def offer_of(folder: Path, line: str) -> Offer:
    path = folder / "own.py"
    path.write_text(HEAD.format(line=line))
    return next(
        each
        for each in describe(DescribeRequest(path=str(path))).offers
        if each.subject.name == "program"
    )


@pytest.mark.parametrize("level", ["nodes", "all"])
@pytest.mark.parametrize("line", LINES)
def test_an_error_that_c_raises_is_the_programs(
    line: str, level: RecordingLevel, tmp_path: Path
) -> None:
    offer = offer_of(tmp_path, line)
    request = RunRequest(offer=offer, trace=str(tmp_path / "run.gradviz"), level=level)
    result = run.run(request)
    assert "own.py, line 18" in result.problem
    assert result.line == 18


class InjectedError(Exception):
    """Raised in gradviz, as by a bug."""


def bug_in(path: str) -> Any:
    """A function that raises; its file is one of gradviz, as far as a traceback shows."""
    names: dict[str, Any] = {"InjectedError": InjectedError}
    exec(compile("def f(*_, **__):\n    raise InjectedError", path, "exec"), names)
    return names["f"]


@pytest.mark.parametrize("place", ["name", "change_inputs"])
def test_a_bug_during_a_run_is_not_told_as_the_programs(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer = offer_of(tmp_path, "pass")
    monkeypatch.setattr(Recording, place, bug_in(run.__file__))
    with pytest.raises(InjectedError):
        run.run(RunRequest(offer=offer, trace=str(tmp_path / "run.gradviz")))


def test_a_bug_beside_a_check_is_not_told_as_the_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer = offer_of(tmp_path, "pass")
    monkeypatch.setattr(check, "compare_with_differences", bug_in(check.__file__))
    request = CheckRequest(offer=offer, trace=str(tmp_path / "run.gradviz"))
    with pytest.raises(InjectedError):
        check.check(request, lambda _: None)


@pytest.mark.parametrize("broken", ["gradviz.worker.load._free_name", "gradviz.worker.load._run"])
def test_a_bug_while_a_file_is_loaded_is_not_told_as_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    def fail(*_: object) -> None:
        raise KeyError("ours")

    # Its file makes it a function of gradviz.
    ours = fail.__code__.replace(co_filename=load.__file__)
    monkeypatch.setattr(broken, FunctionType(ours, globals()))
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")
    with pytest.raises(KeyError, match="ours"):
        load.load_file(str(path))


@pytest.mark.parametrize(
    "text", ["x = 1 / 0", "import nowhere_at_all", "int('a')", "raise KeyError"]
)
def test_an_error_while_a_file_is_loaded_is_told_as_the_files(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.py"
    path.write_text(f"{text}\n")
    with pytest.raises(load.LoadError):
        load.load_file(str(path))
