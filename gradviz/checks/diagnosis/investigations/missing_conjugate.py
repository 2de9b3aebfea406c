"""Investigation of a missing conjugate in the backward of a complex function.

For ``y = a * b``, the gradient of ``a`` is ``g * b.conj()``. The Jacobian of the real part of ``y``
is this for ``g = 1``, that of the imaginary part is this for ``g = 1j``. Without the conjugate,
they are ``b`` instead of ``b.conj()``, and ``1j * b`` instead of ``1j * b.conj()``: each is the
conjugate of the correct value, for the imaginary part with the opposite sign.
"""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import diagnosed, yields
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Diagnosis


@yields("missing_conjugate")
def find_missing_conjugate(case: CheckContext) -> Iterator[Diagnosis]:
    """Yield one diagnosis for all pairs that differ, if all of them are conjugated."""
    pairs = [pair for pair in case.pairs if not case.is_explained(pair)]
    if not pairs or not all(pair.confidence(_is_mirrored) for pair in pairs):
        return
    inputs = {pair.block.input: pair.input_name for pair in pairs}
    names = say_list(list(inputs.values()))
    alone = pairs[0].block if len(pairs) == 1 else None
    count = sum(pair.numerical.numel() for pair in pairs)
    yield diagnosed(
        "missing_conjugate.message",
        about=(
            None if alone is None else alone.output,
            next(iter(inputs)) if len(inputs) == 1 else None,
            "" if alone is None else alone.part,
        ),
        confidence="likely",
        evidence=(say("missing_conjugate.evidence", count=count),),
        inputs=names,
    )


def _is_mirrored(pair: JacobianPair) -> bool:
    if not (pair.numerical.is_complex() and pair.analytical.is_complex()):
        return False
    sign = -1 if pair.block.part == "imag" else 1
    opposite = pair.is_same(-pair.analytical, pair.numerical)  # A wrong sign explains it too.
    return not opposite and pair.is_same(sign * pair.analytical.conj(), pair.numerical)
