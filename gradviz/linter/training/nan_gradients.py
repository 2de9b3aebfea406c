"""Gradients with NaN, and the call whose derivative is infinite or undefined at its input."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradviz.analysis.values.non_finite_reach import UNSCALE
from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import number_text
from gradviz.linter.training.training_run import LearningProblem, TrainingSteps
from gradviz.model.item import Item
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep
from gradviz.text.sentences.values import some_of_list

_KINDS = {
    "sqrt": "root",
    "rsqrt": "root",
    "norm": "norm",
    "vector_norm": "norm",
    "acos": "arc",
    "arccos": "arc",
    "asin": "arc",
    "arcsin": "arc",
    "log": "log",
    "div": "division",
    "truediv": "division",
}
_SINGULAR = {"root": (0.0,), "norm": (0.0,), "arc": (1.0, -1.0), "log": (0.0,), "division": (0.0,)}


def find_nan_gradients(run: TrainingSteps) -> Iterator[LearningProblem]:
    """The call that makes the first gradients NaN, if it is one with a known remedy."""
    # A gradient scaler skips steps with such gradients, which its factor may cause.
    if any(each.op == UNSCALE for each in run.index.trace.writes):
        return
    found: dict[int, tuple[NodeStep, ForwardStep, list[str]]] = {}
    for leaf in run.leaves.values():
        first = next((each for each in leaf.accumulations if _has_nan(run, each.total)), None)
        for step in () if first is None else _origins(run, first):
            forward = run.forward_of(step.node)
            if forward is not None and all(run.is_finite(each) for each in forward.inputs):
                found.setdefault(step.node, (step, forward, []))[2].append(leaf.name or "leaf")
    for step, forward, names in sorted(found.values(), key=lambda each: each[0].number):
        kind = _KINDS.get(forward.op.removesuffix("_"))
        value = None if kind is None else _singular_input(run, forward, kind)
        if value is None:
            continue
        yield LearningProblem(
            code="nan_gradient",
            severity="error",
            message=say(
                f"finding.nan_gradient.{kind}",
                names=some_of_list(names),
                op=forward.op,
                input=value[0],
                value=value[1],
            ),
            step=step.number,
            location=forward.location,
            node=step.node,
        )
        return


def _has_nan(run: TrainingSteps, item: Item) -> bool:
    known = None if item.tensor is None else run.index.tensor[item.tensor].statistics
    return known is not None and known.nans > 0


def _origins(run: TrainingSteps, accumulated: AccumulateStep) -> Iterator[NodeStep]:
    """The nodes that get finite gradients and pass on others, on the ways to a leaf.

    This also leads through ``inf * 0`` to the node that has made the Inf.
    """

    def carries(sender: NodeStep, edge: int) -> bool:
        return not all(run.is_finite(each.item) for each in sender.passed if each.edge == edge)

    def has_received(sender: NodeStep) -> bool:
        return not all(map(run.is_finite, sender.incoming))

    return run.origins(accumulated, has_received, carries)


def _singular_input(run: TrainingSteps, forward: ForwardStep, kind: str) -> tuple[str, str] | None:
    """Name and value of the input at which the derivative is infinite or undefined."""
    at = 1 if kind == "division" else 0
    item = forward.inputs[at] if at < len(forward.inputs) else None
    value = None if item is None or item.tensor is None else run.index.value(item.tensor)
    if item is None or value is None:
        return None
    elements: Any = value.array()
    if kind == "norm":
        return (item.name, "0") if not elements.any(axis=-1).all() else None
    for singular in _SINGULAR[kind]:
        if (elements == singular).any():
            return item.name, number_text(singular)
    return None
