"""Rule for a matrix product without its transpose, next to elementwise slopes.

For ``y = tanh(x @ w)`` and ``d = g * (1 - y * y)``, the gradient of ``x`` is ``d @ w.t()``. For one
row, the Jacobian is ``w[i, o] * s[o]`` with the slopes ``s``; without the transpose it is
``w[o, i] * s[o]``. So the value at ``[i, o]`` divided by the numerical value at ``[o, i]`` is
``s[o] / s[i]``: there is one slope per index, and all of the many quotients must agree with them.
"""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from gradviz.checks.diagnosis.rules.transposed import say_of_map
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.model.diagnosis import Diagnosis

_LEAST = 3
"""Most 2×2 matrices fit this pattern."""

_PRECISION = 1e-4
_MOST_ELEMENTS = 1_000_000


@yields("transposed")
def transposed_inside(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose analytical values that are numerical ones transposed, apart from slopes."""
    small = pair.numerical.numel() <= _MOST_ELEMENTS and not pair.numerical.is_complex()
    if pair.order != 1 or not small or pair.analytical_is_zero or pair.numerical_is_zero:
        return None
    inputs = len(pair.input_shape)
    for one, size in enumerate(pair.input_shape):
        for other, length in enumerate(pair.output_shape):
            if size != length or size < _LEAST:
                continue
            confidence = pair.confidence(_holds((one, inputs + other)))
            if confidence is not None:
                return pair.diagnosis(
                    "transposed",
                    say_of_map(
                        "transposed.inside",
                        pair,
                        {
                            "input": pair.input_name,
                            "output": pair.output_name,
                            "one": one,
                            "other": other,
                        },
                    ),
                    confidence=confidence,
                )
    return None


def _holds(dimensions: tuple[int, int]) -> Callable[[JacobianPair], bool]:
    def holds(pair: JacobianPair) -> bool:
        ours, theirs = (
            _squares(pair, each, dimensions) for each in (pair.analytical, pair.numerical)
        )
        theirs = theirs.to(ours.device).transpose(-1, -2)
        used = pair.support(theirs).flatten(1).any(1)
        if not bool(used.any()) or bool(pair.support(ours[~used]).any()):
            return False
        ours, theirs = ours[used], theirs[used]
        if not bool(pair.support(ours).all() and pair.support(theirs).all()):
            return False
        slopes = ours / theirs
        if not bool((slopes > 0).all()):
            return False
        # With logarithms, the quotients s[o] / s[i] become differences.
        found = slopes.log()
        first = found[:, :1, :]
        off = (found - (first - first.transpose(-1, -2))).abs()
        return bool((off <= _PRECISION).all())

    return holds


def _squares(pair: JacobianPair, matrix: Tensor, dimensions: tuple[int, int]) -> Tensor:
    """View as ``[everything else, the input's dimension, the output's dimension]``."""
    moved = matrix.reshape(pair.shape).movedim(dimensions, (-2, -1))
    return moved.reshape(-1, *moved.shape[-2:])
