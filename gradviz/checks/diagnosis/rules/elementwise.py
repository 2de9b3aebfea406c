"""Rules for elements that do not mix, a forward that is constant, and unknown causes."""

from __future__ import annotations

import torch
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.model.diagnosis import Diagnosis


@yields("missing_term")
def elementwise_only(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose a correct diagonal with analytical zeros everywhere else.

    The most frequent case is a softmax with the gradient of a sigmoid: ``y * (1 - y)`` is only the
    diagonal of its Jacobian, and the rest is missing.
    """
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


@yields("constant_forward")
def constant_forward(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose a numerical Jacobian of zeros whose analytical counterpart is not zero."""
    if pair.order != 1 or not pair.numerical_is_zero or pair.analytical_is_zero:
        return None
    return pair.diagnosis("constant_forward.message")


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
