"""Rule for a forward that is constant, or in parts, whose backward still passes the gradient."""

from __future__ import annotations

import torch
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.model.diagnosis import Diagnosis


@yields("straight_through")
def straight_through(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose a numerical Jacobian of zeros with a diagonal analytical one."""
    same_shape = pair.input_shape == pair.output_shape
    if pair.order != 1 or not same_shape or not pair.numerical_is_zero:
        return None
    if pair.analytical_is_zero or not _is_diagonal(pair.analytical):
        return None
    if pair.reruns is not None and not pair.reruns.uses(pair.block.input):
        return None  # Forward does not use the input at all, so this is no rounding.
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
