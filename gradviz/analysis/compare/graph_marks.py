"""Marks in the graph of a run for differences from another run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from gradviz.analysis.compare.run_comparison import RunComparison
from gradviz.analysis.index.step_queries import node_at_step
from gradviz.model.step import ForwardStep, NodeStep

_PAUSE_EVERY = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphMarks:
    """What to mark in the graph of one run.

    Attributes:
        differing: First step whose values differ, by the id of its node.
        replacing: Name of the op of the other run in whose place a node was created, by its id.
        alone: Ids of nodes that only this run executes, or creates without executing them.
        edges: Ids of edges whose gradients differ.
    """

    differing: Mapping[int, int] = field(default_factory=dict)
    replacing: Mapping[int, str] = field(default_factory=dict)
    alone: frozenset[int] = frozenset()
    edges: frozenset[int] = frozenset()


def graph_marks(
    found: RunComparison, *, left: bool, pause: Callable[[], None] = lambda: None
) -> GraphMarks:
    """The marks for the graph of the left or right run; ``pause`` may raise to stop."""
    index = found.left if left else found.right
    differing: dict[int, int] = {}
    alone: set[int] = set()
    edges: set[int] = set()
    for count, mismatch in enumerate(found.mismatches):
        if count % _PAUSE_EVERY == 0:
            pause()
        number = mismatch.left if left else mismatch.right
        if number is None:
            continue
        node = node_at_step(index, number)
        if node is not None and mismatch.verdict == "differs":
            differing[node] = min(number, differing.get(node, number))
        elif node is not None:
            alone.add(node)
        step = index.trace.steps[number - 1]
        if mismatch.verdict == "differs" and isinstance(step, NodeStep):
            values = found.values(mismatch.left, mismatch.right)
            pairs = [
                value.pair for value in values if value.differs and value.pair.role == "passed"
            ]
            # By identity, because equal gradients may flow along several edges.
            items = {id(pair.left if left else pair.right) for pair in pairs}
            edges |= {
                each.edge
                for each in step.passed
                if each.edge is not None and id(each.item) in items
            }
    return GraphMarks(
        differing=differing,
        replacing=dict(_replacing(found, left)),
        alone=frozenset(
            [node for node in alone - differing.keys() if not _has_like(found, node, left)]
        ),
        edges=frozenset(edges),
    )


def _replacing(found: RunComparison, left: bool) -> Iterator[tuple[int, str]]:
    index, other = (found.left, found.right) if left else (found.right, found.left)
    for change in found.changes:
        if change.is_paired:
            (own,), (others,) = (change.left, change.right) if left else (change.right, change.left)
            node, replaced = node_at_step(index, own), other.trace.steps[others - 1]
            if node is not None and isinstance(replaced, ForwardStep):
                yield node, replaced.op


def _has_like(found: RunComparison, node: int, left: bool) -> bool:
    """Whether a step that executes or creates a node has a counterpart."""
    index, pairs = (found.left if left else found.right), found.pairs
    numbers = index.visits.get(node) or [index.made_at.get(node, 0)]
    return any((pairs.right if left else pairs.left)(number) is not None for number in numbers)
