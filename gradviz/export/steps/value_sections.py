"""The values of a place in sections with titles, as on the page that steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from gradviz.analysis.compare.item_pairs import named_totals
from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition, line_at, op_at
from gradviz.catalogue.messages import say
from gradviz.model.item import Item
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep, PassEndStep, Step
from gradviz.model.step_values import fields_of

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
    # What a node saved comes before what it received.
    if isinstance(step, NodeStep):
        yield "saved", tuple(_saved(index, step.node))
    for key, values in fields_of(step):
        items = tuple(item for _, item in values)
        if not (key == "received" and isinstance(step, NodeStep) and items == step.incoming):
            yield key, _named(index, step, key, items)
    if isinstance(step, ForwardStep):
        nodes = step.nodes or (() if step.node is None else (step.node,))
        yield "saved", tuple([each for node in nodes for each in _saved(index, node)])
        yield "attributes", () if step.call is None else index.call[step.call].attributes


def _named(index: TraceIndex, step: Step, key: str, items: tuple[Item, ...]) -> tuple[Item, ...]:
    """The items of a field, with totals named after their leaves."""
    if isinstance(step, PassEndStep) and key == "totals":
        return named_totals(index, step)
    if isinstance(step, AccumulateStep) and key in ("total", "leaf"):
        name = index.node[step.node].variable_name
        suffix = ".grad" if key == "total" else ""
        return tuple(replace(item, name=f"{name}{suffix}") if name else item for item in items)
    return items


def _saved(index: TraceIndex, node: int) -> Iterator[Item]:
    return (slot.item for slot in index.saved.get(node, ()))
