"""Investigation of correct gradients returned for the wrong inputs, swapped or rotated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, permutations

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.diagnosis.investigations.factor import unexplained
from gradviz.checks.diagnosis.support.common_factor import factor_of, is_close
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair, PairKey
from gradviz.checks.diagnosis.support.rule import diagnosed, yields
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Diagnosis

# 6 inputs have 720 orders.
_MOST_INPUTS = 6

Order = tuple[tuple[int, int], ...]
"""For each input with a wrong gradient, the input that its own gradient is returned for."""


@yields("swapped_gradients")
def find_swapped_gradients(case: CheckContext) -> Iterable[Diagnosis]:
    """Yield one diagnosis for all inputs whose gradients are swapped."""
    groups = [
        {pair.block.input: pair for pair in pairs}
        for _, pairs in groupby(sorted(unexplained(case), key=_output), key=_output)
    ]
    groups = [each for each in groups if len(each) > 1]
    if not groups or all(map(_is_sign, groups)):
        return
    for order in _orders(groups):
        moved = _elsewhere(groups, order)
        if all(map(_is_exchange, moved)):
            yield _diagnosis(groups, order, sure=bool(moved))
            return


def _output(pair: JacobianPair) -> tuple[int, str]:
    return pair.block.output, pair.block.part


def _is_sign(group: Mapping[int, JacobianPair]) -> bool:
    """Whether only the signs are wrong, as for swapped gradients of a difference."""
    return all(pair.confidence(_is_negated) is not None for pair in group.values())


def _is_negated(pair: JacobianPair) -> bool:
    factor = factor_of(pair)
    return factor is not None and is_close(pair, factor, -1)


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
        if all(_fits(group, order) for group in groups):
            yield order


def _fits(group: Mapping[int, JacobianPair], order: Order) -> bool:
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
    found = []
    for group in groups:
        reruns = next(iter(group.values())).reruns
        moved: Mapping[PairKey, JacobianPair] = {} if reruns is None else reruns.moved()
        for one, other in order:
            places = group[one].place, group[other].place
            if all(place in moved for place in places):
                found.append((moved[places[0]], moved[places[1]]))
    return found


def _diagnosis(
    groups: Sequence[Mapping[int, JacobianPair]], order: Order, *, sure: bool
) -> Diagnosis:
    first = groups[0]
    names = [first[one].input_name for one, _ in order]
    outputs = {pair.block.output for group in groups for pair in group.values()}
    count = sum(pair.numerical.numel() for group in groups for pair in group.values())
    listed = say_list(names)
    key = "swapped_gradients.two" if len(order) == 2 else "swapped_gradients.several"
    evidence = [
        say(
            "swapped_gradients.evidence",
            input=first[one].input_name,
            other=first[other].input_name,
        )
        for one, other in order
    ]
    evidence.append(say("swapped_gradients.evidence.corrected", count=count))
    if sure:
        evidence.append(say("diagnosis.moved"))
    return diagnosed(
        key,
        about=(next(iter(outputs)) if len(outputs) == 1 else None, None, ""),
        confidence="certain" if sure else "likely",
        evidence=tuple(evidence),
        inputs=listed,
    )
