"""NaN and Inf that a program writes as a mask are told from those that reach its gradients."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from gradviz.analysis.index.trace_index import index_reader
from gradviz.analysis.values.non_finite_tensors import find_non_finite
from gradviz.model.step import ForwardStep
from gradviz.store.reader import open_trace
from tests.recorder.recorded_run import record_run

HIDDEN = torch.ones(4, 4).triu(1).bool()
MASK = torch.zeros(4, 4).masked_fill(HIDDEN, -torch.inf)


def reached(folder: Path, run: Callable[[], None], level: Any = "nodes") -> dict[str, bool]:
    """Whether NaN and Inf reach a gradient or a result, by the call that has them first."""
    record_run(folder, run, level=level)
    found: dict[str, bool] = {}
    with open_trace(folder / "run.gradviz") as reader:
        index = index_reader(reader)
        for each in find_non_finite(index):
            step = index.trace.steps[each.step - 1]
            name = step.op if isinstance(step, ForwardStep) else "backward"
            found[name] = found.get(name, False) or each.reaches is not None
    return found


def weights(scores: torch.Tensor) -> torch.Tensor:
    return scores.softmax(-1)


@pytest.mark.parametrize(
    ("name", "masked"),
    [
        ("masked_fill", lambda x: x.masked_fill(HIDDEN, -torch.inf)),
        ("masked_fill_", lambda x: (x * 1).masked_fill_(HIDDEN, -torch.inf)),
        ("where", lambda x: torch.where(HIDDEN, -torch.inf, x)),
        ("add", lambda x: x + MASK),
        ("view", lambda x: x.masked_fill(HIDDEN, -torch.inf).view(1, 4, 4).transpose(0, 1)),
    ],
)
@pytest.mark.parametrize("level", ["nodes", "ops"])
def test_a_mask_that_softmax_replaces_reaches_nothing(
    name: str, masked: Any, level: Any, tmp_path: Path
) -> None:
    def run() -> None:
        x = torch.arange(16.0).view(4, 4).requires_grad_()
        weights(masked(x)).square().sum().backward()

    found = reached(tmp_path, run, level)
    assert found
    assert not any(found.values()), found


def test_attention_with_a_causal_mask_reaches_nothing(tmp_path: Path) -> None:
    def run() -> None:
        q = torch.ones(1, 4, 2, requires_grad=True)
        attention = torch.nn.functional.scaled_dot_product_attention
        attention(q, q * 2, q, is_causal=True).sum().backward()

    found = reached(tmp_path, run, "ops")
    assert not any(found.values()), found


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        # The root has it.
        (lambda x: (x - 1).log().sum(), {"log": True, "sum": True}),
        # Nothing follows the logarithm in the recording.
        (lambda x: ((x - 1).log(), x.sum())[1], {"log": True}),
        # The root is finite, but the derivative of the square root at 0 is infinite.
        (lambda x: torch.where(x > 1, 0 * x, (x - 1).sqrt()).sum(), {"backward": True}),
        # Each row of a softmax with nothing but -inf is NaN.
        (
            lambda x: weights(x.masked_fill(x > 0, -torch.inf)).nan_to_num().sum(),
            {"masked_fill": True, "softmax": True, "backward": True},
        ),
        # A mask stays a mask beside them.
        (
            lambda x: (weights(x + torch.tensor([0.0, -torch.inf])) * (x - 1).log()).sum(),
            {"add": False, "log": True},
        ),
    ],
)
def test_what_reaches_a_gradient_or_a_result_is_no_mask(
    program: Any, expected: dict[str, bool], tmp_path: Path
) -> None:
    def run() -> None:
        program(torch.ones(2, 2, requires_grad=True)).backward()

    found = reached(tmp_path, run)
    assert {name: found.get(name) for name in expected} == expected, found
