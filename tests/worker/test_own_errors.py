"""Bugs of gradviz end the child process; errors of the program are described."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest
import torch
from msgspec.structs import replace

from gradviz.checks import output_parts
from gradviz.model.check_settings import DEFAULTS
from gradviz.model.inputs import ModuleSetup, Offer
from gradviz.model.inside import RecordingLevel
from gradviz.protocol.messages import CheckRequest, DescribeRequest, RunRequest
from gradviz.recorder.recording import Recording
from gradviz.worker import check, load, run
from gradviz.worker.describe import describe
from gradviz.worker.user_errors import WorkError
from tests.sweeps import paired

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


@pytest.mark.parametrize(("line", "level"), paired([*LINES], ["nodes", "all"]))
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
    with pytest.raises(WorkError):
        load.load_file(str(path))


EVERYTHING = """
import torch
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

class Layer(torch.nn.Module):
    def __init__(self, size, bias: bool):
        super().__init__()
        self.inner = torch.nn.Linear(size, size, bias=bias)

    def forward(self, x):
        return self.inner(x)

layer = torch.nn.Linear(3, 3)
start = lambda: torch.ones(2, 3, dtype=torch.float64)

def program(inside, factor: float = 2.0):
    return inside["x"] * factor

def undeclared(x, factor=2.0, *, causal=False):
    return x * factor

def examples():
    x = torch.ones(2, 3, requires_grad=True)
    return {"program": ({"x": x, "y": [1]},), "layer": (x,), Cube: x.detach().double()}
"""


def folder_with_everything(folder: Path) -> tuple[Path, Path]:
    """A file with each kind of what can be run, and a notebook."""
    file, notebook = folder / "everything.py", folder / "cells.ipynb"
    file.write_text(EVERYTHING)
    cells = ["import torch\nx = torch.ones(3, requires_grad=True)\n", "x.sum().backward()\n"]
    sources = [
        {"cell_type": "code", "id": f"c{at}", "source": each} for at, each in enumerate(cells)
    ]
    notebook.write_text(json.dumps({"cells": sources, "metadata": {}, "nbformat": 4}))
    torch.save(torch.nn.Linear(3, 3).state_dict(), folder / "state.pt")
    torch.save(torch.ones(2, 3), folder / "x.pt")
    return file, notebook


def offered(path: Path, name: str) -> Offer:
    """What is offered under a name."""
    found = describe(DescribeRequest(path=str(path))).offers
    return next(each for each in found if each.subject.name == name)


def use_of(name: str, folder: Path) -> Callable[[], Any]:
    """One use of the worker; what it asks for beforehand is already there."""
    file, notebook = folder_with_everything(folder)
    trace = str(folder / "run.gradviz")
    match name:
        case "offers":
            return lambda: describe(DescribeRequest(path=str(file)))
        case "cells":
            return lambda: describe(DescribeRequest(path=str(notebook)))
        case "made inputs":
            names = ("undeclared", "Layer")
            return lambda: describe(DescribeRequest(path=str(file), made_for=names))
        case "cell":
            cell = describe(DescribeRequest(path=str(notebook))).offers[-1]
            return lambda: run.run(RunRequest(offer=cell, trace=trace))
        case "part":
            offer = offered(file, "program")
            part = replace(offer.inputs[0], kind="tensor", fill="ones", shape=(2, 3))
            changed = replace(offer, inputs=(part, *offer.inputs[1:]))
            return lambda: run.run(RunRequest(offer=changed, trace=trace))
        case "state":
            setup = ModuleSetup(state_dict=str(folder / "state.pt"), mode="eval")
            offer = replace(offered(file, "layer"), module=setup)
            read = replace(offer.inputs[0], kind="file", text=str(folder / "x.pt"))
            return lambda: run.run(RunRequest(offer=replace(offer, inputs=(read,)), trace=trace))
        case _:
            settings = replace(DEFAULTS, grad_outputs="start", reference="undeclared")
            asked = CheckRequest(offer=offered(file, "Cube"), trace=trace, settings=settings)
            return lambda: check.check(asked, lambda _: None)


OURS = str(Path(load.__file__).parent), output_parts.__file__


def called_in(work: Callable[[], Any]) -> list[CodeType]:
    """The functions of the worker that a call calls, and of the module on outputs."""
    found: dict[CodeType, None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(OURS):
            found[frame.f_code] = None

    sys.setprofile(note)
    try:
        result = work()
    finally:
        sys.setprofile(None)
    assert not (result if isinstance(result, str) else result.problem)
    # It ends a thread, which is not to outlive the test.
    found.pop(run.PeriodicAction.__exit__.__code__, None)
    return [each for each in found if not each.co_name.startswith("<")]


@pytest.mark.parametrize(
    "name", ["offers", "cells", "made inputs", "cell", "part", "state", "check"]
)
def test_a_bug_in_any_function_of_the_worker_is_not_told_as_the_files(
    name: str, tmp_path: Path
) -> None:
    work = use_of(name, tmp_path)
    fail = bug_in(load.__file__)
    told: list[str] = []
    for code in called_in(work):
        Path(tmp_path / "run.gradviz").unlink(missing_ok=True)

        def inject(frame: FrameType, event: str, _: object, code: CodeType = code) -> None:
            if event == "call" and frame.f_code is code:
                fail()

        sys.setprofile(inject)
        try:
            result = work()
        except InjectedError:
            continue
        finally:
            sys.setprofile(None)
        told.append(f"{Path(code.co_filename).name} {code.co_qualname}: {result}")
    assert not told


# Python adds no frame of the file for a partial of a class in C.
C_ERRORS = """
import functools
from torch import autograd, nn, ones

