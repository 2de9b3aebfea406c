"""Rule for a gradient that is correct except at some elements of the input or the output.

Rows of the matrices belong to elements of the input, columns to those of the output. Rows that are
zero in both Jacobians show nothing and are ignored.

Rules for elements that do not mix, a forward that is constant, and unknown causes.

Rule for a sum or mean in a gradient that mixes the rows of a batch, unlike forward. A softmax over
rows needs ``(g * y).sum(-1, keepdim=True)``. With ``(g * y).sum()``, every row gets the sum of all
rows: the Jacobian is right within a row, and not zero between rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import torch
from msgspec import Struct
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
from gradviz.checks.diagnosis.support.rule import say_dimensions_of, yields
from gradviz.checks.reference.operation_edits import subsets
from gradviz.model.arrays import index_at
from gradviz.model.diagnosis import Diagnosis


@yields("missing_term")
def elementwise_only(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose a correct diagonal with analytical zeros everywhere else.

    The most frequent case is a softmax with the gradient of a sigmoid: ``y * (1 - y)`` is only the
    diagonal of its Jacobian, and the rest is missing.
    """
    if pair.order != 1 or pair.input_shape != pair.output_shape or not _fits(pair):
        return None
    if not all(map(_fits, pair.moved)):
        return None
    return pair.diagnosis(
        "missing_term.elementwise",
        confidence="likely",
        evidence=(say("missing_term.elementwise.evidence", count=len(pair.analytical)),),
    )


def _fits(pair: JacobianPair) -> bool:
    analytical, numerical = pair.analytical, pair.numerical
    diagonal = torch.diag(analytical.diagonal())
    # Exact zeros: a backward that treats elements separately computes nothing there.
    if not torch.equal(analytical, diagonal) or not bool(analytical.any()):
        return False
    if not pair.agree(analytical.diagonal(), numerical.diagonal()):
        return False
    others = numerical - torch.diag(numerical.diagonal())
    mixed = (others.abs() > pair.atol).any(1)
    used = numerical[numerical.abs() > pair.atol]
    # If all values are equal, forward only adds up elements, and what is missing is a sum.
    varied = not pair.agree(used, used[:1].expand_as(used))
    return varied and 2 * int(mixed.count_nonzero()) >= len(mixed)


