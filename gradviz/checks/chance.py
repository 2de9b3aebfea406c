"""Random numbers for what is tried besides: always the same, and the checked code's unharmed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor

Rewind = Callable[[], None]
"""Puts all random generators back to where they were."""


@contextmanager
def same_chance(tensors: Sequence[Tensor]) -> Iterator[Rewind]:
    """Gives every run of the checked code the same random numbers, and leaves none used up.

    Args:
        tensors: On the devices whose generators are meant; the processor's always are, and so are
            those of Python and NumPy.

    Yields:
        What puts the generators back to where they were, to be called before each run.
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
    """Random tensors of its own: the same ones in each check, whatever the checked code draws."""

    def __init__(self, seed: int = 0) -> None:
        self._generator = torch.Generator("cpu").manual_seed(seed)

    def like(self, tensor: Tensor, count: int | None = None) -> Tensor:
        """Normal numbers of a tensor's type and device: of its shape, or that many in a row."""
        shape = tensor.shape if count is None else (count,)
        wide = torch.complex128 if tensor.is_complex() else torch.float64
        numbers = torch.randn(shape, generator=self._generator, dtype=wide, device="cpu")
        return numbers.to(tensor.device, tensor.dtype)
