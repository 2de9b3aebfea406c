"""Recomputation of a case's pairs in full precision or at another point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gradviz.checks.compare import compare
from gradviz.checks.diagnosis.case import Case
from gradviz.checks.diagnosis.pair import Pair, Place
from gradviz.checks.diagnosis.second_look import SecondLook
from gradviz.checks.probes.bench import Bench, attempted, bench, places
from gradviz.checks.subject import Subject


def pairs_again(case: Case, subject: Subject, eps: float) -> Mapping[Place, Pair] | None:
    """Recompute the pairs of a case, however many wrong elements they have then.

    Args:
        case: What was found.
        subject: The same function with other arguments.
        eps: The step.

    Returns:
        The pairs by their places; None if the function raises an error.
    """
    other = bench(subject, case.evaluations)
    if other is None:
        return None
    found: Mapping[Place, Pair] | None = attempted(lambda: _pairs(case, other, eps))
    return found


def _pairs(case: Case, other: Bench, eps: float) -> dict[Place, Pair]:
    indices = places(other.parts)
    analytical = [other.analytical(part) for part in other.parts]
    looks = SecondLook(other.subject, case.settings, case.evaluations)
    found = {}
    for i, each in enumerate(other.subject.inputs):
        mine = [pair for pair in case.pairs if pair.block.input == each.position]
        if not mine:
            continue
        numerical = other.numerical(i, range(each.tensor.numel()), eps)
        for pair in mine:
            k = indices[pair.block.output, pair.block.part]
            changed = replace(
                pair, numerical=numerical[k], analytical=analytical[k][i], looks=looks
            )
            found[pair.place] = compared(changed)
    return found


def compared(pair: Pair) -> Pair:
    """A pair with its worst element and wrong count updated for new values."""
    found = compare(
        pair.analytical,
        pair.numerical,
        atol=pair.atol,
        rtol=pair.rtol,
        input_shape=pair.input_shape,
        output_shape=pair.output_shape,
    )
    worst = pair.worst if found.worst is None else found.worst
    return replace(pair, worst=worst, block=replace(pair.block, wrong=found.wrong, worst=worst))
