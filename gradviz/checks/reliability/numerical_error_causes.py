"""Search for the reason why a pair's numerical Jacobian differs, from its worst element.

The worst element is measured at many steps. If the step was the cause, all wrong elements are
measured again at the best step, and the worst of those that still differ is next.
"""

from __future__ import annotations

import numpy as np
import torch
from msgspec import Struct
from msgspec.structs import replace
from torch import Tensor

from gradviz.checks.diagnosis.support.chunks import along, mask_of
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.problem_messages import result_of
from gradviz.checks.reliability.measurement import (
    DifferenceQuotients,
    MeasuredFunction,
    SweepKind,
    SweepReading,
    read_sweep,
    steps,
    sweep_steps,
    with_comparison,
)
from gradviz.model.diagnosis import ErrorCurve

_ROUNDS = 3


class NumericalErrorCause(Struct, frozen=True, kw_only=True):
    """The cause of the differences of a pair.

    Attributes:
        pair: The pair, with better values if the gradient is wrong and the step was unsuitable too.
        kinds: Kinds of the elements that were examined, the worst one first.
        readings: Results for the same elements.
        curve: Error curve of the worst element.
        rest: Number of wrong elements that the step does not explain.
        eps: The step that the pair's values were computed with.
    """

    pair: JacobianPair
    kinds: tuple[SweepKind, ...]
    readings: tuple[SweepReading, ...]
    curve: ErrorCurve
    rest: int
    eps: float

    @property
    def is_step(self) -> bool:
        """Whether the step explains all wrong elements."""
        return self.rest == 0

    @property
    def is_kink(self) -> bool:
        """Whether an examined element is at a kink or a jump."""
        return "kink" in self.kinds or "jump" in self.kinds


def find_numerical_error_cause(
    bench: MeasuredFunction, pair: JacobianPair, eps: float, unit: float
) -> NumericalErrorCause | None:
    """Find the cause of a pair's differences; None if it cannot be measured."""
    search = _CauseSearch(bench, pair, eps, unit)
    return search.run() if search.is_possible else None


def curve_of(
    bench: MeasuredFunction, pair: JacobianPair, eps: float, unit: float
) -> ErrorCurve | None:
    """The error curve of the worst element, if the cause is known; None if not measurable."""
    search = _CauseSearch(bench, pair, eps, unit)
    return search.curve() if search.is_possible else None


class _CauseSearch:
    def __init__(
        self, bench: MeasuredFunction, pair: JacobianPair, eps: float, unit: float
    ) -> None:
        self._bench, self._pair, self._eps, self._unit = bench, pair, eps, unit
        where = bench.find(pair)
        self.is_possible = where is not None
        self._part, self._moved = where or (-1, -1)

    def run(self) -> NumericalErrorCause | None:
        pair = self._pair
        wrong = self._wrong(pair.analytical, pair.numerical)
        readings: list[SweepReading] = []
        curve: ErrorCurve | None = None
        while bool(wrong.any()) and len(readings) < _ROUNDS:
            place = self._worst(wrong)
            row = self._row(place[0])
            if row is None:
                return None
            readings.append(self._read(row, place))
            # The curve of the first element, which is the worst one.
            curve = curve or self._curve(row, place)
            # Another step helps only if the step was the cause.
            if readings[-1].kind != "eps":
                break
            wrong = self._still_wrong(wrong, readings[-1].best)
        if curve is None:
            return None
        better = self._better(readings[-1])
        return NumericalErrorCause(
            pair=pair if better is None else better,
            kinds=tuple(each.kind for each in readings),
            readings=tuple(readings),
            curve=curve,
            rest=int(wrong.count_nonzero()),
            eps=self._eps if better is None else readings[-1].best,
        )

    def curve(self) -> ErrorCurve | None:
        place = self._pair.worst.row, self._pair.worst.column
        row = self._row(place[0])
        return None if row is None else self._curve(row, place)

    def _wrong(self, analytical: Tensor, numerical: Tensor) -> Tensor:
        rtol, atol = self._pair.rtol, self._pair.atol

        def is_wrong(ours: Tensor, theirs: Tensor) -> Tensor:
            return ~torch.isclose(ours.double(), theirs.double(), rtol=rtol, atol=atol)

        return mask_of(is_wrong, analytical, numerical)

    def _worst(self, wrong: Tensor) -> tuple[int, int]:
        pair = self._pair

        def excess(ours: Tensor, theirs: Tensor, wrong: Tensor) -> Tensor:
            ratio = (ours - theirs).abs().double() / (pair.atol + pair.rtol * theirs.abs())
            return ratio.nan_to_num(torch.inf).masked_fill(~wrong, -1)

        both = pair.analytical, pair.numerical
        row = int(along(lambda *each: excess(*each).amax(1), 1, *both, wrong).argmax())
        column = int(excess(both[0][row], both[1][row], wrong[row]).argmax())
        return row, column

    def _row(self, element: int) -> DifferenceQuotients | None:
        tensor = self._bench.subject.tensors[self._moved]
        at = float(tensor.detach().reshape(-1)[element])
        chosen = steps(str(tensor.dtype).removeprefix("torch."), at, self._eps)
        return sweep_steps(self._bench, (self._part, self._moved), element, chosen)

    def _read(self, row: DifferenceQuotients, place: tuple[int, int]) -> SweepReading:
        pair = self._pair
        analytical = float(pair.analytical[place])
        return read_sweep(row, place[1], analytical, self._eps, (pair.atol, pair.rtol), self._unit)

    def _curve(self, row: DifferenceQuotients, place: tuple[int, int]) -> ErrorCurve:
        block, column = self._pair.block, place[1]
        errors = np.abs(float(self._pair.analytical[place]) - row.central[:, column])
        return ErrorCurve(
            output=block.output,
            input=block.input,
            part=block.part,
            row=place[0],
            column=column,
            steps=tuple(map(float, row.steps)),
            errors=tuple(map(float, errors)),
            one_sided=tuple(map(float, row.gap[:, column])),
            floors=tuple(map(float, row.floor(self._unit)[:, column])),
        )

    def _still_wrong(self, wrong: Tensor, best: float) -> Tensor:
        """Mask of the wrong elements that still differ at a better step."""
        rows = [int(k) for k in wrong.any(dim=1).nonzero()[:, 0]]
        numerical = self._numerical(rows, best)
        if numerical is None:
            return wrong
        left = torch.zeros_like(wrong)
        left[rows] = wrong[rows] & self._wrong(self._pair.analytical[rows], numerical)
        return left

    def _better(self, last: SweepReading) -> JacobianPair | None:
        """The pair at a better step, if the gradient is wrong and the step was unsuitable too."""
        pair = self._pair
        off = abs(complex(pair.worst.numerical).real - last.limit)
        good = off <= pair.atol + pair.rtol * abs(last.limit)
        if good or last.kind != "wrong" or last.best == self._eps:
            return None
        numerical = self._numerical(list(range(len(pair.numerical))), last.best)
        return None if numerical is None else with_comparison(replace(pair, numerical=numerical))

    def _numerical(self, rows: list[int], eps: float) -> Tensor | None:
        bench, moved = self._bench, self._moved
        found = result_of(lambda: bench.numerical(moved, rows, eps))
        return None if found is None else found[self._part]
