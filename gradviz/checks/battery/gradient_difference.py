"""Comparison of two sets of gradients that should be equal up to rounding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.arguments import DifferentiatedInput

DifferenceKind = Literal["gradient", "output"]

_TOLERANCES = {torch.float64: 1e-4, torch.complex128: 1e-4, torch.float32: 1e-2}
_TOLERANCES |= {torch.complex64: 1e-2}
_COARSE = 0.2
_LEAST = 1e-3
"""Relative to the largest of all gradients; anything smaller may be due to cancellation."""


@dataclass(frozen=True, slots=True)
class GradientDifference:
    """The element with the largest difference.

    Attributes:
        kind: Whether it belongs to the gradient of a tensor or to the tensor itself.
        name: Name of that tensor.
        index: Its index there.
        found: The value found.
        expected: The correct value.
        matters: Whether the difference is more than rounding.
    """

    kind: DifferenceKind
    name: str
    index: tuple[int, ...]
    found: complex
    expected: complex
    matters: bool

    @property
    def text(self) -> str:
        """The difference as a clause: which element has which value instead of which."""
        found, expected = _distinct_texts(self.found, self.expected)
        return say(
            f"difference.{self.kind}{'.element' if self.index else ''}",
            name=self.name,
            index=", ".join(map(str, self.index)),
            found=found,
            expected=expected,
        )


def gradient_difference(
    inputs: Sequence[DifferentiatedInput],
    found: Sequence[Tensor | None],
    expected: Sequence[Tensor | None],
    *,
    allowed: float | None = None,
    kind: DifferenceKind = "gradient",
) -> GradientDifference | None:
    """The largest difference among all gradients; None if there is none.

    None counts as zeros. Elements whose expected value is Inf or NaN are ignored. Shapes must
    match.

    Args:
        inputs: The inputs that the gradients belong to.
        found: The gradients found.
        expected: The correct gradients.
        allowed: Tolerance relative to the largest expected value; by dtype if omitted.
        kind: ``output`` if outputs are compared rather than gradients.
    """
    if all(map(_same, found, expected)):
        return None
    pairs = [
        (each, _wide(ours, each), _wide(theirs, each))
        for each, ours, theirs in zip(inputs, found, expected, strict=True)
    ]
    largest = max([_LEAST, *(_largest(theirs) for _, _, theirs in pairs)])
    candidates = []
    for each, ours, theirs in pairs:
        if theirs.numel() == 0:
            continue
        # NaN in place of a number is the largest difference.
        distance = (ours - theirs).abs().nan_to_num(nan=torch.inf, posinf=torch.inf)
        distance = distance.masked_fill(~theirs.isfinite(), 0.0)
        place = int(distance.argmax())
        scale = max(_largest(theirs), _LEAST * largest)
        excess = float(distance.view(-1)[place]) / scale
        index = np.unravel_index(place, tuple(theirs.shape)) if theirs.dim() else ()
        entry = GradientDifference(
            kind=kind,
            name=each.name,
            index=tuple(int(k) for k in index),
            found=complex(ours.view(-1)[place].item()),
            expected=complex(theirs.view(-1)[place].item()),
            matters=excess > (allowed or _TOLERANCES.get(each.tensor.dtype, _COARSE)),
        )
        candidates.append((excess, entry))
    return max(candidates, key=lambda candidate: candidate[0])[1] if candidates else None


def _same(one: Tensor | None, other: Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    return torch.equal(one.cpu(), other.cpu())  # They may be results of two devices.


def _wide(gradient: Tensor | None, wanted: DifferentiatedInput) -> Tensor:
    wide = torch.complex128 if wanted.tensor.is_complex() else torch.float64
    if gradient is None:
        return torch.zeros(wanted.tensor.shape, dtype=wide, device="cpu")
    return gradient.cpu().to(wide).contiguous()


def _largest(gradient: Tensor) -> float:
    finite = gradient[gradient.isfinite()]
    return float(finite.abs().max()) if finite.numel() else 0.0


def _distinct_texts(*values: complex) -> list[str]:
    """Format numbers with at least four digits, and enough of them to show a difference."""
    texts: list[str] = []
    for digits in range(4, 18):
        texts = [_number(each, digits) for each in values]
        if len(set(texts)) > 1:
            break
    return texts


def _number(value: complex, digits: int) -> str:
    return f"{value.real:.{digits}g}" if value.imag == 0 else f"{value:.{digits}g}"
