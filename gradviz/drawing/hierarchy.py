"""Grouping of a graph's nodes into modules, repetitions, and parts of long sequences."""

from __future__ import annotations

from collections.abc import Container

from gradviz.drawing.draft import Drafts
from gradviz.drawing.group import Group, Hierarchy
from gradviz.drawing.leaf_homes import give_homes, leaves_of
from gradviz.drawing.levels import shorten_levels
from gradviz.drawing.module_levels import module_drafts
from gradviz.drawing.order import forward_order
from gradviz.model.index import Index

MOST_APART = 24
"""Up to this many custom Functions are kept out of parts; more are not special."""


def hierarchy_of(index: Index) -> Hierarchy:
    """Build the groups of a trace's graph, once for all drawings; not recursive."""
    order = forward_order(index)
    leaves = leaves_of(index)
    ends = frozenset(leaves)
    drafts = module_drafts(index, [node for node in order if node not in ends])
    _dissolve(index, drafts, ends)
    special = {node.id for node in index.trace.nodes if node.kind in ("custom", "error")}
    apart = special if len(special) <= MOST_APART else frozenset[int]()
    shorten_levels(index, drafts, lambda node: node not in apart)
    give_homes(index, drafts, order, leaves)
    return _hierarchy(drafts, {node: at for at, node in enumerate(order)}, ends)


def _dissolve(index: Index, drafts: Drafts, leaves: Container[int]) -> None:
    """Replace each module of one node without a leaf by the node: its box is pointless."""
    for number in range(len(drafts) - 1, -1, -1):
        items = drafts[number].items
        for at, item in enumerate(items):
            inner = drafts[~item].items if item < 0 and drafts[~item].kind == "module" else []
            if len(inner) == 1 and inner[0] >= 0 and not _has_leaf(index, inner[0], leaves):
                items[at] = inner[0]


def _has_leaf(index: Index, node: int, leaves: Container[int]) -> bool:
    """Whether a node has a leaf that no other node uses."""
    return any(
        edge.target in leaves and all(other.source == node for other in index.arriving[edge.target])
        for edge in index.leaving.get(node, ())
    )


def _hierarchy(drafts: Drafts, position: dict[int, int], leaves: Container[int]) -> Hierarchy:
    numbers, parents = _numbered(drafts)
    counts = _counts(drafts, numbers, leaves)
    new = {number: at for at, number in enumerate(numbers)}
    groups = []
    for number in numbers:
        draft = drafts[number]
        nodes = [item for item in draft.items if item >= 0] + draft.leaves
        groups.append(
            Group(
                number=new[number],
                key=draft.key,
                kind=draft.kind,
                call=draft.call,
                parent=new.get(parents.get(number, -1)),
                groups=tuple(new[~item] for item in draft.items if item < 0),
                nodes=tuple(sorted(nodes, key=position.__getitem__)),
                span=draft.span,
                made_in=draft.made_in,
                node_count=counts[number][0],
                leaf_count=counts[number][1],
            )
        )
    return Hierarchy(
        groups=tuple(groups),
        home={node: group.number for group in groups for node in group.nodes},
        position=position,
        keyed={group.key: group.number for group in groups},
    )


def _numbered(drafts: Drafts) -> tuple[list[int], dict[int, int]]:
    """Numbers of the drafts in use, parents first, and the parent of each."""
    numbers, parents = [0], dict[int, int]()
    for number in numbers:
        for item in drafts[number].items:
            if item < 0:
                numbers.append(~item)
                parents[~item] = number
    return numbers, parents


def _counts(
    drafts: Drafts, numbers: list[int], leaves: Container[int]
) -> dict[int, tuple[int, int]]:
    """Number of nodes and leaves in each draft, at any depth."""
    counts: dict[int, tuple[int, int]] = {}
    for number in reversed(numbers):
        draft = drafts[number]
        inner = [counts[~item] for item in draft.items if item < 0]
        nodes = sum(1 for item in draft.items if item >= 0)
        counts[number] = (
            nodes + sum(each[0] for each in inner),
            len(draft.leaves) + sum(each[1] for each in inner),
        )
    return counts