fail = functools.partial(int, "a")
layer = nn.Linear(3, 3)
layer.train = layer.load_state_dict = fail

class Text:
    __repr__ = __str__ = fail

class Pair(tuple):
    _fields = ("a", "b")

class Made(nn.Module):
    __init__ = fail

class Called(autograd.Function):
    forward = staticmethod(fail)

def program(x, y=Text(), *, z: Text() = 1.0):
    return x * 2

EXAMPLES = {"layer": (ones(3),), "program": (Pair([ones(3, requires_grad=True)]),)}
"""


def c_error(place: str, folder: Path) -> str:
    """What is told of an error that C raises where the worker itself has called C."""
    path = folder / "c.py"
    path.write_text(C_ERRORS)
    trace, setup = str(folder / "run.gradviz"), ModuleSetup(mode="eval")
    torch.save({"weight": torch.ones(1)}, folder / "state.pt")
    match place:
        case "examples":
            path.write_text(C_ERRORS + "examples = fail\n")
            return describe(DescribeRequest(path=str(path))).problem
        case "made":
            return describe(DescribeRequest(path=str(path), made_for=("Called",))).problem
        case "layer" | "state":
            if place == "state":
                setup = ModuleSetup(state_dict=str(folder / "state.pt"))
            offer = replace(offered(path, "layer"), module=setup)
            return run.run(RunRequest(offer=offer, trace=trace)).problem
        case "file":
            offer = offered(path, "layer")
            read = replace(offer.inputs[0], kind="file", text=str(folder))
            return run.run(RunRequest(offer=replace(offer, inputs=(read,)), trace=trace)).problem
        case _:
            settings = replace(DEFAULTS, grad_outputs="fail")
            offer = offered(path, "program")
            asked = CheckRequest(offer=offer, trace=trace, settings=settings)
            return check.check(asked, lambda _: None)


@pytest.mark.parametrize("place", ["examples", "made", "layer", "state", "file", "check"])
def test_an_error_that_c_raises_where_the_worker_calls_it_is_the_files(
    place: str, tmp_path: Path
) -> None:
    assert c_error(place, tmp_path)
