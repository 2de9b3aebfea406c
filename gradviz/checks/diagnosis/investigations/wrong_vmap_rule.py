"""Comparison of a Function's ``vmap`` rule with separate calls, which gradcheck does not do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.catalogue.messages import say
from gradviz.checks.backward_rules import differentiable
from gradviz.checks.diagnosis.support.rule import UNSTEADY, diagnosed, yields
from gradviz.checks.diagnosis.support.trial_run import gradients_like, trial_run
from gradviz.checks.names import function_class
from gradviz.checks.output_parts import as_tuple, is_continuous
from gradviz.checks.reliability.result_distance import distance_beyond_rounding
from gradviz.checks.run.context import CheckContext
from gradviz.checks.stages.batched_gradients import without_vmap_warnings
from gradviz.checks.user_errors import UserCodeAttempt, describe_exception
from gradviz.model.diagnosis import Diagnosis
from gradviz.recorder.patching.signals import calls_user_code

_MOST_INPUTS = 6
"""Of more inputs, only the first are batched alone."""

_MOST_EVIDENCE = 3


@yields("wrong_vmap_rule")
def find_wrong_vmap_rule(case: CheckContext) -> Iterator[Diagnosis]:
    """Compare ``torch.vmap`` over a Function that has a rule with separate calls."""
    cls = function_class(case.subject.function)
    if not case.settings.battery or case.subject.order != 1 or cls is None or not _has_rule(cls):
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


def _has_rule(cls: type[Function]) -> bool:
    return cls.vmap is not Function.vmap or cls.generate_vmap_rule


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


@dataclass(frozen=True, slots=True)
class _Results:
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
        if attempt.error is not None or _differ(expected.outputs, again.outputs):
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
        return _Results(detached, torch.autograd.grad(chosen, inputs, incoming, allow_unused=True))

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


def _differ(first: Sequence[Tensor], second: Sequence[Tensor]) -> bool:
    return bool(distance_beyond_rounding(first, second))
