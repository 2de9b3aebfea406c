"""Whether what a step changes drowns in the rounding of a large output, and what larger steps say.

The quotient of an output of 1e12 is off by 60 at a step of 1e-6, whatever the function is. Such
differences look like any mistake, so they are looked at before all mistakes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gradviz.checks.diagnosis.pair import Pair
from gradviz.checks.probes.bench import Bench, attempted, places
from gradviz.checks.probes.row import Numbers, Row, measure, numbers

_ROUNDINGS = 4
"""So many roundings of an output may be in the difference of two."""

_MOST_ROWS = 48
_REACH = np.array([1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0])
"""Further steps, times the element where it is larger than 1."""

_TELLING = 0.25
"""A quotient that is no less sure than by this share of itself says something."""

_SURE = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Drowned:
    """That all differences of a pair are within the rounding of its output.

    Attributes:
        largest: Of the output's numbers, in size.
        noise: That it puts into a numerical Jacobian, at the step that was used.
        count: Number of wrong elements.
        unresolved: Of those looked at, the number for which no step says anything.
        best: A larger step at which the worst of the others agrees.
        off: How far it may be off there, relative to itself.
    """

    largest: float
    noise: float
    count: int
    unresolved: int
    best: float
    off: float

    @property
    def is_sure(self) -> bool:
        """Whether larger steps confirm all of the gradient to a hundredth."""
        return self.unresolved == 0 and self.off <= _SURE


def drowned(bench: Bench, pair: Pair, eps: float, unit: float) -> Drowned | None:
    """None where differences are larger, or where larger steps say that the gradient is wrong.

    Args:
        bench: What is measured.
        pair: Of a real input.
        eps: The step that was used.
        unit: Relative rounding error of what forward computes with.
    """
    part = places(bench.parts).get((pair.block.output, pair.block.part))
    moved = [each.position for each in bench.subject.inputs].index(pair.block.input)
    if part is None or pair.numerical.is_complex() or pair.analytical.is_complex():
        return None
    value = np.abs(numbers(bench.parts[part].of(bench.outputs)))
    both = pair.analytical.double().cpu().numpy(), pair.numerical.double().cpu().numpy()
    apart = np.abs(both[0] - both[1])
    wrong = ~(apart <= pair.atol + pair.rtol * np.abs(both[1]))
    noise = np.broadcast_to(_ROUNDINGS * unit * value / (2 * eps), apart.shape)
    if not wrong.any() or not bool((apart[wrong] <= noise[wrong]).all()):
        return None
    found = list(_seen(bench, pair, (part, moved), wrong, unit))
    if not found or any(each is None for each in found):
        return None
    seen = [each for each in found if each is not None]
    told = [each for each in seen if each[1] <= _TELLING]
    best, off = max(told, key=lambda each: each[1], default=(eps, np.inf))
    return Drowned(
        largest=float(value.max()),
        noise=float(noise[wrong].max()) / _ROUNDINGS,
        count=int(wrong.sum()),
        unresolved=len(seen) - len(told),
        best=best,
        off=off,
    )


def _seen(
    bench: Bench, pair: Pair, where: tuple[int, int], wrong: NDArray[np.bool_], unit: float
) -> Iterator[tuple[float, float] | None]:
    """For wrong elements the steadiest step and how sure it is; None where it contradicts."""
    rows = np.flatnonzero(wrong.any(axis=1))
    for element in rows[:: max(1, -(-len(rows) // _MOST_ROWS))]:
        row = _row(bench, where, int(element))
        if row is None:
            yield None
            return
        for column in np.flatnonzero(wrong[element]):
            analytical = float(pair.analytical[int(element), int(column)])
            yield _of_element(row, int(column), analytical, unit)


def _row(bench: Bench, where: tuple[int, int], element: int) -> Row | None:
    part, moved = where
    at = float(bench.subject.tensors[moved].detach().reshape(-1)[element])
    chosen = tuple(float(each) for each in _REACH * max(1.0, abs(at)))
    found: Row | None = attempted(lambda: measure(bench, part, moved, element, chosen))
    return found


def _of_element(
    row: Row, column: int, analytical: float, unit: float
) -> tuple[float, float] | None:
    central = row.central[:, column]
    doubt = row.floor(unit)[:, column] + _unrest(central)
    doubt = np.where(np.isfinite(doubt), doubt, np.inf)
    best = int(np.argmin(doubt))
    size = max(abs(float(central[best])), abs(analytical))
    share = float(doubt[best]) / size if size and np.isfinite(doubt[best]) else np.inf
    contradicts = share <= _TELLING and abs(analytical - central[best]) > 2 * doubt[best]
    return None if contradicts else (float(row.steps[best]), share)


def _unrest(central: Numbers) -> Numbers:
    """How much a quotient changes to the next smaller step, which bounds what truncation does."""
    change = np.abs(np.diff(central))
    return np.concatenate([[np.inf], change])
