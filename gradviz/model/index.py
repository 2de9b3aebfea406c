"""A trace with its cross references resolved once, for readers that ask many questions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from gradviz.model.call import FunctionCall
from gradviz.model.console import ConsoleText
from gradviz.model.graph import Edge, ModuleCall, Node, SavedSlot
from gradviz.model.item import Item
from gradviz.model.source import Source
from gradviz.model.step import (
    AccumulateStep,
    ForwardStep,
    NodeStep,
    PassBeginStep,
    Root,
)
from gradviz.model.tensor import TensorRecord, TensorValue, Values
from gradviz.model.tensor_table import TensorTable
from gradviz.model.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class PassSpan:
    """One backward pass as a range of steps.

    Attributes:
        pass_id: Number of the pass.
        first: Number of its `PassBeginStep`.
        last: Number of its last step.
        roots: Where it starts.
    """

    pass_id: int
    first: int
    last: int
    roots: tuple[Root, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """A gradient flowing along an edge.

    Attributes:
        step: Number of the step that sent it.
        item: The gradient.
    """

    step: int
    item: Item


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """Look-ups into one trace. Make it with `index_of`.

    Attributes:
        trace: What is indexed.
        node: Nodes by id.
        edge: Edges by id.
        module: Calls of modules by id.
        call: Calls of custom Functions by id.
        tensor: Tensors by id, with statistics.
        value: Reads the elements of a tensor by id; gives None where it cannot.
        source: Sources by id.
        saved: Saved slots by node.
        leaving: Edges by source node, in order of slot.
        arriving: Edges by target node.
        made_at: Number of the forward step that made a node, by node.
        visits: Numbers of the steps that executed a node, ascending, by node.
        flows: Gradients along an edge, by edge, in order of step.
        passes: The backward passes, in order of beginning.
        printed: Console texts by step.
    """

    trace: Trace
    node: dict[int, Node]
    edge: dict[int, Edge]
    module: dict[int, ModuleCall]
    call: dict[int, FunctionCall]
    tensor: Mapping[int, TensorRecord]
    value: Values
    source: dict[int, Source]
    saved: dict[int, tuple[SavedSlot, ...]]
    leaving: dict[int, tuple[Edge, ...]]
    arriving: dict[int, tuple[Edge, ...]]
    made_at: dict[int, int]
    visits: dict[int, tuple[int, ...]]
    flows: dict[int, tuple[Flow, ...]]
    passes: tuple[PassSpan, ...]
    printed: dict[int, tuple[ConsoleText, ...]]


def _no_values(_number: int) -> TensorValue | None:
    return None


def index_of(trace: Trace, values: Values = _no_values) -> Index:
    """Resolves the cross references of a trace in one pass over its records.

    Args:
        trace: What is indexed.
        values: Reads elements of tensors, for statistics that are asked for and for pictures of
            tiny ones; like `TraceReader.value`. Without it only recorded statistics are known.
    """
    saved: dict[int, list[SavedSlot]] = defaultdict(list)
    for slot in trace.saved:
        saved[slot.node].append(slot)
    leaving: dict[int, list[Edge]] = defaultdict(list)
    arriving: dict[int, list[Edge]] = defaultdict(list)
    for edge in sorted(trace.edges, key=lambda each: each.slot):
        leaving[edge.source].append(edge)
        arriving[edge.target].append(edge)
    printed: dict[int, list[ConsoleText]] = defaultdict(list)
    for text in trace.console:
        if text.step is not None and text.activity == "run":
            printed[text.step].append(text)
    visits, flows = _visits_and_flows(trace)
    return Index(
        trace=trace,
        node={node.id: node for node in trace.nodes},
        edge={edge.id: edge for edge in trace.edges},
        module={module.id: module for module in trace.modules},
        call={call.id: call for call in trace.calls},
        tensor=TensorTable(trace.tensors, values),
        value=values,
        source={source.id: source for source in trace.sources},
        saved={key: tuple(group) for key, group in saved.items()},
        leaving={key: tuple(group) for key, group in leaving.items()},
        arriving={key: tuple(group) for key, group in arriving.items()},
        made_at=_made_at(trace),
        visits=visits,
        flows=flows,
        passes=_passes(trace),
        printed={key: tuple(group) for key, group in printed.items()},
    )


def _made_at(trace: Trace) -> dict[int, int]:
    made: dict[int, int] = {}
    for step in trace.steps:
        if isinstance(step, ForwardStep):
            own = () if step.node is None else (step.node,)
            for node in (*own, *step.nodes):
                made.setdefault(node, step.number)
    return made


def _visits_and_flows(
    trace: Trace,
) -> tuple[dict[int, tuple[int, ...]], dict[int, tuple[Flow, ...]]]:
    visits: dict[int, list[int]] = defaultdict(list)
    flows: dict[int, list[Flow]] = defaultdict(list)
    for step in trace.steps:
        if isinstance(step, NodeStep | AccumulateStep):
            visits[step.node].append(step.number)
        if isinstance(step, NodeStep):
            for passed in step.passed:
                if passed.edge is not None:
                    flows[passed.edge].append(Flow(step=step.number, item=passed.item))
    return (
        {node: tuple(numbers) for node, numbers in visits.items()},
        {edge: tuple(each) for edge, each in flows.items()},
    )


def _passes(trace: Trace) -> tuple[PassSpan, ...]:
    begins = {step.pass_id: step for step in trace.steps if isinstance(step, PassBeginStep)}
    last: dict[int, int] = {}
    for step in trace.steps:
        if step.pass_id is not None:
            last[step.pass_id] = step.number
    return tuple(
        PassSpan(pass_id=number, first=step.number, last=last[number], roots=step.roots)
        for number, step in begins.items()
    )
