"""Additional runs of the checked function that leave no trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from gradviz.checks.arguments import restore_arguments
from gradviz.checks.random_tensors import same_random_state
from gradviz.checks.run.context import CheckContext
from gradviz.checks.user_errors import Attempt


@contextmanager
def trial_run(case: CheckContext) -> Iterator[Attempt]:
    """Catch what the body raises, and restore inputs and random states afterwards."""
    subject = case.subject
    with (
        restore_arguments(subject.arguments),
        same_random_state(),
        Attempt() as attempt,
    ):
        yield attempt


def counted(case: CheckContext, work: Callable[[], Any]) -> Any:
    """Run one evaluation and count it."""
    case.evaluations.begin()
    return work()


def gradients_like(value: Tensor, seed: int) -> Tensor:
    """A reproducible gradient for an output: magnitudes between 1 and 2, with both signs."""
    # Drawn on the CPU, so that every device gets the same numbers.
    source = torch.Generator("cpu").manual_seed(seed)
    size = torch.rand(value.shape, generator=source, dtype=torch.float64, device="cpu") + 1
    sign = torch.randint(0, 2, value.shape, generator=source, device="cpu") * 2 - 1
    return (size * sign).to(value.device, value.dtype)


def to_dense_gradients(
    gradients: Sequence[Tensor | None], inputs: Sequence[Tensor]
) -> list[Tensor]:
    """Gradients as strided tensors without history; zeros for undefined ones."""
    pairs = zip(gradients, inputs, strict=True)
    return [
        torch.zeros_like(like) if each is None else each.detach().to_dense() for each, like in pairs
    ]
