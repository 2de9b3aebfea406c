"""Products of Jacobians with vectors, a few of which reveal a single wrong element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from gradviz.checks.attempt import Attempt
from gradviz.checks.parts import Part
from gradviz.checks.running import Running

_VECTORS = 4
"""Vectors per side. Two wrong elements may cancel in one product, but hardly in all 16."""


def along(
    running: Running, moved: Tensor, directed: Sequence[Tensor], parts: Sequence[Part]
) -> list[Tensor]:
    """Derivatives of the parts along a direction of one input, by central differences.

    A complex input has two directions, for its real and its imaginary part; the result is then
    ``ds/dx + 1j ds/dy``.
    """
    eps = running.settings.eps
    real = directed[0].view(moved.shape)
    found = running.ways.along(moved, eps * real, parts, eps)
    if not moved.is_complex():
        return found
    imaginary = eps * directed[1].view(moved.shape)
    both = zip(found, running.ways.along(moved, imaginary * 1j, parts, eps), strict=True)
    return [dx + dy * 1j for dx, dy in both]


def product(gradient: Tensor, directed: Sequence[Tensor]) -> Tensor:
    """The derivative along a direction according to backward: the gradient times it."""
    flat = gradient.to_dense().reshape(-1)
    if not flat.is_complex():
        return flat.dot(directed[0])
    parts = torch.view_as_real(flat.resolve_conj())
    return parts[:, 0].dot(directed[0]) + 1j * parts[:, 1].dot(directed[1])


class Probing:
    """Search for the pairs of an output and an input that may contain a wrong element.

    The elements of all vectors have random signs and magnitudes between 1 and 2. A single element
    outside the tolerance therefore changes each product by more than ``atol``, wherever it is.

    Args:
        running: The check.
        outputs: What the function returned.
        parts: The parts of the outputs to differentiate.
    """

    def __init__(self, running: Running, outputs: tuple[Any, ...], parts: Sequence[Part]) -> None:
        self._running = running
        self._outputs = outputs
        self._parts = parts
        self._inputs = running.subject.tensors
        self._generator = torch.Generator("cpu").manual_seed(0)

    def expected_evaluations(self) -> int:
        """Number of evaluations that `suspects` takes."""
        moves = sum(4 if each.is_complex() else 2 for each in self._inputs)
        return _VECTORS * (moves + len(self._parts))

    def suspects(self) -> set[tuple[int, int]]:
        """Pairs (part, input) to compute in full; all of them if the function raised."""
        found: set[tuple[int, int]] = set()
        with Attempt() as attempt:
            found = self._suspects()
        return found if attempt.error is None else self._every()

    def _every(self) -> set[tuple[int, int]]:
        return {(k, i) for k in range(len(self._parts)) for i in range(len(self._inputs))}

    def _suspects(self) -> set[tuple[int, int]]:
        backs = [self._gradients(part) for part in self._parts]
        found = set()
        for i, moved in enumerate(self._inputs):
            for _ in range(_VECTORS):
                count = 2 if moved.is_complex() else 1
                directed = [self._vector(moved) for _ in range(count)]
                numerical = along(self._running, moved, directed, self._parts)
                for k, (vector, gradients) in enumerate(zip(numerical, backs, strict=True)):
                    products = (
                        (product(gradient[i], directed), (back * vector).sum())
                        for back, gradient in gradients
                    )
                    if any(self._is_apart(*pair) for pair in products):
                        found.add((k, i))
        return found

    def _gradients(self, part: Part) -> list[tuple[Tensor, list[Tensor]]]:
        """Random vectors for an output part, each with the inputs' gradients it gives."""
        value = part.of(self._outputs)
        vectors = [self._vector(value) for _ in range(_VECTORS)]
        back = self._running.ways.back
        return [(each, back(self._outputs, part, each.view(part.shape))) for each in vectors]

    def _vector(self, like: Tensor) -> Tensor:
        dtype = like.dtype.to_real() if like.is_complex() else like.dtype
        drawn = 2 * torch.rand(like.numel(), generator=self._generator, device="cpu") - 1
        return torch.where(drawn < 0, drawn - 1, drawn + 1).to(like.device, dtype)

    def _is_apart(self, ours: Tensor, theirs: Tensor) -> bool:
        apart = abs(complex(ours) - complex(theirs))
        return not apart <= self._running.settings.atol / 2
