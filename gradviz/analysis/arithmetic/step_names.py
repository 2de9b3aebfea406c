"""Names of the tensors of a step: in its code, as its inputs, and as its results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.provenance.producers import step_inputs
from gradviz.model.item import Item, gradient_name
from gradviz.model.step import AccumulateStep, NodeStep, Step
from gradviz.model.step_values import MADE, values_of


@dataclass(frozen=True, slots=True, kw_only=True)
class StepNames:
    """Names of the tensors of one step.

    Attributes:
        given: Names of what existed before the step's own computation.
        named: Names of all tensors, by number; the code's own names first.
    """

    given: dict[int, str]
    named: dict[int, str]


def step_names(index: TraceIndex, number: int) -> StepNames:
    """The names of the tensors of a step."""
    step = step_at(index, number)
    given = _by_tensor(step_inputs(index, step))
    inside = index.inside.get(number)
    local = (
        item
        for part in (() if inside is None else inside.parts)
        for line in part.lines
        for item in line.changes
    )
    return StepNames(
        given=given, named=_by_tensor(named_results(index, step)) | _by_tensor(local) | given
    )


def named_results(index: TraceIndex, step: Step | None) -> Iterator[Item]:
    """What a step computed, in order; gradients are named ``grad_weight``."""
    made = [] if step is None else [item for role, item in values_of(step) if role in MADE]
    if isinstance(step, NodeStep):
        yield from step.incoming
        yield from (replace(item, name=gradient_name(item.name)) for item in made)
    elif isinstance(step, AccumulateStep):
        leaf = index.node[step.node].variable_name or step.contribution.name
        yield replace(step.contribution, name=gradient_name(leaf))
        yield replace(step.total, name=f"{leaf}.grad")
    else:
        yield from made


def _by_tensor(items: Iterator[Item] | tuple[Item, ...]) -> dict[int, str]:
    found: dict[int, str] = {}
    for item in items:
        if item.tensor is not None:
            found.setdefault(item.tensor, item.name)
    return found
