"""The values of a place in sections with titles, as on the page that steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from gradviz.analysis.compare.item_pairs import named_totals
from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition, line_at, op_at
from gradviz.catalogue.messages import say
from gradviz.model.item import Item
from gradviz.model.step import (
    AccumulateStep,
    DispatchStep,
    ErrorStep,
    ForwardStep,
    MissingStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
    PassEndStep,
    Step,
)

_NamedItems = tuple[str, tuple[Item, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueSection:
    """Values of a place with the same role.

    Attributes:
        key: Their member in the JSON of the place; ``saved`` for what the step's node saved.
        items: The values, in order.
    """

    key: str
    items: tuple[Item, ...]

    @property
    def title(self) -> str:
        """The title, for people."""
        return say(f"page.section.{self.key}")


def value_sections(index: TraceIndex, place: TracePosition) -> list[ValueSection]:
    """The values of an op or a line, or else of the step; sections without values are left out."""
    step, op, line = step_at(index, place.step), op_at(index, place), line_at(index, place)
    found: Iterator[_NamedItems]
    if op is not None:
        found = iter((("inputs", op.inputs), ("outputs", op.outputs)))
    elif line is not None:
        result = () if line.result is None else (line.result,)
        found = iter((("changes", line.changes), ("result", result)))
    else:
        found = iter(()) if step is None else _sections(index, step)
    return [ValueSection(key=key, items=items) for key, items in found if items]


def _sections(index: TraceIndex, step: Step) -> Iterator[_NamedItems]:
    match step:
        case ForwardStep():
            yield from (("inputs", step.inputs), ("outputs", step.outputs))
            nodes = step.nodes or (() if step.node is None else (step.node,))
            yield "saved", tuple([each for node in nodes for each in _saved(index, node)])
            call = None if step.call is None else index.call[step.call]
            yield "attributes", () if call is None else call.attributes
        case PassBeginStep():
            yield (
                "roots",
                tuple([each for root in step.roots for each in (root.value, root.gradient)]),
            )
        case NodeStep():
            yield "saved", tuple(_saved(index, step.node))
            yield "incoming", step.incoming
            yield "received", () if step.received == step.incoming else step.received
            yield "returned", step.returned
            yield "passed", tuple(each.item for each in step.passed)
        case AccumulateStep():
            name = index.node[step.node].variable_name
            yield "contribution", (step.contribution,)
            yield "total", (replace(step.total, name=f"{name}.grad") if name else step.total,)
        case PassEndStep():
            yield from (("results", step.results), ("totals", named_totals(index, step)))
        case DispatchStep():
            yield from (("inputs", step.inputs), ("outputs", step.outputs))
        case OptimizerStep():
            yield from (("settings", step.settings), ("before", step.before))
            yield from (("gradients", step.gradients), ("after", step.after))
        case ErrorStep() | MissingStep():
            return


def _saved(index: TraceIndex, node: int) -> Iterator[Item]:
    return (slot.item for slot in index.saved.get(node, ()))
