"""Investigation of repeatability: a few additional runs, and what they show.

Diagnoses of in-place changes that forward or backward does not declare, or hides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import torch
from msgspec import structs
from msgspec.structs import replace
from torch import Tensor
from torch.autograd import Function

from gradviz.catalogue.messages import say, say_count, say_list
from gradviz.checks.arguments import requires_grad, restore_arguments
from gradviz.checks.diagnosis.investigations.factor import find_common_factors
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import diagnosed
from gradviz.checks.jacobians.analytical import analytical_columns, engine_columns
from gradviz.checks.jacobians.matrices import matrix_value
from gradviz.checks.names import function_class, has_setup_context
from gradviz.checks.output_parts import OutputPart, as_tuple, parts_of, places
from gradviz.checks.problem_messages import Attempt, UserCodeAttempt, make_problem
from gradviz.checks.reference.forward_replay import ScratchCtx
from gradviz.checks.reliability.nondeterminism import (
    diagnose_constant_outputs,
    diagnose_nondeterminism,
)
from gradviz.checks.reliability.repeated_runs import (
    BACKWARDS,
    FORWARDS,
    ChangedTensor,
    RepeatedRuns,
    distance_beyond_rounding,
    run_repeatedly,
    same_bits,
    seeded_runs,
    values_of,
)
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckFindings, CheckStage
from gradviz.model.diagnosis import Diagnosis
from gradviz.recorder.error_boundary import safe_exception_text

_REFUSED = "has been modified by an inplace operation"
"""Part of torch's message about a saved tensor that has been modified."""


def find_inplace_damage(case: CheckContext, seen: RepeatedRuns) -> Iterator[Diagnosis]:
    """Yield ``inplace_damage`` if something that is still needed was changed."""
    harmful = [each for each in seen.damaged_by_forward if _matters(case, each)]
    if harmful:
        refusal = _refusal(case)
        if refusal is not None:
            problem = make_problem("raised.further", error=refusal)
            case.findings.fault(CheckStage.NUMERICAL, problem, "error")
        yield _damaged("forward", harmful)
    elif seen.damaged_by_backward:
        yield _damaged("backward", seen.damaged_by_backward)
    elif seen.error is not None and _REFUSED in safe_exception_text(seen.error):
        evidence = (say("damage.refused.raised"),)
        yield diagnosed("inplace_damage", say("damage.refused"), evidence=evidence)


def _matters(case: CheckContext, found: ChangedTensor) -> bool:
    """Whether an argument that forward changed is differentiated, or changes the results.

    Running statistics that forward updates are harmless.
    """
    if found.tensor.requires_grad:
        return True
    case.evaluations.expect(2)
    difference = 0.0
    with (
        UserCodeAttempt(),
        restore_arguments(case.subject.arguments),
        seeded_runs(case.subject, case.evaluations) as runs,
    ):
        values = values_of(runs.forward(1))
        difference = distance_beyond_rounding(values, values_of(runs.forward(1)))
    return difference > 0


def _refusal(case: CheckContext) -> Exception | None:
    """Error that backward raises after another forward; gradcheck runs many in between."""
    case.evaluations.expect(3)
    with (
        restore_arguments(case.subject.arguments),
        seeded_runs(case.subject, case.evaluations) as runs,
    ):
        with UserCodeAttempt() as attempt:
            outputs = runs.forward(1)
            runs.forward(1)
        if attempt.error is not None:
            return None
        with UserCodeAttempt() as attempt:
            runs.backward(outputs, 1)
    return attempt.error


def _damaged(stage: str, changed: list[ChangedTensor]) -> Diagnosis:
    names = say_list(list(dict.fromkeys(each.name for each in changed)))
    return diagnosed(
        "inplace_damage",
        say(f"damage.{stage}", names=names),
        evidence=tuple(_change(stage, each) for each in changed),
    )


def _change(stage: str, found: ChangedTensor) -> str:
    now, values = found.after, {"stage": stage, "name": found.name}
    if now.shape != found.before.shape:
        shapes = {"before": list(found.before.shape), "after": list(now.shape)}
        return say("damage.change.shape", **values, **shapes)
    other = (now != found.before) & ~(now.isnan() & found.before.isnan())
    count = int(other.count_nonzero())
    if not count:
        return say("damage.change.bits", **values)
    first = tuple(int(k) for k in other.nonzero()[0])
    numbers = {"before": _number(found.before[first]), "after": _number(now[first])}
    if not first:
        return say("damage.change.number", **values, **numbers)
    return say_count(
        "damage.change",
        count,
        **values,
        **numbers,
        total=now.numel(),
        index=", ".join(map(str, first)),
    )


def _number(value: torch.Tensor) -> str:
    return f"{value.item():.6g}"


