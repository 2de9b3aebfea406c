"""Investigation of a wrong factor together with another mistake in one pair.

Divided by the right factor, the analytical values fit a rule. The factor shows in the elements that
the other mistake leaves alone, or in the size of the whole matrix if it only moves elements.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from msgspec import structs
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.investigations.factor import (
    factor_name,
    factor_repair,
    unexplained,
)
from gradviz.checks.diagnosis.rules.extra_sum import extra_sum
from gradviz.checks.diagnosis.rules.missing_sum import missing_sum
from gradviz.checks.diagnosis.rules.transposed import transposed
from gradviz.checks.diagnosis.rules.wrong_some_indices import (
    lost_for_some_indices,
    wrong_for_some_indices,
)
from gradviz.checks.diagnosis.support.chunks import largest
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair, PairKey, PairReruns
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Diagnosis, Repair

_RULES = (missing_sum, extra_sum, transposed, lost_for_some_indices, wrong_for_some_indices)
_LEAST_SHARE = 0.3
"""At least this share of the elements must have the factor, if it is read from single elements."""

_LEAST = 1e-3
_MOST_ELEMENTS = 1_000_000


class _DividedReruns:
    """Reruns whose analytical values are divided by a factor."""

    def __init__(self, reruns: PairReruns, factor: float) -> None:
        self._reruns, self._factor = reruns, factor

    def moved(self) -> Mapping[PairKey, JacobianPair]:
        """Pairs for other input values."""
        return self._divided(self._reruns.moved())

    def points(
        self, size: int | None
    ) -> Iterator[tuple[Mapping[PairKey, JacobianPair], tuple[Any, ...]]]:
        """Pairs and arguments elsewhere."""
        yield from ((self._divided(pairs), each) for pairs, each in self._reruns.points(size))

    def mirrored(self) -> Mapping[PairKey, JacobianPair]:
        """Pairs for input values of both signs."""
        return self._divided(self._reruns.mirrored())

    def reordered(self) -> Mapping[PairKey, JacobianPair]:
        """Pairs for the values of each input in reverse order."""
        return self._divided(self._reruns.reordered())

    def resized(self, size: int, by: int = 1) -> Mapping[PairKey, JacobianPair]:
        """Pairs with ``by`` added to every size equal to ``size``."""
        return self._divided(self._reruns.resized(size, by))

    def moved_arguments(self) -> tuple[Any, ...] | None:
        """Arguments of the moved pairs."""
        return self._reruns.moved_arguments()

    def values(self) -> Sequence[tuple[str, Tensor]]:
        """Tensors among the checked arguments, with their names."""
        return self._reruns.values()

    def uses(self, position: int) -> bool:
        """Whether a distant value of one argument changes the outputs."""
        return self._reruns.uses(position)

    def operations(self) -> frozenset[str]:
        """Names of the operations that custom backwards call."""
        return self._reruns.operations()

    def _divided(self, pairs: Mapping[PairKey, JacobianPair]) -> dict[PairKey, JacobianPair]:
        return {
            key: replace(pair, analytical=pair.analytical / self._factor)
            for key, pair in pairs.items()
        }


@yields(
    "factor_constant", "factor_sign", "missing_sum", "extra_sum", "transposed", "wrong_some_indices"
)
def find_two_mistakes(case: CheckContext) -> Iterator[Diagnosis]:
    """Yield two diagnoses for each pair that fits a rule after division, the larger one first."""
    for pair in list(unexplained(case)):
        if _may_have_two(pair) and not wrong_for_some_indices(pair):
            yield from _two(pair)


def _may_have_two(pair: JacobianPair) -> bool:
    matrices = pair.analytical, pair.numerical
    if pair.order != 1 or any(each.is_complex() for each in matrices):
        return False
    small = pair.numerical.numel() <= _MOST_ELEMENTS
    return small and all(0 < largest(each) < math.inf for each in matrices)


def _two(pair: JacobianPair) -> Sequence[Diagnosis]:
    for factor in _factors(pair):
        reruns = None if pair.reruns is None else _DividedReruns(pair.reruns, factor)
        divided = replace(pair, analytical=pair.analytical / factor, reruns=reruns)
        for rule in _RULES:
            found = rule(divided)
            if found is not None and found.code in _CODES:
                return _in_order(pair, divided, factor, found)
    return ()


_CODES = {
    "missing_sum",
    "extra_sum",
    "transposed",
    "wrong_some_indices",
}


def _factors(pair: JacobianPair) -> Iterator[float]:
    """Simple factors that the values may have been multiplied by."""
    both = pair.support(pair.analytical) & pair.support(pair.numerical)
    ratios = (pair.analytical[both] / pair.numerical[both]).real.double()
    found: list[float] = []
    if ratios.numel():
        # The most frequent ratio is that of the elements which the other mistake leaves alone.
        rounded, counts = (ratios * 1e5).round().unique(return_counts=True)
        if int(counts.max()) >= _LEAST_SHARE * ratios.numel():
            found.append(float(rounded[counts.argmax()]) / 1e5)
    sizes = [float(torch.linalg.vector_norm(each)) for each in (pair.analytical, pair.numerical)]
    # A mistake that only moves elements keeps the norm; the norm does not show the sign.
    found += [sizes[0] / sizes[1], -sizes[0] / sizes[1]]
    for factor in found:
        exact = _simple(factor)
        if exact is not None and abs(exact - 1) > _LEAST:
            yield exact


def _simple(factor: float) -> float | None:
    for bottom in (1, 2, 3, 4, 5, 8, 10):
        near = round(factor * bottom) / bottom
        if near and abs(factor - near) <= 1e-5 * abs(near):
            return near
    return None


def _in_order(
    pair: JacobianPair, divided: JacobianPair, factor: float, found: Diagnosis
) -> Sequence[Diagnosis]:
    named = factor_name(factor)
    names = {"input": pair.input_name, "output": pair.output_name, "factor": named}
    code = "factor_sign" if factor == -1 else "factor_constant"
    if found.code == "wrong_some_indices" and lost_for_some_indices(divided) is None:
        # Two different factors, each for some elements, look the same.
        found = structs.replace(found, confidence="likely")
    one = pair.diagnosis(
        code,
        say("factor_constant.and_more", **names),
        confidence=found.confidence,
        evidence=(say("factor_constant.and_more.evidence", **names),),
    )
    other = structs.replace(
        found,
        message=say("diagnosis.after_division", found=found.message, factor=named),
        repair=_repair(found.repair, factor),
    )
    shares = _size(divided.analytical * (factor - 1)), _size(divided.analytical - pair.numerical)
    return (one, other) if shares[0] >= shares[1] else (other, one)


def _repair(repair: Repair | None, factor: float) -> Repair | None:
    if repair is None:
        return None
    message = say("diagnosis.and_operation", found=factor_repair(factor), operation=repair.message)
    return structs.replace(repair, message=message)


def _size(difference: Tensor) -> float:
    return float(torch.linalg.vector_norm(difference))
