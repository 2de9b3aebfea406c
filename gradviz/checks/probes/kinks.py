"""Test whether wrong elements are at kinks although others are wrong for another reason."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from gradviz.checks.diagnosis.pair import Pair
from gradviz.checks.diagnosis.portions import mask_of
from gradviz.checks.probes.bench import Bench, attempted, places
from gradviz.checks.probes.row import Row, measure

_MOST_ROWS = 32
_SHRINKS = 0.5
"""At a tenth of the step, the gap of a smooth function falls to a tenth; at a kink it stays."""

_GROWS = 5
"""At a jump, a tenth of the step makes the quotient ten times as large."""

Mask = NDArray[np.bool_]


def has_kinks(bench: Bench, pair: Pair, eps: float) -> bool:
    """Whether the one-sided quotients of a wrong element stay apart as the step shrinks.

    Args:
        bench: What is measured.
        pair: A pair with a real input; if it has many rows, a sample of them is measured.
        eps: The larger of two steps; the other one is a tenth of it.
    """
    part = places(bench.parts).get((pair.block.output, pair.block.part))
    positions = [each.position for each in bench.subject.inputs]
    moved = positions.index(pair.block.input)
    if part is None or bench.subject.tensors[moved].is_complex():
        return False

    def is_wrong(ours: Tensor, theirs: Tensor) -> Tensor:
        ours, theirs = ours.double(), theirs.double()
        return (ours - theirs).abs() > pair.atol + pair.rtol * theirs.abs()

    wrong = mask_of(is_wrong, pair.analytical, pair.numerical).cpu().numpy()
    rows = np.flatnonzero(wrong.any(axis=1))
    for element in rows[:: max(1, -(-len(rows) // _MOST_ROWS))]:
        row = _row(bench, part, moved, int(element), eps)
        if row is not None and bool((_stay_apart(row, pair) & wrong[element]).any()):
            return True
    return False


def _row(bench: Bench, part: int, moved: int, element: int, eps: float) -> Row | None:
    found: Row | None = attempted(lambda: measure(bench, part, moved, element, (eps / 10, eps)))
    return found


def _stay_apart(row: Row, pair: Pair) -> Mask:
    """Mask of elements whose gap does not shrink with the step, or grows as at a jump."""
    (small, large), central = row.gap, np.abs(row.central)
    allowed = pair.atol + pair.rtol * central.max(axis=0)
    noise = 50 * row.floor(float(np.finfo(np.float64).eps)).max(axis=0)
    kink = (small > _SHRINKS * large) & (small > allowed)
    jump = central[0] > _GROWS * central[1]
    found: Mask = (kink & (small > noise)) | (jump & (central[0] > noise + allowed))
    return found
