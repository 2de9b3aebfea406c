"""Investigation of single operations of backward: a change of one makes the gradients right.

Comparison of a Function's ``vmap`` rule with separate calls, which gradcheck does not do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from msgspec import Struct
from msgspec.structs import replace
from torch import Tensor
from torch.autograd import Function

from gradviz.catalogue.messages import say
from gradviz.checks.backward_function import differentiable
from gradviz.checks.diagnosis.investigations.factor import (
    factor_cause,
    find_common_factors,
    is_simple,
)
from gradviz.checks.diagnosis.rules.wrong_some_indices import wrong_for_a_condition
from gradviz.checks.diagnosis.support.backward_repair import (
    BY_VALUES,
    BackwardRepair,
    diagnosis_of,
    edit_values,
    find_backward_repairs,
    find_double_repairs,
    written_kind,
)
from gradviz.checks.diagnosis.support.jacobian_pair import Cause, JacobianPair
from gradviz.checks.diagnosis.support.perturbed_rerun import gradients_like, trial_run
from gradviz.checks.diagnosis.support.rule import UNSTEADY, diagnosed, yields
from gradviz.checks.names import function_class
from gradviz.checks.output_parts import as_tuple, is_continuous
from gradviz.checks.problem_messages import UserCodeAttempt, describe_exception
from gradviz.checks.reference.edited_backward import BackwardEdit
from gradviz.checks.reference.operation_edits import EditKind
from gradviz.checks.reliability.repeated_runs import distance_beyond_rounding
from gradviz.checks.run.context import CheckContext
from gradviz.checks.stages.batched_gradients import without_vmap_warnings
from gradviz.model.diagnosis import Diagnosis
from gradviz.recorder.compat import gradients_of
from gradviz.recorder.patching.signals import calls_user_code

_MOST_INPUTS = 6
"""Of more inputs, only the first are batched alone."""

_MOST_EVIDENCE = 3


@yields("wrong_vmap_rule")
def find_wrong_vmap_rule(case: CheckContext) -> Iterator[Diagnosis]:
    """Compare ``torch.vmap`` over a Function that has a rule with separate calls."""
    cls = function_class(case.subject.function)
    if not case.settings.battery or case.subject.order != 1 or cls is None:
        return
    if cls.vmap is Function.vmap and not cls.generate_vmap_rule:
        return
    if case.was_found(*UNSTEADY):
        return
    # A rule of plain operations has their derivatives, which differ from those of a wrong backward.
    is_right = not case.pairs and all(each.is_harmless for each in case.findings.diagnoses)
    rule = _Rule(case, cls.apply, gradients=is_right)
    found: dict[str, list[str]] = {"raises": [], "values": [], "gradients": []}
    for dims in _all_dims(case):
        for kind, sentence in rule.faults(dims):
            found[kind].append(sentence)
    worst = next((kind for kind, sentences in found.items() if sentences), None)
    if worst is None:
        return
    evidence = found[worst][:_MOST_EVIDENCE]
    if cls.generate_vmap_rule:
        evidence.append(say("wrong_vmap_rule.generated"))
    yield diagnosed(f"wrong_vmap_rule.{worst}", evidence=tuple(evidence), function=cls.__name__)


Dims = tuple[int | None, ...]
"""The batched dimension of each argument; None for one that is the same in all calls."""


def _all_dims(case: CheckContext) -> list[Dims]:
    """What to batch: all inputs at once, also along their last dimension, and each one alone."""
    arguments = case.subject.arguments
    inputs = [each.position for each in case.subject.inputs]
    tensors = [k for k, each in enumerate(arguments) if isinstance(each, Tensor)]

    def dims(chosen: Sequence[int], *, last: bool = False) -> Dims:
        return tuple(
            (each.dim() if last else 0) if k in chosen else None for k, each in enumerate(arguments)
        )

    made = [dims(inputs), dims(inputs, last=True), dims(tensors)]
    made += [dims([k]) for k in inputs[:_MOST_INPUTS]]
    return list(dict.fromkeys(made))


class _Results(Struct, frozen=True):
    """Outputs, stacked along the first dimension, and the gradients of the batched inputs."""

    outputs: tuple[Any, ...]
    gradients: tuple[Tensor | None, ...] = ()


class _Rule:
    """Calls a Function once for a whole batch, and once for each element of the batch."""

    def __init__(self, case: CheckContext, call: Callable[..., Any], *, gradients: bool) -> None:
        self._case = case
        self._call = call
        self._gradients = gradients
        sizes = {
            size
            for each in case.subject.arguments
            if isinstance(each, Tensor)
            for size in each.shape
        }
        # Another size than all dimensions, so that none can be taken for that of the batch.
        self._size = next(size for size in range(2, len(sizes) + 3) if size not in sizes)

    def faults(self, dims: Dims) -> Iterator[tuple[str, str]]:
        """Yield what is wrong: ``raises``, ``values`` or ``gradients``, and a sentence."""
        with trial_run(self._case) as attempt:
            expected, again = self._one_by_one(dims), self._one_by_one(dims)
        # Without a result for each element, or with a different one each time, nothing follows.
        if attempt.error is not None or distance_beyond_rounding(expected.outputs, again.outputs):
            return
        text = repr(dims)
        with trial_run(self._case), UserCodeAttempt() as raised:
            found = self._at_once(dims)
        if raised.error is not None:
            error = describe_exception(raised.error)
            yield "raises", say("wrong_vmap_rule.raised", dims=text, error=error)
            return
        yield from self._compared(text, found, expected)

    def _compared(
        self, dims: str, found: _Results, expected: _Results
    ) -> Iterator[tuple[str, str]]:
        counts = len(found.outputs), len(expected.outputs)
        if counts[0] != counts[1]:
            yield (
                "values",
                say("wrong_vmap_rule.count", dims=dims, found=counts[0], expected=counts[1]),
            )
            return
        names = self._case.output_names
        for name, ours, theirs in zip(names, found.outputs, expected.outputs, strict=False):
            if ours.shape != theirs.shape:
                shapes = {"found": list(ours.shape), "expected": list(theirs.shape)}
                yield "values", say("wrong_vmap_rule.shape", dims=dims, name=name, **shapes)
            elif distance := distance_beyond_rounding([ours], [theirs]):
                yield (
                    "values",
                    say("wrong_vmap_rule.differs", dims=dims, name=name, distance=distance),
                )
        inputs = (each.name for each in self._case.subject.inputs)
        for name, one, other in zip(inputs, found.gradients, expected.gradients, strict=False):
            if distance := distance_beyond_rounding([one], [other]):
                yield (
                    "gradients",
                    say(
                        "wrong_vmap_rule.gradient_differs", dims=dims, name=name, distance=distance
                    ),
                )

    @calls_user_code
    def _at_once(self, dims: Dims) -> _Results:
        batch = self._batch(dims)
        self._case.evaluations.begin()
        with without_vmap_warnings():
            return self._results(batch, as_tuple(torch.vmap(self._call, dims)(*batch)))

    @calls_user_code
    def _one_by_one(self, dims: Dims) -> _Results:
        batch = self._batch(dims)
        rows = []
        for k in range(self._size):
            self._case.evaluations.begin()
            pairs = zip(batch, dims, strict=True)
            chosen = [each if dim is None else each.select(dim, k) for each, dim in pairs]
            rows.append(as_tuple(self._call(*chosen)))
        return self._results(batch, tuple(map(torch.stack, zip(*rows, strict=True))))

    def _results(self, batch: Sequence[Any], outputs: tuple[Any, ...]) -> _Results:
        chosen = [value for _, value in differentiable(outputs)]
        detached = tuple(each.detach() for each in outputs)
        if not self._gradients:
            return _Results(detached)
        inputs = [batch[each.position] for each in self._case.subject.inputs]
        if not chosen:
            return _Results(detached, (None,) * len(inputs))
        incoming = [gradients_like(value, seed) for seed, value in enumerate(chosen)]
        self._case.evaluations.begin()
        return _Results(detached, gradients_of(chosen, inputs, incoming))

    def _batch(self, dims: Dims) -> list[Any]:
        """New arguments; the elements of a batched one are scaled by 1, 0.9, 0.8 and so on."""
        made = []
        for each, dim in zip(self._case.subject.arguments, dims, strict=True):
            if not isinstance(each, Tensor):
                made.append(each)
                continue
            value = each.detach().clone()
            if dim is not None:
                rows = [
                    value * (1 - k / 10) if is_continuous(value) else value
                    for k in range(self._size)
                ]
                value = torch.stack(rows, dim)
            made.append(value.requires_grad_(each.requires_grad))
        return made


_EXACT: Sequence[EditKind] = (
    "first",
    "second",
    "conjugate_first",
    "conjugate_second",
    "unconjugate",
    "omit",  # Before all changes that may give zeros as well.
    "keepdim",
    "dimension",
    "reverse",
    "unflip",
    "flip",
    "flip_second",
    "replace",
    "exchange",
    "exponent",
)
"""Changes without a measured number."""

_POWERS: Sequence[EditKind] = ("square_first", "square_second", "root_first", "root_second")
_NEGATED: Sequence[EditKind] = ("negate_first", "negate_second")
_FIXED: dict[EditKind, tuple[str, str]] = {
    "accumulate": ("missing_sum", "diagnosis.overwritten"),
    "first": ("transposed", "transposed.operand.first"),
    "second": ("transposed", "transposed.operand.second"),
    "conjugate_first": ("missing_conjugate", "missing_conjugate.first"),
    "conjugate_second": ("missing_conjugate", "missing_conjugate.second"),
    "unconjugate": ("missing_conjugate", "missing_conjugate.surplus"),
    "omit": ("surplus_term", "surplus_term.operation"),
    "negate_first": ("factor_sign", "factor_sign.first"),
    "negate_second": ("factor_sign", "factor_sign.second"),
    "total": ("missing_sum", "missing_sum.operation"),
}
"""Code and sentence of changes that always have the same ones."""

_REVERSED = {
    "cumsum": "cumsum",
    "roll": "roll",
    "fft_c2c": "fft",
    "linalg_solve_triangular": "solve",
    "linalg_solve_ex": "solve",
}
"""Sentences on reversed operations; those on all others are about permutations."""

_SUMS = ("sum", "mean")


@yields("wrong_some_indices", "missing_sum", "transposed")
def find_specific_operations(case: CheckContext) -> Iterator[Diagnosis]:
    """Find mistakes that the Jacobians show too, but less exactly.

    These are writes to repeated indices that keep only one of several values, and operations where
    their transpose is needed.
    """
    pairs = list(case.unexplained())
    for repair in find_backward_repairs(case, pairs, ["accumulate", "reverse"]):
        found = _diagnosis(case, repair)
        if repair.edits[0].option.kind == "accumulate" and any(map(_has_right_rows, repair.pairs)):
            found = replace(found, code="wrong_some_indices")
        yield found


def _has_right_rows(pair: JacobianPair) -> bool:
    """Whether some elements of the input have a gradient, and the right one."""
    allowed = pair.atol + pair.rtol * pair.numerical.abs()
    right = ((pair.analytical - pair.numerical).abs() <= allowed).all(1)
    return bool((right & pair.support(pair.numerical).any(1)).any())


@yields(
    "transposed",
    *find_common_factors.yields,
    "surplus_term",
    "wrong_some_indices",
    "missing_conjugate",
    "missing_sum",
    "extra_sum",
    "wrong_operation",
)
def find_wrong_operations(case: CheckContext) -> Iterator[Diagnosis]:
    """Find operations with a wrong operand or argument, or whose result has a wrong factor."""
    pairs = list(case.unexplained())
    for repair in find_backward_repairs(
        case, pairs, [*_EXACT, "scale", *_NEGATED, "total", "shift", *_POWERS]
    ):
        yield _at_indices(repair, _diagnosis(case, repair))


@yields("wrong_operation", "wrong_some_indices")
def find_missing_operands(case: CheckContext) -> Iterator[Diagnosis]:
    """Find results that lack a factor that is at hand, or have one too many, and wrong operands."""
    if case.was_found("swapped_gradients"):  # The right operand is in the other gradient.
        return
    pairs = list(case.unexplained())
    for repair in find_backward_repairs(case, pairs, BY_VALUES):
        yield _at_indices(repair, _diagnosis(case, repair))


@yields(
    "transposed",
    *find_common_factors.yields,
    "surplus_term",
    "missing_conjugate",
    "missing_sum",
    "extra_sum",
    "wrong_operation",
)
def find_two_operations(case: CheckContext) -> Iterator[Diagnosis]:
    """Find two operations that only together make the gradients right."""
    for repair in find_double_repairs(case, list(case.unexplained()), _EXACT):
        for edit in repair.edits:
            yield diagnosis_of(repair, edit, _cause(case, repair, edit))


def _diagnosis(case: CheckContext, repair: BackwardRepair) -> Diagnosis:
    (edit,) = repair.edits
    return diagnosis_of(repair, edit, _cause(case, repair, edit))


def _at_indices(repair: BackwardRepair, operation: Diagnosis) -> Diagnosis:
    """A diagnosis that also says at which indices the operation is wrong, if only at some."""
    found = wrong_for_a_condition(repair.pairs[0]) if len(repair.pairs) == 1 else None
    if found is None:
        return operation
    return replace(
        found,
        message=say("diagnosis.and_operation", found=found.message, operation=operation.message),
        evidence=(*found.evidence, *operation.evidence),
        repair=operation.repair,
    )


def _cause(case: CheckContext, repair: BackwardRepair, edit: BackwardEdit) -> Cause:
    values, kind = edit_values(repair, edit), written_kind(edit)
    if kind == "scale":
        return factor_cause(case, 1 / edit.factor, "operation", values)
    if kind in _FIXED:
        code, key = _FIXED[kind]
        return Cause(code, say(key, **values))
    if kind in ("keepdim", "dimension"):
        return _of_dimensions(edit, values)
    if kind == "reverse":
        key = _REVERSED.get(edit.calls[-1].name, "permutation")
        return Cause("transposed", say(f"transposed.reverse.{key}", **values))
    if kind == "shift":
        key = "small" if edit.factor > 0 else "large"
        sure = is_simple(edit.factor)
        return Cause("wrong_operation", say(f"wrong_operation.{key}", **values), sure)
    return Cause("wrong_operation", say(f"wrong_operation.{kind}", **values))


def _of_dimensions(edit: BackwardEdit, values: dict[str, object]) -> Cause:
    call, dims = edit.calls[-1], edit.option.dims
    if call.reduced == dims:
        return Cause("wrong_operation", say("wrong_operation.keepdim", **values))
    if call.name not in _SUMS:
        return Cause("wrong_operation", say("wrong_operation.dimension", **values))
    if set(dims) < set(call.reduced):
        return Cause("extra_sum", say("extra_sum.operation", **values))
    return Cause("missing_sum", say("missing_sum.operation.dimension", **values))