class CopyingCtx(ScratchCtx):
    """Substitute for ctx that copies each tensor at the time it is stored."""

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        super().__init__(needs_input_grad)
        self._copies: dict[str, tuple[Tensor, Tensor]] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if isinstance(value, Tensor):
            self._copies[f"ctx.{name}"] = value, value.detach().clone()

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Store the tensors together with copies of them."""
        super().save_for_backward(*tensors)
        for k, each in enumerate(tensors):
            if each is not None:
                self._copies[say("name.saved", number=k)] = each, each.detach().clone()

    save_for_forward = ScratchCtx.mark_dirty  # Backward does not see these.

    def changed(self) -> list[str]:
        """Names of the stored tensors that have changed since."""
        return [name for name, pair in self._copies.items() if not same_bits(*pair)]

    def restore_saved_copies(self) -> None:
        """Replace the stored tensors by their copies."""
        copies = {id(tensor): copy for tensor, copy in self._copies.values()}
        self.saved_tensors = tuple(copies.get(id(each), each) for each in self.saved_tensors)
        for name, (_, copy) in list(self._copies.items()):
            if name.startswith("ctx."):
                object.__setattr__(self, name.removeprefix("ctx."), copy)


def find_modified_saved_values(case: CheckContext) -> Iterator[Diagnosis]:
    """Yield ``inplace_damage`` if backward is correct with the values as they were stored."""
    cls = function_class(case.subject.function)
    open_pairs = list(case.unexplained())
    if cls is None or has_setup_context(cls) or len(case.output_names) != 1 or not open_pairs:
        return
    names: list[str] = []
    explains = False
    with Attempt(), restore_arguments(case.subject.arguments), torch.no_grad():
        notebook = CopyingCtx(tuple(map(requires_grad, case.subject.arguments)))
        case.evaluations.expect(1)
        case.evaluations.begin()
        (output,) = as_tuple(cls.forward(notebook, *case.subject.arguments))
        names = notebook.changed()
        if names:
            notebook.restore_saved_copies()
            matrices = _analytical(case, cls, notebook, output)
            positions = [each.position for each in case.subject.inputs]
            explains = all(
                pair.agree(matrices[positions.index(pair.block.input)], pair.numerical)
                for pair in open_pairs
            )
    if explains:
        yield diagnosed(
            "inplace_damage",
            say("damage.stored", names=say_list(names)),
            evidence=(say("damage.stored.agree"),),
        )


def _analytical(
    case: CheckContext, cls: type[Function], notebook: CopyingCtx, output: Tensor
) -> list[Tensor]:
    inputs = case.subject.inputs
    case.evaluations.expect(output.numel())

    def run(gradient: Tensor) -> Sequence[Tensor | None]:
        case.evaluations.begin()
        returned = as_tuple(cls.backward(notebook, gradient))
        return [returned[each.position] for each in inputs]

    return analytical_columns(run, output, case.subject.tensors, range(output.numel()))


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
    case.evaluations.expect(repeats)
    low: list[Tensor] = []
    high: list[Tensor] = []
    for seed in range(repeats):
        # Only forward, so that backward varies if it draws random numbers.
        with seeded_runs(case.subject, case.evaluations) as runs:
            output = part.of(runs.forward(seed))
        found = engine_columns(output, case.subject.tensors, case.evaluations)
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
            case.findings.replace_block(block.place, spread=number)


def diagnose_repeatability(case: CheckContext) -> Iterator[Diagnosis]:
    """Diagnose what additional runs show.

    In-place damage comes first: it makes identical runs differ and corrupts the values.
    """
    matches = case.findings.verdict() == "match"
    if not case.output_names or (
        matches and not (case.settings.battery and case.subject.order == 1)
    ):
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
    alone = replace(case, findings=CheckFindings(case.findings.about), pairs=pairs)
    for found in find_common_factors(alone):
        yield structs.replace(found, evidence=(*found.evidence, say("damage.besides")))


def _undamaged(case: CheckContext, pair: JacobianPair) -> JacobianPair | None:
    """A pair without the effects of damage; None if it agrees then, or takes too long."""
    if pair.numerical.shape[1] > _MOST_COLUMNS:
        return None
    place = [each.position for each in case.subject.inputs].index(pair.block.input)
    columns: list[Tensor] = []
    case.evaluations.expect(pair.numerical.shape[1])
    with UserCodeAttempt() as attempt, restore_arguments(case.subject.arguments):
        for column in range(pair.numerical.shape[1]):
            outputs = case.evaluator.evaluate()
            parts = parts_of(outputs, differentiable=True)
            output = parts[places(parts)[pair.place[::2]]].of(outputs)
            found = engine_columns(output, case.subject.tensors, case.evaluations, [column])
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
