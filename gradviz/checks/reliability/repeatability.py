"""Investigation of repeatability: a few additional runs, and what they show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import torch
from msgspec import structs
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.arguments import restore_arguments
from gradviz.checks.diagnosis.investigations.factor import find_common_factors
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.jacobians.analytical import analytical_columns, engine_backward
from gradviz.checks.jacobians.matrices import matrix_value
from gradviz.checks.names import function_class
from gradviz.checks.output_parts import OutputPart, parts_of
from gradviz.checks.reliability.inplace_damage import (
    find_inplace_damage,
    find_modified_saved_values,
)
from gradviz.checks.reliability.nondeterminism import (
    diagnose_constant_outputs,
    diagnose_nondeterminism,
)
from gradviz.checks.reliability.repeated_runs import (
    BACKWARDS,
    FORWARDS,
    RepeatedRuns,
    run_repeatedly,
)
from gradviz.checks.reliability.seeded_runs import seeded_runs
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckFindings
from gradviz.checks.user_errors import Attempt, UserCodeAttempt
from gradviz.model.diagnosis import Diagnosis

_REPEATS = 6
_MOST_PASSES = 3000
_MOST_COLUMNS = 200


def with_spreads(case: CheckContext) -> None:
    """Add to each block how much its analytical elements vary over identical passes.

    Each pass includes a new forward. If that would take too long, there are fewer passes, or none.
    Blocks without any variation stay unchanged.
    """
    parts: tuple[OutputPart, ...] = ()
    with (
        Attempt(),
        restore_arguments(case.subject.arguments),
        seeded_runs(case.subject, case.evaluations) as runs,
    ):
        case.evaluations.expect(1)
        parts = parts_of(runs.forward(1), differentiable=True)
    for part in parts:
        repeats = min(_REPEATS, _MOST_PASSES // max(1, part.shape.numel()))
        if repeats < 2:
            continue
        with Attempt(), restore_arguments(case.subject.arguments):
            _store(case, part, _spreads(case, part, repeats))


def _spreads(case: CheckContext, part: OutputPart, repeats: int) -> list[Tensor]:
    """For each input, largest minus smallest value, ``[input elements, output elements]``."""
    count = part.shape.numel()
    case.evaluations.expect(repeats * (1 + count))
    low: list[Tensor] = []
    high: list[Tensor] = []
    for seed in range(repeats):
        # Only forward, so that backward varies if it draws random numbers.
        with seeded_runs(case.subject, case.evaluations) as runs:
            output = part.of(runs.forward(seed))
        backward = engine_backward(output, case.subject.tensors, case.evaluations)
        found = analytical_columns(backward, output, case.subject.tensors, range(count))
        # Complex numbers have no minimum.
        wide = [torch.view_as_real(each) if each.is_complex() else each for each in found]
        low = [torch.minimum(*pair) for pair in zip(low or wide, wide, strict=True)]
        high = [torch.maximum(*pair) for pair in zip(high or wide, wide, strict=True)]
    return [_lengths(b - a, each) for a, b, each in zip(low, high, found, strict=True)]


def _lengths(spread: Tensor, matrix: Tensor) -> Tensor:
    return spread.norm(dim=-1) if matrix.is_complex() else spread


def _store(case: CheckContext, part: OutputPart, spreads: list[Tensor]) -> None:
    positions = [each.position for each in case.subject.inputs]
    for block in case.findings.blocks:
        if (block.output, block.part) != (part.output, part.part):
            continue
        spread = spreads[positions.index(block.input)]
        if bool(spread.any()):
            number = case.sink.store(matrix_value(spread))
            case.findings.replace_block(block.output, block.input, block.part, spread=number)


def diagnose_repeatability(case: CheckContext) -> Iterator[Diagnosis]:
    """Diagnose what additional runs show.

    In-place damage comes first: it makes identical runs differ and corrupts the values.
    """
    matches = case.findings.verdict() == "match"
    if not case.output_names or (matches and not (case.settings.battery and _is_first(case))):
        return
    case.evaluations.expect(FORWARDS + BACKWARDS)
    seen = run_repeatedly(case)
    if seen.is_uneventful:
        yield from [*diagnose_constant_outputs(case, seen)] or find_modified_saved_values(case)
        return
    found = [*find_inplace_damage(case, seen)] or [*diagnose_nondeterminism(case, seen)]
    if seen.differs:
        with_spreads(case)
    if _is_only_overtaken(seen) and function_class(case.subject.function) is not None:
        # A check never runs another forward in between, so this explains no pair.
        case.deferred_diagnoses.extend(found)
    else:
        yield from found
    if seen.damaged_by_backward:
        yield from _beside_damage(case)


def _beside_damage(case: CheckContext) -> Iterator[Diagnosis]:
    """Factors that remain if each column has a forward of its own, which nothing has damaged."""
    pairs = [each for each in map(partial(_undamaged, case), case.pairs) if each is not None]
    for found in find_common_factors(replace(case, findings=CheckFindings(), pairs=pairs)):
        yield structs.replace(found, evidence=(*found.evidence, say("damage.besides")))


def _undamaged(case: CheckContext, pair: JacobianPair) -> JacobianPair | None:
    """A pair without the effects of damage; None if it agrees then, or takes too long."""
    if pair.numerical.shape[1] > _MOST_COLUMNS:
        return None
    place = [each.position for each in case.subject.inputs].index(pair.block.input)
    columns: list[Tensor] = []
    case.evaluations.expect(2 * pair.numerical.shape[1])
    with UserCodeAttempt() as attempt, restore_arguments(case.subject.arguments):
        for column in range(pair.numerical.shape[1]):
            outputs = case.evaluator.evaluate()
            parts = parts_of(outputs, differentiable=True)
            wanted = pair.block.output, pair.block.part
            output = next(e for e in parts if (e.output, e.part) == wanted).of(outputs)
            backward = engine_backward(output, case.subject.tensors, case.evaluations)
            found = analytical_columns(backward, output, case.subject.tensors, [column])
            columns.append(found[place].cpu())
    if attempt.error is not None or not columns:
        return None
    analytical = torch.cat(columns, 1)
    # Other runs of it would be damaged again.
    fresh = replace(pair, analytical=analytical, reruns=None)
    return None if pair.agree(analytical, pair.numerical) else fresh


def _is_only_overtaken(seen: RepeatedRuns) -> bool:
    return (
        seen.fresh_backward_distance > 0
        and seen.output_distance == seen.repeated_backward_distance == 0
    )


def _is_first(case: CheckContext) -> bool:
    return case.subject.order == 1
