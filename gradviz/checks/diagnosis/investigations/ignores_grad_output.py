"""Investigation of a backward that is not linear in its incoming gradient.

Every correct backward is linear: for the sum of two incoming gradients it returns the sum of what
it returns for each. It is not linear if it returns the derivative of forward without multiplying,
takes the sign of what it receives, or clips it. Gradcheck's Jacobians cannot show this if there is
only one output element, or if the incoming gradients are always zeros with a single one.

Investigation of correct terms that backward multiplies by the gradient of another output. For ``y,
z = f(x), h(x)``, the gradient of ``x`` is ``gy * f'(x) + gz * h'(x)``. With ``gz`` in both terms,
the analytical Jacobian of ``y`` is zero, and that of ``z`` is the sum of both numerical ones.

Investigation of correct gradients returned for the wrong inputs, swapped or rotated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import groupby, permutations, product
from typing import Literal

import torch
from msgspec import Struct
from msgspec.structs import replace
from torch import Tensor

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.backward_function import differentiable
from gradviz.checks.diagnosis.support.jacobian_pair import (
    Cause,
    JacobianPair,
    has_factor,
)
from gradviz.checks.diagnosis.support.perturbed_rerun import (
    counted,
    gradients_like,
    to_dense_gradients,
    trial_run,
)
from gradviz.checks.diagnosis.support.rule import UNSTEADY, diagnosed, yields
from gradviz.checks.random_tensors import nudge
from gradviz.checks.reliability.cancellation import DowncastRecorder, unit
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Diagnosis
from gradviz.recorder.compat import gradients_of

# 4 outputs have 256 candidates, 5 have 3,125.
_MOST_OUTPUTS = 4

_Group = Mapping[int, JacobianPair]
"""Pairs of one input by their outputs."""

_Uses = Mapping[int, int]
"""For each output, the output whose gradient its term is multiplied by."""


@yields("swapped_grad_outputs")
def find_swapped_grad_outputs(case: CheckContext) -> Iterable[Diagnosis]:
    """Yield one diagnosis for all inputs whose terms use the same wrong gradients."""
    groups = [
        {pair.block.output: pair for pair in pairs}
        for _, pairs in groupby(sorted(case.unexplained(), key=_place), key=_place)
    ]
    found: dict[tuple[tuple[int, int], ...], list[_Group]] = {}
    for group in groups:
        uses = _uses(group)
        if uses is not None:
            found.setdefault(tuple(uses.items()), []).append(group)
    for items, same in found.items():
        yield _swapped_terms(same, dict(items))


def _place(pair: JacobianPair) -> tuple[int, str]:
    return pair.block.input, pair.block.part


def _uses(group: _Group) -> _Uses | None:
    """Which gradients the terms use, here and for other input values; None if they are right."""
    pairs = list(group.values())
    shapes = {pair.output_shape for pair in pairs}
    if not 1 < len(group) <= _MOST_OUTPUTS or len(shapes) > 1:
        return None
    if all(has_factor(pair, -1) for pair in pairs):  # As for swapped gradients of a difference.
        return None
    moved = _moved(group)
    fitting = [
        uses for uses in _candidates(list(group)) if all(_fits(each, uses) for each in moved)
    ]
    # If several readings fit, none of them is an explanation.
    return fitting[0] if len(fitting) == 1 else None


def _candidates(outputs: Sequence[int]) -> Iterator[_Uses]:
    """All ways to use the gradients of some outputs, except for the right one."""
    for chosen in product(outputs, repeat=len(outputs)):
        uses = dict(zip(outputs, chosen, strict=True))
        if any(one != other for one, other in uses.items()):
            yield uses


def _fits(group: _Group, uses: _Uses) -> bool:
    """Whether each analytical Jacobian is the sum of the terms that use this gradient."""
    for output, pair in group.items():
        terms = [group[one].numerical for one, used in uses.items() if used == output]
        total = sum(terms, torch.zeros_like(pair.numerical))
        # A term of zeros would fit anywhere.
        if not pair.agree(pair.analytical, total) or pair.numerical_is_zero:
            return False
    return True


def _moved(group: _Group) -> list[_Group]:
    """The group itself, and the same pairs for other input values if there are any."""
    found = {k: moved for k, pair in group.items() for moved in pair.moved}
    return [group, found] if len(found) == len(group) else [group]


def _swapped_terms(groups: Sequence[_Group], uses: _Uses) -> Diagnosis:
    first, pairs = groups[0], [pair for group in groups for pair in group.values()]
    wrong = {one: used for one, used in uses.items() if one != used}
    key = "swapped" if set(wrong) == set(wrong.values()) else "reused"
    return _exchange(
        f"swapped_grad_outputs.{key}",
        pairs,
        [
            {"output": first[one].output_name, "other": first[used].output_name}
            for one, used in wrong.items()
        ],
        moved=all(len(_moved(group)) > 1 for group in groups),
        inputs=say_list(list(dict.fromkeys(pair.input_name for pair in pairs))),
        outputs=say_list([first[one].output_name for one in wrong]),
        used=say_list([first[each].output_name for each in dict.fromkeys(wrong.values())]),
    )


def _exchange(
    key: str,
    pairs: Sequence[JacobianPair],
    exchanged: Sequence[Mapping[str, str]],
    *,
    moved: bool,
    **values: str,
) -> Diagnosis:
    """The diagnosis of pairs that agree once gradients are exchanged, with what is exchanged."""
    code, count = key.partition(".")[0], sum(pair.numerical.numel() for pair in pairs)
    evidence = [say(f"{code}.evidence", **each) for each in exchanged]
    evidence.append(say(f"{code}.evidence.corrected", count=count))
    return Cause(code, say(key, **values)).diagnosis(pairs, moved=moved, evidence=evidence)


# 6 inputs have 720 orders.
_MOST_INPUTS = 6

Order = tuple[tuple[int, int], ...]
"""For each input with a wrong gradient, the input that its own gradient is returned for."""


@yields("swapped_gradients")
def find_swapped_gradients(case: CheckContext) -> Iterable[Diagnosis]:
    """Yield one diagnosis for all inputs whose gradients are swapped."""
    groups = [
        {pair.block.input: pair for pair in pairs}
        for _, pairs in groupby(sorted(case.unexplained(), key=_output), key=_output)
    ]
    groups = [each for each in groups if len(each) > 1]
    if not groups or all(map(_is_sign, groups)):
        return
    for order in _orders(groups):
        moved = _elsewhere(groups, order)
        if all(map(_is_exchange, moved)):
            yield _swapped(groups, order, sure=bool(moved))
            return


def _output(pair: JacobianPair) -> tuple[int, str]:
    return pair.block.output, pair.block.part


def _is_sign(group: Mapping[int, JacobianPair]) -> bool:
    """Whether only the signs are wrong, as for swapped gradients of a difference."""
    return all(pair.confidence(has_factor, -1) is not None for pair in group.values())


def _orders(groups: Sequence[Mapping[int, JacobianPair]]) -> Iterator[Order]:
    """All orders in which the pairs of all outputs would agree."""
    inputs = sorted(set().union(*groups))
    if len(inputs) > _MOST_INPUTS:
        return
    for chosen in permutations(inputs):
        order = tuple(zip(inputs, chosen, strict=True))
        # All of these gradients are wrong, so none of them can be in its own place.
        if any(one == other for one, other in order):
            continue
        if all(_fits_other(group, order) for group in groups):
            yield order


def _fits_other(group: Mapping[int, JacobianPair], order: Order) -> bool:
    """Whether this order gives each input of one output its own gradient."""
    return all(
        one in group and other in group and _is_exchange((group[one], group[other]))
        for one, other in order
    )


def _is_exchange(pairs: tuple[JacobianPair, JacobianPair]) -> bool:
    """Whether the gradient of the first pair is returned for the second."""
    first, second = pairs
    if first.numerical.shape != second.analytical.shape:
        return False
    return first.is_same(second.analytical, first.numerical)


def _elsewhere(
    groups: Sequence[Mapping[int, JacobianPair]], order: Order
) -> list[tuple[JacobianPair, JacobianPair]]:
    """The same pairs for other input values."""
    return [
        pair
        for group in groups
        for one, other in order
        for pair in zip(group[one].moved, group[other].moved, strict=False)
    ]


def _swapped(
    groups: Sequence[Mapping[int, JacobianPair]], order: Order, *, sure: bool
) -> Diagnosis:
    first = groups[0]
    return _exchange(
        "swapped_gradients.two" if len(order) == 2 else "swapped_gradients.several",
        [pair for group in groups for pair in group.values()],
        [
            {"input": first[one].input_name, "other": first[other].input_name}
            for one, other in order
        ],
        moved=sure,
        inputs=say_list([first[one].input_name for one, _ in order]),
    )


_TOLERANCES = {torch.float64: 1e-5, torch.complex128: 1e-5, torch.float32: 1e-2}
"""Relative error allowed for rounding; other dtypes are too coarse for a conclusion."""

_ROUNDINGS = 16
"""Rounding errors of a lower dtype that may add up."""

_AWAY = 0.1
"""How far inputs are moved to see whether a gradient is the same everywhere."""

_NOTHING = 1e-5
"""Gradients below this are zero up to rounding, such as those of a softmax's sum."""


