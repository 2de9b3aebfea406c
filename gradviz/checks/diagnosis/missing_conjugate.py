"""Backward of a complex function lacks a conjugate: all its numbers are mirrored.

Of ``y = a * b``, the gradient of ``a`` is ``g * b.conj()``. The Jacobian of the real part of ``y``
is that for ``g = 1``, of the imaginary part that for ``g = 1j``. Without the conjugate it is ``b``
instead of ``b.conj()``, and ``1j * b`` instead of ``1j * b.conj()``, which is ``-(1j * b).conj()``
with what it should be in place of ``1j * b``.
"""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.checks.diagnosis.case import Case
from gradviz.checks.diagnosis.pair import Pair
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.messages import say_list

_CODE = "unknown"
"""There is none of its own."""


def missing_conjugate(case: Case) -> Iterator[Diagnosis]:
    """One diagnosis for all pairs that differ, where all are mirrored."""
    pairs = [pair for pair in case.pairs if not case.is_explained(pair)]
    if not pairs or not all(pair.confidence(_is_mirrored) for pair in pairs):
        return
    inputs = {pair.block.input: pair.input_name for pair in pairs}
    names = say_list(list(inputs.values()))
    alone = pairs[0].block if len(pairs) == 1 else None
    count = sum(pair.numerical.numel() for pair in pairs)
    yield Diagnosis(
        code=_CODE,
        message=(
            f"This looks like a missing conjugate: the gradient of {names} has the conjugates of"
            " the right numbers. In the backward of a complex function, what the arriving gradient"
            " is multiplied with is conjugated: look for a .conj() or .mH."
        ),
        output=None if alone is None else alone.output,
        input=next(iter(inputs)) if len(inputs) == 1 else None,
        part="" if alone is None else alone.part,
        confidence="likely",
        evidence=(
            f"All {count} analytical numbers are the conjugates of the numerical ones, with the"
            " other sign for imaginary parts of outputs, where the arriving gradient is 1j.",
        ),
    )


def _is_mirrored(pair: Pair) -> bool:
    if not (pair.numerical.is_complex() and pair.analytical.is_complex()):
        return False
    sign = -1 if pair.block.part == "imag" else 1
    opposite = pair.is_same(-pair.analytical, pair.numerical)  # Then it is the sign as well.
    return not opposite and pair.is_same(sign * pair.analytical.conj(), pair.numerical)
