"""A trace with its cross references resolved once, for fast queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter, itemgetter
from typing import TypeVar

import numpy as np

from gradviz.model.call import FunctionCall
from gradviz.model.collector import collector_paused
from gradviz.model.columns import (
    ACCUMULATE,
    FORWARD,
    NODE,
    OPTIMIZER,
    PASS_BEGIN,
    StepColumns,
    TensorColumns,
    step_columns,
    tensor_columns,
)
from gradviz.model.console import ConsoleText
from gradviz.model.finite import Blobs, Finite, blobs_of
from gradviz.model.flows import Flow, Flows
from gradviz.model.graph import Edge, ModuleCall, Node, SavedSlot
from gradviz.model.hooked import Hooked, hooked_of
from gradviz.model.insides import Insides, insides_of
from gradviz.model.orders import Orders, orders_of
from gradviz.model.phases import Phase, phases_of
from gradviz.model.source import Source
from gradviz.model.step import PassBeginStep, Root, Step
from gradviz.model.tensor import TensorValue, Values
from gradviz.model.tensor_table import TensorTable
from gradviz.model.times import Times
from gradviz.model.trace import Trace

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class PassSpan:
    """One backward pass as a range of steps.

    Attributes:
        pass_id: Number of the pass.
        first: Number of its `PassBeginStep`.
        last: Number of its last step.
        roots: Roots at which it starts.
    """

    pass_id: int
    first: int
    last: int
    roots: tuple[Root, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """Lookup tables for one trace, created by `index_of`.

    Attributes:
        trace: The indexed trace.
        steps: The steps as columns.
        tensors: The tensors as columns.
        node: Nodes by id.
        edge: Edges by id.
        module: Module calls by id.
        call: Calls of custom Functions by id.
        tensor: Tensors by id, with statistics.
        finite: Finds the tensors that are not finite.
        value: Reads the elements of a tensor by id; returns None if that is not possible.
        source: Sources by id.
        saved: Saved slots by node.
        leaving: Edges by source node, in order of slot.
        arriving: Edges by target node.
        made_at: Number of the forward step that created a node, by node.
        visits: Numbers of the steps that executed a node, ascending, by node.
        times: Steps that created or executed a node, for thousands of nodes at once.
        flows: Gradients along an edge, by edge, in order of step.
        passes: The backward passes, in the order in which they began.
        inside: What was recorded inside a step, by step number.
        phases: Forward, backward passes and optimizer steps; together they cover all steps.
        printed: Console texts by step.
        orders: Order of differentiation of nodes and passes.
        hooked: What hooks did to gradients, by step.
    """

    trace: Trace
    steps: StepColumns
    tensors: TensorColumns
    node: dict[int, Node]
    edge: dict[int, Edge]
    module: dict[int, ModuleCall]
    call: dict[int, FunctionCall]
    tensor: TensorTable
    finite: Finite
    value: Values
    source: dict[int, Source]
    saved: dict[int, tuple[SavedSlot, ...]]
    leaving: dict[int, tuple[Edge, ...]]
    arriving: dict[int, tuple[Edge, ...]]
    made_at: dict[int, int]
    visits: dict[int, tuple[int, ...]]
    times: Times
    flows: Mapping[int, tuple[Flow, ...]]
    passes: tuple[PassSpan, ...]
    inside: Insides
    phases: tuple[Phase, ...]
    printed: dict[int, tuple[ConsoleText, ...]]
    hooked: dict[int, Hooked]
    orders: Orders


def _no_values(_number: int) -> TensorValue | None:
    return None


def index_of(trace: Trace, values: Values = _no_values, blobs: Blobs | None = None) -> Index:
    """Resolve the cross references of a trace.

    Args:
        trace: Trace to index.
        values: Reads the elements of a tensor, for statistics and thumbnails on demand, such as
            `TraceReader.value`. Without it, only recorded statistics are known.
        blobs: Reads the elements of many tensors, such as `TraceReader.blobs`; by default,
            ``values`` is called for each.
    """
    with collector_paused():
        return _indexed(trace, values, blobs or blobs_of(values))


def _indexed(trace: Trace, values: Values, blobs: Blobs) -> Index:
    steps, tensors = step_columns(trace.steps), tensor_columns(trace.tensors)
    edges = {edge.id: edge for edge in trace.edges}
    by_slot = sorted(trace.edges, key=attrgetter("slot"))
    visits = _visits(steps)
    made_at = _made_at(steps)
    arriving = _grouped(by_slot, attrgetter("target"))
    run = (text for text in trace.console if text.activity == "run")
    return Index(
        trace=trace,
        steps=steps,
        tensors=tensors,
        node={node.id: node for node in trace.nodes},
        edge=edges,
        module={module.id: module for module in trace.modules},
        call={call.id: call for call in trace.calls},
        tensor=TensorTable(trace.tensors, values),
        finite=Finite(tensors, blobs),
        value=values,
        source={source.id: source for source in trace.sources},
        saved=_grouped(trace.saved, attrgetter("node")),
        leaving=_grouped(by_slot, attrgetter("source")),
        arriving=arriving,
        made_at=made_at,
        visits=visits,
        times=Times(trace.nodes, steps, arriving),
        flows=Flows(edges, visits, trace.steps),
        passes=_passes(trace.steps, steps),
        inside=insides_of(trace.insides),
        phases=phases_of(steps.passes, steps.kinds == OPTIMIZER),
        hooked=hooked_of(trace.findings),
        printed=_grouped((text for text in run if text.step is not None), attrgetter("step")),
        orders=orders_of(trace.nodes, trace.steps, steps),
    )


def _grouped(records: Iterable[T], key: Callable[[T], int]) -> dict[int, tuple[T, ...]]:
    groups: dict[int, list[T]] = {}
    for record in records:
        groups.setdefault(key(record), []).append(record)
    return {number: tuple(group) for number, group in groups.items()}


def _made_at(steps: StepColumns) -> dict[int, int]:
    """Number of the first forward step of each node."""
    at = np.flatnonzero((steps.kinds == FORWARD) & (steps.nodes != 0))
    pairs = list(zip(steps.nodes[at].tolist(), (at + 1).tolist(), strict=True))
    if steps.several:
        pairs += [(node, number) for number, nodes in steps.several.items() for node in nodes]
        pairs.sort(key=itemgetter(1))
    # Reversed, so that of several steps of a node, the first is inserted last and wins.
    return dict(reversed(pairs))


def _visits(steps: StepColumns) -> dict[int, tuple[int, ...]]:
    executed = np.flatnonzero((steps.kinds == NODE) | (steps.kinds == ACCUMULATE))
    ordered = executed[np.argsort(steps.nodes[executed], kind="stable")]
    nodes, starts = np.unique(steps.nodes[ordered], return_index=True)
    numbers = (ordered + 1).tolist()
    ends = [*starts.tolist(), len(numbers)]
    spans = zip(nodes.tolist(), pairwise(ends), strict=True)
    return {node: tuple(numbers[start:end]) for node, (start, end) in spans}


def _passes(steps: Sequence[Step], columns: StepColumns) -> tuple[PassSpan, ...]:
    begins = [steps[at] for at in np.flatnonzero(columns.kinds == PASS_BEGIN).tolist()]
    passes, from_end = np.unique(columns.passes[::-1], return_index=True)
    last = dict(zip(passes.tolist(), (len(steps) - from_end).tolist(), strict=True))
    return tuple(
        PassSpan(
            pass_id=begin.pass_id, first=begin.number, last=last[begin.pass_id], roots=begin.roots
        )
        for begin in begins
        if isinstance(begin, PassBeginStep)
    )
