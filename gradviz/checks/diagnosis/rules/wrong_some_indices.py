"""Rule for a gradient that is correct except at some elements of the input or the output.

Rows of the matrices belong to elements of the input, columns to those of the output. Rows that are
zero in both Jacobians show nothing and are ignored.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.chunks import along, any_of
from gradviz.checks.diagnosis.support.element_sets import (
    listed,
    words_for,
    words_for_bound,
    words_for_values,
)
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.model.diagnosis import Diagnosis

_GAP = 1000.0
"""Minimum ratio between the errors of wrong and correct lines. A formula that is wrong
everywhere, but a little less so in some places, leaves no such gap.
"""

_NOISE = {torch.float64: 1e-7, torch.complex128: 1e-7}
"""Allowed error of correct lines, relative to the largest value: that of central differences."""

_TELLING = 9
"""For fewer elements, some condition on their values fits by chance."""

_TELLING_WAYS = 2000
"""If there are fewer ways to choose the wrong elements, a bound may separate them by chance."""

_FEW_WAYS = 100
"""With fewer ways, a bound is not named if an operation explains the error."""

_LEAST_RIGHT = 0.2
_LEAST_RIGHT_BY_PLACE = 0.5
_LEAST_RIGHT_SCATTERED = 0.6

_WordsOf = Callable[[Tensor, Tensor, Tensor, str], str]


@dataclass(frozen=True, slots=True)
class _LineCounts:
    """Rows or columns of the matrices.

    Attributes:
        wrong: True for lines with a wrong element, in the tensor's shape.
        right: True for lines without a wrong element that are not zero.
        lost: Whether the wrong lines are analytically zero.
        masked: Whether they are zero in one of the two Jacobians, which no formula is by chance.
        name: Name of the input or the output.
        of_input: Whether the lines are rows.
    """

    wrong: Tensor
    right: Tensor
    lost: bool
    masked: bool
    name: str
    of_input: bool


@yields("wrong_some_indices")
def lost_for_some_indices(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose a gradient that is zero wherever it is wrong, and correct elsewhere."""
    return _diagnose_lines(pair, only_lost=True)


