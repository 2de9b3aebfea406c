"""Rule for a sum or mean in a gradient that mixes the rows of a batch, unlike forward.

A softmax over rows needs ``(g * y).sum(-1, keepdim=True)``. With ``(g * y).sum()``, every row gets
the sum of all rows: the Jacobian is right within a row, and not zero between rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import torch
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.dimension_text import say_dimensions_of
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.model.diagnosis import Diagnosis

_MOST_DIMENSIONS = 4
_MOST_ELEMENTS = 4_000_000
_NOTHING = 1e-3
"""Values between rows must be larger than this, relative to the largest value."""

_Candidate = tuple[tuple[int, ...], bool]
"""The dimensions over which rows are mixed, and whether by a mean."""


@yields("extra_sum")
def mixed_rows(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose rows that are independent numerically but depend on all rows analytically."""
    small = pair.numerical.numel() <= _MOST_ELEMENTS and not pair.numerical.is_complex()
    if pair.order != 1 or pair.input_shape != pair.output_shape or not small:
        return None
    for dimensions, mean in _candidates(pair):
        confidence = pair.confidence(_holds((dimensions, mean)))
        if confidence is None:
            continue
        along = say_dimensions_of(dimensions, pair.input_name)
        key = "extra_sum.mixed.mean" if mean else "extra_sum.mixed"
        return pair.diagnosis(
            key,
            confidence=confidence,
            evidence=(say(f"{key}.evidence", dimensions=along),),
            dimensions=along,
        )
    return None


def _candidates(pair: JacobianPair) -> Iterator[_Candidate]:
    """Candidates, fewer dimensions first, sums before means."""
    long = [k for k, size in enumerate(pair.input_shape) if size > 1][:_MOST_DIMENSIONS]
    # Never all dimensions: a row would then be a single element, which mixes nothing.
    for count in range(1, len(long)):
        for dimensions in combinations(long, count):
            yield dimensions, False
            yield dimensions, True


def _holds(candidate: _Candidate) -> Callable[[JacobianPair], bool]:
    dimensions, mean = candidate

    def holds(pair: JacobianPair) -> bool:
        analytical, numerical = (_rows(pair, each, dimensions) for each in _both(pair))
        count, inner = analytical.shape[0], analytical.shape[1]
        within = torch.eye(count, dtype=torch.bool, device=analytical.device)
        same = within[:, None, :, None].expand(analytical.shape)
        alike = torch.eye(inner, dtype=torch.bool, device=analytical.device)
        mixing = same & ~alike[None, :, None, :].expand(analytical.shape)
        least = _NOTHING * float(numerical.abs().max())
        if bool((numerical[~same].abs() > pair.atol).any()):
            return False
        between = analytical.abs().amax(dim=(1, 3))
        mixes = numerical[mixing].abs()
        if not bool((between[~within] > max(least, pair.atol)).all()) or mixes.numel() == 0:
            return False
        if not float(mixes.max()) > max(least, 10 * pair.atol):
            return False
        if mean:
            return pair.is_same(analytical[mixing] * count, numerical[mixing])
        return pair.is_same(analytical[same], numerical[same])

    return holds


def _both(pair: JacobianPair) -> tuple[Tensor, Tensor]:
    return pair.analytical, pair.numerical.to(pair.analytical.device)


def _rows(pair: JacobianPair, matrix: Tensor, dimensions: tuple[int, ...]) -> Tensor:
    """View as ``[rows, row elements, rows, row elements]``, first input, then output."""
    rank = len(pair.input_shape)
    others = [k for k in range(rank) if k not in dimensions]
    order = [*dimensions, *others]
    count = 1
    for each in dimensions:
        count *= pair.input_shape[each]
    ordered = matrix.reshape(pair.shape).permute([*order, *(rank + each for each in order)])
    inner = matrix.shape[0] // count
    return ordered.reshape(count, inner, count, inner)
