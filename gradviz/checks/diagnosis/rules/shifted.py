"""Rule for a gradient that arrives one index too early or too late.

In a recurrence, the gradient of ``x[t]`` may be written to ``x[t + 1]``; the last one is then lost,
or comes back at the first index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.dimension_text import say_dimensions_of
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.model.diagnosis import Diagnosis

Shift = tuple[int, int, bool]
"""A dimension of input and output together, by how much, and whether the last one comes first."""


@yields("wrong_some_indices")
def shifted(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose analytical values that are the numerical ones of the index before or after."""
    if pair.order != 1 or pair.analytical_is_zero or pair.numerical_is_zero:
        return None
    for shift in _shifts(pair):
        confidence = pair.confidence(_holds(shift))
        if confidence is not None:
            dimension, by, _ = shift
            beyond = dimension - len(pair.input_shape)
            along = (
                say_dimensions_of((dimension,), pair.input_name)
                if beyond < 0
                else say_dimensions_of((beyond,), pair.output_name)
            )
            key = "wrong_some_indices.shifted.later"
            if by < 0:
                key = "wrong_some_indices.shifted.earlier"
            return pair.diagnosis(
                key,
                confidence=confidence,
                evidence=(say("wrong_some_indices.shifted.evidence", count=len(pair.analytical)),),
                along=along,
            )
    return None


def _shifts(pair: JacobianPair) -> Iterator[Shift]:
    for dimension, size in enumerate(pair.shape):
        # Of two, the one before and the one after are the same.
        if size > 2:
            for by in (1, -1):
                yield from ((dimension, by, wraps) for wraps in (False, True))


def _holds(shift: Shift) -> Callable[[JacobianPair], bool]:
    def holds(pair: JacobianPair) -> bool:
        expected = _moved(pair.numerical.reshape(pair.shape), shift)
        return bool(expected.any()) and pair.is_same(pair.analytical.reshape(pair.shape), expected)

    return holds


def _moved(values: Tensor, shift: Shift) -> Tensor:
    dimension, by, wraps = shift
    rolled = torch.roll(values, by, dimension)
    if not wraps:
        rolled.select(dimension, 0 if by > 0 else -1).zero_()
    return rolled