@yields("wrong_some_indices")
def wrong_for_some_indices(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose a gradient that is wrong for some elements, and correct elsewhere."""
    return _diagnose_lines(pair, only_lost=False)


def wrong_for_a_condition(pair: JacobianPair) -> Diagnosis | None:
    """Like `wrong_for_some_indices`, but no scattered elements, nor a bound for a few elements.

    Where a formula's error only falls below the noise, some bound on the values fits.
    """
    return _diagnose_lines(pair, only_lost=False, is_explained=True)


def _diagnose_lines(
    pair: JacobianPair, *, only_lost: bool, is_explained: bool = False
) -> Diagnosis | None:
    found = [each for each in _lines_of(pair) if each.lost or not only_lost]
    for lines in found:
        least = _LEAST_RIGHT if lines.masked else _LEAST_RIGHT_BY_PLACE
        words = words_for(lines.wrong, lines.right, lines.name) if _share(lines) >= least else ""
        words = words if words and _is_of_places(pair, lines) else ""
        of_values = _of_values(pair, lines, words_for_values)
        sure = bool(words) or _count(lines) >= _TELLING
        if words and of_values:
            words = say("wrong_some_indices.where_too", indices=words, condition=of_values)
        words = words or of_values
        if words and _is_lasting(pair, lines, 1.0):
            return _diagnosis(pair, lines, words, sure=sure)
        ways = math.comb(_count(lines), int(lines.wrong.count_nonzero()))
        may_be_bound = not is_explained or ways >= _FEW_WAYS
        words = _of_values(pair, lines, words_for_bound) if may_be_bound else ""
        if words and _is_lasting(pair, lines, 0.5):  # Moved values may have crossed the bound.
            return _diagnosis(pair, lines, words, sure=ways >= _TELLING_WAYS)
    for lines in () if is_explained else found:
        enough = not only_lost and _share(lines) >= _LEAST_RIGHT_SCATTERED
        if enough and _is_lasting(pair, lines, 1.0):
            return _diagnosis(pair, lines, "", sure=False)
    return None


def _lines_of(pair: JacobianPair) -> list[_LineCounts]:
    if pair.order != 1 or not (pair.analytical.numel() and pair.numerical.numel()):
        return []
    made = (
        _lines(pair, pair.input_shape, pair.input_name, 1),
        _lines(pair, pair.output_shape, pair.output_name, 0),
    )
    return [each for each in made if each is not None and _share(each) >= _LEAST_RIGHT]


def _lines(
    pair: JacobianPair, shape: tuple[int, ...], name: str, across: int
) -> _LineCounts | None:
    """Rows (across 1) or columns (across 0); None without a gap between wrong and correct."""
    both = pair.analytical, pair.numerical.to(pair.analytical.device)
    atol, rtol = pair.atol, pair.rtol

    def excess(ours: Tensor, theirs: Tensor) -> Tensor:
        distance = (ours - theirs).abs()
        times = distance / (atol + rtol * theirs.abs())
        return times.masked_fill(distance == 0, 0.0).amax(across)  # Also if the tolerance is zero.

    def is_used(ours: Tensor, theirs: Tensor) -> Tensor:
        return torch.maximum(ours.abs(), theirs.abs()).amax(across) > atol

    furthest = along(excess, across, *both).nan_to_num(nan=torch.inf)
    wrong = furthest > 1
    right = ~wrong & along(is_used, across, *both)
    count = int(right.count_nonzero())
    if not bool(wrong.any()) or not count:
        return None
    if count == 1 and not pair.moved:  # A single one may be correct by chance.
        return None
    if float(furthest[wrong].min()) < _GAP * float(furthest[right].max()):
        return None
    distance = along(lambda ours, theirs: (ours - theirs).abs().amax(across), across, *both)
    sizes = along(lambda each: each.abs().nan_to_num(posinf=0.0).amax(across), across, both[1])
    noise = _NOISE.get(both[1].dtype, 1.0)
    if float(distance[right].max()) > noise * (1 + float(sizes.max())):
        return None
    lost, flat = (not any_of(each[wrong] if across else each[:, wrong]) for each in both)
    return _LineCounts(wrong.view(shape), right.view(shape), lost, lost or flat, name, across == 1)


def _count(lines: _LineCounts) -> int:
    return int((lines.wrong | lines.right).count_nonzero())


def _share(lines: _LineCounts) -> float:
    return int(lines.right.count_nonzero()) / _count(lines)


def _of_values(pair: JacobianPair, lines: _LineCounts, words_of: _WordsOf) -> str:
    for name, values in pair.values:
        if values.shape == lines.wrong.shape and not values.is_complex():
            on_device = values.to(lines.wrong.device)
            words = words_of(lines.wrong, lines.right, on_device, name)
            if words:
                return say("wrong_some_indices.where", condition=words)
    return ""


def _is_lasting(pair: JacobianPair, lines: _LineCounts, share: float) -> bool:
    """Whether, for other input values, wrong lines stay wrong and enough others correct.

    True also if there are no other values, or if lines are zero as if by a mask.
    """
    is_single = int(lines.right.count_nonzero()) == 1
    if not pair.moved or (lines.masked and not is_single):
        return True
    other = pair.moved[0]
    allowed = pair.atol + pair.rtol * other.numerical.abs()
    off = ~((other.analytical - other.numerical).abs() <= allowed)
    wrong = off.any(1 if lines.of_input else 0).view(lines.wrong.shape)
    kept = int((lines.right & ~wrong).count_nonzero())
    return kept >= share * int(lines.right.count_nonzero()) and bool((wrong & lines.wrong).any())


def _is_of_places(pair: JacobianPair, lines: _LineCounts) -> bool:
    """Whether lines stay wrong and right with other values at their places.

    Values that are too small to show an error are right by chance. True if no others can be tried.
    """
    for other in pair.reordered:
        again = _lines(other, lines.wrong.shape, lines.name, 1 if lines.of_input else 0)
        if again is None or bool((again.wrong & lines.right).any()):
            return False
        if bool((again.right & lines.wrong).any()):
            return False
    return True


def _diagnosis(pair: JacobianPair, lines: _LineCounts, words: str, *, sure: bool) -> Diagnosis:
    wrong, right = int(lines.wrong.count_nonzero()), int(lines.right.count_nonzero())
    where = words or listed(lines.wrong, lines.name)
    evidence = "wrong_some_indices.evidence.output"
    if lines.of_input:
        many = "wrong_some_indices.evidence.input"
        evidence = "wrong_some_indices.evidence.input.one" if wrong == 1 else many
    return pair.diagnosis(
        "wrong_some_indices.lost" if lines.lost else "wrong_some_indices.wrong",
        confidence="certain" if sure else "likely",
        evidence=(say(evidence, wrong=wrong, count=wrong + right, name=lines.name),),
        where=where,
    )
