"""Reproducible random numbers for extra runs, without disturbing the user's generators.

Small shifts of a check's inputs, to move them away from a kink.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gradviz.checks.sparse_layouts import as_movable, values_of
from gradviz.recorder.accelerators import random_states, restore_random_states

_TURN = (5**0.5 - 1) / 2
"""Golden ratio conjugate: its multiples spread evenly mod 1, so equal elements separate."""


def nudge(inputs: Sequence[Tensor], by: float) -> None:
    """Add between ``by`` and twice ``by`` to every element, a different amount to each.

    Args:
        inputs: Modified in place if dense, without being recorded by autograd.
        by: Smallest shift; 0 changes nothing.
    """
    if not by:
        return
    first = 1
    for each in inputs:
        if each.layout is not torch.strided:
            continue
        data, count = each.data, each.numel()
        # On the CPU, because not every device has float64.
        places = torch.arange(first, first + count, dtype=torch.float64, device="cpu")
        amounts = by * (1 + (places * _TURN).frac())
        data.add_(amounts.view(data.shape).to(data.dtype).to(data.device))
        first += count


class RandomUnitVectors:
    """Generator of a sequence of vectors with length 1 and nonnegative elements."""

    def __init__(self) -> None:
        # Every new generator starts from the same seed.
        self._generator = torch.Generator("cpu")

    def of(self, count: int, dtype: torch.dtype, device: torch.device) -> Tensor:
        """A vector of ``count`` elements."""
        # As in gradcheck, drawn in the default dtype and then converted.
        drawn = torch.rand(count, generator=self._generator, device="cpu").to(device, dtype)
        return drawn.div_(drawn.norm())


def random_directions(
    drawn: RandomUnitVectors, inputs: Sequence[Tensor]
) -> list[tuple[Tensor, ...]]:
    """One direction per input; a complex one has two, for its real and imaginary part."""
    found = []
    for each in inputs:
        real = each.dtype.to_real() if each.is_complex() else each.dtype
        count = 2 if each.is_complex() else 1
        length = values_of(each.detach()).numel()
        vectors = (drawn.of(length, real, each.device) for _ in range(count))
        found.append(tuple(as_movable(each, vector) for vector in vectors))
    return found


RewindRandomState = Callable[[], None]
"""Callable that restores all random generators to their saved state."""


@contextmanager
def same_random_state() -> Iterator[RewindRandomState]:
    """Give every run the same random numbers, and restore the generators on exit.

    The generators are those of Python, NumPy, the CPU, and an accelerator that is in use.

    Yields:
        A function that restores the generators; call it before each run.
    """
    python, numpy, torchs = random.getstate(), _numpy_state(), random_states()

    def rewind() -> None:
        random.setstate(python)
        np.random.set_state(numpy)
        restore_random_states(torchs)

    try:
        yield rewind
    finally:
        rewind()


def _numpy_state() -> dict[str, Any]:
    """The state of NumPy's global generator."""
    state: dict[str, Any] = np.random.get_state(legacy=False)
    numbers = state["state"]
    if "key" in numbers:
        # `set_state` reads the numbers one by one, a list 20 times as fast as an array.
        numbers["key"] = numbers["key"].tolist()
    return state


class RandomTensors:
    """Random tensors that are the same in every check, whatever the checked code draws."""

    def __init__(self, seed: int = 0) -> None:
        self._generator = torch.Generator("cpu").manual_seed(seed)

    def like(self, tensor: Tensor, count: int | None = None) -> Tensor:
        """Normal random values like a tensor: of its shape, or a vector of ``count`` elements."""
        shape = tensor.shape if count is None else (count,)
        wide = torch.complex128 if tensor.is_complex() else torch.float64
        # In full precision first, so that every dtype gets the same numbers up to rounding.
        numbers = torch.randn(shape, generator=self._generator, dtype=wide, device="cpu")
        return numbers.to(tensor.device, tensor.dtype)
