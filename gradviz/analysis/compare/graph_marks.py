"""Marks in the graph of a run for differences from another run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gradviz.analysis.compare.run_comparison import RunComparison
from gradviz.analysis.index.step_queries import node_at_step
from gradviz.model.step import NodeStep

_PAUSE_EVERY = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphMarks:
    """What to mark in the graph of one run.

    Attributes:
        differing: Ids of nodes with a step whose values differ.
        alone: Ids of nodes that only this run executes, or creates without executing them.
        edges: Ids of edges whose gradients differ.
    """

    differing: frozenset[int] = frozenset()
    alone: frozenset[int] = frozenset()
    edges: frozenset[int] = frozenset()


def graph_marks(
    found: RunComparison, *, left: bool, pause: Callable[[], None] = lambda: None
) -> GraphMarks:
    """The marks for the graph of the left or right run; ``pause`` may raise to stop."""
    index = found.left if left else found.right
    differing: set[int] = set()
    alone: set[int] = set()
    edges: set[int] = set()
    for count, mismatch in enumerate(found.mismatches):
        if count % _PAUSE_EVERY == 0:
            pause()
        number = mismatch.left if left else mismatch.right
        if number is None:
            continue
        node = node_at_step(index, number)
        if node is not None:
            (differing if mismatch.verdict == "differs" else alone).add(node)
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
        differing=frozenset(differing),
        alone=frozenset([node for node in alone - differing if not _has_like(found, node, left)]),
        edges=frozenset(edges),
    )


def _has_like(found: RunComparison, node: int, left: bool) -> bool:
    """Whether a step that executes or creates a node has a counterpart."""
    index, pairs = (found.left if left else found.right), found.pairs
    numbers = index.visits.get(node) or [index.made_at.get(node, 0)]
    return any((pairs.right if left else pairs.left)(number) is not None for number in numbers)
