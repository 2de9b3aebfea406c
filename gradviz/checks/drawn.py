"""Random vectors drawn as in ``torch.autograd.gradcheck``, from a separate generator.

Source: ``_make_vectors`` in torch/autograd/gradcheck.py. The generator is never seeded, so the
vectors are always the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from gradviz.checks.layouts import spread, values_of


class Drawn:
    """Generator of a sequence of vectors with length 1 and nonnegative elements."""

    def __init__(self) -> None:
        self._generator = torch.Generator("cpu")

    def like(self, tensor: Tensor) -> Tensor:
        """A vector with as many elements as a tensor, with its dtype and device."""
        return self.of(tensor.numel(), tensor.dtype, tensor.device)

    def of(self, count: int, dtype: torch.dtype, device: torch.device) -> Tensor:
        """A vector of ``count`` elements."""
        drawn = torch.rand(count, generator=self._generator, device="cpu").to(device, dtype)
        return drawn.div_(drawn.norm())


def directions(drawn: Drawn, inputs: Sequence[Tensor]) -> list[tuple[Tensor, ...]]:
    """One direction per input; a complex one has two, for its real and imaginary part."""
    found = []
    for each in inputs:
        real = each.dtype.to_real() if each.is_complex() else each.dtype
        count = 2 if each.is_complex() else 1
        length = values_of(each.detach()).numel()
        vectors = (drawn.of(length, real, each.device) for _ in range(count))
        found.append(tuple(spread(each, vector) for vector in vectors))
    return found
