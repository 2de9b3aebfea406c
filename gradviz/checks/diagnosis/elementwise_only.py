"""Forward mixes elements, and backward treats it as if each element stood alone.

The most frequent one is a softmax whose gradient is made like a sigmoid's: ``y * (1 - y)`` is what
stands on the diagonal of its Jacobian, and the rest is missing.
"""

from __future__ import annotations

import torch

from gradviz.checks.diagnosis.pair import Pair
from gradviz.model.diagnosis import Diagnosis


def elementwise_only(pair: Pair) -> Diagnosis | None:
    """The diagonal is right, and all else is analytically zero."""
    if pair.order != 1 or pair.input_shape != pair.output_shape or not _fits(pair):
        return None
    if not all(map(_fits, pair.moved)):
        return None
    return pair.diagnosis(
        "missing_term",
        f"The gradient of {pair.input_name} lacks a term: each element of {pair.output_name}"
        f" depends on several elements of {pair.input_name}, but backward only has the part that"
        " goes element by element.",
        confidence="likely",
        evidence=(
            f"All {pair.analytical.shape[0]} numbers on the diagonal of the Jacobian are right; all"
            " others are analytically zero, which numerically they are not.",
        ),
    )


def _fits(pair: Pair) -> bool:
    analytical, numerical = pair.analytical, pair.numerical
    diagonal = torch.diag(analytical.diagonal())
    if not torch.equal(analytical, diagonal) or not bool(analytical.any()):
        return False
    if not pair.agree(analytical.diagonal(), numerical.diagonal()):
        return False
    others = numerical - torch.diag(numerical.diagonal())
    mixed = (others.abs() > pair.atol).any(1)
    used = numerical[numerical.abs() > pair.atol]
    # Where all numbers are equal, forward only adds elements up, and a sum is missing instead.
    varied = not pair.agree(used, used[:1].expand_as(used))
    return varied and 2 * int(mixed.count_nonzero()) >= len(mixed)
