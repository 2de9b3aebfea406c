"""Investigation of correct terms that backward multiplies by the gradient of another output.

For ``y, z = f(x), h(x)``, the gradient of ``x`` is ``gy * f'(x) + gz * h'(x)``. With ``gz`` in both
terms, the analytical Jacobian of ``y`` is zero, and that of ``z`` is the sum of both numerical
ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, product

import torch

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.diagnosis.investigations.factor import unexplained
from gradviz.checks.diagnosis.support.common_factor import factor_of, is_close
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair, PairKey
from gradviz.checks.diagnosis.support.rule import diagnosed, yields
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Diagnosis

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
        for _, pairs in groupby(sorted(unexplained(case), key=_place), key=_place)
    ]
    found: dict[tuple[tuple[int, int], ...], list[_Group]] = {}
    for group in groups:
        uses = _uses(group)
        if uses is not None:
            found.setdefault(tuple(uses.items()), []).append(group)
    for items, same in found.items():
        yield _diagnosis(same, dict(items))


def _place(pair: JacobianPair) -> tuple[int, str]:
    return pair.block.input, pair.block.part


def _uses(group: _Group) -> _Uses | None:
    """Which gradients the terms use, here and for other input values; None if they are right."""
    pairs = list(group.values())
    shapes = {pair.output_shape for pair in pairs}
    if not 1 < len(group) <= _MOST_OUTPUTS or len(shapes) > 1 or all(map(_is_negated, pairs)):
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
    reruns = next(iter(group.values())).reruns
    moved: Mapping[PairKey, JacobianPair] = {} if reruns is None else reruns.moved()
    found = {k: moved[pair.place] for k, pair in group.items() if pair.place in moved}
    return [group, found] if len(found) == len(group) else [group]


def _is_negated(pair: JacobianPair) -> bool:
    """Whether only the sign is wrong, as for swapped gradients of ``a - b`` and ``b - a``."""
    factor = factor_of(pair)
    return factor is not None and is_close(pair, factor, -1)


def _diagnosis(groups: Sequence[_Group], uses: _Uses) -> Diagnosis:
    first = groups[0]
    names = {pair.block.input: pair.input_name for group in groups for pair in group.values()}
    wrong = {one: used for one, used in uses.items() if one != used}
    swapped = set(wrong) == set(wrong.values())
    evidence = [
        say(
            "swapped_grad_outputs.evidence",
            output=first[one].output_name,
            other=first[used].output_name,
        )
        for one, used in wrong.items()
    ]
    count = sum(pair.numerical.numel() for group in groups for pair in group.values())
    evidence.append(say("swapped_grad_outputs.evidence.corrected", count=count))
    sure = all(len(_moved(group)) > 1 for group in groups)
    if sure:
        evidence.append(say("diagnosis.moved"))
    return diagnosed(
        "swapped_grad_outputs.swapped" if swapped else "swapped_grad_outputs.reused",
        about=(None, next(iter(names)) if len(names) == 1 else None, ""),
        confidence="certain" if sure else "likely",
        evidence=tuple(evidence),
        inputs=say_list(list(names.values())),
        outputs=say_list([first[one].output_name for one in wrong]),
        used=say_list([first[each].output_name for each in dict.fromkeys(wrong.values())]),
    )
