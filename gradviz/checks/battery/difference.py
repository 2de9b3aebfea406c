"""How far two sets of gradients are apart that should be the same but for rounding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from gradviz.checks.arguments import Wanted

_TOLERANCES = {torch.float64: 1e-4, torch.complex128: 1e-4, torch.float32: 1e-2}
_TOLERANCES |= {torch.complex64: 1e-2}
_COARSE = 0.2
_LEAST = 1e-3
"""Of the largest gradient of all: what is smaller may be a difference of larger numbers."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The element that is most apart.

    Attributes:
        whole: What it belongs to, like ``the gradient of x``.
        index: Its place in it.
        found: The number there.
        expected: What should be there.
        matters: Whether that is more than rounding.
    """

    whole: str
    index: tuple[int, ...]
    found: complex
    expected: complex
    matters: bool

    @property
    def text(self) -> str:
        """As a clause: which element has which number instead of which."""
        found, expected = _told_apart(self.found, self.expected)
        numbers = f"is {found} instead of {expected}"
        if not self.index:
            return f"{self.whole} {numbers}"
        return f"element [{', '.join(map(str, self.index))}] of {self.whole} {numbers}"


def difference(
    inputs: Sequence[Wanted],
    found: Sequence[Tensor | None],
    expected: Sequence[Tensor | None],
    *,
    allowed: float | None = None,
    of: str = "the gradient of ",
) -> Difference | None:
    """What is most apart, of all gradients; None where nothing is apart.

    A gradient of None counts as zeros. What is expected to be Inf or NaN is left out. Sizes must
    be equal. What is allowed is in units of the largest number, and else by the inputs' types;
    ``of`` stands before the names in sentences.
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
        apart = (ours - theirs).abs().nan_to_num(nan=torch.inf, posinf=torch.inf)
        apart = apart.masked_fill(~theirs.isfinite(), 0.0)
        place = int(apart.argmax())
        scale = max(_largest(theirs), _LEAST * largest)
        excess = float(apart.view(-1)[place]) / scale
        index = np.unravel_index(place, tuple(theirs.shape)) if theirs.dim() else ()
        said = Difference(
            whole=of + each.name,
            index=tuple(int(k) for k in index),
            found=complex(ours.view(-1)[place].item()),
            expected=complex(theirs.view(-1)[place].item()),
            matters=excess > (allowed or _TOLERANCES.get(each.tensor.dtype, _COARSE)),
        )
        candidates.append((excess, said))
    return max(candidates, key=lambda candidate: candidate[0])[1] if candidates else None


def _same(one: Tensor | None, other: Tensor | None) -> bool:
    return one is other or (one is not None and other is not None and torch.equal(one, other))


def _wide(gradient: Tensor | None, wanted: Wanted) -> Tensor:
    wide = torch.complex128 if wanted.tensor.is_complex() else torch.float64
    if gradient is None:
        return torch.zeros(wanted.tensor.shape, dtype=wide, device="cpu")
    return gradient.to("cpu", wide).contiguous()


def _largest(gradient: Tensor) -> float:
    finite = gradient[gradient.isfinite()]
    return float(finite.abs().max()) if finite.numel() else 0.0


def _told_apart(*values: complex) -> list[str]:
    """Numbers with as many digits as it takes to see that they differ, and four at least."""
    texts: list[str] = []
    for digits in range(4, 18):
        texts = [_number(each, digits) for each in values]
        if len(set(texts)) > 1:
            break
    return texts


def _number(value: complex, digits: int) -> str:
    return f"{value.real:.{digits}g}" if value.imag == 0 else f"{value:.{digits}g}"
