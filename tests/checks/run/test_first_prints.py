"""What checked code prints again in each evaluation is shown once and counted."""

from __future__ import annotations

import io
import logging
import sys
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

import gradviz
from gradviz.checks.run.first_prints import FirstPrints, PrintStream
from tests.checks.sample_functions import randn

LOG = logging.getLogger("talks")


class Talks(Function):
    """Prints several lines in forward, one in backward, and logs."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        for row in range(2):
            sys.stdout.write(f"forward {row}\n")
        if float(x.detach()[0]) > 1:
            sys.stdout.write("x[0] is large\n")
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        sys.stderr.write("backward\n")
        return gradients[0] * 2 * x


def test_a_check_shows_the_first_prints_of_each_place(capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.ones(4, dtype=torch.float64, requires_grad=True)
    assert gradviz.check(Talks, x).verdict == "match"
    shown = capsys.readouterr()
    *lines, last = shown.out.splitlines()
    # The third appears when a difference moves x[0].
    assert lines == ["forward 0", "forward 1", "x[0] is large"]
    assert shown.err == "backward\n"
    assert last.startswith("(Further evaluations printed ")
    assert last.endswith(" more lines.)")
    calls = 0

    def counted(x: Tensor) -> Tensor:
        nonlocal calls
        calls += 1
        sys.stdout.write("once\n")
        return x * 2

    gradviz.check(counted, randn(3))
    assert capsys.readouterr().out.splitlines() == [
        "once",
        f"(Further evaluations printed {calls - 1} more lines.)",
    ]


def print_line(number: int) -> None:
    sys.stdout.write(f"{number}\n")


def test_what_progress_prints_is_always_shown(capsys: pytest.CaptureFixture[str]) -> None:
    gradviz.check(torch.sin, randn(2), progress=lambda done, total: print_line(done))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 5
    assert lines == [str(k + 1) for k in range(len(lines))]


def test_a_function_that_prints_nothing_adds_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    streams = sys.stdout, sys.stderr
    gradviz.check(torch.sin, randn(2))
    assert (sys.stdout, sys.stderr) == streams
    assert capsys.readouterr().out == ""


def test_a_log_is_known_by_the_line_that_writes_it() -> None:
    prints, kept = FirstPrints(), []
    stream: Any = PrintStream(io.StringIO(), prints, lambda text, is_first: kept.append(is_first))
    handler = logging.StreamHandler(stream)
    LOG.addHandler(handler)
    LOG.propagate = False
    try:
        for _ in range(2):
            prints.call += 1
            LOG.warning("forward")
            prints.call += 1
            LOG.warning("backward")
    finally:
        LOG.removeHandler(handler)
        LOG.propagate = True
    assert kept == [True, True, False, False]


def test_several_lines_at_once_are_one_print() -> None:
    prints, kept = FirstPrints(), []
    stream: Any = PrintStream(io.StringIO(), prints, lambda *each: kept.append(each))
    for _ in range(2):
        prints.call += 1
        stream.writelines(["a\n", "b\n"])
    assert kept == [("a\n", True), ("b\n", True), ("a\n", False), ("b\n", False)]
    assert stream.closed is False
