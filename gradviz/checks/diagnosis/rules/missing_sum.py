"""Rule for a gradient that should be a sum over an output dimension but is one term.

For example, in ``y = x + b`` the same ``b`` is used for every row of ``x``. The gradient of ``b``
is ``g.sum(0)``; ``g[0]`` is only its first term. If two dimensions have the same size, the sum may
also be taken over the wrong one.

Rule for a gradient that is summed over a dimension by mistake and expanded again.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import torch
from torch import Tensor

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair, split_shapes
from gradviz.checks.diagnosis.support.rule import say_dimensions_of, yields
from gradviz.checks.reference.operation_edits import subsets
from gradviz.model.diagnosis import Confidence, Diagnosis

_MOST_DIMENSIONS = 6

SumReading = tuple[bool, tuple[int, ...], bool]
"""Which gradient is reduced (True: the output's), over which dimensions, and whether averaged."""


@yields("extra_sum")
def extra_sum(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose analytical values that are sums or means of numerical ones."""
    if pair.analytical_is_zero or pair.numerical_is_zero:
        return None
    found = pair.first_lasting(_readings(pair), _is_summed)
    if found is None:
        return None
    (arriving, dimensions, mean), confidence = found
    name = pair.output_name if arriving else pair.input_name
    over = say_dimensions_of(dimensions, name)
    key = "extra_sum.averaged" if mean else "extra_sum.summed"
    return pair.diagnosis(
        key,
        confidence=confidence,
        evidence=(say(f"{key}.evidence", count=pair.numerical.numel(), dimensions=over),),
        name=name,
        dimensions=over,
    )


def _readings(pair: JacobianPair) -> Iterator[SumReading]:
    """Candidates, fewer dimensions first, sums before means."""
    for arriving, sizes in ((True, pair.output_shape), (False, pair.input_shape)):
        long = [k for k, size in enumerate(sizes) if size > 1][:_MOST_DIMENSIONS]
        for dimensions in subsets(long):
            yield from ((arriving, dimensions, mean) for mean in (False, True))


def _is_summed(pair: JacobianPair, reading: SumReading) -> bool:
    if pair.analytical_is_zero:
        return False
    arriving, dimensions, mean = reading
    first = len(pair.input_shape) if arriving else 0
    places = [first + each for each in dimensions]
    numerical = pair.numerical.reshape(pair.shape)
    summed = numerical.mean(places, keepdim=True) if mean else numerical.sum(places, keepdim=True)
    # Backward has to expand the sum again, or the engine would reject its shape.
    return pair.is_same(pair.analytical.reshape(pair.shape), summed.expand(pair.shape))


_AMBIGUOUS = 2
"""With two terms, "only one" and "all but one" look the same."""


@yields("missing_sum")
def missing_sum(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose a single term instead of a sum, or a sum over the wrong dimension."""
    if pair.analytical_is_zero or pair.numerical_is_zero:
        return None
    return _one_term(pair) or _wrong_dimension(pair)


def _one_term(pair: JacobianPair) -> Diagnosis | None:
    given = _given(pair)
    for shape in split_shapes(pair.output_shape):
        kept = _kept(given, shape)
        confidence = pair.confidence(_has_only, shape, kept) if kept else None
        if confidence is not None:
            confidence = _sure_of_two(pair, shape, kept, confidence)
        if confidence is not None:
            return _one_term_diagnosis(pair, shape, kept, confidence)
    return None


def _one_term_diagnosis(
    pair: JacobianPair, shape: tuple[int, ...], kept: dict[int, int], confidence: Confidence
) -> Diagnosis:
    terms = 1
    for dimension in kept:
        terms *= shape[dimension]
    names = {"input": pair.input_name, "output": pair.output_name}
    places = [
        say("missing_sum.one_term.index", index=index, dimension=k) for k, index in kept.items()
    ]
    split = shape != pair.output_shape
    return pair.diagnosis(
        "missing_sum.one_term.viewed" if split else "missing_sum.one_term",
        confidence=confidence,
        evidence=(say("missing_sum.one_term.evidence", **names),),
        terms=terms,
        where=say_list(places),
        shape=list(shape),
    )


def _given(pair: JacobianPair) -> Tensor:
    """Mask of the output elements that contribute to the gradient."""
    return pair.support(pair.analytical).any(0)


def _kept(given: Tensor, shape: tuple[int, ...]) -> dict[int, int]:
    """Output dimensions of which only one index contributes to the gradient, and which."""
    given = given.reshape(shape)
    found = {}
    for dimension, size in enumerate(shape):
        indices = given.movedim(dimension, 0).reshape(size, -1).any(1).nonzero().ravel()
        if size > 1 and len(indices) == 1:
            found[dimension] = int(indices[0])
    return found


def _has_only(pair: JacobianPair, shape: tuple[int, ...], kept: dict[int, int]) -> bool:
    """Whether analytical values equal numerical ones there and are zero elsewhere."""
    numerical = pair.numerical.reshape(len(pair.numerical), *shape)
    inside = torch.zeros(shape, dtype=torch.bool, device=numerical.device)
    inside[tuple(kept.get(k, slice(None)) for k in range(len(shape)))] = True
    left = numerical.where(inside, torch.zeros_like(numerical))
    if not pair.is_same(pair.analytical, left.reshape(pair.numerical.shape)):
        return False
    rows = len(numerical)
    support = pair.support(numerical)
    some = support.reshape(rows, -1).any(1)
    has_kept = (support & inside).reshape(rows, -1).any(1)
    has_missing = (support & ~inside).reshape(rows, -1).any(1)
    if pair.moved:  # Other values have none of the zeros that may occur here.
        return bool(has_missing.any())
    # In each element of the gradient, something is kept and something is missing.
    return bool(some.any() and (has_kept == some).all() and (has_missing == some).all())


def _sure_of_two(
    pair: JacobianPair, shape: tuple[int, ...], kept: dict[int, int], confidence: Confidence
) -> Confidence | None:
    """With two terms, rerun with three: None unless still only one of them is kept."""
    if any(shape[k] > _AMBIGUOUS for k in kept) or shape != pair.output_shape:
        return confidence
    for other in pair.resized(_AMBIGUOUS):
        again = _kept(_given(other), other.output_shape)
        return confidence if set(kept) <= set(again) else None
    return "likely"


def _wrong_dimension(pair: JacobianPair) -> Diagnosis | None:
    found = pair.first_lasting(_confused(pair), _is_wrong)
    if found is None:
        return None
    (one, right, wrong), confidence = found
    inputs, repaired = len(pair.input_shape), _repaired(pair, one, right, wrong)
    # Backward keeps `wrong` apart and sums `right`; the reverse is correct.
    summed, correct = right - inputs, wrong - inputs
    return pair.diagnosis(
        "missing_sum.wrong_dimension",
        confidence=confidence,
        evidence=(say("missing_sum.wrong_dimension.evidence", count=pair.numerical.numel()),),
        repair=pair.repair(say("missing_sum.wrong_dimension.repair", dimension=correct), repaired),
        summed=summed,
        correct=correct,
    )


def _confused(pair: JacobianPair) -> Iterator[tuple[int, int, int]]:
    """A dimension of the input, and two of the output: only equal sizes are confused unnoticed."""
    inputs, shape = len(pair.input_shape), pair.shape
    for one in range(inputs):
        for right, wrong in permutations(range(inputs, len(shape)), 2):
            if shape[one] == shape[right] == shape[wrong] > 1:
                yield one, right, wrong


def _repaired(pair: JacobianPair, one: int, right: int, wrong: int) -> Tensor:
    """The analytical Jacobian with its terms moved to the correct sums."""
    found = torch.zeros_like(pair.analytical).reshape(pair.shape)
    terms = pair.analytical.reshape(pair.shape).diagonal(dim1=one, dim2=wrong)
    found.diagonal(dim1=one, dim2=right).copy_(terms.movedim(-1, wrong - 1).movedim(right - 1, -1))
    return found.reshape(pair.analytical.shape)


def _is_wrong(pair: JacobianPair, dimensions: tuple[int, int, int]) -> bool:
    """Whether the terms are found along a wrong dimension of the output."""
    one, right, wrong = dimensions
    numerical = _terms(pair, pair.numerical, one, right)
    analytical = _terms(pair, pair.analytical, one, wrong)
    if numerical is None or analytical is None:
        return False
    summed = pair.support(numerical).count_nonzero(wrong - 1) > 1
    return bool(summed.any()) and pair.is_same(analytical, numerical)


def _terms(pair: JacobianPair, matrix: Tensor, one: int, other: int) -> Tensor | None:
    """The terms without the input's dimension; None if any is nonzero off the diagonal."""
    support = pair.support(matrix).reshape(pair.shape)
    if support.diagonal(dim1=one, dim2=other).count_nonzero() != support.count_nonzero():
        return None
    return matrix.reshape(pair.shape).diagonal(dim1=one, dim2=other).movedim(-1, other - 1)
