"""Test whether the rounding of a large output hides the effect of the step.

For an output of 1e12 and a step of 1e-6, the difference quotient is off by 60, whatever the
function is. Such differences can look like any mistake, so this is tested first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.reliability.measurement import (
    MeasuredFunction,
    attempt_measured_function,
    places,
)
from gradviz.checks.reliability.step_sweep import StepSweep, as_float_array, sweep_steps
from gradviz.model.arrays import FloatArray

_ROUNDINGS = 4
"""The difference of two outputs may be off by this many roundings of the output."""

_MOST_ROWS = 48
_REACH = np.array([1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0])
"""Additional steps, multiplied by the size of the element if that is above 1."""

_TELLING = 0.25
"""A quotient is usable if its relative uncertainty is at most this."""

_SURE = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancellation:
    """Evidence that all differences of a pair are within the rounding of its output.

    Attributes:
        largest: Largest absolute value of the output.
        noise: Error that its rounding causes in a numerical Jacobian at the step that was used.
        count: Number of wrong elements.
        unresolved: Number of examined elements for which no step gives a usable quotient.
        best: A larger step at which the least certain of the other elements agrees.
        off: Relative uncertainty of that element.
    """

    largest: float
    noise: float
    count: int
    unresolved: int
    best: float
    off: float

    @property
    def is_sure(self) -> bool:
        """Whether larger steps confirm the whole gradient to within one percent."""
        return self.unresolved == 0 and self.off <= _SURE


def find_cancellation(
    bench: MeasuredFunction, pair: JacobianPair, eps: float, unit: float
) -> Cancellation | None:
    """Test a pair; None for larger differences, or if larger steps refute the gradient.

    Args:
        bench: What is measured.
        pair: A pair with a real input.
        eps: The step that was used.
        unit: Relative rounding error of the precision that forward computes in.
    """
    part = places(bench.parts).get((pair.block.output, pair.block.part))
    moved = [each.position for each in bench.subject.inputs].index(pair.block.input)
    if part is None or pair.numerical.is_complex() or pair.analytical.is_complex():
        return None
    value = np.abs(as_float_array(bench.parts[part].of(bench.outputs)))
    both = pair.analytical.double().numpy(), pair.numerical.double().numpy()
    distance = np.abs(both[0] - both[1])
    wrong = ~(distance <= pair.atol + pair.rtol * np.abs(both[1]))
    noise = np.broadcast_to(_ROUNDINGS * unit * value / (2 * eps), distance.shape)
    if not wrong.any() or not bool((distance[wrong] <= noise[wrong]).all()):
        return None
    found = list(_seen(bench, pair, (part, moved), wrong, unit))
    if not found or any(each is None for each in found):
        return None
    seen = [each for each in found if each is not None]
    resolved = [each for each in seen if each[1] <= _TELLING]
    best, off = max(resolved, key=lambda each: each[1], default=(eps, np.inf))
    return Cancellation(
        largest=float(value.max()),
        noise=float(noise[wrong].max()) / _ROUNDINGS,
        count=int(wrong.sum()),
        unresolved=len(seen) - len(resolved),
        best=best,
        off=off,
    )


def _seen(
    bench: MeasuredFunction,
    pair: JacobianPair,
    where: tuple[int, int],
    wrong: NDArray[np.bool_],
    unit: float,
) -> Iterator[tuple[float, float] | None]:
    """Best step and its uncertainty per wrong element; None if it refutes the gradient."""
    rows = np.flatnonzero(wrong.any(axis=1))
    # A sample at equal distances; -(-a // b) rounds up.
    for element in rows[:: max(1, -(-len(rows) // _MOST_ROWS))]:
        row = _row(bench, where, int(element))
        if row is None:
            yield None
            return
        for column in np.flatnonzero(wrong[element]):
            analytical = float(pair.analytical[int(element), int(column)])
            yield _of_element(row, int(column), analytical, unit)


def _row(bench: MeasuredFunction, where: tuple[int, int], element: int) -> StepSweep | None:
    part, moved = where
    at = float(bench.subject.tensors[moved].detach().reshape(-1)[element])
    chosen = tuple(float(each) for each in _REACH * max(1.0, abs(at)))
    found: StepSweep | None = attempt_measured_function(
        lambda: sweep_steps(bench, part, moved, element, chosen)
    )
    return found


def _of_element(
    row: StepSweep, column: int, analytical: float, unit: float
) -> tuple[float, float] | None:
    central = row.central[:, column]
    doubt = row.floor(unit)[:, column] + _unrest(central)
    doubt = np.where(np.isfinite(doubt), doubt, np.inf)
    best = int(np.argmin(doubt))
    size = max(abs(float(central[best])), abs(analytical))
    share = float(doubt[best]) / size if size and np.isfinite(doubt[best]) else np.inf
    contradicts = share <= _TELLING and abs(analytical - central[best]) > 2 * doubt[best]
    return None if contradicts else (float(row.steps[best]), share)


def _unrest(central: FloatArray) -> FloatArray:
    """Change of the quotient from the next smaller step, a bound on the truncation error."""
    change = np.abs(np.diff(central))
    return np.concatenate([[np.inf], change])