class _Failure(Struct, frozen=True):
    """An input whose gradient is not linear in the gradient of an output.

    Attributes:
        output: Position of the output.
        input: Position of the argument.
        kind: ``same`` if all incoming gradients give the same result, for other input values too;
            ``term`` if that holds for a part of the result only.
        value_at_zero: Largest absolute value that is returned for an incoming gradient of zeros.
    """

    output: int
    input: int
    kind: Literal["same", "term", "nonlinear"]
    value_at_zero: float


@yields("ignores_grad_output")
def find_ignored_grad_output(case: CheckContext) -> Iterator[Diagnosis]:
    """Diagnose inputs by comparing two incoming gradients with their sum."""
    worth = case.settings.battery or case.findings.verdict() == "mismatch"
    known_codes = {each.code for each in (*case.findings.diagnoses, *case.deferred_diagnoses)}
    if case.subject.order != 1 or not case.findings.blocks or not worth or known_codes & UNSTEADY:
        return
    failures: list[_Failure] = []
    with trial_run(case) as attempt:
        casts = DowncastRecorder()
        with casts:
            outputs = differentiable(case.evaluator.evaluate())
        for position, value in outputs:
            failures += _failures(case, position, value, casts)
        if any(each.kind == "same" for each in failures):
            nudge(case.subject.tensors, _AWAY)
            failures = _confirmed(case, failures)
    if attempt.error is not None or not failures:
        return
    every = len({each.output for each in failures}) == len(outputs) > 1
    inputs = {each.input: each for each in failures}
    for failure in inputs.values():
        yield _diagnosis(case, failure, every=every)


