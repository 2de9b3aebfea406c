"""Rule for a backward that treats each element separately although forward mixes elements.

The most frequent case is a softmax with the gradient of a sigmoid: ``y * (1 - y)`` is only the
diagonal of its Jacobian, and the rest is missing.
"""

from __future__ import annotations

import torch

from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.model.diagnosis import Diagnosis


@yields("missing_term")
def elementwise_only(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose a correct diagonal with analytical zeros everywhere else."""
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
