"""Diagnoses of in-place changes that forward or backward does not declare, or hides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.catalogue.messages import say, say_count, say_list
from gradviz.checks.arguments import restore_arguments
from gradviz.checks.diagnosis.support.rule import diagnosed
from gradviz.checks.jacobians.analytical import analytical_columns
from gradviz.checks.names import function_class, has_setup_context
from gradviz.checks.output_parts import as_tuple
from gradviz.checks.problem_messages import make_problem
from gradviz.checks.reliability.repeated_runs import ChangedTensor, RepeatedRuns
from gradviz.checks.reliability.result_distance import distance_beyond_rounding, same_bits
from gradviz.checks.reliability.seeded_runs import seeded_runs, values_of
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckStage
from gradviz.checks.user_errors import Attempt, UserCodeAttempt
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
        yield _by_forward(harmful)
    elif seen.damaged_by_backward:
        yield _by_backward(seen.damaged_by_backward)
    elif seen.error is not None and _REFUSED in safe_exception_text(seen.error):
        yield _refused()


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


def _by_forward(harmful: list[ChangedTensor]) -> Diagnosis:
    evidence = [_change("forward", each) for each in harmful]
    return _diagnosis(say("damage.forward", names=_names(harmful)), evidence)


def _by_backward(damaged: list[ChangedTensor]) -> Diagnosis:
    evidence = [_change("backward", each) for each in damaged]
    return _diagnosis(say("damage.backward", names=_names(damaged)), evidence)


def _refused() -> Diagnosis:
    return _diagnosis(say("damage.refused"), [say("damage.refused.raised")])


def _diagnosis(message: str, evidence: Sequence[str]) -> Diagnosis:
    return diagnosed("inplace_damage", message, evidence=tuple(evidence))


def _names(changed: Sequence[ChangedTensor]) -> str:
    return say_list(list(dict.fromkeys(each.name for each in changed)))


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


_OWN = ("_tensors", "_copies", "needs_input_grad")


class CopyingCtx:
    """Substitute for ctx that copies each tensor at the time it is stored."""

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self._tensors: tuple[Tensor | None, ...] = ()
        self.needs_input_grad = needs_input_grad
        self._copies: dict[str, tuple[Tensor, Tensor]] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if name not in _OWN and isinstance(value, Tensor):
            self._copies[f"ctx.{name}"] = value, value.detach().clone()

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """Saved tensors, as on ctx."""
        return self._tensors

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Store the tensors together with copies of them."""
        self._tensors = tensors
        for k, each in enumerate(tensors):
            if each is not None:
                self._copies[say("name.saved", number=k)] = each, each.detach().clone()

    def mark_dirty(self, *_tensors: Tensor) -> None:
        """Do nothing; only stored values matter here."""

    mark_non_differentiable = save_for_forward = mark_dirty

    def set_materialize_grads(self, value: bool) -> None:
        """Do nothing; only stored values matter here."""

    def changed(self) -> list[str]:
        """Names of the stored tensors that have changed since."""
        return [name for name, pair in self._copies.items() if not same_bits(*pair)]

    def restore_saved_copies(self) -> None:
        """Replace the stored tensors by their copies."""
        copies = {id(tensor): copy for tensor, copy in self._copies.values()}
        self._tensors = tuple(copies.get(id(each), each) for each in self._tensors)
        for name, (_, copy) in list(self._copies.items()):
            if name.startswith("ctx."):
                object.__setattr__(self, name.removeprefix("ctx."), copy)


def find_modified_saved_values(case: CheckContext) -> Iterator[Diagnosis]:
    """Yield ``inplace_damage`` if backward is correct with the values as they were stored."""
    cls = function_class(case.subject.function)
    open_pairs = [pair for pair in case.pairs if not case.is_explained(pair)]
    if cls is None or has_setup_context(cls) or len(case.output_names) != 1 or not open_pairs:
        return
    names: list[str] = []
    explains = False
    with Attempt(), restore_arguments(case.subject.arguments), torch.no_grad():
        notebook = CopyingCtx(tuple(_requires_grad(each) for each in case.subject.arguments))
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
        yield _stored_diagnosis(names)


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


def _stored_diagnosis(names: list[str]) -> Diagnosis:
    return diagnosed(
        "inplace_damage",
        say("damage.stored", names=say_list(names)),
        evidence=(say("damage.stored.agree"),),
    )


def _requires_grad(argument: object) -> bool:
    return isinstance(argument, Tensor) and argument.requires_grad
