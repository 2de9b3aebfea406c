"""Fallback for differences that match no rule."""

from __future__ import annotations

import torch

from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.model.diagnosis import Diagnosis


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
    element = [int(each) for each in torch.unravel_index(torch.tensor(column), pair.output_shape)]
    count = pair.numerical.numel()
    return say("unknown.next", wrong=pair.block.wrong, count=count, element=element, **names)


def _is_elementwise(pair: JacobianPair) -> bool:
    """Whether both Jacobians are diagonal."""
    if pair.input_shape != pair.output_shape:
        return False
    return all(
        int(each.count_nonzero()) == int(each.diagonal().count_nonzero())
        for each in (pair.support(pair.analytical), pair.support(pair.numerical))
    )
