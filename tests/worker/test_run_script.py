"""The two lines of a run: how arguments are passed, and how backward starts."""

from __future__ import annotations

import linecache
from typing import Any

import pytest
import torch

from gradviz.gallery.scenes.exp import Exp
from gradviz.model.inputs import BackwardStart
from gradviz.worker.run_script import RunScript, StartError, backward_line
from gradviz.worker.signature import call_target


def leaf(*values: Any) -> torch.Tensor:
    return torch.tensor(values, requires_grad=True)


def test_a_function_is_applied_and_the_line_can_be_read() -> None:
    x = leaf(1.0, 2.0)
    script = RunScript(call_target("Exp", Exp, "exp.py"), ("x",), (x,))
    assert torch.equal(script.call(), x.exp())
    assert linecache.getline("<call>", 1) == "output = Exp.apply(x)\n"
    script.start_backward("output.sum().backward()")
    assert x.grad is not None
    assert torch.equal(x.grad, x.exp())
    assert linecache.getline("<backward>", 1) == "output.sum().backward()\n"


def test_names_that_are_none_in_python_and_keyword_only_arguments() -> None:
    def lambda_(*rest: Any, scale: float = 1.0) -> Any:
        return (*rest, scale)

    target = call_target("lambda", lambda_, "x.py")
    names = ("rest[0]", "output", "torch", "class", "scale")
    assert RunScript(target, names, (1, 2, 3, 4, 5.0)).call() == (1, 2, 3, 4, 5.0)
    line = linecache.getline("<call>", 1)
    assert "argument_lambda(rest_0_, output_, torch_, argument_class, scale=scale)" in line


@pytest.mark.parametrize(
    ("result", "start", "line"),
    [
        (leaf(1.0), BackwardStart(), "output.sum().backward()"),
        ((leaf(1.0), leaf(2.0)), BackwardStart(output=1), "output[1].sum().backward()"),
        (
            leaf(1.0),
            BackwardStart(gradient="ones"),
            "output.backward(torch.ones_like(output))",
        ),
        (
            [leaf(1.0)],
            BackwardStart(gradient="randn"),
            "output[0].backward(torch.randn_like(output[0]))",
        ),
        (leaf(1j), BackwardStart(), "output.sum().real.backward()"),
        (torch.max(leaf([1.0]), 0), BackwardStart(), "output[0].sum().backward()"),
        (
            {"mask": torch.ones(1), "y": [leaf(1.0), leaf(2.0)]},
            BackwardStart(output=1),
            "output['y'][1].sum().backward()",
        ),
    ],
)
def test_lines_that_start_backward(result: Any, start: BackwardStart, line: str) -> None:
    found, note = backward_line(result, start)
    assert found == line
    assert ("real part" in note) == ("real" in line)


@pytest.mark.parametrize(
    ("result", "position", "words"),
    [
        (leaf(1.0), 1, "from output 1: there is one output"),
        ((leaf(1.0), leaf(1.0)), 2, "there are 2 outputs"),
        (5, 0, "it is of type int, not a tensor"),
        (torch.ones(2), 0, "does not require a gradient"),
        (torch.ones(2, dtype=torch.int64), 0, "has dtype int64, which cannot have a gradient"),
    ],
)
def test_where_backward_cannot_start(result: Any, position: int, words: str) -> None:
    with pytest.raises(StartError, match=words):
        backward_line(result, BackwardStart(output=position))
