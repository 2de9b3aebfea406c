"""Calls of torch that pass without recording work leave nothing in a trace with it either."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from gradviz.recorder import torch_functions
from tests.recorder.unusual_programs import ALL_PROGRAMS
from tests.store.trace_facts import recorded_facts
from tests.sweeps import thinned


def reads_everything() -> list[Any]:
    """Reads each such property in all ways, between steps that must not change by it."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    found: list[Any] = []

    def read(each: torch.Tensor) -> None:
        names = torch_functions._READ_ONLY  # noqa: SLF001 - the list is what is tried
        found.extend([getattr(each, name) for name in names])
        found.extend((each.dim(), each.size(), each.size(0), each.numel(), len(each.shape)))

    for number in range(3):
        y = x * x.numel()
        read(y)
        y.mul_(y.dim())
        read(x)
        y.sum().backward()
        read(y)
        if number == 1:
            assert x.grad is not None
            x.grad = x.grad / x.size(0)
        else:
            x.grad = None
        read(x.detach())
    return found


VARYING = {"python_threads", "rnn_and_transformer"}
"""Two recordings of them differ: the order of threads, and memory that is not initialized."""
NAMES = [*(each for each in ALL_PROGRAMS if each not in VARYING), ""]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", thinned(NAMES))
def test_a_trace_is_the_same_if_they_are_recorded_like_others(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results: list[str] = []
    run = ALL_PROGRAMS[name] if name else lambda: results.append(str(reads_everything()))
    passed_on = recorded_facts(tmp_path / "one", run)
    for table, value in (("_INERT", frozenset()), ("_known", {})):
        monkeypatch.setattr(torch_functions, table, value)
    assert recorded_facts(tmp_path / "two", run) == passed_on
    assert results[:1] == results[1:]
