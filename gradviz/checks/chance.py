"""Reproducible random numbers for extra runs, without disturbing the user's generators."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor

Rewind = Callable[[], None]
"""Callable that restores all random generators to their saved state."""


@contextmanager
def same_chance(tensors: Sequence[Tensor]) -> Iterator[Rewind]:
    """Give every run the same random numbers, and restore the generators on exit.

    Args:
        tensors: Their CUDA devices' generators are covered, in addition to those of the CPU,
            Python, and NumPy.

    Yields:
        A function that restores the generators; call it before each run.
    """
    python, numpy, cpu = random.getstate(), np.random.get_state(), torch.get_rng_state()
    devices = {each.device for each in tensors if each.device.type == "cuda"}
    cuda = [(device, torch.cuda.get_rng_state(device)) for device in devices]

    def rewind() -> None:
        random.setstate(python)
        np.random.set_state(numpy)
        torch.set_rng_state(cpu)
        for device, state in cuda:
            torch.cuda.set_rng_state(state, device)

    try:
        yield rewind
    finally:
        rewind()


class Drawn:
    """Random tensors that are the same in every check, whatever the checked code draws."""

    def __init__(self, seed: int = 0) -> None:
        self._generator = torch.Generator("cpu").manual_seed(seed)

    def like(self, tensor: Tensor, count: int | None = None) -> Tensor:
        """Normal random values like a tensor: of its shape, or a vector of ``count`` elements."""
        shape = tensor.shape if count is None else (count,)
        wide = torch.complex128 if tensor.is_complex() else torch.float64
        numbers = torch.randn(shape, generator=self._generator, dtype=wide, device="cpu")
        return numbers.to(tensor.device, tensor.dtype)
