"""How much the gradients of identical backward passes vary, element by element."""

from __future__ import annotations

import torch
from torch import Tensor

from gradviz.checks.analytical import analytical_columns, engine_backward
from gradviz.checks.arguments import put_back
from gradviz.checks.attempt import Attempt
from gradviz.checks.diagnosis.case import Case
from gradviz.checks.matrices import matrix_value
from gradviz.checks.parts import Part, parts_of
from gradviz.checks.probes.runs import Runs

_REPEATS = 6
_MOST_PASSES = 3000


def with_spreads(case: Case) -> None:
    """Add to each block how much its analytical elements vary over identical passes.

    Each pass includes a new forward. If that would take too long, there are fewer passes, or none.
    Blocks without any variation stay unchanged.
    """
    runs = Runs(case.subject, case.evaluations)
    parts: tuple[Part, ...] = ()
    with Attempt(), put_back(case.subject.arguments):
        case.evaluations.expect(1)
        parts = parts_of(runs.forward(1), differentiable=True)
    for part in parts:
        repeats = min(_REPEATS, _MOST_PASSES // max(1, part.shape.numel()))
        if repeats < 2:
            continue
        with Attempt(), put_back(case.subject.arguments):
            _store(case, part, _spreads(case, part, repeats))


def _spreads(case: Case, part: Part, repeats: int) -> list[Tensor]:
    """For each input, largest minus smallest value, ``[input elements, output elements]``."""
    count = part.shape.numel()
    case.evaluations.expect(repeats * (1 + count))
    runs = Runs(case.subject, case.evaluations)
    low: list[Tensor] = []
    high: list[Tensor] = []
    for seed in range(repeats):
        output = part.of(runs.forward(seed))
        backward = engine_backward(output, case.subject.tensors, case.evaluations)
        found = analytical_columns(backward, output, case.subject.tensors, range(count))
        wide = [torch.view_as_real(each) if each.is_complex() else each for each in found]
        low = [torch.minimum(*pair) for pair in zip(low or wide, wide, strict=True)]
        high = [torch.maximum(*pair) for pair in zip(high or wide, wide, strict=True)]
    return [_lengths(b - a, each) for a, b, each in zip(low, high, found, strict=True)]


def _lengths(spread: Tensor, matrix: Tensor) -> Tensor:
    return spread.norm(dim=-1) if matrix.is_complex() else spread


def _store(case: Case, part: Part, spreads: list[Tensor]) -> None:
    positions = [each.position for each in case.subject.inputs]
    for block in case.findings.blocks:
        if (block.output, block.part) != (part.output, part.part):
            continue
        spread = spreads[positions.index(block.input)]
        if bool(spread.any()):
            number = case.sink.store(matrix_value(spread))
            case.findings.amend(block.output, block.input, block.part, spread=number)
