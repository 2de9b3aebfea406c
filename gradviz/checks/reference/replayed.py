"""Autograd's Jacobian of forward itself, as a third matrix for each wrong block."""

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
"""With more output elements, another Jacobian is not worth its time and memory."""

TITLE = "forward itself, differentiated by autograd"


def replayed(case: Case) -> Iterator[Diagnosis]:
    """Add autograd's Jacobian of forward to the blocks that do not agree.

    Only Jacobians that agree with the numerical one are added: if forward leaves torch on the way,
    autograd's result means nothing. Yields no diagnoses.
    """
    call = replay_of(case.subject.function)
    if call is None or case.subject.order != 1 or not case.pairs or case.findings.reference:
        return
    case.evaluations.expect(1)
    with trial_run(case) as attempt:
        outputs = case.ways.evaluate()
    if attempt.error is not None:
        return  # It ran before; why it fails now is for other investigations.
    parts = parts_of(outputs, differentiable=True)
    if sum(part.shape.numel() for part in parts) > _MOST_PASSES:
        return
    # A failure is not reported, since nobody asked for this reference.
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
