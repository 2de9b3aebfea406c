"""Warnings name the same file and line with and without a recording."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.autograd import Function

from tests.recorder.recorded_run import record_run

Place = tuple[str, int, str]


class WarnsInBackward(Function):
    apply: Any

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad_output: torch.Tensor) -> torch.Tensor:
        warnings.warn("own", stacklevel=1)
        return grad_output * torch.ones(1, 2, 1).T.reshape(2)[:1]


def program() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    _ = y.grad
    _ = torch.ones(2, 3, 4).T
    torch.nn.functional.softmax(y)
    torch.nn.functional.mse_loss(y, torch.ones(1, 3))
    _ = torch.tensor(y)
    torch.meshgrid(x, x)
    (y.sum() + WarnsInBackward.apply(x).sum()).backward(create_graph=True)


@pytest.fixture(autouse=True)
def _warn_each_time() -> Iterator[None]:
    """Torch itself would raise some warnings only once in a process."""
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(before)


def places(code: Callable[[], object], action: Any = "always") -> list[Place]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action)
        code()
    return [(each.filename, each.lineno, str(each.message)) for each in caught]


@pytest.mark.parametrize("level", ["nodes", "all"])
def test_the_places_are_those_without_a_recording(level: str, tmp_path: Path) -> None:
    plain = places(program)
    assert len(plain) >= 8
    assert places(lambda: record_run(tmp_path, program, level=level)) == plain


def twice() -> None:
    for _ in range(3):
        _ = torch.ones(2, 3, 4).T
    _ = torch.ones(2, 3, 4).T


@pytest.mark.parametrize("action", ["default", "once", "module", "ignore"])
def test_a_line_warns_as_often_as_without_a_recording(action: str, tmp_path: Path) -> None:
    plain = places(twice, action)
    globals().pop("__warningregistry__", None)
    assert places(lambda: record_run(tmp_path, twice), action) == plain


def test_a_warning_as_an_error_is_raised_in_the_run(tmp_path: Path) -> None:
    def run() -> None:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", module=__name__.replace(".", r"\."))
            with pytest.raises(UserWarning, match="own"):
                WarnsInBackward.apply(torch.ones(1, requires_grad=True)).backward()

    record_run(tmp_path, run)
