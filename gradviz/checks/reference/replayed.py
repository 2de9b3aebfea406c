"""Gives each wrong block the Jacobian that autograd finds of forward itself."""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor

from gradviz.checks.diagnosis.case import Case
from gradviz.checks.diagnosis.pair import Pair
from gradviz.checks.diagnosis.trial_run import trial_run
from gradviz.checks.parts import parts_of
from gradviz.checks.reference.opinion import Reference, opinion
from gradviz.checks.reference.replay import replay_of
from gradviz.checks.reference.third import add_reference
from gradviz.model.diagnosis import Diagnosis

_MOST_PASSES = 2_000
"""With more output elements, another Jacobian is not worth the time and the memory it takes."""

TITLE = "forward itself, differentiated by autograd"


def replayed(case: Case) -> Iterator[Diagnosis]:
    """An investigation that diagnoses nothing: it adds to the blocks that do not agree.

    Only what agrees with the numerical Jacobian is added: forward may leave torch on the way, and
    then what autograd makes of it is no opinion.
    """
    call = replay_of(case.subject.function)
    if call is None or case.subject.order != 1 or not case.pairs or case.findings.reference:
        return
    case.evaluations.expect(1)
    with trial_run(case) as attempt:
        outputs = case.ways.evaluate()
    if attempt.error is not None:
        return  # It has just worked: a function that does so is the business of others.
    parts = parts_of(outputs, differentiable=True)
    if sum(part.shape.numel() for part in parts) > _MOST_PASSES:
        return
    # Where that cannot be done, nothing was promised, so that there is nothing to tell.
    found = opinion(
        Reference(title=TITLE, call=call), case.subject, outputs, parts, case.evaluations
    )
    positions = [each.position for each in case.subject.inputs]
    for pair in case.pairs:
        k = next(
            k
            for k, part in enumerate(parts)
            if (part.output, part.part) == (pair.block.output, pair.block.part)
        )
        if k in found.matrices:
            _add(case, pair, found.matrices[k][positions.index(pair.block.input)])
    yield from ()


def _add(case: Case, pair: Pair, matrix: Tensor) -> None:
    block = pair.block
    if not pair.agree(matrix, pair.numerical):
        return
    place = block.output, block.input, block.part
    add_reference(place, matrix, pair.numerical, case.sink, case.settings, case.findings)
    case.findings.reference = TITLE