@yields("straight_through")
def straight_through(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose a numerical Jacobian of zeros with a diagonal analytical one."""
    same_shape = pair.input_shape == pair.output_shape
    if pair.order != 1 or not same_shape or not pair.numerical_is_zero:
        return None
    if pair.analytical_is_zero or not _is_diagonal(pair.analytical):
        return None
    if pair.reruns is not None and not pair.reruns.uses(pair.block.input, pair.block.output):
        return None  # The output does not depend on the input at all, so this is no rounding.
    ones = torch.ones_like(pair.analytical.diagonal())
    unchanged = torch.equal(pair.analytical.diagonal(), ones)
    elements = "straight_through.any" if len(ones) > 1 else "straight_through.only"
    return pair.diagnosis(
        "straight_through.identity" if unchanged else "straight_through.diagonal",
        elements=say(elements, count=len(ones)),
    )


@yields("straight_through")
def saturating(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose a gradient that also passes where forward is constant, as for a clamp."""
    if pair.order != 1 or pair.input_shape != pair.output_shape:
        return None
    flat = _passed(pair)
    confidence = pair.confidence(lambda each: _passed(each) is not None) if flat else None
    if flat is None or confidence is None:
        return None
    count = len(pair.analytical)
    return pair.diagnosis(
        "straight_through.saturates",
        confidence=confidence,
        evidence=(say("straight_through.saturates.evidence", count=count - flat),),
        count=flat,
        total=count,
    )


def _passed(pair: JacobianPair) -> int | None:
    """Number of elements with a gradient where forward is constant; None if others are wrong."""
    if not _is_diagonal(pair.analytical):
        return None
    ours, theirs = pair.analytical.diagonal(), pair.numerical.diagonal()
    flat = (theirs == 0) & (ours != 0)
    if not bool(flat.any()):
        return None
    same = pair.is_same(ours[~flat], theirs[~flat]) and pair.is_same(ours, ours[:1].expand_as(ours))
    return int(flat.count_nonzero()) if same and _is_diagonal(pair.numerical) else None


def _is_diagonal(matrix: Tensor) -> bool:
    return bool(matrix.count_nonzero() == matrix.diagonal().count_nonzero())


@yields("constant_forward")
def constant_forward(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose a numerical Jacobian of zeros whose analytical counterpart is not zero."""
    if pair.order != 1 or not pair.numerical_is_zero or pair.analytical_is_zero:
        return None
    return pair.diagnosis("constant_forward.message")


@yields("unknown")
def unknown(pair: JacobianPair) -> Diagnosis:
    """Diagnose an unknown cause, and say what was tried and where to start."""
    return pair.diagnosis(
        "unknown.pair", confidence="likely", evidence=(say("unknown.tried"), _next(pair))
    )


def _next(pair: JacobianPair) -> str:
    row, column = pair.worst.row, pair.worst.column
    names = {"input": pair.input_name, "output": pair.output_name}
    given = next((each for name, each in pair.values if name == pair.input_name), None)
    real = given is not None and not given.is_complex()
    if given is not None and real and not pair.is_half and _is_elementwise(pair):
        return say(
            "unknown.elementwise",
            value=float(given.reshape(-1)[row]),
            analytical=complex(pair.worst.analytical).real,
            numerical=complex(pair.worst.numerical).real,
            **names,
        )
    element = list(index_at(column, pair.output_shape))
    count = pair.numerical.numel()
    return say("unknown.next", wrong=pair.block.wrong, count=count, element=element, **names)


def _is_elementwise(pair: JacobianPair) -> bool:
    """Whether both Jacobians are diagonal."""
    both = map(pair.support, (pair.analytical, pair.numerical))
    return pair.input_shape == pair.output_shape and all(map(_is_diagonal, both))


_MOST_DIMENSIONS = 4
_MOST_ELEMENTS = 4_000_000
_NOTHING = 1e-3
"""Values between rows must be larger than this, relative to the largest value."""

_Candidate = tuple[tuple[int, ...], bool]
"""The dimensions over which rows are mixed, and whether by a mean."""


@yields("extra_sum")
def mixed_rows(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose rows that are independent numerically but depend on all rows analytically."""
    small = pair.numerical.numel() <= _MOST_ELEMENTS and not pair.numerical.is_complex()
    if pair.order != 1 or pair.input_shape != pair.output_shape or not small:
        return None
    found = pair.first_lasting(_candidates(pair), _is_mixed)
    if found is None:
        return None
    (dimensions, mean), confidence = found
    along = say_dimensions_of(dimensions, pair.input_name)
    key = "extra_sum.mixed.mean" if mean else "extra_sum.mixed"
    return pair.diagnosis(
        key,
        confidence=confidence,
        evidence=(say(f"{key}.evidence", dimensions=along),),
        dimensions=along,
    )


def _candidates(pair: JacobianPair) -> Iterator[_Candidate]:
    """Candidates, fewer dimensions first, sums before means."""
    long = [k for k, size in enumerate(pair.input_shape) if size > 1][:_MOST_DIMENSIONS]
    # Never all dimensions: a row would then be a single element, which mixes nothing.
    for dimensions in subsets(long):
        if len(dimensions) < len(long):
            yield from ((dimensions, mean) for mean in (False, True))


def _is_mixed(pair: JacobianPair, candidate: _Candidate) -> bool:
    dimensions, mean = candidate
    both = pair.analytical, pair.numerical.to(pair.analytical.device)
    analytical, numerical = (_rows(pair, each, dimensions) for each in both)
    count, inner = analytical.shape[0], analytical.shape[1]
    within = torch.eye(count, dtype=torch.bool, device=analytical.device)
    same = within[:, None, :, None].expand(analytical.shape)
    alike = torch.eye(inner, dtype=torch.bool, device=analytical.device)
    mixing = same & ~alike[None, :, None, :].expand(analytical.shape)
    least = _NOTHING * float(numerical.abs().max())
    if bool((numerical[~same].abs() > pair.atol).any()):
        return False
    between = analytical.abs().amax(dim=(1, 3))
    mixes = numerical[mixing].abs()
    if not bool((between[~within] > max(least, pair.atol)).all()) or mixes.numel() == 0:
        return False
    if not float(mixes.max()) > max(least, 10 * pair.atol):
        return False
    if mean:
        return pair.is_same(analytical[mixing] * count, numerical[mixing])
    return pair.is_same(analytical[same], numerical[same])


def _rows(pair: JacobianPair, matrix: Tensor, dimensions: tuple[int, ...]) -> Tensor:
    """View as ``[rows, row elements, rows, row elements]``, first input, then output."""
    rank = len(pair.input_shape)
    others = [k for k in range(rank) if k not in dimensions]
    order = [*dimensions, *others]
    count = 1
    for each in dimensions:
        count *= pair.input_shape[each]
    ordered = matrix.reshape(pair.shape).permute([*order, *(rank + each for each in order)])
    inner = matrix.shape[0] // count
    return ordered.reshape(count, inner, count, inner)


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


class _LineCounts(Struct, frozen=True):
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
