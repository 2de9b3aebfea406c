"""The graph of one iteration, as the index of a trace that has no other nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from msgspec.structs import replace

from gradviz.analysis.index.phases import RunPhase
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.training.iterations import Iteration
from gradviz.model.graph import Edge

T = TypeVar("T")


def index_of_iteration(index: TraceIndex, iteration: Iteration) -> TraceIndex:
    """Limit graph, passes and phases of a trace to what one iteration made or executed.

    Steps, tensors, module calls and edges by id stay as they are, so that numbers mean the same in
    both, and what follows from all steps can be asked of either.

    Args:
        index: The whole trace.
        iteration: One of its iterations.
    """
    kept = _nodes(index, iteration)
    nodes = tuple(index.node[node] for node in _ordered(index, kept))
    edges = [edge for node in kept for edge in index.leaving.get(node, ()) if edge.target in kept]
    edges.sort(key=lambda edge: edge.id)
    known = {edge.id: edge for edge in edges}
    trace = index.trace
    return replace(
        index,
        trace=replace(
            trace,
            nodes=nodes,
            edges=tuple(edges),
            saved=tuple(slot for node in sorted(kept) for slot in index.saved.get(node, ())),
            calls=tuple(call for call in trace.calls if call.node in kept),
        ),
        node={node.id: node for node in nodes},
        saved=_only(index.saved, kept),
        leaving=_inner(index.leaving, kept, known),
        arriving=_inner(index.arriving, kept, known),
        made_at=_only(index.made_at, kept),
        visits=_only(index.visits, kept),
        passes=tuple(each for each in index.passes if each.first in iteration),
        phases=tuple(_phases(index, iteration)),
        iteration=iteration.number,
    )


def _nodes(index: TraceIndex, iteration: Iteration) -> set[int]:
    steps = index.steps
    inside = steps.nodes[iteration.first - 1 : iteration.last]
    found = {int(node) for node in inside.tolist() if node}
    for number, nodes in steps.several.items():
        if number in iteration:
            found.update(nodes)
    # The steps that made the root of a recording's last pass may count as the iteration before.
    starts = (each for each in index.passes if each.first in iteration)
    found.update(root.node for each in starts for root in each.roots)
    found &= index.node.keys()
    # Leaves are made by no step, and may be reached by no pass.
    ends = (edge.target for node in found for edge in index.leaving.get(node, ()))
    return found | {node for node in ends if node not in index.made_at}


def _ordered(index: TraceIndex, kept: set[int]) -> Iterable[int]:
    """The nodes in the order in which they were made, each leaf after the first one that uses it.

    Leaves may be older than the iteration, which should not change what a drawing looks like.
    """
    made = sorted(node for node in kept if index.node[node].kind != "accumulate")
    found = dict.fromkeys(
        each
        for node in made
        for each in (node, *(edge.target for edge in index.leaving.get(node, ())))
        if each in kept and (each == node or index.node[each].kind == "accumulate")
    )
    return found | dict.fromkeys(sorted(kept - found.keys()))


def _phases(index: TraceIndex, iteration: Iteration) -> Iterator[RunPhase]:
    for phase in index.phases:
        first, last = max(phase.first, iteration.first), min(phase.last, iteration.last)
        if first <= last:
            yield replace(phase, first=first, last=last)


def _only(records: dict[int, T], kept: Iterable[int]) -> dict[int, T]:
    return {node: records[node] for node in kept if node in records}


def _inner(
    edges: dict[int, tuple[Edge, ...]], kept: Iterable[int], known: Mapping[int, Edge]
) -> dict[int, tuple[Edge, ...]]:
    found = {node: tuple(e for e in edges.get(node, ()) if e.id in known) for node in kept}
    return {node: each for node, each in found.items() if each}