def _confirmed(case: CheckContext, failures: list[_Failure]) -> list[_Failure]:
    """The failures, where a gradient that is not always the same has a term that is."""
    places = {each.position: k for k, each in enumerate(case.subject.inputs)}
    found = []
    for position, value in differentiable(case.evaluator.evaluate()):
        one, other = (_returned(case, value, gradients_like(value, seed)) for seed in (1, 2))
        for each in failures:
            if each.output == position:
                k = places[each.input]
                varies = each.kind == "same" and not torch.equal(one[k], other[k])
                found.append(replace(each, kind="term") if varies else each)
    return found


def _failures(
    case: CheckContext, position: int, value: Tensor, casts: DowncastRecorder
) -> Iterator[_Failure]:
    one, other = gradients_like(value, 1), gradients_like(value, 2)
    first, second, both = (
        _returned(case, value, each, casts) for each in (one, other, one + other)
    )
    coarse = max((_ROUNDINGS * unit(each) for each in {value.dtype, *casts.seen}), default=0.0)
    suspects = [k for k in range(len(first)) if _is_nonlinear(first[k], second[k], both[k], coarse)]
    if not suspects:
        return
    again = [_returned(case, value, one) for _ in range(2)]
    nothing = _returned(case, value, torch.zeros_like(value))
    for k in suspects:
        if all(torch.equal(first[k], each[k]) for each in again):  # Otherwise backward has a state.
            yield _Failure(
                output=position,
                input=case.subject.inputs[k].position,
                kind=_kind(first[k], second[k], both[k], nothing[k]),
                value_at_zero=float(nothing[k].abs().max()),
            )


def _kind(
    first: Tensor, second: Tensor, both: Tensor, nothing: Tensor
) -> Literal["same", "term", "nonlinear"]:
    """How the results for two incoming gradients, their sum and zeros are related."""
    if all(torch.equal(first, each) for each in (second, both, nothing)):
        return "same"
    is_term = bool(nothing.any()) and torch.allclose(both + nothing, first + second)
    return "term" if is_term else "nonlinear"


def _is_nonlinear(first: Tensor, second: Tensor, both: Tensor, coarse: float) -> bool:
    """Whether the result for the sum is wrong beyond rounding; ignores nonfinite values.

    Args:
        first: The result for one incoming gradient.
        second: The result for another one.
        both: The result for their sum.
        coarse: Relative rounding error of lower dtypes that backward or its output uses.
    """
    found = first, second, both
    if not both.numel() or not all(bool(each.isfinite().all()) for each in found):
        return False
    size = max(float(each.abs().max()) for each in found)
    deviation = float((both - first - second).abs().max())
    allowed = max(coarse, _TOLERANCES.get(both.dtype, torch.inf))
    return deviation > allowed * max(size, _NOTHING)


def _returned(
    case: CheckContext,
    value: Tensor,
    gradient: Tensor,
    casts: AbstractContextManager[object] | None = None,
) -> list[Tensor]:
    tensors = case.subject.tensors
    # Cloned, because backward may write to it.
    incoming = gradient.clone()
    with casts or nullcontext():
        found = counted(
            case,
            lambda: gradients_of([value], tensors, [incoming], retain_graph=True),
        )
    return [each.clone() for each in to_dense_gradients(found, tensors)]


def _diagnosis(case: CheckContext, failure: _Failure, *, every: bool) -> Diagnosis:
    name = next(each.name for each in case.subject.inputs if each.position == failure.input)
    at_zero = "values" if failure.value_at_zero else "zeros"
    evidence = say(f"ignores_grad_output.evidence.{at_zero}", largest=failure.value_at_zero)
    return diagnosed(
        f"ignores_grad_output.{failure.kind}",
        about=(None if every else failure.output, failure.input, ""),
        evidence=(evidence,),
        input=name,
    )
